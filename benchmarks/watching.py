"""What it costs to leave condped.optuna.Watch on: wall time with it over wall time without.

Run: python -m benchmarks.watching [--repeats 5] [--output FILE]

Studies of a fixed number of trials, once with objectives that sleep 20 ms and once with objectives
that take no time, by random search and by TPE, in memory and in SQLite. Without a callback, with an
empty one and with Watch take turns in one process, and the fastest run of each counts. An empty
callback has a price of its own: Optuna prepares each trial for it, which shows where an objective
takes no time. The share of a run's time that passed inside Watch is given as well: it does not
depend on what else a machine does between two runs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import optuna
from optuna.trial import FrozenTrial

from condped.optuna import Watch

Callback: TypeAlias = Callable[[optuna.Study, FrozenTrial], None]
# Name: seconds of an objective, sampler, storage, trials.
CASES: dict[str, tuple[float, str, str, int]] = {
    "sleep 20 ms, random, memory": (0.02, "random", "memory", 500),
    "sleep 20 ms, TPE, memory": (0.02, "TPE", "memory", 300),
    "sleep 20 ms, random, SQLite": (0.02, "random", "SQLite", 200),
    "no time, random, memory": (0.0, "random", "memory", 20_000),
    "no time, TPE, memory": (0.0, "TPE", "memory", 1_000),
}


def objective_of(seconds: float) -> Callable[[optuna.Trial], float]:
    """Return an objective of five parameters, one conditional, that takes ``seconds``."""

    def objective(trial: optuna.Trial) -> float:
        x = [trial.suggest_float(f"x{place}", 0, 1) for place in range(3)]
        kind = trial.suggest_categorical("kind", ["a", "b"])
        extra = trial.suggest_float("extra", 0, 1) if kind == "a" else 0.5
        if seconds:
            time.sleep(seconds)
        return x[0] + 0.3 * x[1] + 0.2 * extra

    return objective


class Timed:
    """A callback, and the seconds that pass inside it."""

    def __init__(self, callback: Watch) -> None:
        self.callback, self.inside = callback, 0.0

    def __call__(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Call the callback."""
        started = time.perf_counter()
        self.callback(study, trial)
        self.inside += time.perf_counter() - started


def empty(study: optuna.Study, trial: FrozenTrial) -> None:
    """Do nothing."""


def run(case: str, folder: Path, callbacks: list[Callback]) -> float:
    """Return the seconds that a study takes."""
    seconds, sampler, storage, trials = CASES[case]
    samplers = {
        "random": optuna.samplers.RandomSampler(seed=0),
        "TPE": optuna.samplers.TPESampler(seed=0),
    }
    url = f"sqlite:///{folder / f'{time.time_ns()}.db'}" if storage == "SQLite" else None
    study = optuna.create_study(storage=url, sampler=samplers[sampler])
    started = time.perf_counter()
    study.optimize(objective_of(seconds), n_trials=trials, callbacks=callbacks)
    return time.perf_counter() - started


def measure(case: str, repeats: int) -> dict[str, Any]:
    """Return the ratio for one case, and what it is made of."""
    without, unused, watched, inside, looks = [], [], [], [], 0

    def heard(_: object) -> None:
        nonlocal looks
        looks += 1

    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            without.append(run(case, Path(folder), []))
            unused.append(run(case, Path(folder), [empty]))
            callback = Timed(Watch(every=10, out=heard))
            watched.append(run(case, Path(folder), [callback]))
            inside.append(callback.inside / watched[-1])
    return {
        "case": case,
        "trials": CASES[case][3],
        "seconds without": round(min(without), 3),
        "seconds with an empty callback": round(min(unused), 3),
        "seconds with Watch": round(min(watched), 3),
        "Watch / without": round(min(watched) / min(without), 4),
        "Watch / empty callback": round(min(watched) / min(unused), 4),
        "share inside": round(max(inside), 4),
        "looks per study": round(looks / repeats, 1),
    }


def main() -> None:
    """Measure all cases and print them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = []
    for case in CASES:
        found.append(measure(case, arguments.repeats))
        print(json.dumps(found[-1]), flush=True)
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
