"""A live page in Chromium beside real Optuna workers: how soon, how heavy, and what it survives.

Run: python -m benchmarks.live [--only storages|memory] [--kinds sqlite postgresql journal]
[--trials 1000] [--output FILE]

Four worker processes share a study with Optuna's default sampler; their objective sleeps. While it
runs: how long after the end of a trial the page shows it, whether slider, card, fold and scroll
stay where the reader put them, and what 50 more viewers receive. Afterwards the server is killed
and restarted, the storage taken away and given back, and Ctrl-C pressed. The slowdown is the ratio
of shorter runs with a server and a page to those without, taken in turns. What a thousand updates
leave behind is measured separately (live_memory.py).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page

from benchmarks.live_memory import measured as memory_measured
from benchmarks.live_memory import table as memory_table
from benchmarks.live_server import Server, browsing, finished_on, heap, is_tested, state_on, waited
from benchmarks.live_storages import KINDS, Stored, stored

WORKERS, VIEWERS = 4, 50
WELL = ("live", "idle", "waiting")  # states in which a study can be read
PARTS = ("storages", "memory")
_KEPT = """() => ({
  slider: document.getElementById("slider").value,
  card: [...document.querySelectorAll("details.card[open]")].map((card) => card.id),
  folds: [...document.querySelectorAll("details.fold[open]")].map((fold) => fold.id),
  fold_top: Math.round(document.getElementById("parameters").getBoundingClientRect().top),
  loaded: performance.timeOrigin,
})"""


class Follower(threading.Thread):
    """Viewers without a browser, which count what they receive."""

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
    # The best of each: other work on a machine only makes a run slower.
    return took | {"slowdown": min(took["served"]) / min(took["alone"]) - 1}


def _durations(workers: list[subprocess.Popen[str]]) -> list[float]:
    return [float(worker.communicate()[0]) for worker in workers]


def watched(
    place: Stored, browser: Browser, trials: int, seconds: float, pictures: Path | None
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
            weights.append((shown[-1][1], heap(session), server.memory()))
        time.sleep(0.02)
    took = max(_durations(workers))
    used = server.seconds() - used
    waited(lambda: finished_on(page) >= trials + 12)
    shown.append((time.time(), finished_on(page)))
    weights.append((shown[-1][1], heap(session), server.memory()))
    after = page.evaluate(_KEPT)
    viewers.ended.set()
    verdicts = waited(lambda: is_tested(page))
    page.evaluate("scrollTo(0, 0)")
    if pictures is not None:
        for one, name in ((page, "desktop"), (phone, "phone")):
            one.screenshot(path=str(pictures / f"{place.kind}-{name}.png"))
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


def measured(part: str, arguments: argparse.Namespace) -> Any:
    """Measure one part, and print it."""
    with browsing() as browser:
        if part == "memory":
            with tempfile.TemporaryDirectory(prefix="condped-") as name:
                found = memory_measured(Path(name), browser)
            print(memory_table(found))
            return found
        rows = []
        for kind in arguments.kinds:
            with (
                tempfile.TemporaryDirectory(prefix="condped-") as name,
                stored(kind, Path(name)) as place,
            ):
                row = watched(
                    place, browser, arguments.trials, arguments.seconds, arguments.screenshots
                )
                row |= slowdown(place, browser, arguments.trials // 5, 2.5 * arguments.seconds)
            print(json.dumps(row, indent=2))
            rows.append(row)
        print(table(rows))
        return rows


def main() -> None:
    """Measure, and print tables for docs/trust/live.md; a part that is left out stays as it was."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS, help="one part, instead of both")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.2, help="that an objective sleeps")
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER", help="for pictures of pages")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    known = arguments.output is not None and arguments.output.exists()
    found = json.loads(arguments.output.read_text(encoding="utf-8")) if known else {}
    for part in PARTS if arguments.only is None else (arguments.only,):
        found[part] = measured(part, arguments)
        if arguments.output is not None:
            arguments.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
