"""The test of whether objectives improve at a bound, against scipy's and numpy's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from condped.arrays import FloatArray
from condped.estimate.bound_slope import bound_slope_p_value, normal_scores, student_cdf


def by_scipy(place: FloatArray, losses: FloatArray, others: FloatArray) -> float:
    """Return the one-sided p-value of the slope at the bound, by least squares."""
    scores = stats.norm.ppf((stats.rankdata(losses) - 0.5) / len(losses))
    columns = np.column_stack([place - 1, (place - 1) ** 2, np.ones(len(place)), others])
    found, residual, rank, _ = np.linalg.lstsq(columns, scores, rcond=None)
    freedom = len(place) - rank
    variance = residual[0] / freedom * np.linalg.inv(columns.T @ columns)[0, 0]
    return float(stats.t.cdf(found[0] / np.sqrt(variance), freedom))


@pytest.mark.parametrize("optimum", [0.5, 0.9, 1.0, 1.05, 1.3])
def test_it_equals_least_squares(optimum: float) -> None:
    """With other columns and ties, wherever the optimum lies."""
    rng = np.random.default_rng(3)
    place, y, z = rng.random((3, 60))
    losses = ((place - optimum) ** 2 + (y - 0.4) ** 2 + z).round(1)
    others = np.column_stack([y, y**2])
    expected = by_scipy(place, losses, others)
    assert bound_slope_p_value(place, losses, others) == pytest.approx(expected, rel=0.02)


def test_chance_gives_small_p_values_as_often_as_they_say() -> None:
    """Of pure noise one in twenty falls below 0.05, up to chance."""
    rng = np.random.default_rng(0)
    found = [
        bound_slope_p_value(place, noise, other[:, None])
        for place, noise, other in rng.random((2000, 3, 40))
    ]
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.015)


def test_without_anything_to_compare_there_is_no_evidence() -> None:
    """One value, one objective, too few trials, or as many columns as trials."""
    rng = np.random.default_rng(0)
    place, losses = np.sort(rng.random(20)), -np.sort(rng.random(20))
    nothing = np.empty((20, 0))
    assert bound_slope_p_value(place, losses, nothing) < 1e-3
    assert bound_slope_p_value(np.ones(20), losses, nothing) == 1.0
    assert bound_slope_p_value(place, np.ones(20), nothing) == 1.0
    assert bound_slope_p_value(place[:14], losses[:14], nothing[:14]) == 1.0
    # What goes with the value itself leaves nothing to tell.
    assert bound_slope_p_value(place, losses, np.column_stack([place, place**2])) == 1.0


def test_two_levels_have_a_slope_between_them() -> None:
    """A square would not be known."""
    place = np.repeat([0.9, 1.0], 30)
    losses = np.random.default_rng(0).random(60) - place * 10
    assert bound_slope_p_value(place, losses, np.empty((60, 0))) < 1e-6


def test_of_many_columns_the_strongest_are_taken() -> None:
    """The one that explains the losses is among them, so that the slope is found."""
    rng = np.random.default_rng(0)
    place, strong = rng.random((2, 60))
    losses = -2 * place + 5 * strong
    weak = rng.random((60, 100))
    assert bound_slope_p_value(place, losses, np.column_stack([weak, strong])) < 1e-3


def test_scores_and_tails_equal_scipys() -> None:
    """Normal quantiles to 0.0005, tails of Student's distribution to a twentieth."""
    losses = np.array([3.0, 1.0, 1.0, 7.0, 2.0])
    expected = stats.norm.ppf((stats.rankdata(losses) - 0.5) / 5)
    assert normal_scores(losses) == pytest.approx(expected, abs=5e-4)
    for freedom in (10, 30, 200):
        for t in (-6.0, -3.0, -1.0, 0.5, 2.0):
            expected_tail = stats.t.cdf(t, freedom)
            assert student_cdf(t, freedom) == pytest.approx(expected_tail, rel=0.05)
