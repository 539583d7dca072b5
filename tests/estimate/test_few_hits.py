"""p-values of one or two hits, against every way to place them; and what they do to verdicts."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import condped
from condped.arrays import IntArray
from condped.estimate.independence_test import CellTable, deviation, deviations, no_deviation
from condped.estimate.leave_one_out import neighbourhood

CELLS = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5, 5, 1, 1, 2, 3, 4, 4, 5, 0, 3, 5])
STRATA = np.repeat([0, 1, 2], [7, 7, 6])


def counted(rows: Any, strata: IntArray) -> IntArray:
    """Return (strata, cells): how many of these trials are in each."""
    found = np.zeros((int(strata.max()) + 1, 6), dtype=np.int64)
    np.add.at(found, (strata[list(rows)], CELLS[list(rows)]), 1)
    return found


def placements(hits: tuple[int, ...], strata: IntArray) -> list[list[int]]:
    """Return every way to choose so many trials of each stratum."""
    each = [combinations(np.flatnonzero(strata == s).tolist(), n) for s, n in enumerate(hits)]
    return [[row for part in parts for row in part] for parts in product(*each)]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize(
    "hits", [(1,), (2,), (19,), (18,), (1, 0, 0), (0, 2, 0), (1, 0, 1), (6, 1, 0), (0, 6, 5)]
)
def test_few_hits_have_the_p_value_of_all_their_placements(
    hits: tuple[int, ...], ordered: bool
) -> None:
    """Within strata, hits and misses alike: the share of placements as extreme."""
    strata = STRATA if len(hits) > 1 else np.zeros(20, dtype=np.int64)
    kernel = neighbourhood(6, 20, 0.5, ordered=ordered)
    targets = np.array([counted(rows, strata) for rows in placements(hits, strata)])
    found = deviation(counted(range(20), strata), targets, kernel)
    statistics = found.statistic
    expected = [(statistics >= one * (1 - 1e-9)).mean() for one in statistics]
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    # Regimes without hits add nothing to it.
    assert (no_deviation(len(targets)) + found).p_value == pytest.approx(expected, rel=1e-9)


def test_regimes_that_both_have_hits_share_one_test() -> None:
    """Their statistics are added, so neither p-value by itself holds for the parameter."""
    region = counted(range(20), np.zeros(20, dtype=np.int64))
    kernel = neighbourhood(6, 20, 0.5, ordered=True)
    one = counted([0], np.zeros(20, dtype=np.int64))[None]
    first, second = deviations([CellTable(region, one, kernel)] * 2)
    assert not np.isnan(first.exact)
    assert np.isnan((first + second).exact)


def rare(seed: int) -> dict[str, Any]:
    """Return random trials of six branches, which differ in how often they are among the best."""
    rng = np.random.default_rng(seed)
    branch = rng.integers(0, 6, 400)
    found: dict[str, Any] = {"model": np.array(list("abcdef"), dtype=object)[branch]}
    for place in range(6):
        for number in range(6):
            values = rng.random(400) if number < 4 else rng.integers(1, 20, 400)
            found[f"x{place}{number}"] = np.where(branch == place, values, np.nan)
    found["loss"] = rng.standard_normal(400) + np.array([0, 0.6, 1.1, 1.5, 1.7, 2.0])[branch]
    return found


def test_a_single_target_trial_is_no_evidence() -> None:
    """No value of a branch does anything, and where one trial of it is good, none may seem to."""
    single = 0
    for seed in range(20):
        table = rare(seed)
        evidence = condped.importance(table, objective="loss", sampling="random").evidence
        best = np.argsort(table["loss"])[:40]
        for one in evidence:
            if one.name == "model" or np.isnan(table[one.name][best]).sum() != 39:
                continue
            single += 1
            assert one.verdict != "matters"
            assert one.p_value >= 1 / np.isfinite(table[one.name]).sum()
    assert single > 50
