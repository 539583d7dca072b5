"""SMAC really run, in a space with conditions and hostile names, and what its API says of it."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ConfigSpace as CS  # noqa: N817
from smac import (
    AlgorithmConfigurationFacade,
    HyperparameterOptimizationFacade,
    Scenario,
)
from smac.runhistory import RunHistory, StatusType, TrialInfo, TrialKey

from condped.testing.reader_kit import Run
from condped.trials.table import State
from tests.read.tools.smac.configspaces import domain_of

STATES = {
    StatusType.RUNNING: State.RUNNING,
    StatusType.SUCCESS: State.COMPLETE,
    StatusType.CRASHED: State.FAILED,
    StatusType.TIMEOUT: State.FAILED,
    StatusType.MEMORYOUT: State.FAILED,
}


class Kept:
    """A directory that SMAC wrote, and the run history that it kept in memory."""

    def __init__(self, path: Path, history: RunHistory) -> None:
        self.path, self.history = path, history


def conditional_space(seed: int = 0) -> CS.ConfigurationSpace:
    """Make a space with every type of hyperparameter, nested conditions and odd names."""
    space = CS.ConfigurationSpace(seed=seed)
    model = CS.CategoricalHyperparameter("model:__choice__", ["svm", "it's a <b>net</b>"])
    width = CS.UniformIntegerHyperparameter("wid`th; DROP", 1, 512, log=True)
    kernel = CS.CategoricalHyperparameter('ker"nel', ["rbf", "poly"])
    degree = CS.UniformIntegerHyperparameter("größe", 2, 5)
    gamma = CS.CategoricalHyperparameter("gamma", [None, "auto", 0.5])
    rate = CS.UniformFloatHyperparameter("lr", 1e-6, 1.0, log=True)
    size = CS.OrdinalHyperparameter("size", ["s", "m", "l"])
    warm = CS.CategoricalHyperparameter("warm", [True, False])
    fixed = CS.Constant("fixed", 3)
    shape = CS.CategoricalHyperparameter("shape", [(8, 8), (16,)])
    space.add(model, width, kernel, degree, gamma, rate, size, warm, fixed, shape)
    space.add(
        CS.EqualsCondition(width, model, "it's a <b>net</b>"),
        CS.EqualsCondition(kernel, model, "svm"),
        CS.EqualsCondition(degree, kernel, "poly"),
        CS.InCondition(gamma, kernel, ["rbf", "poly"]),
        CS.OrConjunction(
            CS.GreaterThanCondition(rate, size, "s"), CS.EqualsCondition(rate, warm, True)
        ),
        CS.EqualsCondition(shape, model, "it's a <b>net</b>"),
    )
    return space


def cost(config: CS.Configuration, seed: int = 0, budget: float = 1.0) -> float:
    """Return a noisy cost, or fail."""
    if config.get("größe") == 5 or (seed % 3 == 0 and config["size"] == "l"):
        raise ArithmeticError("does not converge")
    base = config.get("wid`th; DROP", 30) / 100 + config.get("lr", 0.3)
    return float(base + (seed % 7) / 50 + 1 / budget + (config["size"] == "m"))


def cost_of_seed(config: CS.Configuration, seed: int = 0) -> float:
    """Return the cost without a budget."""
    return cost(config, seed)


def scenario(directory: Path, name: str, **settings: Any) -> Scenario:
    """Describe a small run."""
    seed = settings.pop("seed", 0)
    space = settings.pop("space", None) or conditional_space(seed)
    return Scenario(space, name=name, output_directory=directory, seed=seed, **settings)


def optimised(facade: Any, described: Scenario, function: Any, **settings: Any) -> RunHistory:
    """Let SMAC run, quietly, and look less long than usual for what to try next."""
    if facade in (HyperparameterOptimizationFacade, AlgorithmConfigurationFacade):
        settings["acquisition_maximizer"] = (
            HyperparameterOptimizationFacade.get_acquisition_maximizer(
                described, challengers=300, local_search_iterations=2
            )
        )
    smac = facade(described, function, overwrite=True, logging_level=50, **settings)
    with warnings.catch_warnings():
        # SMAC takes means of nothing where its local search finds no neighbours.
        warnings.simplefilter("ignore", RuntimeWarning)
        smac.optimize()
    history: RunHistory = smac.runhistory
    return history


def runs_of(history: RunHistory, budget: float | None = None) -> list[Run]:
    """Return one run per configuration, told by SMAC's and ConfigSpace's API."""
    runs = []
    for config in history.get_configs():
        trials = history.get_trials(config, highest_observed_budget_only=budget is None)
        if budget is not None:
            trials = [trial for trial in trials if trial.budget == budget]
            if not trials:
                continue
        runs.append(
            Run(
                _costs(history, config, trials),
                *_parameters(config),
                _state(history, config, trials),
            )
        )
    return runs


def _costs(history: RunHistory, config: Any, trials: Sequence[TrialInfo]) -> list[float]:
    if not trials:
        return [float("nan")]
    keys = [trial.get_instance_seed_budget_key() for trial in trials]
    mean = history.average_cost(config, keys)
    if isinstance(mean, list):
        return mean
    if keys == history.get_instance_seed_budget_keys(config):
        assert mean == history.get_cost(config)
    return [mean]


def _parameters(config: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    domains = {name: domain_of(config.config_space[name]) for name in config}
    return dict(config), domains


def _state(history: RunHistory, config: Any, trials: Sequence[TrialInfo]) -> State:
    if not trials:
        return State.RUNNING
    number = history.get_config_id(config)
    states = {
        STATES[history[TrialKey(number, trial.instance, trial.seed, trial.budget)].status]
        for trial in trials
    }
    return State.COMPLETE if State.COMPLETE in states else State.FAILED


def changed(path: Path, copy: Path, change: Callable[[Any], Any]) -> Path:
    """Copy a directory with another run history."""
    shutil.copytree(path, copy)
    file = copy / "runhistory.json"
    found = change(json.loads(file.read_text(encoding="utf-8")))
    file.write_text(json.dumps(found), encoding="utf-8")
    return copy


def with_first(entry: str, value: Any) -> Callable[[Any], Any]:
    """Return a change of one entry of the first run."""

    def change(history: Any) -> Any:
        history["data"][0][entry] = value
        return history

    return change
