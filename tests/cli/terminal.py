"""A terminal to run commands on."""

from __future__ import annotations

import os
import pty
import subprocess


def on_a_terminal(command: list[str], columns: int = 80, **environment: str) -> str:
    """Run a command whose output and errors go to a terminal, and return what it showed."""
    shown = b""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        command,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "COLUMNS": str(columns), **environment},
    )
    os.close(follower)
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    process.wait()
    os.close(leader)
    return shown.decode(errors="replace")
