"""Smaller domains: respect for scales, steps, branches and doubt."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import hypergeom

from condped import Categorical, Float, Int
from condped.analyse.advice.propose import Proposal, RegimeTrials, chance_of_so_few, propose
from condped.arrays import BoolArray, ValueArray
from condped.space import Domain


def proposed(domain: Domain, values: ValueArray, hit: BoolArray, **options: object) -> Proposal:
    """Return the proposal that there has to be."""
    trials = RegimeTrials(values, hit, np.zeros(len(values), dtype=np.int64))
    found = propose(domain, trials, tests=5, **options)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_a_range_holds_the_good_values_and_a_margin() -> None:
    """On the domain's own scale, with short bounds."""
    rng = np.random.default_rng(0)
    values = np.exp(rng.uniform(np.log(1e-5), 0, 500))
    hit = (values > 1e-3) & (values < 1e-2)
    found = proposed(Float(1e-5, 1, log=True), values, hit)
    assert isinstance(found.domain, Float)
    assert found.domain.log
    assert 5e-4 < found.domain.low < 1e-3
    assert 1e-2 < found.domain.high < 2e-2
    assert (found.kept, found.of) == (hit.sum(), hit.sum())
    assert found.covered == pytest.approx(
        np.log(found.domain.high / found.domain.low) / np.log(1e5)
    )
    assert len(f"{found.domain.low!r}") <= 8


def test_a_bound_of_the_domain_stays_where_it_is() -> None:
    """Exactly, if the best values lie at it."""
    values = np.random.default_rng(0).uniform(-5, 2, 400)
    found = proposed(Float(-5, 2), values, values < -4)
    assert isinstance(found.domain, Float)
    assert found.domain.low == -5
    assert -4 < found.domain.high < -3.3


def test_whole_numbers_keep_their_steps() -> None:
    """Few levels are cut between them, many are rounded outwards."""
    rng = np.random.default_rng(0)
    few = rng.integers(1, 9, 400)
    assert proposed(Int(1, 8), few, few >= 6).domain == Int(6, 8)
    assert proposed(Int(1, 8), few, few == 3).domain == Categorical([3])
    steps = 10 + 4 * rng.integers(0, 100, 600)
    domain = proposed(Int(10, 406, step=4), steps, (steps > 100) & (steps < 200)).domain
    assert isinstance(domain, Int)
    assert (domain.step, (domain.low - 10) % 4, (domain.high - 10) % 4) == (4, 0, 0)
    assert domain.low <= 102
    assert domain.high >= 198
    logs = np.exp(rng.uniform(0, np.log(1000), 600)).astype(int)
    domain = proposed(Int(1, 1000, log=True), logs, logs > 300).domain
    assert isinstance(domain, Int)
    assert domain.log
    assert 60 < domain.low <= 300
    stepped = np.round(rng.integers(0, 11, 400) * 0.1, 1)
    small = proposed(Float(0, 1, step=0.1), stepped, stepped <= 0.25).domain
    assert isinstance(small, Float)
    assert (small.low, small.step) == (0, 0.1)
    assert small.high in (0.2, 0.30000000000000004, 0.3, 0.4)


def test_choices_that_never_reach_the_target_set_are_dropped() -> None:
    """Those that were hardly tried are not: nothing is known of them."""
    rng = np.random.default_rng(0)
    values = rng.choice(4, 500, p=[0.4, 0.3, 0.29, 0.01])
    hit = (values == 0) & (rng.random(500) < 0.3)
    found = proposed(Categorical(["a", "b", "c", "d"]), values, hit)
    assert found.domain == Categorical(["a", "d"])
    assert found.outside == np.isin(values, [1, 2]).sum()
    fixed = proposed(Categorical(["a", "b", "c"]), np.minimum(values, 2), hit)
    assert fixed.domain == Categorical(["a"])


def test_a_gate_is_cut_where_it_switches() -> None:
    """Between the last value of a good branch and the first of the other, never beyond."""
    values = np.random.default_rng(0).random(500)
    hit = (values < 0.8) & (np.arange(500) % 5 == 0)
    found = proposed(Float(0, 1), values, hit, cuts=(0.8,))
    assert isinstance(found.domain, Float)
    assert values[values < 0.8].max() <= found.domain.high < 0.8
    flipped = proposed(Float(0, 1), 1 - values, hit, cuts=(0.2,))
    assert isinstance(flipped.domain, Float)
    assert (flipped.domain.low, flipped.domain.high) == (0.2, 1)


def test_doubt_leaves_everything_as_it_is() -> None:
    """Few trials, evenly spread hits, a domain of one value, no hits at all."""
    rng = np.random.default_rng(0)
    values, none = rng.random(200), np.zeros(200, dtype=bool)
    block = np.zeros(200, dtype=np.int64)
    even = np.arange(200) % 10 == 0
    few = RegimeTrials(values[:8], values[:8] < 0.3, block[:8])
    for domain, trials in (
        (Float(0, 1), few),
        (Float(0, 1), RegimeTrials(values, even, block)),
        (Float(0, 1), RegimeTrials(values, none, block)),
        (Categorical(["a"]), RegimeTrials(np.zeros(200, int), even, block)),
        (Categorical(["a", "b"]), RegimeTrials((values < 0.5).astype(int), even, block)),
    ):
        assert propose(domain, trials, tests=5) is None
    # Where each stretch of time has one kind of trials, time explains what the value seems to.
    late = np.arange(200) >= 100
    value = np.where(late, 0.2 + values / 100, 0.8 + values / 100)
    apart = RegimeTrials(value, late & even, late.astype(np.int64))
    assert propose(Float(0, 1), apart, tests=5) is None


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
