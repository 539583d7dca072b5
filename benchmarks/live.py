"""A live page in Chromium beside real Optuna workers: how soon, how heavy, and what it survives.

Run: python -m benchmarks.live [--kinds sqlite postgresql journal] [--trials 1000] [--output FILE]

Four worker processes share a study with Optuna's default sampler; their objective sleeps. While it
runs: how long after the end of a trial the page shows it, whether slider, card, fold and scroll
stay where the reader put them, and what 50 more viewers receive. Afterwards the server is killed
and started again, the storage taken away and given back, and Ctrl-C pressed. The slowdown is the
ratio of shorter runs with a server and a page to those without, taken in turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from benchmarks.live_storages import KINDS, NAME, Stored, stored

WORKERS, VIEWERS = 4, 50
WELL = ("live", "waiting")  # states in which a study can be read
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_KEPT = """() => ({
  slider: document.getElementById("slider").value,
  card: [...document.querySelectorAll("details.card[open]")].map((card) => card.id),
  folds: [...document.querySelectorAll("details.fold[open]")].map((fold) => fold.id),
  fold_top: Math.round(document.getElementById("parameters").getBoundingClientRect().top),
  loaded: performance.timeOrigin,
})"""


class Server:
    """``condped serve`` as a user starts it."""

    def __init__(self, source: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "condped", "serve", source, "--study", NAME, "--no-open"]
        self.process = subprocess.Popen(
            [*command, "--port", str(port)],
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
        return sum(map(_resident, _family(self.process.pid)))

    def seconds(self) -> float:
        """Return the processor time of the server and its children."""
        return sum(map(_processor, _family(self.process.pid)))

    def stop(self, sign: signal.Signals = signal.SIGINT) -> tuple[int, float]:
        """End it by a signal; return its exit code and how long that took."""
        begun = time.monotonic()
        self.process.send_signal(sign)
        return self.process.wait(timeout=30), time.monotonic() - begun


def _family(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children")
    try:
        own = [int(child) for child in children.read_text(encoding="ascii").split()]
    except OSError:
        return []
    return [process, *(member for child in own for member in _family(child))]


def _resident(process: int) -> int:
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _processor(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
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
    return "as of" in shown and "on the way" not in shown


class Follower(threading.Thread):
    """Viewers without a browser: they count what they are sent."""

    def __init__(self, address: str, viewers: int) -> None:
        super().__init__(daemon=True)
        self.events = [0] * viewers
        self.address, self.ended = address, threading.Event()

    def run(self) -> None:
        asyncio.run(self._all())

    async def _all(self) -> None:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=None, limits=limits) as client:
            tasks = [asyncio.create_task(self._one(client, k)) for k in range(len(self.events))]
            while not self.ended.is_set():
                await asyncio.sleep(0.2)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, client: httpx.AsyncClient, place: int) -> None:
        async with client.stream("GET", f"{self.address.rstrip('/')}/events") as response:
            async for line in response.aiter_lines():
                self.events[place] += line.startswith("event: changes")


def waited(what: Callable[[], bool], most: float = 60.0) -> float:
    """Wait until something holds; return how long that took."""
    begun = time.monotonic()
    while not what():
        if time.monotonic() - begun > most:
            return float("inf")
        time.sleep(0.02)
    return time.monotonic() - begun


def heap(page: Page, session: CDPSession) -> int:
    """Return the bytes that a page's scripts hold after a collection."""
    session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return int(next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize"))


def slowdown(place: Stored, browser: Browser, trials: int, seconds: float) -> dict[str, Any]:
    """Return how long workers take by themselves and beside a server and a page, in turns."""
    took: dict[str, list[float]] = {"alone": [], "served": []}
    for _ in range(2):
        place.create()
        took["alone"].append(max(_durations(place.work(WORKERS, trials, seconds))))
        place.create()
        server = Server(place.source)
        page = browser.new_page()
        page.goto(server.address)
        took["served"].append(max(_durations(place.work(WORKERS, trials, seconds))))
        page.close()
        server.stop()
    # The best of each: whatever else a machine does only makes a run slower.
    return took | {"slowdown": min(took["served"]) / min(took["alone"]) - 1}


def _durations(workers: list[subprocess.Popen[str]]) -> list[float]:
    return [float(worker.communicate()[0]) for worker in workers]


@contextmanager
def browsing() -> Iterator[Browser]:
    """Run Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_FLAGS)
        yield browser
        browser.close()


def watched(
    place: Stored, browser: Browser, trials: int, seconds: float, folder: Path
) -> dict[str, Any]:
    """Follow one run, and return what was seen."""
    place.create()
    first = place.work(1, 12, 0.0)
    _durations(first)
    server = Server(place.source)
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    wrong: list[str] = []
    for one in (page, phone):
        one.on("pageerror", lambda error: wrong.append(str(error)))
        one.goto(server.address)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    waited(lambda: finished_on(page) >= 12)
    address = page.url.split("#")[0]
    # The reader's own state: another quantile, an open fold with an open card, scrolled to it.
    page.locator("#slider").fill("7")
    page.evaluate("document.getElementById('parameters').open = true")
    page.locator("details.card summary").first.click()
    page.evaluate("document.getElementById('parameters').scrollIntoView()")
    kept = page.evaluate(_KEPT)
    viewers = Follower(address, VIEWERS)
    viewers.start()
    begun = time.time()
    workers = place.work(WORKERS, trials, seconds)
    shown: list[tuple[float, int]] = []
    weights: list[tuple[int, int, int]] = []
    used = server.seconds()
    while any(worker.poll() is None for worker in workers):
        shown.append((time.time(), finished_on(page)))
        if not weights or shown[-1][1] >= weights[-1][0] + trials // 10:
            weights.append((shown[-1][1], heap(page, session), server.memory()))
        time.sleep(0.02)
    took = max(_durations(workers))
    used = server.seconds() - used
    waited(lambda: finished_on(page) >= trials + 12)
    shown.append((time.time(), finished_on(page)))
    weights.append((shown[-1][1], heap(page, session), server.memory()))
    after = page.evaluate(_KEPT)
    viewers.ended.set()
    verdicts = waited(lambda: is_tested(page))
    page.evaluate("scrollTo(0, 0)")
    for one, name in ((page, "desktop"), (phone, "phone")):
        one.screenshot(path=str(folder / f"{place.kind}-{name}.png"))
    lags = _lags(shown, [t for t in place.ended() if t > begun], 12)
    found: dict[str, Any] = {
        "storage": place.kind,
        "trials": shown[-1][1],
        "seconds": took,
        "server_share": used / took,
        "median_lag": statistics.median(lags),
        "lag_95": sorted(lags)[int(0.95 * len(lags))],
        "most_lag": max(lags),
        "kept": {key: [kept[key], after[key]] for key in kept},
        "verdicts_after": verdicts,
        "weights": weights,
        "updates": [min(viewers.events), max(viewers.events)],
    }
    found |= survived(place, server, page, trials + 12)
    found["errors"] = wrong
    page.close()
    phone.close()
    return found


def _lags(shown: list[tuple[float, int]], ended: list[float], before: int) -> list[float]:
    """Return for each trial how long after its end the page showed it."""
    lags, place = [], 0
    for number, moment in enumerate(ended, start=before + 1):
        while place < len(shown) and (shown[place][1] < number or shown[place][0] < moment):
            place += 1
        if place == len(shown):
            break
        lags.append(shown[place][0] - moment)
    return lags


def survived(place: Stored, server: Server, page: Page, before: int) -> dict[str, Any]:
    """Kill the server, take the storage away, and press Ctrl-C."""
    server.stop(signal.SIGKILL)
    lost = waited(lambda: state_on(page) == "lost")
    again = Server(place.source, server.port)
    back = waited(lambda: state_on(page) in WELL)
    with place.away():
        gone = waited(lambda: state_on(page) == "unreachable")
    here = waited(lambda: state_on(page) in WELL)
    _durations(place.work(1, 5, 0.0))
    more = waited(lambda: finished_on(page) >= before + 5)
    code, seconds = again.stop()
    return {
        "killed_shown_after": lost,
        "restarted_shown_after": back,
        "storage_gone_shown_after": gone,
        "storage_back_shown_after": here,
        "five_more_shown_after": more,
        "interrupted": [code, seconds],
        "said": "".join(again.said)[-600:],
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return what was measured as a table of docs/trust/live.md."""
    titles = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "journal": "journal file"}
    lines = [
        "| storage | trials | shown after, median | 95 % | slowest | updates | server's share of a "
        "core | slowdown |",
        "|" + " --- |" * 8,
    ]
    for row in rows:
        cells = (
            titles[row["storage"]],
            f"{row['trials']:,}",
            f"{row['median_lag']:.2f} s",
            f"{row['lag_95']:.2f} s",
            f"{row['most_lag']:.2f} s",
            str(row["updates"][0]),
            f"{row['server_share']:.1%}".replace("%", " %"),
            f"{row['slowdown']:.1%}".replace("%", " %"),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.2, help="that an objective sleeps")
    parser.add_argument("--screenshots", type=Path, default=Path())
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    rows = []
    for kind in asked.kinds:
        with (
            tempfile.TemporaryDirectory(prefix="condped-") as name,
            browsing() as browser,
            stored(kind, Path(name)) as place,
        ):
            row = watched(place, browser, asked.trials, asked.seconds, asked.screenshots)
            row |= slowdown(place, browser, asked.trials // 5, 2.5 * asked.seconds)
        print(json.dumps(row, indent=2))
        rows.append(row)
    if asked.output is not None:
        asked.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(table(rows))


if __name__ == "__main__":
    main()
