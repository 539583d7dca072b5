"""A process that writes trials with Optuna, each of which records who wrote it and when.

Run: python -m fuzz.faults.writer SOURCE WRITER SECONDS SLEEP

It says when it is ready, and begins when it is sent a line.
``writer`` and ``count`` are parameters: a writer begins its next trial only after the last one has
ended, so a reader that sees a trial must see all earlier ones of its writer, finished.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import optuna

from fuzz.faults.storages import loaded

MOST = 1_000_000


def loss(writer: int, count: int, x: float, y: float | None) -> float:
    """Return the value of a trial, which its parameters determine exactly."""
    return writer + count / 8 + x / 4 + (0.0 if y is None else y / 2)


class GivenValuesSampler(optuna.samplers.BaseSampler):
    """Draws at random, except for two parameters whose values are given."""

    def __init__(self, seed: int) -> None:
        self.told: dict[str, int] = {}
        self._rng = np.random.default_rng(seed)

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]:
        """Return an empty space: nothing is drawn jointly."""
        return {}

    def sample_relative(self, study: Any, trial: Any, search_space: Any) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def sample_independent(self, study: Any, trial: Any, name: str, domain: Any) -> Any:
        """Return the given value, or a number from 0 to 1."""
        return self.told[name] if name in self.told else float(self._rng.random())


def main() -> None:
    """Write until the time is over, and print what it took and which errors there were."""
    source, writer, seconds, sleep = sys.argv[1], *map(float, sys.argv[2:5])
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    sampler = GivenValuesSampler(int(writer))
    errors: list[str] = []
    took: list[tuple[float, float]] = []  # when a trial ended, and what storing it took
    study = loaded(source)
    study.sampler = sampler
    print("ready", flush=True)
    sys.stdin.readline()
    end, count = time.time() + seconds, 0
    while time.time() < end:
        sampler.told = {"writer": int(writer), "count": count}
        begun = time.perf_counter()
        try:
            trial = study.ask()
            found = (
                trial.suggest_int("writer", 0, 999),
                trial.suggest_int("count", 0, MOST),
                x := trial.suggest_float("x", 0, 1),
                trial.suggest_float("y", 0, 1) if x > 0.5 else None,
            )
            time.sleep(sleep)
            study.tell(trial, loss(*found))
        except Exception as error:  # counted: nobody else may be the cause of one
            errors.append(f"{type(error).__name__}: {error}"[:300])
            sampler.told = {}
            # What was begun stays as it is; the next trial is another writer's.
            writer += 100
            count = 0
            continue
        took.append((time.time(), time.perf_counter() - begun - sleep))
        count += 1
    print(json.dumps({"errors": errors, "took": took}), flush=True)


if __name__ == "__main__":
    main()
