"""What a thousand updates leave behind: the memory of one real server and one real page.

The study is large from the start, and one trial at a time is added once the page shows the one
before, so that each is an update of its own and the table hardly grows.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import optuna
from playwright.sync_api import Browser

from benchmarks.live_server import Server, finished_on, heap, waited
from benchmarks.live_storages import NAME, objective, opened_storage, stored

TRIALS, UPDATES, STEP = 2_500, 1_000, 100
_EVERY = 0.1  # seconds: as fast as the server allows itself
# Updates are counted where they arrive.
_COUNT = """
window.updatesReceived = 0;
const listen = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (kind, act, ...more) {
  const counted = (event) => { window.updatesReceived += 1; return act(event); };
  return listen.call(this, kind, kind === "changes" ? counted : act, ...more);
};
"""


def measured(folder: Path, browser: Browser) -> dict[str, Any]:
    """Return the bytes that server, verdict process and page hold after every 100 updates."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.RandomSampler(seed=0)
    source = optuna.create_study(sampler=sampler)
    source.optimize(lambda trial: objective(trial, 0.0), n_trials=TRIALS + UPDATES)
    trials = source.get_trials(deepcopy=False)
    with stored("sqlite", folder) as place:
        place.create()
        study = optuna.load_study(study_name=NAME, storage=opened_storage(place.source))
        study.add_trials(trials[:TRIALS])
        server = Server(place.source, every=_EVERY)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.add_init_script(_COUNT)
        page.goto(server.address)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        waited(lambda: finished_on(page) == TRIALS)
        weights: list[dict[str, int]] = []
        for total, trial in enumerate(trials[TRIALS:], start=TRIALS + 1):
            study.add_trial(trial)
            if waited(lambda shown=total: finished_on(page) == shown) == float("inf"):  # type: ignore[misc]
                raise RuntimeError(f"The page does not show trial {total}.")
            if (total - TRIALS) % STEP == 0:
                updates = int(page.evaluate("window.updatesReceived"))
                own = {"updates": updates, "trials": total, "page": heap(session)}
                weights.append(own | server.memories())
        page.close()
        server.stop()
    return {"trials": TRIALS, "updates": UPDATES, "errors": wrong, "weights": weights}


def slope(found: dict[str, Any], what: str) -> float:
    """Return the bytes that an update adds, by least squares."""
    updates = [one["updates"] for one in found["weights"]]
    return statistics.linear_regression(updates, [one[what] for one in found["weights"]]).slope


def table(found: dict[str, Any]) -> str:
    """Return what was measured as a table of docs/trust/live.md."""
    lines = [
        "| updates | server | process that computes verdicts | page |",
        "|" + " --- |" * 4,
    ]
    for one in found["weights"]:
        cells = [f"{one[name] / 1e6:.1f} MB" for name in ("server", "verdicts", "page")]
        lines.append(f"| {' | '.join([format(one['updates'], ','), *cells])} |")
    # The process for verdicts comes and goes with the work there is.
    server, page = (f"{slope(found, name) / 1e3:+.1f} kB" for name in ("server", "page"))
    lines.append(f"| each adds | {server} | | {page} |".replace("-", "−"))
    return "\n".join(lines)
