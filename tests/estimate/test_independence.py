"""The test's moments by enumeration, its p-values by permutation, the adjustment by scipy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from condped.estimate import independence_test
from condped.estimate.independence_test import (
    CellTable,
    adjusted,
    deviation,
    deviations,
    no_deviation,
)
from condped.estimate.leave_one_out import neighbourhood


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("hits", [2, 4, 7])
def test_mean_and_variance_under_random_membership(ordered: bool, hits: int) -> None:
    """Both exactly, over all ways to draw the hits."""
    cells = np.array([0, 0, 1, 1, 1, 2, 3, 3, 3, 4, 4, 5, 5, 5, 5])
    region = np.bincount(cells)
    kernel = neighbourhood(6, 15, 0.5, ordered=ordered)
    ways = list(combinations(range(15), hits))
    targets = np.array([np.bincount(cells[list(way)], minlength=6) for way in ways])
    found = deviation(region[None], targets[:, None], kernel)
    assert found.mean[0] == pytest.approx(found.statistic.mean(), rel=1e-9)
    assert found.variance[0] == pytest.approx(found.statistic.var(), rel=1e-9)


def test_regimes_that_are_compared_together_are_compared_as_each_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of several shapes, with cells and strata that tell nothing: by sums over pairs of trials."""
    rng = np.random.default_rng(3)
    tables = [_table(rng, cells) for cells in (4, 6, 6, 6, 2, 4, 1) for _ in range(3)]
    together = deviations(tables)
    monkeypatch.setattr(independence_test, "_NUMBERS_AT_A_TIME", 1)
    for table, found, alone in zip(tables, together, deviations(tables), strict=True):
        for of in ("statistic", "mean", "variance"):
            assert getattr(found, of) == pytest.approx(getattr(alone, of), rel=1e-12, abs=1e-15)
        if found.mean[0] > 0:
            assert found.statistic[0] == pytest.approx(_statistic(table), rel=1e-9)


def _table(rng: np.random.Generator, cells: int) -> CellTable:
    """Return trials at random in three strata, and a target set among them."""
    region = rng.integers(0, 4, (3, cells))
    ordered = bool(rng.integers(0, 2))
    kernel = neighbourhood(cells, int(region.sum()), 0.5, ordered=ordered)
    return CellTable(region, rng.integers(0, region + 1)[None], kernel)


def _statistic(table: CellTable) -> float:
    """Return the weighted sum of squares of smoothed differences, term by term."""
    region, target, kernel = table
    some = [s for s in range(len(region)) if region[s].sum() > 1]
    counts = region[some].sum(axis=0)
    full = np.flatnonzero(counts)
    difference = {
        c: sum(target[0, s, c] - region[s, c] * target[0, s].sum() / region[s].sum() for s in some)
        for c in full
    }
    near = np.eye(len(counts)) if kernel is None else kernel
    weights = {c: near[c] / near[c].sum() for c in full}
    total = 0.0
    for cell in full if kernel is None else range(len(counts)):
        around = sum(counts[c] * weights[c][cell] for c in full)
        if around > 1e-12:
            total += sum(difference[c] * weights[c][cell] for c in full) ** 2 / around
    return float(total)


@pytest.mark.parametrize("seed", range(4))
def test_p_values_agree_with_a_permutation_test(seed: int) -> None:
    """On data with no, a weak and a strong effect."""
    rng = np.random.default_rng(seed)
    cells = np.repeat(np.arange(40), 5)
    region = np.bincount(cells)
    kernel = neighbourhood(40, 200, 0.5, ordered=True)
    for strength in (0.0, 0.5, 1.5):
        hits = np.argsort(strength * cells / 40 + rng.random(200))[:30]
        seen = deviation(region[None], np.bincount(cells[hits], minlength=40)[None, None], kernel)
        draws = np.array(
            [np.bincount(cells[rng.permutation(200)[:30]], minlength=40) for _ in range(2000)]
        )
        by_chance = deviation(region[None], draws[:, None], kernel).statistic
        permuted = (1 + (by_chance >= seen.statistic[0]).sum()) / 2001
        assert abs(seen.p_value[0] - permuted) < 0.02 + 0.1 * permuted


def test_what_cannot_vary_shows_nothing() -> None:
    """One cell, one trial, no hit, all hits: no p-value."""
    kernel = neighbourhood(3, 10, 0.5, ordered=True)
    for region, target in (
        ([9, 0, 0], [3, 0, 0]),
        ([1, 0, 0], [1, 0, 0]),
        ([4, 4, 4], [0, 0, 0]),
        ([4, 4, 4], [4, 4, 4]),
    ):
        found = no_deviation(1) + deviation(np.array([region]), np.array([[target]]), kernel)
        assert np.isnan(found.p_value).tolist() == [True]


def test_adjustment_is_benjamini_and_hochbergs() -> None:
    """Against scipy, row by row."""
    p_values = np.random.default_rng(1).random((20, 12)) ** 3
    for row in p_values:
        assert np.allclose(adjusted(row), stats.false_discovery_control(row), atol=1e-12)
    assert np.allclose(adjusted(p_values), [adjusted(row) for row in p_values])


def test_what_was_not_tested_does_not_count() -> None:
    """The others are adjusted as if it were not there, wherever it stands."""
    rng = np.random.default_rng(2)
    p_values = rng.random((20, 9)) ** 3
    with_others = np.insert(p_values, [0, 4, 4, 9], np.nan, axis=1)
    found = adjusted(with_others)
    assert np.allclose(np.delete(found, [0, 5, 6, 12], axis=1), adjusted(p_values))
    assert np.array_equal(np.isnan(found), np.isnan(with_others))


@pytest.mark.parametrize("ordered", [True, False])
def test_mean_and_variance_over_strata(ordered: bool) -> None:
    """Exactly, over all ways to draw the hits of each of two strata."""
    cells, hits = (np.array([0, 0, 1, 2, 2, 3]), np.array([1, 2, 3, 3, 3])), (2, 2)
    region = np.array([np.bincount(own, minlength=4) for own in cells])
    kernel = neighbourhood(4, 11, 0.5, ordered=ordered)
    ways = [list(combinations(range(len(own)), n)) for own, n in zip(cells, hits, strict=True)]
    targets = np.array(
        [
            [
                np.bincount(cells[0][list(one)], minlength=4),
                np.bincount(cells[1][list(other)], minlength=4),
            ]
            for one in ways[0]
            for other in ways[1]
        ]
    )
    found = deviation(region, targets, kernel)
    assert found.mean[0] == pytest.approx(found.statistic.mean(), rel=1e-9)
    assert found.variance[0] == pytest.approx(found.statistic.var(), rel=1e-9)
