"""Processes to which faults happen, and what is left of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from fuzz.faults.storages import NAME

_PATIENCE = httpx.Timeout(60, read=None)  # nothing is sent while nothing happens
_MARK = "CONDPED_FAULTS"  # in the environment of a process and of all that it starts


@dataclass(frozen=True)
class MarkedProcesses:
    """Starts processes that can be found again, with a folder of their own for temporary files."""

    temporary: Path
    mark: str

    def start(self, *command: str, **options: object) -> subprocess.Popen[str]:
        """Start Python with a module and its arguments."""
        environment = {**os.environ, _MARK: self.mark, "TMPDIR": str(self.temporary)}
        environment |= {
            "PGAPPNAME": self.mark,
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        process: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", *command],
            text=True,
            env=environment,
            **{**dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE), **options},  # type: ignore[call-overload]
        )
        return process

    def ready(self, *command: str) -> subprocess.Popen[str]:
        """Start a process, and return when it says that it is ready."""
        return heard_of(self.start(*command))

    def alive(self) -> list[int]:
        """Return the running processes, including those that others of them started."""
        own = f"{_MARK}={self.mark}".encode()
        found = []
        for place in Path("/proc").iterdir():
            if place.name.isdigit() and int(place.name) != os.getpid():
                try:
                    if own in (place / "environ").read_bytes().split(b"\0"):
                        found.append(int(place.name))
                except OSError:
                    continue
        return found

    def left(self, patience: float = 10.0) -> list[str]:
        """Return what is in the folder for temporary files, and which processes still run."""
        waited(lambda: not self.alive(), patience)
        files = [str(p.relative_to(self.temporary)) for p in sorted(self.temporary.rglob("*"))]
        return files + [f"process {one}: {_command(one)}" for one in self.alive()]


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:200]
    except OSError:
        return "which has ended"


def heard_of(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    """Return a process once it says that it is ready."""
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise RuntimeError(process.communicate()[1])
    return process


def begin(process: subprocess.Popen[str]) -> None:
    """Let a process start that waits for a line."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


@contextmanager
def marked() -> Iterator[MarkedProcesses]:
    """Make the folder, and kill whatever still runs at the end."""
    with TemporaryDirectory(prefix="condped-faults-") as folder:
        made = MarkedProcesses(Path(folder), uuid.uuid4().hex)
        try:
            yield made
        finally:
            for one in made.alive():
                os.kill(one, signal.SIGKILL)


@dataclass(frozen=True)
class CommandEnding:
    """How a command ended: with an answer, an error of its own, another, by a signal, or not."""

    kind: str
    said: str


def ended(process: subprocess.Popen[str], seconds: float = 120.0) -> CommandEnding:
    """Wait for a condped command, and judge how it ended."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return CommandEnding("hang", f"after {seconds:g} s")
    if process.returncode < 0:
        return CommandEnding(
            "killed" if process.returncode == -signal.SIGKILL else "death", err[-500:]
        )
    if "Traceback" in err or "please report" in err:
        return CommandEnding("untyped", err[-800:])
    return CommandEnding(
        "answer" if process.returncode == 0 else "error", (out if out else err)[-800:]
    )


class Server:
    """``condped serve`` and a viewer of its pages."""

    def __init__(self, marked: MarkedProcesses, source: str) -> None:
        self.process = marked.start(
            "condped", "serve", source, "--study", NAME, "--no-open", "--port", "0",
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.said: list[str] = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if found := re.search(r"http://\S+?:\d+/?\S*", line):
                self.address = found[0].rstrip("./")
                break
        else:
            raise RuntimeError("".join(self.said))
        # One study has no list: the start page is its own.
        landed = httpx.get(self.address, follow_redirects=True, timeout=60)
        self.page = str(landed.url).rstrip("/")
        self.finished, self.updates = 0, 0
        self.wrong: list[str] = []
        self.states: set[str] = set()
        self._end = threading.Event()
        threading.Thread(target=self._collect_output, daemon=True).start()
        self._viewer = threading.Thread(target=self._take_events, daemon=True)
        self._viewer.start()

    def _collect_output(self) -> None:
        assert self.process.stdout is not None
        self.said += self.process.stdout

    def _take_events(self) -> None:
        """Take the events of a page; trials that had ended never run again."""
        while not self._end.is_set():
            try:
                with httpx.stream("GET", f"{self.page}/events", timeout=_PATIENCE) as response:
                    for line in response.iter_lines():
                        self._take_line(line)
                        if self._end.is_set():
                            return
            except httpx.HTTPError as error:
                if not self._end.is_set():
                    self.wrong.append(f"{type(error).__name__}: {error}"[:200])
                    time.sleep(0.5)

    def _take_line(self, line: str) -> None:
        if found := re.search(r'"finished": ?(\d+)', line):
            count = int(found[1])
            if count < self.finished:
                self.wrong.append(f"{count} trials had ended after {self.finished}")
            self.finished = count
            self.updates += 1
        if found := re.search(r'"state": ?"(\w+)"', line):
            self.states.add(found[1])

    def stop(self) -> int:
        """Press Ctrl-C; return the exit code."""
        self._end.set()
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)


def waited(what: Callable[[], bool], most: float = 60.0) -> bool:
    """Wait until something holds, and return whether it does."""
    end = time.monotonic() + most
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.1)
    return what()
