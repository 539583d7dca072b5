"""Calls that take long: others are answered meanwhile, and nobody waits for ever."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Semaphore

import pytest
from mcp import MCPError

from condped.live.agents.desk import Desk
from condped.live.agents.server import make_server
from tests.live.agents.asking import Asking, asking


class Hold(Event):
    """Keeps analyses waiting until it is set; each says that it has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = Semaphore(0)


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hold]:
    """Keep analyses of effects waiting."""
    event = Hold()
    original = Desk._made

    def waiting(self: Desk, tool: str, *others: object) -> object:
        if tool == "effects":
            event.entered.release()
            assert event.wait(60)
        return original(self, tool, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(Desk, "_made", waiting)
    yield event
    event.set()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Asking]:
    """A client of a server with one small study."""
    file = tmp_path / "small.csv"
    file.write_text("x,loss\n" + "\n".join(f"{0.01 * n},{n % 7}" for n in range(40)))
    with asking(make_server(Desk([str(file)], objective="loss"))) as found:
        yield found


def test_other_calls_are_answered_while_one_takes_long(client: Asking, hold: Hold) -> None:
    """A slow analysis holds up nobody, and gets its answer in the end."""
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(client, "effects", study="small")
        assert client("importance", study="small")["status"] == "ok"
        assert not slow.done()
        hold.set()
        assert slow.result(60)["study"] == "small"


def test_a_call_that_is_given_up_leaves_the_server_as_it_was(client: Asking, hold: Hold) -> None:
    """After a client has lost its patience, others and it itself are answered."""

    async def impatient() -> None:
        arguments = {"study": "small"}
        await client.client.call_tool("effects", arguments, read_timeout_seconds=0.2)

    with pytest.raises(MCPError, match=r"[Tt]imed out"):
        client.portal.call(impatient)
    assert client("importance", study="small")["status"] == "ok"
    hold.set()
    assert client("effects", study="small")["status"] == "ok"


def test_a_call_that_takes_too_long_ends_in_words(
    client: Asking, hold: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent is told what to do, and finds the answer later."""
    monkeypatch.setattr("condped.live.agents.server._PATIENCE", 0.2)
    assert "takes longer than" in client.refusal("effects", study="small")
    hold.set()
    monkeypatch.setattr("condped.live.agents.server._PATIENCE", 60.0)
    assert client("effects", study="small")["status"] == "ok"


def test_too_many_calls_at_once_are_refused(client: Asking, hold: Hold) -> None:
    """Work that piles up is bounded; when it is done, calls are answered again."""
    with ThreadPoolExecutor(8) as pool:
        slow = [
            pool.submit(client, "effects", study="small", target_quantile=0.1 + 0.01 * n)
            for n in range(8)
        ]
        try:
            for _ in slow:
                assert hold.entered.acquire(timeout=60)
            assert "already" in client.refusal("importance", study="small")
        finally:
            hold.set()
        assert {one.result(60)["status"] for one in slow} == {"ok"}
    assert client("importance", study="small")["status"] == "ok"


def test_asking_again_takes_no_place(
    client: Asking, hold: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often an impatient agent repeats a slow question, others are answered."""
    monkeypatch.setattr("condped.live.agents.server._PATIENCE", 0.1)
    for _ in range(12):
        assert "takes longer than" in client.refusal("effects", study="small")
    monkeypatch.setattr("condped.live.agents.server._PATIENCE", 60.0)
    assert client("importance", study="small")["status"] == "ok"
    assert hold.entered.acquire(timeout=60)
    assert not hold.entered.acquire(blocking=False)  # it is computed once
    hold.set()
    assert client("effects", study="small")["status"] == "ok"
