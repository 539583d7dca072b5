"""What a report costs: to make, against Optuna's picture and against reading; and to use.

Run: python -m benchmarks.presenting [--quick] [--output FILE]

The report of 1,000 trials with 53 parameters in memory against Optuna's ``plot_param_importances``
of the same study; the whole command on an SQLite study of 100,000 trials against reading it, fresh
processes, imports included; and a page with 300 parameters in Chromium: until it is loaded, and for
each step of the slider. ``--quick``: fewer trials and fewer repeats, the same comparisons.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from playwright.sync_api import sync_playwright

import condped
from benchmarks.reading import write_sqlite
from benchmarks.timing import best_of

_PARAMETERS = 53
# Each step: what the page does, and the layout that follows from it.
_STEPS = """() => {
  const slider = document.getElementById("slider"), taken = [];
  for (let step = 0; step <= Number(slider.max); step += 1) {
    slider.value = step;
    const start = performance.now();
    slider.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect();
    taken.push(performance.now() - start);
  }
  return taken;
}"""
_LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def study_in_memory(trials: int) -> optuna.Study:
    """Return a study of which a few parameters matter."""
    rng = np.random.default_rng(0)
    # One object per parameter, as suggest_float makes them: Optuna's picture copies them all.
    domains: dict[str, optuna.distributions.BaseDistribution] = {
        f"x{place:02d}": optuna.distributions.FloatDistribution(0, 1)
        for place in range(_PARAMETERS - 3)
    }
    domains["kind"] = optuna.distributions.CategoricalDistribution(["a", "b", "c"])
    domains["size"] = optuna.distributions.IntDistribution(1, 9)
    domains["rate"] = optuna.distributions.FloatDistribution(1e-5, 1, log=True)
    study = optuna.create_study()
    made = []
    for _ in range(trials):
        values: dict[str, Any] = {name: float(rng.random()) for name in domains}
        values["kind"] = "abc"[rng.integers(3)]
        values["size"] = int(rng.integers(1, 10))
        values["rate"] = float(10 ** rng.uniform(-5, 0))
        value = values["x00"] + values["x01"] ** 2 / 2 + abs(np.log10(values["rate"]) + 3) / 10
        made.append(
            optuna.trial.create_trial(
                params=values, distributions=domains, value=value + 0.2 * (values["kind"] == "a")
            )
        )
    study.add_trials(made)
    return study


def against_optuna(trials: int, folder: Path, *, repeats: int) -> dict[str, float]:
    """Time the report of a study in memory, written to a file, and Optuna's picture of it."""
    study = study_in_memory(trials)
    ours = best_of(lambda: condped.report(study, folder / "report.html"), repeats)
    fastest = float("inf")
    for _ in range(repeats):  # tens of seconds each: a warm-up would not matter
        start = time.perf_counter()
        optuna.visualization.plot_param_importances(study)
        fastest = min(fastest, time.perf_counter() - start)
    # Nearly all of that goes into the picture's texts; the numbers alone are timed as well.
    numbers = best_of(lambda: optuna.importance.get_param_importances(study), repeats)
    print(
        f"{trials} trials × {_PARAMETERS} parameters: Optuna's picture {fastest:.2f} s (its "
        f"numbers {numbers:.3f} s), report {ours:.3f} s: {fastest / ours:.0f} times faster than "
        f"that picture, {ours / numbers:.1f} times as long as Optuna's numbers alone",
        flush=True,
    )
    return {
        "trials": trials,
        "parameters": _PARAMETERS,
        "optuna_picture_seconds": fastest,
        "optuna_numbers_seconds": numbers,
        "report_seconds": ours,
        "page_bytes": (folder / "report.html").stat().st_size,
    }


def against_reading(trials: int, folder: Path, *, repeats: int) -> dict[str, float]:
    """Time the whole command and reading alone, each in a process of its own."""
    database, page = folder / "study.db", folder / "big.html"
    write_sqlite(database, trials)
    url = f"sqlite:///{database}"
    reading = command = float("inf")
    for _ in range(repeats):  # in turns: other work on the machine affects both
        reading = min(reading, _process("-c", f"import condped; condped.read({url!r})"))
        command = min(command, _process("-m", "condped", "report", url, "-o", str(page)))
    print(
        f"{trials} trials in SQLite: reading {reading:.2f} s, condped report {command:.2f} s: "
        f"{command / reading:.2f} times as long",
        flush=True,
    )
    return {
        "trials": trials,
        "reading_seconds": reading,
        "command_seconds": command,
        "page_bytes": page.stat().st_size,
    }


def _process(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - start


def in_the_browser(parameters: int, folder: Path) -> dict[str, Any]:
    """Time loading a page and each step of its slider: as it opens, and with everything shown."""
    rng = np.random.default_rng(0)
    values = rng.random((1000, parameters))
    frame: dict[str, Any] = {f"parameter_{p:03d}": values[:, p] for p in range(parameters)}
    frame["loss"] = values[:, :8] @ np.arange(8, 0, -1) + rng.normal(0, 0.1, 1000)
    page_file = folder / "wide.html"
    condped.report(frame, page_file, objective="loss")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    found: dict[str, Any] = {
        "parameters": parameters,
        "trials": len(values),
        "page_bytes": page_file.stat().st_size,
    }
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        loads = []
        for _ in range(3):
            page.goto(page_file.as_uri())
            loads.append(page.evaluate(_LOADED) / 1000)
        found["loaded_seconds"] = min(loads)
        found["step_seconds"] = _steps(page.evaluate(_STEPS))
        page.click("#bars-more button")
        found["step_seconds_all_shown"] = _steps(page.evaluate(_STEPS))
        page.evaluate("document.getElementById('parameters').open = true")
        page.wait_for_timeout(500)
        page.evaluate(
            "[...document.querySelectorAll('details.card')].slice(0, 20).forEach("
            "(card) => { card.open = true; })"
        )
        page.wait_for_timeout(500)
        found["step_seconds_20_cards_open"] = _steps(page.evaluate(_STEPS))
        browser.close()
    print(
        f"{parameters} parameters in Chromium: loaded after {found['loaded_seconds']:.2f} s, "
        f"{found['page_bytes'] / 1e6:.1f} MB",
        flush=True,
    )
    for name in ("step_seconds", "step_seconds_all_shown", "step_seconds_20_cards_open"):
        told = found[name]
        print(f"  {name}: median {told['median']:.4f}, at most {told['most']:.4f}", flush=True)
    return found


def _steps(milliseconds: list[float]) -> dict[str, float]:
    return {
        "median": statistics.median(milliseconds) / 1000,
        "most": max(milliseconds) / 1000,
    }


def main() -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the trials")
    parser.add_argument("--output", type=Path, help="write the numbers as JSON")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    quick = arguments.quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "in_memory": against_optuna(100 if quick else 1000, folder, repeats=1 if quick else 2),
            "sqlite": against_reading(
                10_000 if quick else 100_000, folder, repeats=1 if quick else 3
            ),
            "browser": in_the_browser(300, folder),
        }
    if arguments.output:
        arguments.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
