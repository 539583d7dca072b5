"""``condped serve`` as a user starts it, a browser, and measurements of both."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from benchmarks.live_storages import NAME

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


class Server:
    """``condped serve`` as a user starts it."""

    def __init__(self, source: str, port: int = 0, *, every: float = 1.0) -> None:
        command = [sys.executable, "-m", "condped", "serve", source, "--study", NAME, "--no-open"]
        self.process = subprocess.Popen(
            [*command, "--port", str(port), "--every", str(every)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            found = re.search(r"http://\S+?:(\d+)/\S*", line)
            if found:
                self.address, self.port = found[0].rstrip("."), int(found[1])
                break
        else:
            raise RuntimeError("".join(self.said))
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        self.said += self.process.stdout

    def memory(self) -> int:
        """Return the bytes that the server and its children hold."""
        return sum(map(_resident, family(self.process.pid)))

    def memories(self) -> dict[str, int]:
        """Return the bytes that the server holds, and those of its children: verdicts."""
        own, *others = family(self.process.pid)
        return {"server": _resident(own), "verdicts": sum(map(_resident, others))}

    def seconds(self) -> float:
        """Return the processor time of the server and its children."""
        return sum(map(_processor, family(self.process.pid)))

    def stop(self, sign: signal.Signals = signal.SIGINT) -> tuple[int, float]:
        """Stop it by a signal; return its exit code and how long that took."""
        begun = time.monotonic()
        self.process.send_signal(sign)
        return self.process.wait(timeout=30), time.monotonic() - begun


def family(process: int) -> list[int]:
    """Return a process and its descendants: each thread has its own list of children."""
    own: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            own += map(int, thread.read_text(encoding="ascii").split())
        except OSError:  # it has ended meanwhile
            continue
    return [process, *(member for child in own for member in family(child))]


def _resident(process: int) -> int:
    try:
        pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _processor(process: int) -> float:
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    fields = status.rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def finished_on(page: Page) -> int:
    """Return how many finished trials a page shows."""
    shown = page.evaluate("document.getElementById('live-trials')?.textContent || ''")
    found = re.match(r"[\d,]+", shown)
    return int(found[0].replace(",", "")) if found else 0


def state_on(page: Page) -> str:
    """Return the state that a page shows: live, waiting, unreachable, lost or ended."""
    return str(page.evaluate("document.getElementById('live')?.dataset.state || ''"))


def is_tested(page: Page) -> bool:
    """Return whether a page has the verdicts of the last scheduled look."""
    shown = page.evaluate("document.getElementById('live-verdicts')?.textContent || ''")
    return "as of" in shown and "being computed" not in shown


def waited(what: Callable[[], bool], most: float = 60.0) -> float:
    """Wait until something holds; return how long that took."""
    begun = time.monotonic()
    while not what():
        if time.monotonic() - begun > most:
            return float("inf")
        time.sleep(0.02)
    return time.monotonic() - begun


def heap(session: CDPSession) -> int:
    """Return the bytes that the scripts of a session's page hold after a collection."""
    session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return int(next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize"))


@contextmanager
def browsing() -> Iterator[Browser]:
    """Run Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_FLAGS)
        yield browser
        browser.close()
