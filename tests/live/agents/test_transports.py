"""The command, over standard input and output and over HTTP, by the SDK's own client."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx
import pytest
from mcp import StdioServerParameters
from mcp.client.client import ConnectMode

import condped
from condped.cli.app import app
from condped.errors import MissingLibraryError
from tests.live.agents.asking import asking

TOKEN = "a-token-that-is-long-enough"
MODES: tuple[ConnectMode, ...] = ("auto", "legacy")
COMMAND = [sys.executable, "-m", "condped", "mcp"]


@pytest.mark.parametrize("mode", MODES)
def test_standard_input_and_output_carry_the_protocol(
    mode: ConnectMode, journal: Path, tmp_path: Path
) -> None:
    """An agent that starts the command lists studies and asks about one."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "condped", "mcp", f"runs={journal}"],
        env={**os.environ, "PYTHONPATH": str(Path(condped.__file__).parents[1])},
        cwd=tmp_path,
    )
    with asking(server, mode=mode) as client:
        assert len(client.tools()) == 9
        assert client("list_studies")["studies"][0]["study"] == "runs:maximised"
        found = client("importance", study="runs:maximised")
        assert found["parameters"][0]["verdict"] == "matters"
        assert "There is no study" in client.refusal("report", study="/etc/passwd")
    assert list(tmp_path.iterdir()) == []  # nothing is written


def test_standard_output_holds_nothing_but_the_protocol(journal: Path) -> None:
    """The command ends when its input does, and prints no word of its own."""
    done = subprocess.run(
        [*COMMAND, str(journal)], input="", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@dataclass(frozen=True)
class Running:
    """A server that runs, and what it says on standard error."""

    url: str
    process: subprocess.Popen[str]
    errors: IO[str]


@contextmanager
def serving(*arguments: str) -> Iterator[Running]:
    """Run the command over HTTP at a free port until the block ends; it must end by itself."""
    with subprocess.Popen(
        [*COMMAND, *arguments, "--http", "--port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+/mcp", line)
        assert found is not None, line + process.stderr.read()
        try:
            yield Running(found[0], process, process.stderr)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)
    assert process.returncode == 0


def test_http_serves_clients_with_the_token(journal: Path) -> None:
    """A client with the token is answered, by either version of the protocol."""
    with serving(str(journal), "--token", TOKEN) as running:
        for mode in MODES:
            with asking(running.url, TOKEN, mode) as client:
                found = client("importance", study="tuning:maximised")
                assert found["parameters"][0]["verdict"] == "matters"
                assert "There is no study" in client.refusal("advise", study="file:///etc/passwd")


def test_http_on_this_machine_needs_no_token(journal: Path) -> None:
    """At the loopback address a client just connects."""
    with serving(str(journal)) as running, asking(running.url) as client:
        assert client("list_studies")["more_studies"] == 0


_PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
_TYPES = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def test_http_refuses_strangers_and_logs_no_secrets(journal: Path) -> None:
    """Without or with a wrong token, for another host, from another page, too large: refused."""
    with serving(str(journal), "--token", TOKEN) as running:
        right = {**_TYPES, "Authorization": f"Bearer {TOKEN}"}

        def status(**headers: str) -> int:
            return httpx.post(running.url, json=_PING, headers={**_TYPES, **headers}).status_code

        assert status() == 401
        assert status(Authorization="Bearer wrong-token-of-somebody") == 401
        assert status(**{**right, "Host": "evil.example"}) == 403
        assert status(**{**right, "Origin": "http://evil.example"}) == 403
        large = httpx.post(running.url, content=b"x" * 100_000, headers=right)
        assert large.status_code == 413
        base = running.url.removesuffix("/mcp")
        for path in ("/", "/mcp/../etc/passwd", "/study", "/static/x", "/.well-known/x"):
            assert httpx.get(base + path, headers=right).status_code == 404
        for method in ("PUT", "PATCH", "TRACE", "OPTIONS"):
            assert httpx.request(method, running.url, headers=right).status_code == 405
        running.process.send_signal(signal.SIGINT)
        said = running.errors.read()
    assert "Refused POST /mcp" in said
    # It is printed once, where clients are told what to send.
    assert said.count(TOKEN) == 1
    assert "wrong-token" not in said


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has not installed the extra is told which one it is."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingLibraryError, match=r"needs mcp,.*'condped\[mcp\]'"):
        app(["mcp", "x.csv"], standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "Missing argument"),
        (("x.csv", "--port", "1"), "--port applies only to HTTP"),
        (("x.csv", "--http", "--host", "0.0.0.0", "--token", "short"), "at least 16"),
        (("a=x.csv", "a=y.csv"), "is given to two sources"),
        (("x.csv", "--method", "f-anova"), "method"),
    ],
)
def test_wrong_options_end_with_code_2(arguments: tuple[str, ...], told: str) -> None:
    """What the user did wrong is said in a line on standard error."""
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr


def test_a_source_that_cannot_be_read_is_told_at_the_start(tmp_path: Path, journal: Path) -> None:
    """A slip in a path shows on standard error, by the name of the source."""
    done = subprocess.run(
        [*COMMAND, str(tmp_path / "nothere.log"), str(journal)],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    (line,) = done.stderr.splitlines()
    assert line.startswith("condped: nothere cannot be read now: ")
    assert str(tmp_path) not in line
    assert done.stdout == ""
