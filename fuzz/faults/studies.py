"""Finished trials, put into a storage at once."""

from __future__ import annotations

import datetime

import numpy as np
from optuna.distributions import FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from fuzz.faults.storages import loaded
from fuzz.faults.writer import MOST, loss

_WRITER = 900  # a writer that is not one of the processes


def filled(source: str, trials: int, *, backwards: bool = False) -> None:
    """Add trials of a writer that has written as many as there are, by a clock that may go back."""
    study = loaded(source)
    first = len([t for t in study.trials if t.params.get("writer") == _WRITER])
    rng = np.random.default_rng(first)
    for count in range(first, first + trials):
        x, y = (float(value) for value in rng.random(2))
        params = {"writer": _WRITER, "count": count, "x": x}
        if x > 0.5:
            params["y"] = y
        trial = create_trial(
            state=TrialState.COMPLETE,
            value=loss(_WRITER, count, x, y if x > 0.5 else None),
            params=params,
            distributions={
                name: IntDistribution(0, {"writer": 999, "count": MOST}[name])
                if name in ("writer", "count")
                else FloatDistribution(0, 1)
                for name in params
            },
        )
        begun = datetime.datetime(2025, 6, 1) + datetime.timedelta(minutes=count)
        took = datetime.timedelta(seconds=int(rng.integers(1, 50)))
        turned = int(rng.choice([-1, 1, 0]))
        if backwards:
            # Set back by a year in between, by seconds within trials, and a day at each trial.
            begun = datetime.datetime(2025, 6, 1) - datetime.timedelta(days=count)
            took *= turned
        trial.datetime_start, trial.datetime_complete = begun, begun + took
        study.add_trial(trial)
