"""Medians and their exact intervals."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from condped.estimate.statistics.median import interval_rank, median_of


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_ranks_are_those_of_the_binomial_distribution(level: float) -> None:
    """In whole numbers: the largest rank below which a draw is rarely enough."""
    for count in (*range(1, 60), 257):
        rank = interval_rank(count, level)
        tails = [sum(comb(count, k) for k in range(r)) / 2**count for r in range(rank + 2)]
        assert tails[rank] <= (1 - level) / 2 < tails[rank + 1]


def test_ranks_of_many_draws_are_near_the_normal_ones() -> None:
    """A million draws: half less 1.645 standard deviations."""
    assert interval_rank(10**6, 0.9) == pytest.approx(500_000 - 1.6449 * 500, abs=1)


def test_intervals_hold_the_true_median_as_often_as_they_say() -> None:
    """Of 4,000 samples each, whatever the distribution, and not much more often."""
    rng = np.random.default_rng(0)
    for count, least in ((5, 0.9375), (30, 0.9), (101, 0.9)):
        held = [
            found.low <= 1.0 <= found.high  # of a lognormal distribution
            for sample in rng.lognormal(size=(4_000, count))
            if (found := median_of(sample, 0.9)) and found.low is not None and found.high
        ]
        assert least - 0.015 < np.mean(held) < 0.96


def test_few_values_have_no_interval() -> None:
    """Four are too few for nine in ten; none have no median."""
    assert median_of(np.array([3.0, 1.0, 2.0, 9.0]), 0.9) == (2.5, None, None)
    assert median_of(np.zeros(0), 0.9) is None
