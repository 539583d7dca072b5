"""The leave-one-out statistic: against a slow oracle, and without bias by full enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.calibrated_estimator import passes
from condped.estimate.leave_one_out import excess, neighbourhood, twiced_excess


def slow(cells: IntArray, hit: BoolArray, given: FloatArray | None) -> float:
    """Compare each hit with its neighbours, one trial at a time."""
    kernel = np.eye(int(cells.max()) + 1) if given is None else given
    found = 0.0
    trials, hits = len(cells), int(hit.sum())
    for i in np.flatnonzero(hit):
        near = [kernel[cells[i], cells[j]] for j in range(trials) if j != i]
        hit_near = [kernel[cells[i], cells[j]] for j in range(trials) if j != i and hit[j]]
        chance = (hits - 1) / (trials - 1)
        share = sum(hit_near) / sum(near) if sum(near) > 1e-9 else chance
        found += share - chance
    return found


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_excess_is_what_each_hit_sees_around_it(ordered: bool, seed: int) -> None:
    """Whatever the counts, ordered cells or choices."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 6, 30)
    hit = rng.random(30) < 0.3
    kernel = neighbourhood(6, 30, 0.25, ordered=ordered)
    region = np.bincount(cells, minlength=6)
    target = np.bincount(cells[hit], minlength=6)[None]
    assert excess(region, target, kernel)[0] == pytest.approx(slow(cells, hit, kernel), abs=1e-12)


@pytest.mark.parametrize("ordered", [True, False])
def test_its_mean_over_all_ways_to_draw_the_hits_is_zero(ordered: bool) -> None:
    """Exactly: all 126 target sets of 4 among 9 trials."""
    cells = np.array([0, 0, 1, 1, 1, 2, 3, 3, 3])
    kernel = neighbourhood(4, 9, 0.25, ordered=ordered)
    region = np.bincount(cells, minlength=4)
    found = [
        excess(region, np.bincount(cells[list(hits)], minlength=4)[None], kernel)[0]
        for hits in combinations(range(9), 4)
    ]
    assert np.mean(found) == pytest.approx(0.0, abs=1e-12)
    assert np.std(found) > 0.1


def test_many_regimes_and_target_sets_at_once_equal_one_by_one() -> None:
    """Leading axes are kept apart."""
    rng = np.random.default_rng(3)
    region = rng.integers(1, 9, (4, 5))
    target = np.minimum(rng.integers(0, 9, (4, 3, 5)), region[:, None])
    kernel = neighbourhood(5, 20, 0.25, ordered=True)
    together = excess(region, target, kernel)
    for one in range(4):
        for row in range(3):
            alone = excess(region[one], target[one, row][None], kernel)[0]
            assert together[one, row] == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("ordered", [True, False])
def test_twicing_keeps_the_mean_of_zero(ordered: bool) -> None:
    """Exactly: all 126 target sets of 4 among 9 trials."""
    cells = np.array([0, 0, 1, 1, 1, 2, 3, 3, 3])
    region = np.bincount(cells, minlength=4)
    found = [
        twiced_excess(
            region, np.bincount(cells[list(hits)], minlength=4)[None], 9, ordered=ordered
        )[0]
        for hits in combinations(range(9), 4)
    ]
    assert np.mean(found) == pytest.approx(0.0, abs=1e-12)


def test_twicing_takes_most_of_the_loss_by_smoothing_away() -> None:
    """Of the variance that a value explains if the lowest tenth of it is the target set."""
    trials, cells = 2000, np.arange(2000) * 50 // 2000
    region = np.bincount(cells, minlength=50)
    target = np.bincount(cells[:200], minlength=50)[None]
    truth = 0.1 * 0.9
    smoothed = excess(region, target, neighbourhood(50, trials, 0.5, ordered=True))[0] / trials
    twiced = twiced_excess(region, target, trials, ordered=True)[0] / trials
    assert 0 < truth - twiced < 0.75 * (truth - smoothed)


def slow_passes(p_values: list[float]) -> list[bool]:
    """Storey's rule, in words: the largest p whose expected share of false ones is small."""
    tested = [p for p in p_values if not np.isnan(p)]
    null = min(1.0, (1 + sum(p > 0.5 for p in tested)) / (0.5 * len(tested))) if tested else 1.0
    limit = -1.0
    for p in tested:
        if null * len(tested) * p / sum(other <= p for other in tested) <= 0.25:
            limit = max(limit, p)
    return [p <= limit for p in p_values]


@pytest.mark.parametrize("seed", range(8))
def test_the_gate_is_storeys(seed: int) -> None:
    """With real effects among the others, ties, and parameters that could not be tested."""
    rng = np.random.default_rng(seed)
    p_values = np.concatenate([rng.random(12) ** 4, rng.random(rng.integers(0, 30)), [np.nan] * 2])
    p_values = np.round(rng.permutation(p_values), 2)
    assert passes(p_values).tolist() == slow_passes(p_values.tolist())


def test_nothing_tested_passes_nothing() -> None:
    """Also along a leading axis."""
    nothing = np.full((2, 3), np.nan)
    assert not passes(nothing).any()
    assert passes(np.array([[0.001, np.nan, 0.9], [np.nan] * 3])).tolist() == [
        [True, False, False],
        [False] * 3,
    ]
