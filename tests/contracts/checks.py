"""What is asked of an engine about a case, and compared with the oracle to the last trial."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from condped.arrays import BoolArray, ValueArray
from condped.count.counts import StudyCounts
from condped.count.edges import is_whole
from condped.count.keys import KeyBins, keys_of
from condped.count.memory import SMALLEST_REGIME, count_in_memory
from condped.count.passes import Counted, Passes, Series, Wanted, Within
from condped.count.ranks import count_ranked
from condped.space.condition import Condition
from condped.space.domain import Categorical
from condped.space.grid import grid_of
from tests.contracts.oracle import Oracle

_FINE_BINS = 12


def check_outline(passes: Passes, oracle: Oracle) -> None:
    """Compare what is known before any trial is looked at."""
    outline, table = passes.outline, oracle.table
    assert outline.names == table.names
    assert outline.domains == tuple(parameter.domains for parameter in table.parameters)
    assert outline.objective == table.objectives[0].name
    assert outline.direction == table.objectives[0].direction
    assert set(outline.ignored_columns) >= set(table.ignored_columns) - {oracle.case.order}


def check_tally(passes: Passes, oracle: Oracle) -> None:
    """Compare how trials ended, for all the ways of handling them."""
    for handling in oracle.case.handlings:
        ours, theirs = passes.tally(handling), oracle.tally(handling)
        assert ours.counts == theirs.counts, handling
        if np.isnan(theirs.lowest):
            assert not np.isfinite([ours.lowest, ours.highest]).any()
        else:
            assert (ours.lowest, ours.highest) == (theirs.lowest, theirs.highest), handling
        assert ours.selections == theirs.selections


def check_series(passes: Passes, oracle: Oracle) -> None:
    """Compare histograms and levels of losses, of places in time, and of numeric values."""
    case = oracle.case
    handling = case.handlings[0]
    cutoffs = oracle.cutoffs(handling)
    middle = float(cutoffs[len(cutoffs) // 2]) if len(cutoffs) else None
    for within in (Within(handling), Within(handling, middle)):
        bins = _bins(oracle, within, losses=within.cutoff is None)
        groups = case.groups if within.cutoff is None else 1
        found = passes.histogram(bins, within, groups, case.seed)
        marked = {
            series: [(one, _marks(one.bins)) for one in several] for series, several in bins.items()
        }
        levels = passes.levels(marked, within, groups, case.seed)
        assert set(found) == set(levels) == set(bins)
        for series, several in bins.items():
            expected = [oracle.histogram(series, b, within, groups, case.seed) for b in several]
            for ours, theirs in zip(found[series], expected, strict=True):
                np.testing.assert_array_equal(ours, theirs, err_msg=str(series))
            exact = oracle.levels(series, marked[series], within, groups, case.seed)
            order = np.lexsort((levels[series].groups, levels[series].values))
            assert levels[series].values.dtype.kind == ("i" if several[0].whole else "f"), series
            for field in ("values", "groups", "counts"):
                ours = getattr(levels[series], field)[order]
                np.testing.assert_array_equal(ours, getattr(exact, field), err_msg=str(series))


def _bins(oracle: Oracle, within: Within, *, losses: bool) -> dict[Series, list[KeyBins]]:
    """Return coarse bins over the lower part of each series' numbers and fine ones above it."""
    series = [Series("loss")] if losses else [Series("order")]
    parameters = list(enumerate(oracle.table.parameters))
    for place, parameter in parameters[:: -(-len(parameters) // oracle.case.series)]:
        for number, domain in enumerate(parameter.domains):
            if not losses and not isinstance(domain, Categorical):
                series.append(Series("value", place, number))
    found = {}
    for one in series:
        values, _ = oracle.numbers(one, within)
        whole = one.kind == "order"
        if one.kind == "value":
            whole = is_whole(oracle.table.parameters[one.parameter].domains)
        keys = np.sort(keys_of(values.astype(np.int64 if whole else np.float64)))
        if len(keys) == 0:
            found[one] = [KeyBins(0, 0, 4, whole)]
            continue
        low, middle, high = int(keys[0]), int(keys[len(keys) // 2]), int(keys[-1])
        coarse = KeyBins(low, _shift(middle - low), 7, whole)
        # Some numbers may lie in no bins.
        start = coarse.stop + 1
        found[one] = [coarse]
        if start <= high:
            found[one].append(KeyBins(start, _shift(high - start), _FINE_BINS, whole))
    return found


def _shift(width: int) -> int:
    return max(width.bit_length() - 3, 0)


def _marks(bins: int) -> BoolArray:
    return np.asarray(np.arange(bins) % 3 != 1)


def check_counts(passes: Passes, oracle: Oracle) -> None:
    """Compare cells of the grids, and what the estimator takes of them, with the counter's."""
    case = oracle.case
    handling = case.handlings[0]
    wanted = Wanted(
        Within(handling),
        oracle.cutoffs(handling),
        conditions=tuple(Condition.parse(text) for text in case.conditions),
    )
    counted = passes.count(wanted)
    check_counted(counted, wanted, oracle)
    for text in case.notes:
        notes = (*counted.notes, *passes.tally(handling).notes)
        assert any(text in note for note in notes), (text, notes)
    study = count_in_memory(oracle.table, oracle.top(handling))
    check_study(counted, wanted, oracle, study)


def check_dealt(passes: Passes, oracle: Oracle) -> None:
    """Compare cells of edges by rank, in groups and blocks of time."""
    case = oracle.case
    handling = case.handlings[0]
    within = Within(handling)
    inside = np.flatnonzero(oracle.used(handling))
    if not len(inside):
        return
    starts = [oracle.order[inside[len(inside) * k // case.blocks]] for k in range(1, case.blocks)]
    wanted = Wanted(
        within,
        oracle.cutoffs(handling)[:2],
        edges=_rank_edges(oracle, within),
        block_starts=np.array(starts),
        groups=case.groups,
        seed=case.seed,
        parameters=tuple(range(len(oracle.table.parameters)))[::-1][:40],
    )
    check_counted(passes.count(wanted), wanted, oracle)


def _rank_edges(oracle: Oracle, within: Within) -> dict[tuple[int, int], ValueArray]:
    """Return edges on every fourth distinct value: ties and the highest value among them."""
    found = {}
    for place, parameter in enumerate(oracle.table.parameters):
        whole = is_whole(parameter.domains)
        for number, domain in enumerate(parameter.domains):
            if isinstance(domain, Categorical):
                continue
            values, _ = oracle.numbers(Series("value", place, number), within)
            levels = np.unique(values.astype(np.int64 if whole else np.float64))
            found[place, number] = levels[:: max(len(levels) // 7, 1)]
    return found


def check_counted(counted: Counted, wanted: Wanted, oracle: Oracle) -> None:
    """Compare every number of what was counted."""
    places = wanted.parameters
    places = tuple(range(len(oracle.table.parameters))) if places is None else places
    assert len(counted.parameters) == len(places)
    for place, ours in zip(places, counted.parameters, strict=True):
        name = oracle.table.parameters[place].name
        np.testing.assert_array_equal(ours, oracle.count(wanted, place), err_msg=repr(name))
        assert ours.dtype.kind == "i"
    np.testing.assert_array_equal(counted.sizes, oracle.sizes(wanted))
    held, best = oracle.conditions(wanted)
    np.testing.assert_array_equal(counted.conditions, held)
    np.testing.assert_array_equal(counted.best, best)


def check_study(counted: Counted, wanted: Wanted, oracle: Oracle, study: StudyCounts) -> None:
    """Compare regimes, region and target sets with those of the counter in memory."""
    top = oracle.top(wanted.within.handling)
    assert study.region_size == top.region_size
    if not top.counts.used:
        return
    until = _buckets_until(wanted, oracle, [*top.target_sizes, top.region_size])
    for ours, parameter, expected in zip(
        counted.parameters, oracle.table.parameters, study.parameters, strict=True
    ):
        cells = ours[0, 0].cumsum(axis=-1)[:, until]  # (places, sets)
        bounds = np.cumsum([0, *(grid_of(domain).cells for domain in parameter.domains), 1])
        kept = [
            cells[start:stop]
            for start, stop in pairwise(bounds)
            if cells[start:stop, -1].sum() >= SMALLEST_REGIME
        ]
        assert len(kept) == len(expected.regimes)
        for regime, theirs in zip(kept, expected.regimes, strict=True):
            np.testing.assert_array_equal(regime[:, -1], theirs.region)
            np.testing.assert_array_equal(regime[:, :-1].T, theirs.target)


def _buckets_until(wanted: Wanted, oracle: Oracle, sizes: Sequence[int]) -> list[int]:
    """Return the last bucket of each set: its trials are those in the buckets up to its cut-off."""
    handling = wanted.within.handling
    ordered = np.sort(oracle.losses(handling)[oracle.used(handling)])
    return [int(np.searchsorted(wanted.cutoffs, ordered[size - 1])) for size in sizes]


def check_ranked(passes: Passes, oracle: Oracle) -> None:
    """Compare cells by rank and blocks of time with those of the ranked counter in memory."""
    handling, blocks = oracle.case.handlings[0], oracle.case.blocks
    top = oracle.top(handling)
    if top.region_size < blocks:
        return
    study = count_ranked(oracle.table, top, blocks)
    cutoffs = oracle.cutoffs(handling)
    last = _buckets_until(Wanted(Within(handling), cutoffs), oracle, [top.region_size])[0]
    within = Within(handling, float(cutoffs[last]))
    in_region = np.flatnonzero(oracle.inside(within))
    starts = [-(-len(in_region) * block // blocks) for block in range(1, blocks)]
    edges = {
        (place, number): _fifty(oracle.numbers(Series("value", place, number), within)[0])
        for place, parameter in enumerate(oracle.table.parameters)
        for number, domain in enumerate(parameter.domains)
        if not isinstance(domain, Categorical)
    }
    wanted = Wanted(
        Within(handling), cutoffs, edges=edges, block_starts=oracle.order[in_region[starts]]
    )
    until = _buckets_until(wanted, oracle, [*top.target_sizes, top.region_size])
    for place, ours in enumerate(passes.count(wanted).parameters):
        cells = ours[0].cumsum(axis=-1)[:, :, until]  # (blocks, places, sets)
        sizes = [
            len(domain.choices)
            if isinstance(domain, Categorical)
            else len(edges[place, number]) + 1
            for number, domain in enumerate(oracle.table.parameters[place].domains)
        ]
        bounds = np.cumsum([0, *sizes, 1])
        kept = [
            cells[:, start:stop]
            for start, stop in pairwise(bounds)
            if cells[:, start:stop, -1].sum() >= SMALLEST_REGIME
        ]
        for regime, theirs in zip(kept, study.blocks[place], strict=True):
            np.testing.assert_array_equal(regime[:, :, -1], theirs.region)
            np.testing.assert_array_equal(np.moveaxis(regime[:, :, :-1], 2, 0), theirs.target)


def _fifty(values: ValueArray) -> ValueArray:
    """Return the upper edges of at most fifty cells by mid-rank, all but the last."""
    levels, counts = np.unique(values, return_counts=True)
    if len(levels) <= 50:
        return levels[:-1]
    cells = ((np.cumsum(counts) - counts / 2) * 50 / counts.sum()).astype(int)
    uppers = [levels[cells == cell] for cell in range(cells[-1])]
    # A cell without a value ends where the one before it does.
    found, last = [], levels[0]
    for upper in uppers:
        last = upper[-1] if len(upper) else last
        found.append(last)
    return np.array(found)
