"""The test of pairs: its form against a slow one, its moments, and its error rates."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.pair_test import _Cells, pair_deviation


def slow_form(first: IntArray, second: IntArray) -> FloatArray:
    """Return (trials, trials): what each pair of different trials adds if both are hits."""
    trials = len(first)
    form = np.zeros((trials, trials))
    keys = [list(zip(first, second, strict=True)), list(first), list(second)]
    for sign, cells in zip((1, -1, -1), keys, strict=True):
        for i, j in permutations(range(trials), 2):
            others = sum(cells[k] == cells[i] for k in range(trials)) - 1
            near = (cells[i] == cells[j]) / others if others else 1 / (trials - 1)
            form[i, j] += sign * (near - 1 / (trials - 1))
    return (form + form.T) / 2


FIRST = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
SECOND = np.array([0, 0, 1, 1, 0, 0, 1, 1, 1])


def test_the_statistic_is_a_form_in_the_memberships_with_mean_zero() -> None:
    """Over all 126 ways to draw 4 hits among 9 trials, one of them alone in its cell."""
    form = slow_form(FIRST, SECOND)
    found = []
    for hits in combinations(range(9), 4):
        hit = np.isin(np.arange(9), hits)
        made = pair_deviation(FIRST, SECOND, hit).statistic
        assert made == pytest.approx(hit @ form @ hit, abs=1e-12)
        found.append(made)
    assert np.mean(found) == pytest.approx(0.0, abs=1e-12)


def test_its_variance_is_the_sum_of_the_squares_of_its_form() -> None:
    """2 s⁴ Σ B_jk² over different trials, which is that of independent memberships."""
    form = slow_form(FIRST, SECOND)
    hit = np.isin(np.arange(9), (0, 1, 5, 8))
    spread = 4 * 5 / (9 * 8)
    exact = 2 * spread**2 * (form**2).sum()
    assert pair_deviation(FIRST, SECOND, hit).random.variance == pytest.approx(exact)
    third = 8 * spread**3 * np.trace(form @ form @ form)
    third += 4 * (spread * (1 - 8 / 9)) ** 2 * (form**3).sum()
    assert pair_deviation(FIRST, SECOND, hit).random.third == pytest.approx(third)


def test_within_strata_its_mean_is_zero_over_all_ways_to_draw_the_hits() -> None:
    """Two hits in the first five trials and one in the other four, in all 40 ways."""
    strata = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])
    found = []
    for early in combinations(range(5), 2):
        for late in range(5, 9):
            hit = np.isin(np.arange(9), (*early, late))
            found.append(pair_deviation(FIRST, SECOND, hit, strata).statistic)
    assert np.mean(found) == pytest.approx(0.0, abs=1e-12)
    assert np.std(found) > 0.1


def test_one_stratum_gives_the_moments_of_none() -> None:
    """And the same statistic, where no trial is alone in its cell."""
    first, second = np.repeat([0, 1], 10), np.tile([0, 1], 10)
    hit = np.isin(np.arange(20), (0, 2, 4, 11, 15))
    one = pair_deviation(first, second, hit, np.zeros(20, dtype=int))
    none = pair_deviation(first, second, hit)
    assert one.statistic == pytest.approx(none.statistic)
    assert (one.random.variance, one.random.third) == pytest.approx(
        (none.random.variance, none.random.third)
    )


@pytest.mark.parametrize("real", [False, True])
def test_a_sampler_that_moves_all_values_at_once(real: bool) -> None:
    """Values and hits drift. Among neighbours nothing is no pair, and a real one is found."""
    rng = np.random.default_rng(1)
    among_all, among_neighbours = [], []
    for _ in range(60):
        late = np.arange(300) > 150
        moved = rng.random((2, 300)) < np.where(late, 0.85, 0.15)
        first, second = (np.where(one, 0, rng.integers(1, 3, 300)) for one in moved)
        same = (first == 0) == (second == 0)
        chance = np.where(late, 0.5, 0.1) * np.where(same | (not real), 1.0, 0.2)
        hit = rng.random(300) < chance
        strata = np.arange(300) // 5
        among_all.append(pair_deviation(first, second, hit).p_value or 0.0)
        among_neighbours.append(pair_deviation(first, second, hit, strata).p_value or 0.0)
    found = np.mean(np.array(among_neighbours) < 0.05)
    if real:
        assert found > 0.6
        assert found > np.mean(np.array(among_all) < 0.05)
    else:
        assert found <= 0.1
        assert 0.4 < np.mean(among_neighbours) < 0.6


def drawn(kind: str, trials: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return cells of two parameters: six ranks of a number, or so many choices."""
    kinds = {"numbers": (6, 6), "8 choices": (8, 6), "choices": (4, 3)}
    one, other = (rng.integers(0, cells, trials) for cells in kinds[kind])
    return one, other


@pytest.mark.parametrize("kind", ["numbers", "8 choices", "choices"])
@pytest.mark.parametrize("share", [0.1, 0.25])
def test_permutations_scatter_as_it_says(kind: str, share: float) -> None:
    """The variance and the tail of 1,000 random target sets of 300 trials."""
    rng = np.random.default_rng(1)
    first, second = drawn(kind, 300, rng)
    hit = np.arange(300) < 300 * share
    shuffled = [pair_deviation(first, second, rng.permutation(hit)) for _ in range(1000)]
    statistics = np.array([one.statistic for one in shuffled])
    assert statistics.var() == pytest.approx(shuffled[0].random.variance, rel=0.2)
    tail = np.mean([one.random.p_value(one.statistic) < 0.05 for one in shuffled])
    assert 0.02 <= tail <= 0.085


@pytest.mark.parametrize("kind", ["numbers", "8 choices", "choices"])
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("trials", [50, 200])
def test_pairs_without_a_joint_effect_are_seldom_found(kind: str, alone: bool, trials: int) -> None:
    """Whether neither parameter does anything or one of them does all."""
    found = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        first, second = drawn(kind, trials, rng)
        loss = (first >= 2) * alone + rng.random(trials)
        hit: BoolArray = loss <= np.quantile(loss, 0.2)
        found.append(pair_deviation(first, second, hit).p_value or 1.0)
    assert np.mean(np.array(found) < 0.05) <= 0.1


def test_two_that_must_agree_are_found() -> None:
    """Though neither does anything alone."""
    rng = np.random.default_rng(0)
    first, second = drawn("numbers", 300, rng)
    hit = ((first < 3) == (second < 3)) & (rng.random(300) < 0.5)
    made = pair_deviation(first, second, hit).p_value
    assert made is not None
    assert made < 1e-6


def test_what_cannot_turn_out_otherwise_is_not_tested() -> None:
    """No hits, or more cells than fit into memory."""
    first = np.arange(1200) % 40
    second = np.arange(1200) // 40
    assert pair_deviation(first, second, np.zeros(1200, dtype=bool)).p_value is None
    assert pair_deviation(first, second, np.arange(1200) < 200).p_value is None
    assert len(_Cells.of(first * 30 + second).sizes) == 1200
