"""SMAC3 and Hyperopt: the files of a run, and a table of values in the order of the trials."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config

from benchmarks.studies.objectives import Objective
from benchmarks.studies.records import Plain
from benchmarks.studies.spaces import Parameter, Params, Space

SMAC_FILES = ("runhistory.json", "configspace.json", "scenario.json")
Rows = Sequence[tuple[Params, float]]


def _table(objective: Objective, rows: Rows) -> Plain:
    """Return the rows as columns; those of an inactive parameter are empty."""
    names = [parameter.name for parameter in objective.space]
    return {
        "loss": [loss for _, loss in rows],
        "params": {name: [params.get(name) for params, _ in rows] for name in names},
    }


def run_smac(objective: Objective, seed: int, trials: int) -> Plain:
    """Return the files of a run of SMAC3's facade for hyperparameters, random forest and all.

    The origins are those that configurations had when they were run; SMAC overwrites some later.
    """
    from smac import HyperparameterOptimizationFacade, Scenario  # noqa: PLC0415
    from smac.model.random_forest import RandomForest  # noqa: PLC0415

    origins: list[str] = []

    def target(config: Any, seed: int = 0) -> float:
        origins.append(config.origin)
        params = dict(config)
        values = {
            own.name: _plain(params[own.name]) for own in objective.space if own.name in params
        }
        return objective.values(values)[0]

    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            _configuration_space(objective.space, seed), deterministic=True, n_trials=trials,
            seed=seed, output_directory=Path(folder),
        )  # fmt: skip
        # As in the facade, except for the room that it reserves for a million leaves per tree.
        forest = RandomForest(
            scenario.configspace, log_y=True, n_trees=10, ratio_features=1.0, min_samples_split=2,
            min_samples_leaf=1, max_leaf_nodes=2 * trials, seed=seed,
        )  # fmt: skip
        # The forest starts threads for every prediction, which take longer than the prediction.
        with parallel_config(backend="sequential"):
            HyperparameterOptimizationFacade(
                scenario, target, model=forest, overwrite=True, logging_level=50
            ).optimize()
        written = {name: scenario.output_directory / name for name in SMAC_FILES}
        files = {name: json.loads(path.read_text("utf-8")) for name, path in written.items()}
    return {"origins": origins, **files}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _configuration_space(space: Space, seed: int) -> Any:
    from ConfigSpace import (  # noqa: PLC0415
        Categorical,
        ConfigurationSpace,
        Float,
        InCondition,
        Integer,
    )

    made: dict[str, Any] = {}
    for own in space:
        if own.kind == "choice":
            made[own.name] = Categorical(own.name, own.choices)
        elif own.kind == "int":
            made[own.name] = Integer(own.name, (int(own.low), int(own.high)), log=own.log)
        else:
            made[own.name] = Float(own.name, (own.low, own.high), log=own.log)
    found = ConfigurationSpace(seed=seed)
    found.add(*made.values())
    found.add(
        *(
            InCondition(made[own.name], made[own.gate], list(own.gate_values))
            for own in space
            if own.gate is not None
        )
    )
    return found


def run_hyperopt(objective: Objective, seed: int, trials: int) -> Plain:
    """Return a run of Hyperopt's TPE."""
    from hyperopt import fmin, tpe  # noqa: PLC0415

    rows: list[tuple[Params, float]] = []

    def target(nested: Params) -> float:
        flat = _flat(nested)
        values = {
            own.name: int(flat[own.name]) if own.kind == "int" else flat[own.name]
            for own in objective.space
            if own.name in flat
        }
        rows.append((values, objective.values(values)[0]))
        return rows[-1][1]

    fmin(
        target, _hyperopt_space(objective.space, None, None), algo=tpe.suggest, max_evals=trials,
        rstate=np.random.default_rng(seed), show_progressbar=False, verbose=False,
    )  # fmt: skip
    return _table(objective, rows)


def _flat(nested: Params) -> dict[str, Any]:
    """Return the values of a configuration and of the branches inside it."""
    found: dict[str, Any] = {}
    for name, value in nested.items():
        if isinstance(value, dict):
            found |= {name: value["own"]} | _flat(value["branch"])
        else:
            found[name] = value
    return found


def _hyperopt_space(space: Space, gate: str | None, value: Any) -> dict[str, Any]:
    """Return the parameters of one branch, the branches below them nested."""
    found = {}
    for own in space:
        if own.gate == gate and (gate is None or value in own.gate_values):
            found[own.name] = _hyperopt_parameter(space, own, f"{own.name}@{value}")
    return found


def _hyperopt_parameter(space: Space, own: Parameter, label: str) -> Any:
    """Return a parameter; ``label`` differs in every branch, as Hyperopt requires."""
    from hyperopt import hp  # noqa: PLC0415

    low, high = own.low, own.high
    if any(other.gate == own.name for other in space):
        values = own.choices or range(int(low), int(high) + 1)
        return hp.choice(
            label,
            [
                {"own": option, "branch": _hyperopt_space(space, own.name, option)}
                for option in values
            ],
        )
    if own.kind == "choice":
        return hp.choice(label, list(own.choices))
    if own.kind == "int" and own.log:
        return hp.qloguniform(label, math.log(low), math.log(high), 1)
    if own.kind == "int":
        few = high - low < 10
        return (
            hp.randint(label, int(low), int(high) + 1) if few else hp.uniformint(label, low, high)
        )
    if own.log:
        return hp.loguniform(label, math.log(low), math.log(high))
    return hp.uniform(label, low, high)
