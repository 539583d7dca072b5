"""Output directories that SMAC wrote, with the run history that it kept in memory."""

from __future__ import annotations

from pathlib import Path

import ConfigSpace as CS  # noqa: N817
import pytest
from smac import (
    AlgorithmConfigurationFacade,
    HyperbandFacade,
    HyperparameterOptimizationFacade,
    RandomFacade,
)

from tests.read.tools.smac.runs import Kept, cost, cost_of_seed, optimised, scenario


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where SMAC writes."""
    return tmp_path_factory.mktemp("smac3_output")


@pytest.fixture(scope="session")
def noisy(out: Path) -> Kept:
    """Bayesian optimisation with several seeds per configuration and failures."""
    described = scenario(out, "noisy", n_trials=25, crash_cost=20.0)
    return Kept(
        out / "noisy" / "0", optimised(HyperparameterOptimizationFacade, described, cost_of_seed)
    )


@pytest.fixture(scope="session")
def hyperband(out: Path) -> Kept:
    """Budgets 1, 3 and 9, failures among them."""
    described = scenario(
        out, "hyperband", n_trials=80, min_budget=1, max_budget=9, deterministic=True, seed=5
    )
    return Kept(out / "hyperband" / "5", optimised(HyperbandFacade, described, cost))


@pytest.fixture(scope="session")
def instances(out: Path) -> Kept:
    """Three instances, of which one fails now and then at a finite crash cost."""
    described = scenario(
        out, "instances", n_trials=50, instances=["i0", "i1", "i2"],
        instance_features={"i0": [0], "i1": [1], "i2": [2]}, crash_cost=50.0,
        deterministic=True,
    )  # fmt: skip
    return Kept(
        out / "instances" / "0",
        optimised(AlgorithmConfigurationFacade, described, cost_of_instance),
    )


@pytest.fixture(scope="session")
def several(out: Path) -> Kept:
    """Two objectives with names, and failures."""
    described = scenario(
        out, "several", n_trials=40, objectives=["error", "seconds"], deterministic=True
    )
    algorithm = RandomFacade.get_multi_objective_algorithm(described)
    return Kept(
        out / "several" / "0",
        optimised(RandomFacade, described, two_costs, multi_objective_algorithm=algorithm),
    )


def cost_of_instance(config: CS.Configuration, instance: str, seed: int = 0) -> float:
    """Return the cost of an instance; the last one fails for small sizes."""
    if instance == "i2" and config["size"] == "s":
        raise MemoryError
    return float(config.get("lr", 0.5) + int(instance[1]) / 10)


def two_costs(config: CS.Configuration, seed: int = 0) -> dict[str, float]:
    """Return two costs, not in the scenario's order."""
    return {"seconds": config.get("wid`th; DROP", 100) / 3, "error": cost(config, 1)}
