"""Kendall's τ against scipy, and how often its interval holds the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from condped.estimate.statistics.rank_agreement import rank_agreement


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("things", [6, 30, 1500])
def test_tau_is_scipys(things: int, ties: bool) -> None:
    """With ties and without."""
    rng = np.random.default_rng(things)
    one = rng.normal(size=things)
    other = one + rng.normal(size=things)
    if ties:
        one, other = np.round(one), np.round(other)
    found = rank_agreement(one, other, 0.9)
    assert found.tau == pytest.approx(kendalltau(one, other).statistic)
    assert found.low < found.tau < found.high


def test_the_ends_of_the_scale() -> None:
    """Perfect agreement leaves room below, and a constant says nothing."""
    line = np.arange(12.0)
    same, turned = rank_agreement(line, line, 0.9), rank_agreement(line, -line, 0.9)
    assert (same.tau, same.high) == (1.0, 1.0)
    assert 0.5 < same.low < 0.95
    assert (turned.tau, turned.low) == (-1.0, -1.0)
    nothing = rank_agreement(line, np.zeros(12), 0.9)
    assert math.isnan(nothing.tau)
    assert (nothing.low, nothing.high) == (-1.0, 1.0)
    few = rank_agreement(line[:4], line[:4], 0.9)
    assert (few.tau, few.low, few.high) == (1.0, -1.0, 1.0)


@pytest.mark.parametrize("tau", [0.0, 0.5, 0.8])
def test_intervals_hold_the_truth_as_often_as_they_say(tau: float) -> None:
    """Of normal measurements, whose τ is known; rather more often than less."""
    rng = np.random.default_rng(1)
    rho = math.sin(math.pi * tau / 2)
    held = 0
    for _ in range(400):
        one = rng.normal(size=25)
        other = rho * one + math.sqrt(1 - rho**2) * rng.normal(size=25)
        found = rank_agreement(one, other, 0.9)
        held += found.low <= tau <= found.high
    assert 0.86 <= held / 400 <= 0.99
