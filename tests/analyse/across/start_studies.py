"""Past studies of one family, for tests of what to start with."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import optuna

import condped
from benchmarks.transfer_tasks import FAMILIES, Instance, random_study, spread_of

FAMILY = {family.name: family for family in FAMILIES}


@cache
def past(name: str, studies: int = 10, seed: int = 0, trials: int = 80) -> condped.Across:
    """Return random studies of a family whose optimum moves a little."""
    rng = np.random.default_rng(seed)
    return condped.across(
        {
            f"study {one}": random_study(instance(name, rng).objective, trials, 100 * seed + one)
            for one in range(studies)
        },
        sampling="random",
    )


def instance(name: str, rng: np.random.Generator, *, jump: bool = False) -> Instance:
    """Return another problem of a family."""
    return FAMILY[name].instance(rng, spread_of("little"), jump)


def evaluated(new: Instance, config: dict[str, Any]) -> float:
    """Return the objective of a configuration; raise if something active is missing."""
    trial = optuna.trial.FixedTrial(config)
    value = float(new.objective(trial))
    assert set(trial.params) == set(config), "an inactive parameter has a value"
    return value
