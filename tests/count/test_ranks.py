"""Counts by rank: a slow oracle, and what a change of scale leaves alone."""

from __future__ import annotations

import numpy as np
import pytest

from condped.count.trials import Trials
from condped.problems import get
from condped.read import read
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling


def table_of(values: np.ndarray, losses: np.ndarray) -> TrialTable:
    space = {"x": {"type": "float", "low": float(values.min()), "high": float(values.max())}}
    return read({"x": values, "loss": losses}, objective="loss", space=space)


def test_cells_hold_equal_shares_and_ties_stay_together() -> None:
    """400 different values on 50 cells; few levels have a cell each."""
    rng = np.random.default_rng(0)
    losses = rng.random(400)
    for values, cells in ((rng.random(400), 50), (rng.integers(0, 7, 400).astype(float), 7)):
        trials = Trials.of(table_of(values, losses))
        top = trials.top_sets((0.1, 0.5), 1.0, Handling())
        (regime,) = trials.count_ranked(top, 4).blocks[0]
        assert regime.region.shape == (4, cells)
        assert regime.region.sum() == 400
        if cells == 50:
            assert (regime.region.sum(axis=0) == 8).all()
        assert regime.target.sum(axis=(1, 2)).tolist() == top.target_sizes.tolist()


def test_a_monotone_change_of_scale_changes_nothing() -> None:
    """Neither the counts nor which trial is in which block of time."""
    rng = np.random.default_rng(1)
    values, losses = rng.random(300), rng.random(300)
    found = []
    for scaled in (values, np.exp(9 * values), values**3):
        trials = Trials.of(table_of(scaled, losses))
        top = trials.top_sets((0.2,), 0.8, Handling())
        (regime,) = trials.count_ranked(top, 3).blocks[0]
        found.append((regime.region, regime.target))
    for region, target in found[1:]:
        assert np.array_equal(region, found[0][0])
        assert np.array_equal(target, found[0][1])


@pytest.mark.parametrize("name", ["nested", "three-way", "regime-dependent"])
def test_regimes_and_their_sizes_are_those_of_the_grid(name: str) -> None:
    """The two ways of counting differ in cells only."""
    trials = Trials.of(get(name).sample(300, seed=2))
    top = trials.top_sets((0.1, 0.3), 0.9, Handling())
    by_rank, by_grid = trials.count_ranked(top, 4).counts, trials.count(top)
    for one, other in zip(by_rank.parameters, by_grid.parameters, strict=True):
        assert {(r.domain, int(r.region.sum()), *r.target.sum(axis=1)) for r in one.regimes} == {
            (r.domain, int(r.region.sum()), *r.target.sum(axis=1)) for r in other.regimes
        }
