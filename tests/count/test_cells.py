"""Cells of values, and regimes that get none, against a loop over the trials."""

from __future__ import annotations

import numpy as np
import pytest

import condped
from condped import Categorical, when
from condped.count import trials
from condped.count.cells import cell_counts as cells
from condped.count.trials import Trials
from condped.space.domain import Domain, Float, Int
from condped.trials.table import Objective, Parameter, TrialTable, all_complete
from condped.trials.used_trials import Handling
from tests.count import slow
from tests.count.studies import assert_same_counts
from tests.count.table_chunks import TableChunks


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
    monkeypatch.setattr(trials, "_FEW_DOMAINS", few)
    monkeypatch.setattr(cells, "_FEW_DOMAINS", 8 if few else 0)
    monkeypatch.setattr(cells, "_CHUNK", 37)
    table = mixed_table(400, seed)
    expected = slow.grid_counts(
        table.parameters[0], slow.sets_of(table, (0.1, 0.4), 0.8, Handling())
    )
    for source in (table, TableChunks(table, 50, workers=3)):
        counted = Trials.of(source)
        (counts,) = counted.count(counted.top_sets((0.1, 0.4), 0.8, Handling())).parameters
        assert len(counts.regimes) == len(expected)
        for regime in counts.regimes:
            assert [*regime.target.tolist(), regime.region.tolist()] == expected[regime.domain]


def many_domains(rows: int, seed: int) -> TrialTable:
    """Return a parameter with a hundred domains: some common, some rare, some never taken."""
    rng = np.random.default_rng(seed)
    domains: tuple[Domain, ...] = tuple(
        Float(place, place + 1.5) if place % 3 else Int(place, place + 4) for place in range(100)
    )
    ids = np.minimum(rng.exponential(12, rows).astype(np.int8), 98)
    ids[rng.random(rows) < 0.1] = -1
    values = np.where(ids % 3 == 0, ids + rng.integers(0, 5, rows), ids + 1.5 * rng.random(rows))
    kinds = Parameter("p", np.where(ids < 0, np.nan, values), ids, domains)
    plain = Parameter("q", rng.random(rows), np.zeros(rows, np.int8), (Float(0, 1),))
    losses = Objective("loss", np.round(rng.random(rows), 2))
    return TrialTable((kinds, plain), (losses,), all_complete(rows))


def test_regimes_that_are_too_small_get_no_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than 64 domains those with enough trials are laid out; the counts are the same."""
    table = many_domains(300, 0)
    found = slow.grid_counts(table.parameters[0], slow.sets_of(table, (0.2,), 0.9, Handling()))
    rare = sum(sum(counts[-1]) == 1 for counts in found.values())
    assert rare > 3
    laid_out = []
    for source in (table, TableChunks(table, 31, workers=3)):
        counted = Trials.of(source)
        sets = counted.top_sets((0.2,), 0.9, Handling())
        laid_out.append(counted.count(sets))
        counts, _ = laid_out[-1].parameters
        assert counts.dropped_region.tolist() == [1] * rare
        assert len(counts.regimes) == sum(sum(own[-1]) >= 2 for own in found.values())
        for regime in counts.regimes:
            assert [*regime.target.tolist(), regime.region.tolist()] == found[regime.domain]
    assert_same_counts(*laid_out)
    monkeypatch.setattr(trials, "_FEW_DOMAINS", 1000)
    (all_of_them, _), (counts, _) = counted.count(sets).parameters, laid_out[0].parameters
    assert all_of_them.dropped_target.tolist() == counts.dropped_target.tolist()


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
    counted = Trials.of(table)
    (counts,) = counted.count(counted.top_sets((0.5,), 1.0, Handling())).parameters
    assert counts.regimes[0].region.tolist() == [4, 0, 0, 0, 0, 0, 0, 3]


@pytest.mark.parametrize("far", [Int(-(2**63), -(2**63) + 9), Int(-(2**63), 2**63 - 1)])
def test_whole_numbers_keep_their_cells_beside_far_ones(far: Int) -> None:
    """Domains of one parameter that are further apart than 64 bits lose no digit."""
    low = 2**62
    values = [low + place for place in range(50)] + [far.low, far.high] * 5
    place = Categorical(["near", "far"])

    def space(near: Int) -> dict[str, object]:
        return {"c": place, "n": [when("c == 'near'", near), when("c == 'far'", far)]}

    rows = {"n": values, "c": ["near"] * 50 + ["far"] * 10, "loss": np.arange(60.0)}
    table = condped.read(rows, objective="loss", space=space(Int(low, low + 49)))
    assert table.parameters[1].values.tolist() == values
    found = condped.importance(table)["n"].variance
    moved = condped.read(
        {**rows, "n": [*range(50), *[far.low, far.high] * 5]},
        objective="loss",
        space=space(Int(0, 49)),
    )
    assert found == condped.importance(moved)["n"].variance > 0
