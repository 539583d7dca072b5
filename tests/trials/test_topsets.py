"""Region and target sets, against sorting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import condped
from condped.trials.table import Objective, TrialTable, all_complete
from condped.trials.topsets import Handling, set_size, top_sets


def table(losses: list[float]) -> TrialTable:
    """Return trials without parameters."""
    return TrialTable((), (Objective("loss", np.array(losses)),), all_complete(len(losses)))


def test_set_sizes_are_computed_in_floating_point() -> None:
    """The reference takes 8 of 100 trials for 0.07, because 0.07 · 100 is a little above 7."""
    assert set_size(0.07, 100) == 8
    assert set_size(0.1, 100) == 10
    assert set_size(1.0, 7) == 7


@given(
    losses=st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=60),
    targets=st.lists(st.integers(1, 49), min_size=1, max_size=5, unique=True).map(sorted),
    region=st.sampled_from([0.5, 0.75, 1.0]),
)
def test_sets_are_the_trials_at_or_below_the_order_statistic(
    losses: list[float], targets: list[int], region: float
) -> None:
    """Ties are kept, sets are nested, buckets say the tightest set."""
    quantiles = [percent / 100 for percent in targets]
    found = top_sets(table(losses), quantiles, region, Handling())
    ordered, values = sorted(losses), np.array(losses)

    def members(quantile: float) -> np.ndarray:
        return values <= ordered[set_size(quantile, len(losses)) - 1]

    inside = members(region) if region < 1 else np.ones(len(losses), bool)
    assert found.region_size == inside.sum()
    assert (found.buckets <= len(targets)).tolist() == inside.tolist()
    for place, quantile in enumerate(quantiles):
        assert found.target_sizes[place] == members(quantile).sum()
        assert (found.buckets <= place).tolist() == members(quantile).tolist()


def test_two_hundred_quantiles_need_wider_buckets() -> None:
    """More sets than a byte can number are numbered all the same."""
    rng = np.random.default_rng(0)
    x = rng.random(3000)
    quantiles = [i / 201 for i in range(1, 201)]
    curve = condped.sweep(
        {"x": x, "loss": x},
        objective="loss",
        space={"x": condped.Float(0, 1)},
        target_quantiles=quantiles,
    )
    alone = condped.importance(
        {"x": x, "loss": x},
        objective="loss",
        space={"x": condped.Float(0, 1)},
        target_quantile=quantiles[150],
    )
    assert curve.variance[150, 0] == pytest.approx(alone["x"].variance, rel=1e-12)
