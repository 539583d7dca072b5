"""Which configurations SMAC drew at random, from the origins in its run history."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ConfigSpace as CS  # noqa: N817
import numpy as np
import pytest
from smac import HyperparameterOptimizationFacade

import condped
from tests.read.tools.smac.runs import changed, optimised, scenario


@dataclass(frozen=True)
class Searched:
    """A directory that SMAC wrote, and the origins that configurations had when they were run."""

    path: Path
    origins: list[str]


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Searched:
    """Bayesian optimisation after an initial design of eleven configurations."""
    out = tmp_path_factory.mktemp("smac3_output")
    origins: list[str] = []

    def noted(config: CS.Configuration, seed: int = 0) -> float:
        origins.append(str(config.origin))
        return float((config["x"] - 0.3) ** 2 + (config["kind"] == "b"))

    space = CS.ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0), "kind": ["a", "b"]}, seed=3)
    described = scenario(out, "searched", space=space, n_trials=45, deterministic=True, seed=3)
    optimised(HyperparameterOptimizationFacade, described, noted)
    return Searched(out / "searched" / "3", origins)


def test_configurations_that_smac_drew_at_random_are_known(searched: Searched) -> None:
    """Those of the initial design and between the chosen ones, as their origins say when run."""
    origins = searched.origins
    drawing = condped.read(searched.path).drawing
    assert drawing is not None
    assert drawing.independent is not None
    expected = np.array(["Maximizer" not in origin for origin in origins])
    assert 10 <= np.count_nonzero(expected) <= 35
    chosen = origins.index("Acquisition Function Maximizer: Local Search")
    assert drawing.independent[:chosen].all()
    # SMAC overwrites the origin of a random configuration if a local search ends there.
    assert not (drawing.independent & ~expected).any()
    assert np.count_nonzero(drawing.independent != expected) <= 3
    sampling = condped.importance(searched.path).evidence.sampling
    assert f"the {np.count_nonzero(drawing.independent)} of 45 trials that were drawn" in sampling


@pytest.mark.parametrize(
    ("origin", "independent"),
    [
        ("Acquisition Function Maximizer: Local Search", True),  # where a local search ended
        ("Initial Design: Latin Hypercube", True),
        ("Initial Design: Default configuration", False),
        ("Initial design", False),  # given by the user
    ],
)
def test_origins_in_the_initial_design(
    searched: Searched, tmp_path: Path, origin: str, independent: bool
) -> None:
    """What comes before its last configuration was not chosen by a model; some was not drawn."""

    def change(history: Any) -> Any:
        history["config_origins"]["1"] = origin
        return history

    drawing = condped.read(changed(searched.path, tmp_path / "0", change)).drawing
    assert drawing is not None
    assert drawing.independent is not None
    assert bool(drawing.independent[0]) is independent


@pytest.mark.parametrize(
    ("origin", "independent"),
    [
        ("Random Search", True),
        ("Random Search (max retries, no candidates)", True),
        ("Acquisition Function Maximizer: Random Search", True),
        ("Acquisition Function Maximizer: Random Search (sorted)", False),
        ("Acquisition Function Maximizer: Local Search", False),
        ("Custom", False),
        (None, False),
    ],
)
def test_origins_after_the_initial_design(
    searched: Searched, tmp_path: Path, origin: str | None, independent: bool
) -> None:
    """Sorted by the acquisition function, or told to SMAC from outside, is not at random."""

    def change(history: Any) -> Any:
        last = max(history["config_origins"], key=int)
        assert not history["config_origins"][last].startswith("Initial")
        history["config_origins"][last] = origin
        return history

    drawing = condped.read(changed(searched.path, tmp_path / "0", change)).drawing
    assert drawing is not None
    assert drawing.independent is not None
    assert bool(drawing.independent[-1]) is independent
