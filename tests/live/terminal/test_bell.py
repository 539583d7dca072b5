"""What the main thread of ``condped watch`` waits for, on a terminal of its own."""

from __future__ import annotations

import os
import pty
import select
import termios
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from condped.live.terminal import bell as module
from condped.live.terminal.bell import Bell, quiet_keys


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """A terminal's two ends, the second of which is the keyboard."""
    leader, follower = pty.openpty()
    monkeypatch.setattr(module, "_keyboard", lambda: follower)
    yield leader, follower
    os.close(follower)


def test_keys_that_ctrl_c_discards_are_not_waited_for(
    terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys are there, and are thrown away before they are read: the wait ends all the same."""
    leader, follower = terminal
    found = select.select

    def discarding(*arguments: Any) -> Any:
        ready = found(*arguments)
        termios.tcflush(follower, termios.TCIFLUSH)  # as the system does for Ctrl-C
        return ready

    bell, heard = Bell(), []
    before = termios.tcgetattr(follower)
    with quiet_keys(bell):
        os.write(leader, b"typed")
        monkeypatch.setattr(select, "select", discarding)
        waiting = threading.Thread(target=lambda: heard.append(bell.wait(30.0)), daemon=True)
        waiting.start()
        waiting.join(20.0)
        assert not waiting.is_alive()
        monkeypatch.undo()
        assert heard == [""]
        os.write(leader, b"q")
        assert bell.wait(30.0) == "q"  # and the keyboard is still listened to
    assert termios.tcgetattr(follower) == before
    bell.close()
    os.close(leader)


def test_a_terminal_that_is_gone_is_not_listened_to(terminal: tuple[int, int]) -> None:
    """Its end would be reported again and again, without a pause."""
    leader, _ = terminal
    bell = Bell()
    with quiet_keys(bell):
        os.close(leader)
        assert bell.wait(1.0) == ""
        assert bell.keys is None
    bell.close()
