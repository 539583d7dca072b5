"""What is asked of an engine about a case, and compared with the oracle to the last trial."""

from __future__ import annotations

import numpy as np
from condped.count.edges import is_whole
from condped.count.engine_trials import EngineTrials
from condped.count.memory import count_in_memory
from condped.count.passes import Counted, Passes, Series, Wanted, Within

from condped.arrays import BoolArray, ValueArray
from condped.count.cells.rank_cells import count_ranked
from condped.count.counts import StudyCounts
from condped.count.order_statistics.keys import KeyBins, keys_of
from condped.space.condition import Condition
from condped.space.domain import Categorical
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
        if oracle.case.order is not None and theirs.counts.used:
            places = oracle.order[oracle.used(handling)]
            assert ours.earliest <= places.min() <= places.max() <= ours.latest


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
        numeric = not any(isinstance(domain, Categorical) for domain in parameter.domains)
        if not losses and numeric and len(parameter.domains) > 1:
            series.append(Series("value", place))
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
    # Domains without edges have one cell; and of parameters that span theirs.
    some = tuple(
        place for place, p in enumerate(oracle.table.parameters) if len(p.domains) > 1
    ) or (0,)
    bare = Wanted(within, np.zeros(0), edges={}, parameters=some)
    check_counted(passes.count(bare), bare, oracle)
    spanned = Wanted(within, oracle.cutoffs(handling)[:1], parameters=some, spanned=True)
    check_counted(passes.count(spanned), spanned, oracle)


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


def check_driven(passes: Passes, oracle: Oracle) -> None:
    """Compare what the estimators take of an engine with what they take of memory.

    Here the engine's own order statistics decide about the sets and about the cells by rank.
    """
    case = oracle.case
    handling = case.handlings[0]
    top = oracle.top(handling)
    trials = EngineTrials(passes)
    sets = trials.top_sets(case.quantiles, case.region, handling)
    assert sets.counts == top.counts
    assert (sets.region_size, sets.all_equal) == (top.region_size, top.all_equal)
    np.testing.assert_array_equal(sets.target_sizes, top.target_sizes)
    _same_study(trials.count(sets), count_in_memory(oracle.table, top))
    if top.region_size < case.blocks:
        return
    ours = trials.count_ranked(sets, case.blocks)
    theirs = count_ranked(oracle.table, top, case.blocks)
    _same_study(ours.counts, theirs.counts)
    for mine, other in zip(ours.blocks, theirs.blocks, strict=True):
        for one, two in zip(mine, other, strict=True):
            assert one.ordered == two.ordered
            np.testing.assert_array_equal(one.region, two.region)
            np.testing.assert_array_equal(one.target, two.target)


def _same_study(ours: StudyCounts, theirs: StudyCounts) -> None:
    assert ours.region_size == theirs.region_size
    np.testing.assert_array_equal(ours.target_sizes, theirs.target_sizes)
    for mine, other in zip(ours.parameters, theirs.parameters, strict=True):
        assert mine.name == other.name
        assert [one.domain for one in mine.regimes] == [one.domain for one in other.regimes]
        for one, two in zip(mine.regimes, other.regimes, strict=True):
            np.testing.assert_array_equal(one.region, two.region, err_msg=repr(mine.name))
            np.testing.assert_array_equal(one.target, two.target, err_msg=repr(mine.name))
        # Small regimes have no order.
        sizes = [
            sorted(
                zip(counts.dropped_region.tolist(), counts.dropped_target.T.tolist(), strict=True)
            )
            for counts in (mine, other)
        ]
        assert sizes[0] == sizes[1]
