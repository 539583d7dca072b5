"""``condped serve`` in a process of its own: how it starts, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.command import condped_command
from tests.live.studies import run_trials, storage_in


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = storage_in(tmp_path)
    run_trials(made, 45)  # enough for verdicts
    return made


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, and return it and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "condped", "serve", *arguments, "--no-open", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"at (http://\S+)$", line)
        assert found, line + process.communicate()[1]
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_server_and_all_that_belongs_to_it(
    url: str, ending: signal.Signals
) -> None:
    """With open streams and verdicts under way it says so, ends well, and leaves no process."""
    with serving(url) as (process, address), httpx.Client(timeout=60) as client:
        page = client.get(address, follow_redirects=True)
        with client.stream("GET", f"{page.url}/events") as stream:
            lines = stream.iter_lines()
            assert "event: page" in [next(lines) for _ in range(3)]  # after retry and a blank
            children = _children(process.pid)
            process.send_signal(ending)
            last = list(lines)
        _, errors = process.communicate(timeout=60)

        assert process.returncode == 0
        assert errors == "Ctrl-C to stop.\nStopped.\n"
        assert any('"state":"ended"' in line for line in last)
        assert children
        while any(map(_lives, children)):  # the last one ends a moment after its parent
            time.sleep(0.01)


def test_interrupting_the_start_is_an_interrupt(url: str) -> None:
    """Before there is anything to end well, Ctrl-C ends as with every other command."""
    code = (
        "import os, signal, sys, condped.cli\n"
        "from condped.live.serve.catalogue import Catalogue\n"
        "Catalogue._list = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)\n"
        f"sys.argv = ['condped', 'serve', {url!r}, '--port', '0']\n"
        "condped.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert done.returncode == 130
    assert b"Traceback" not in done.stderr


def test_what_cannot_be_read_or_listened_at_ends_in_one_line(tmp_path: Path, url: str) -> None:
    """Wrong sources, options and addresses are told at the start, with exit code 2."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cases = [
            (["serve", str(tmp_path / "missing.csv")], "missing.csv"),
            (["serve", f"sqlite:///{tmp_path}/missing.db"], "missing.db"),
            (["serve", url, "--study", "nothing"], "nothing"),
            (["serve", url, "--port", port], f"port {port}"),
            (["serve", url, "--host", "nowhere.invalid", "--port", "0"], "nowhere.invalid"),
            (["serve", url, "--token", "short"], "at least 16"),
            (["serve", url, "--allow-host", "http://x"], "without scheme"),
        ]
        for arguments, said in cases:
            done = condped_command(*arguments, "--no-open")
            assert (done.returncode, done.stdout) == (2, ""), arguments
            assert said in done.stderr
            assert done.stderr.count("\n") == 1


def test_others_need_the_token_that_is_printed(url: str) -> None:
    """At all addresses there is a token in the address, and without it nothing is shown."""
    with serving(url, "--host", "0.0.0.0", "--allow-host", "tuning.example") as (process, address):
        found = re.fullmatch(r"http://[^:/]+:(\d+)/\?token=([\w-]{43})", address)
        assert found is not None
        here = f"http://127.0.0.1:{found[1]}/study/tuning"
        named = {"host": f"tuning.example:{found[1]}"}

        assert httpx.get(here, timeout=60).status_code == 401
        assert httpx.get(here, timeout=60, headers=named).status_code == 401
        bearer = {"authorization": f"Bearer {found[2]}"}
        assert httpx.get(here, timeout=60, headers=named | bearer).status_code == 200
        assert httpx.get(here, timeout=60, headers=bearer | {"host": "x"}).status_code == 403
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert errors.count("Refused") == 3
    assert found[2] not in errors


def _children(process: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def _lives(process: int) -> bool:
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, check=False
    )
    return bool(found.stdout.strip()) and not found.stdout.startswith(b"Z")
