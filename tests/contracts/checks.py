"""What is asked of a source about a case, and compared with the oracle to the last trial."""

from __future__ import annotations

from functools import partial

import numpy as np

from condped.arrays import BoolArray, IntArray, ValueArray
from condped.count.counter import CountedTrials, Counter, Query
from condped.count.counts import StudyCounts
from condped.count.order_statistics.bins import Levels
from condped.count.order_statistics.keys import KeyBins, keys_of
from condped.count.order_statistics.series import ONE_GROUP, Groups, Region, Series
from condped.count.ranking import ByLoss
from condped.count.trials import Trials
from condped.space.condition import Condition
from condped.space.domain import Categorical, is_whole
from condped.trials.batch import Source
from condped.trials.used_trials import Handling
from tests.contracts.oracle import Oracle

_FINE_BINS = 12


def counter_of(source: Source) -> Counter:
    """Return what counts the trials of a source that meet the condition of the case."""
    return Trials.of(source).counter


def check_schema(counter: Counter, oracle: Oracle) -> None:
    """Compare what is known before any trial is looked at."""
    schema, table = counter.schema, oracle.table
    assert schema.names == table.names
    assert schema.domains == tuple(parameter.domains for parameter in table.parameters)
    (goal,) = schema.goals
    assert (goal.name, goal.direction) == (
        table.objectives[0].name,
        table.objectives[0].direction,
    )
    assert set(schema.ignored_columns) >= set(table.ignored_columns) - {oracle.case.order}


def check_tally(counter: Counter, oracle: Oracle) -> None:
    """Compare how trials ended, for all the ways of handling them."""
    for handling in oracle.case.handlings:
        ours, theirs = counter.tally(ByLoss(handling)), oracle.ended(handling)
        assert ours.counts == theirs.counts, handling
        own = theirs.levels[theirs.used & np.isfinite(theirs.levels)]
        if own.size:
            assert (ours.lowest, ours.highest) == (own.min(), own.max()), handling
        else:
            assert not np.isfinite([ours.lowest, ours.highest]).any()
        assert (*counter.schema.selections, *ours.selections) == oracle.table.selections
        if counter.schema.ordered and theirs.used.any():
            places = oracle.order[theirs.used]
            assert ours.earliest <= places.min() <= places.max() <= ours.latest


