"""The chance of so few hits: against scipy and against all ways to deal them out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import hypergeom

from condped.analyse.advice.propose import chance_of_so_few


def test_one_block_is_hypergeometric() -> None:
    """As scipy has it."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        group, hit = rng.random(60) < 0.4, rng.random(60) < 0.2
        found = chance_of_so_few(group, hit, np.zeros(60, dtype=np.int64))
        expected = hypergeom.cdf((group & hit).sum(), 60, hit.sum(), group.sum())
        assert found == pytest.approx(expected, rel=1e-9)


def test_blocks_are_dealt_out_apart() -> None:
    """Against every way to place the hits of each block."""
    group = np.array([1, 1, 0, 0, 0, 1, 1, 0], dtype=bool)
    block = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    hit = np.array([1, 0, 1, 0, 1, 0, 0, 0], dtype=bool)
    here = (group & hit).sum()
    few = [
        sum(group[list(first)]) + group[second] <= here
        for first in combinations(range(4), 2)
        for second in range(4, 8)
    ]
    assert chance_of_so_few(group, hit, block) == pytest.approx(np.mean(few))
