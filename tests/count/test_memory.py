"""Counting in memory, against a loop over the trials."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from condped.count.memory import count_in_memory

import condped
from condped.count import memory
from condped.space.domain import Categorical, Domain, Float, Int
from condped.trials.table import Objective, Parameter, TrialTable, all_complete
from condped.trials.topsets import Handling, top_sets


def cell(value: float, domain: Domain) -> int:
    """Return the cell of a value by the definition, in plain Python."""
    if isinstance(domain, Categorical):
        return int(value)
    cells = 50
    if isinstance(domain, Int) and domain.log:
        cells = min(math.ceil(math.log2(domain.high - domain.low + 1)) + 1, 50)
    elif domain.step is not None:
        cells = min(round((domain.high - domain.low) / domain.step) + 1, 50)
    scale = math.log if domain.log else float
    low, high = scale(domain.low), scale(domain.high)
    place = math.ceil((scale(value) - low) / ((high - low) / (cells - 1)) - 0.5)
    return min(max(place, 0), cells - 1)


def mixed_table(trials: int, seed: int) -> TrialTable:
    """Return one parameter that is absent, linear, logarithmic, stepped or whole by turns."""
    rng = np.random.default_rng(seed)
    domains = (Float(-2, 3), Float(1e-3, 10, log=True), Float(0, 2, step=0.25), Int(1, 9))
    ids = rng.integers(-1, len(domains), trials).astype(np.int8)
    drawn = np.array(
        [
            rng.uniform(-2, 3, trials),
            np.exp(rng.uniform(np.log(1e-3), np.log(10), trials)),
            0.25 * rng.integers(0, 9, trials),
            rng.integers(1, 10, trials),
            np.full(trials, np.nan),
        ]
    )
    values = drawn[ids, np.arange(trials)]
    kinds = Parameter("p", values, ids, domains)
    losses = np.round(rng.random(trials), 2)
    return TrialTable((kinds,), (Objective("loss", losses),), all_complete(trials))


@pytest.mark.parametrize("few", [64, 0])
@pytest.mark.parametrize("seed", range(3))
def test_counts_equal_a_loop_over_the_trials(
    few: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every cell of every regime and set, whichever way the regimes are laid out."""
    monkeypatch.setattr(memory, "_FEW_DOMAINS", few)
    monkeypatch.setattr(memory, "_CHUNK", 37)
    table = mixed_table(400, seed)
    top = top_sets(table, (0.1, 0.4), 0.8, Handling())
    (counts,) = count_in_memory(table, top).parameters
    (parameter,) = table.parameters
    losses, ordered = table.objectives[0].values, np.sort(table.objectives[0].values)
    for quantile, place in ((0.1, 0), (0.4, 1), (0.8, None)):
        inside = losses <= ordered[math.ceil(quantile * 400) - 1]
        expected = Counter(
            (int(i), cell(v, parameter.domains[i]) if i >= 0 else 0)
            for v, i, here in zip(parameter.values, parameter.domain_ids, inside, strict=True)
            if here
        )
        for regime in counts.regimes:
            i = -1 if regime.domain is None else parameter.domains.index(regime.domain)
            found = regime.region if place is None else regime.target[place]
            assert found.tolist() == [expected[i, c] for c in range(len(found))]


def test_whole_numbers_beyond_two_to_the_53_keep_their_cells() -> None:
    """Values that floats cannot tell apart are subtracted as whole numbers."""
    low = 2**60
    values = low + np.arange(50, dtype=np.int64)
    result = condped.importance(
        {"n": values, "loss": np.arange(50.0)}, objective="loss", space={"n": Int(low, low + 49)}
    )
    assert result["n"].regimes[0].region_trials == 50
    small = condped.importance(
        {"n": np.arange(50), "loss": np.arange(50.0)}, objective="loss", space={"n": Int(0, 49)}
    )
    assert result["n"].variance == small["n"].variance


def test_whole_numbers_below_their_domain_are_in_its_first_cell() -> None:
    """Also those so far below that their distance from it does not fit into 64 bits."""
    values = np.array([1, 8, 0, -5, -(2**63), 9, 2**63 - 1])
    table = condped.read(
        {"n": values, "loss": np.arange(7.0)},
        objective="loss",
        space={"n": Int(1, 8)},
        outside="nearest",
    )
    (counts,) = count_in_memory(table, top_sets(table, (0.5,), 1.0, Handling())).parameters
    assert counts.regimes[0].region.tolist() == [4, 0, 0, 0, 0, 0, 0, 3]