def check_series(counter: Counter, oracle: Oracle) -> None:
    """Compare histograms and levels of losses, of places in time, and of numeric values."""
    case = oracle.case
    handling = case.handlings[0]
    cutoffs = oracle.cutoffs(handling)
    middle = float(cutoffs[len(cutoffs) // 2]) if len(cutoffs) else None
    for cutoff in (None, middle):
        bins = oracle.once(("bins", cutoff), partial(_bins, oracle, handling, cutoff))
        groups = Groups(case.groups, case.seed) if cutoff is None else ONE_GROUP
        within = Region(ByLoss(handling), cutoff)
        found = counter.histogram(bins, within, groups)
        marked = {
            series: [(one, _marks(one.bins)) for one in several] for series, several in bins.items()
        }
        levels = counter.levels(marked, within, groups)
        assert set(found) == set(levels) == set(bins)
        expected = oracle.once(
            ("series", cutoff),
            partial(_expected, oracle, marked, handling=handling, cutoff=cutoff, groups=groups),
        )
        for series, several in bins.items():
            histograms, exact = expected[series]
            for ours, theirs in zip(found[series], histograms, strict=True):
                np.testing.assert_array_equal(ours, theirs, err_msg=str(series))
            order = np.lexsort((levels[series].groups, levels[series].values))
            assert levels[series].values.dtype.kind == ("i" if several[0].whole else "f"), series
            for field in ("values", "groups", "counts"):
                ours = getattr(levels[series], field)[order]
                np.testing.assert_array_equal(ours, getattr(exact, field), err_msg=str(series))


def _expected(
    oracle: Oracle,
    marked: dict[Series, list[tuple[KeyBins, BoolArray]]],
    *,
    handling: Handling,
    cutoff: float | None,
    groups: Groups,
) -> dict[Series, tuple[list[IntArray], Levels]]:
    return {
        series: (
            [oracle.histogram(series, bins, handling, cutoff, groups) for bins, _ in several],
            oracle.levels(series, several, handling, cutoff, groups),
        )
        for series, several in marked.items()
    }


def _bins(oracle: Oracle, handling: Handling, cutoff: float | None) -> dict[Series, list[KeyBins]]:
    """Return coarse bins over the lower part of each series' numbers and fine ones above it."""
    losses = cutoff is None
    series = [Series("loss")] if losses else [Series("order")]
    parameters = oracle.table.parameters
    for parameter in parameters[:: -(-len(parameters) // oracle.case.series)]:
        for number, domain in enumerate(parameter.domains):
            if not losses and not isinstance(domain, Categorical):
                series.append(Series("value", parameter.name, number))
        numeric = not any(isinstance(domain, Categorical) for domain in parameter.domains)
        if not losses and numeric and len(parameter.domains) > 1:
            series.append(Series("value", parameter.name))
    found = {}
    for one in series:
        values, _ = oracle.numbers(one, handling, cutoff)
        whole = one.kind == "order"
        if one.kind == "value":
            whole = is_whole(oracle.parameter(one.parameter).domains)
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


def check_counts(counter: Counter, oracle: Oracle) -> None:
    """Compare cells of the grids, and what is noted."""
    case = oracle.case
    handling = case.handlings[0]
    query = Query(
        ByLoss(handling),
        oracle.cutoffs(handling),
        oracle.table.names,
        conditions=tuple(Condition.parse(text) for text in case.conditions),
    )
    counted = counter.count(query)
    check_counted("grid", counted, query, handling, oracle)
    notes = (*counted.notes, *counter.tally(ByLoss(handling)).notes)
    for text in case.notes:
        assert any(text in note for note in notes), (text, notes)


def check_dealt(counter: Counter, oracle: Oracle) -> None:
    """Compare cells of edges by rank, in groups and blocks of time."""
    case = oracle.case
    handling = case.handlings[0]
    inside = np.flatnonzero(oracle.ended(handling).used)
    if not len(inside):
        return
    ranking, cutoffs, names = ByLoss(handling), oracle.cutoffs(handling), oracle.table.names
    starts = [oracle.order[inside[len(inside) * k // case.blocks]] for k in range(1, case.blocks)]
    by_rank = Query(
        ranking,
        cutoffs[:2],
        names[::-1][:40],
        edges=_rank_edges(oracle, handling),
        block_starts=np.array(starts),
        groups=Groups(case.groups, case.seed),
    )
    check_counted("rank", counter.count(by_rank), by_rank, handling, oracle)
    # Domains without edges have one cell; and of parameters that span theirs.
    some = tuple(p.name for p in oracle.table.parameters if len(p.domains) > 1) or names[:1]
    bare = Query(ranking, np.zeros(0), some, edges={})
    check_counted("bare", counter.count(bare), bare, handling, oracle)
    spanned = Query(ranking, cutoffs[:1], some, spanned=True)
    check_counted("spanned", counter.count(spanned), spanned, handling, oracle)


def _rank_edges(oracle: Oracle, handling: Handling) -> dict[tuple[str, int], ValueArray]:
    """Return edges on every fourth distinct value: ties and the highest value among them."""
    found = {}
    for parameter in oracle.table.parameters:
        whole = is_whole(parameter.domains)
        for number, domain in enumerate(parameter.domains):
            if isinstance(domain, Categorical):
                continue
            values, _ = oracle.numbers(Series("value", parameter.name, number), handling, None)
            levels = np.unique(values.astype(np.int64 if whole else np.float64))
            found[parameter.name, number] = levels[:: max(len(levels) // 7, 1)]
    return found


def check_counted(
    label: str, counted: CountedTrials, query: Query, handling: Handling, oracle: Oracle
) -> None:
    """Compare every number of what was counted; ``label`` tells the query from others."""
    assert len(counted.parameters) == len(query.parameters)
    for name, ours in zip(query.parameters, counted.parameters, strict=True):
        theirs = oracle.once(("count", label, name), partial(oracle.count, query, handling, name))
        np.testing.assert_array_equal(ours, theirs, err_msg=repr(name))
        assert ours.dtype.kind == "i"
    np.testing.assert_array_equal(counted.sizes, oracle.sizes(query, handling))
    held, best = oracle.conditions(query, handling)
    np.testing.assert_array_equal(counted.conditions, held)
    np.testing.assert_array_equal(counted.best, best)


def check_driven(source: Source, oracle: Oracle) -> None:
    """Compare what the estimators take of a source with what they take of memory.

    Here the order statistics of the source itself decide about the sets and the cells by rank.
    """
    case = oracle.case
    handling = case.handlings[0]
    ours, theirs = Trials.of(source), Trials.of(oracle.table)
    sets, top = (t.top_sets(case.quantiles, case.region, handling) for t in (ours, theirs))
    assert sets.counts == top.counts == oracle.ended(handling).counts
    assert (sets.region_size, sets.all_equal) == (top.region_size, top.all_equal)
    np.testing.assert_array_equal(sets.target_sizes, top.target_sizes)
    _same_study(ours.count(sets), theirs.count(top))
    if top.region_size < case.blocks or not source.schema.ordered:
        return
    mine, other = ours.count_ranked(sets, case.blocks), theirs.count_ranked(top, case.blocks)
    _same_study(mine.counts, other.counts)
    for blocks, expected in zip(mine.blocks, other.blocks, strict=True):
        for one, two in zip(blocks, expected, strict=True):
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
