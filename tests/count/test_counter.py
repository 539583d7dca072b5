"""The counter: the same integers from one batch as from many, by several workers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from condped.count.counter import Counter, CountFold, Query, counted_of
from condped.count.order_statistics.bins import DistinctPairs, Histogram, TooManyLevels
from condped.count.order_statistics.keys import KeyBins, keys_of
from condped.count.order_statistics.series import (
    ONE_GROUP,
    GatherFold,
    Groups,
    HistogramFold,
    LevelsFold,
    Region,
    Series,
    bin_sets,
)
from condped.count.ranking import ByLoss, ByOutcome
from condped.count.tally import TallyFold, tally_of
from condped.count.varying_parameters import VaryingFold, varying_of
from condped.errors import NameNotFoundError
from condped.space.condition import Condition
from condped.trials.batch import Batch, Fold, TableSource
from condped.trials.notes import RowsNote
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling
from tests.count.studies import drawn_handling, study
from tests.count.table_chunks import reference

LOSS, ORDER = Series("loss"), Series("order")
VALUES = (Series("value", "x", 0), Series("value", "x", 1), Series("value", "m"))
WAYS = [(1000, 1), (150, 2), (37, 3), (13, 5)]  # rows in a batch, workers


def both(table: TrialTable, way: tuple[int, int], *conditions: str) -> tuple[Counter, Counter]:
    """Return what counts a table as one batch, and as many."""
    one, many = Counter(TableSource.of(table)), reference(table, way[0], workers=way[1])
    for text in conditions:
        one, many = one.where(Condition.parse(text)), many.where(Condition.parse(text))
    return one, many


def drawn(seed: int) -> tuple[TrialTable, Any]:
    rng = np.random.default_rng(seed)
    return study(rng, 300), drawn_handling(rng)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(3))
def test_trials_are_tallied_alike(seed: int, way: tuple[int, int]) -> None:
    """Endings, the range of losses, places in time, conditions, with their sentences."""
    table, handling = drawn(seed)
    for conditions in ((), ("c < 0.5",), ("c < 0.5", "k == 'a'"), ("c > 2",)):
        one, many = both(table, way, *conditions)
        for ranking in (ByLoss(handling), ByOutcome("failed"), ByOutcome("infeasible")):
            assert one.tally(ranking) == many.tally(ranking)


@pytest.mark.parametrize("way", WAYS)
def test_an_order_by_the_objective_is_seen_across_batches(way: tuple[int, int]) -> None:
    """Rows sorted by their losses have no order of time, wherever they are cut."""
    table, _ = drawn(0)
    ranking = ByLoss(Handling())
    best_first = np.argsort(table.objectives[0].losses, kind="stable")
    swapped = best_first.copy()
    swapped[[200, 201]] = swapped[[220, 180]]
    for rows, expected in ((best_first, True), (best_first[::-1], True), (swapped, False)):
        one, many = both(table.only(rows), way)
        assert one.tally(ranking).sorted_by_loss == expected
        assert many.tally(ranking).sorted_by_loss == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cutoff", [None, 3.0])
def test_series_are_gathered_and_cut_into_bins_alike(
    way: tuple[int, int], cutoff: float | None
) -> None:
    """Losses, places in time and values, by group, under a condition as well."""
    table, handling = drawn(1)
    within = Region(ByLoss(handling), cutoff)
    for conditions in ((), ("k != 'b'",)):
        one, many = both(table, way, *conditions)
        wanted = (LOSS, ORDER, *VALUES)
        gathered, likewise = one.gather(wanted, within), many.gather(wanted, within)
        for series in wanted:
            numbers = np.sort(gathered[series][0])
            assert np.array_equal(numbers, np.sort(likewise[series][0]))
            keys = keys_of(numbers)
            shift = max((int(keys[-1]) - int(keys[0])).bit_length() - 7, 0)
            bins = [KeyBins(int(keys[0]), shift, 64, numbers.dtype.kind == "i")]
            places = (keys - keys[0]) >> shift
            for groups in (ONE_GROUP, Groups(6, seed=2)):
                (counts,) = one.histogram({series: bins}, within, groups)[series]
                (same,) = many.histogram({series: bins}, within, groups)[series]
                assert np.array_equal(counts, same)
                inside = np.bincount(places[places < 64], minlength=64)
                assert np.array_equal(counts.sum(axis=0), inside)
                marked = np.arange(64) % 3 == 0
                own, like = (
                    c.levels({series: [(bins[0], marked)]}, within, groups)[series]
                    for c in (one, many)
                )
                assert np.array_equal(own.values, like.values)
                assert np.array_equal(own.groups, like.groups)
                assert np.array_equal(own.counts, like.counts)
                here = (places < 64) & (places % 3 == 0)
                assert own.counts.sum() == here.sum()
                assert np.array_equal(np.unique(own.values), np.unique(numbers[here]))


def test_too_many_different_numbers_are_an_answer() -> None:
    """Whichever worker has them."""
    rng = np.random.default_rng(0)
    table = study(rng, 3000)
    bins = KeyBins(-(2**62), 62, 2)
    for counter in both(table, (400, 2)):
        with pytest.raises(TooManyLevels):
            counter.levels(
                {VALUES[2]: [(bins, np.ones(2, dtype=bool))]}, Region(ByLoss(Handling())), most=10
            )


def queries(handling: Any) -> dict[str, Query]:
    """Return queries of all kinds."""
    ranking, cutoffs = ByLoss(handling), np.array([0.5, 2.0, 4.5])
    names = ("x", "n", "k", "m")
    edges = {
        ("x", 0): np.array([-5.0, -4.0]),
        ("x", 1): np.array([3.0]),
        ("n", 0): np.array([10, 100]),
        ("m", 0): 2**53 + np.array([1, 1000]),
    }
    conditions = (Condition.parse("c < 0.3"), Condition.parse("s > 0.5 or k == 'a'"))
    return {
        "grid": Query(ranking, cutoffs, names),
        "no cut-offs": Query(ranking, np.zeros(0), names),
        "groups": Query(ranking, cutoffs, names, groups=Groups(7, seed=1)),
        "ranks": Query(ranking, cutoffs, names, edges=edges),
        "blocks": Query(ranking, cutoffs, names, edges=edges, block_starts=np.array([90, 200])),
        "all at once": Query(
            ranking, cutoffs, names, block_starts=np.array([90]), groups=Groups(3)
        ),
        "regimes": Query(ranking, cutoffs, names, by_regime=True),
        "some regimes": Query(ranking, cutoffs, ("x", "n"), laid_out={"x": (1,)}),
        "spanned": Query(ranking, cutoffs, names, spanned=True),
        "spanned ranks": Query(
            ranking, cutoffs, ("x",), edges={("x", 0): np.array([0.0])}, spanned=True
        ),
        "conditions": Query(ranking, cutoffs, conditions=conditions),
        "failed": Query(ByOutcome("failed"), np.zeros(1), names),
        "pruned": Query(ByOutcome("pruned"), np.zeros(1), names, groups=Groups(4)),
    }


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", queries(Handling()))
def test_queries_of_all_kinds_are_counted_alike(what: str, way: tuple[int, int]) -> None:
    """Every integer, with conditions on the trials and without; no trial is lost."""
    table, handling = drawn(2)
    query = queries(handling)[what]
    for conditions in ((), ("c >= 0.2",)):
        one, many = (counter.count(query) for counter in both(table, way, *conditions))
        assert np.array_equal(one.sizes, many.sizes)
        assert np.array_equal(one.conditions, many.conditions)
        assert np.array_equal(one.best, many.best, equal_nan=True)
        for own, like in zip(one.parameters, many.parameters, strict=True):
            assert own.shape[0] == query.groups.size
            assert np.array_equal(own, like)
            assert np.array_equal(own.sum(axis=(1, 2)), one.sizes)


def test_the_order_of_time_may_be_a_column() -> None:
    """Blocks and groups go by the column, wherever its rows are."""
    table, handling = drawn(4)
    times = np.random.default_rng(0).permutation(300)
    counters = (
        reference(table, 40, times, workers=3),
        Counter(TableSource.of(table.only(np.argsort(times)))),
    )
    for what in ("blocks", "groups", "all at once"):
        one, other = (counter.count(queries(handling)[what]) for counter in counters)
        for own, like in zip(one.parameters, other.parameters, strict=True):
            assert np.array_equal(own, like)


def folds(handling: Any) -> dict[str, Fold[Any]]:
    """Return folds of all kinds."""
    within, wanted = Region(ByLoss(handling), 3.0), (LOSS, *VALUES)
    conditions = (Condition.parse("c < 0.9"),)
    bins = bin_sets(
        {LOSS: [KeyBins(0, 52, 900), KeyBins(-(2**62), 50, 400)], VALUES[0]: [KeyBins(0, 60, 8)]}
    )
    marked = {series: (own, np.ones(own.total, dtype=bool)) for series, own in bins.items()}
    some, groups = tuple(bins), Groups(5)
    return {
        "tally": TallyFold(ByLoss(handling), conditions),
        "gather": GatherFold(wanted, within, groups, conditions),
        "histogram": HistogramFold(some, within, groups, conditions, bins=bins),
        "levels": LevelsFold(some, within, groups, conditions, marked=marked, most=10**6),
        "varying": VaryingFold(("x", "k"), conditions),
        **{
            f"count {what}": CountFold(query, conditions)
            for what, query in queries(handling).items()
        },
    }


def plain(state: Any) -> Any:
    """Return what a state holds, for comparing."""
    if isinstance(state, Histogram):
        state = state.counts()
    elif isinstance(state, DistinctPairs):
        levels = state.levels(whole=True)
        state = [levels.values, levels.groups, levels.counts]
    if isinstance(state, dict):
        return {key: plain(value) for key, value in state.items()}
    if isinstance(state, (list, tuple)):
        return [plain(value) for value in state]
    if isinstance(state, np.ndarray):
        return (state.dtype.str, state.shape, state.tolist())
    if hasattr(state, "__slots__"):
        return {name: plain(getattr(state, name)) for name in state.__slots__}
    return repr(state)


@pytest.mark.parametrize("what", folds(Handling()))
def test_folds_and_states_survive_the_way_to_a_worker_and_back(what: str) -> None:
    """A fold that was pickled counts as before; a state that was pickled holds what it held."""
    table, handling = drawn(5)
    fold = folds(handling)[what]
    again = pickle.loads(pickle.dumps(fold))
    assert again.parameters == fold.parameters
    assert again.what == fold.what
    states = [fold.start(), again.start()]
    note = RowsNote("outside", "x", "Parameter 'x': ", 2, " rows.", first_row=7)
    for own, state in zip((fold, again), states, strict=True):
        for rows in (slice(0, 170), slice(170, 300)):
            some = np.arange(300)[rows]
            own.add(state, Batch(table.only(some), int(some[0]), notes=(note,)))
    back = [pickle.loads(pickle.dumps(state)) for state in states]
    kept = [plain(state) for state in (*states, *back)]
    assert all(one == kept[0] for one in kept)


def test_states_are_merged_after_their_way_back() -> None:
    """Notes included, and a worker that saw nothing adds nothing."""
    table, handling = drawn(6)
    note = RowsNote("outside", "x", "Parameter 'x': ", 2, " rows.", first_row=7)
    found = folds(handling)
    counting, tallying, varying = found["count blocks"], found["tally"], found["varying"]
    states: dict[str, Any] = {}
    for name, fold in (("count", counting), ("tally", tallying), ("varying", varying)):
        states[name] = fold.start()
        for rows in (np.arange(0, 100), np.arange(0), np.arange(100, 300)):
            state = fold.start()
            if rows.size:
                fold.add(state, Batch(table.only(rows), int(rows[0]), notes=(note,)))
            fold.merge(states[name], pickle.loads(pickle.dumps(state)))
    counter = Counter(TableSource.of(table), (Condition.parse("c < 0.9"),))
    query = queries(handling)["blocks"]
    counted, whole = counted_of(states["count"], query, table.names), counter.count(query)
    for own, like in zip(counted.parameters, whole.parameters, strict=True):
        assert np.array_equal(own, like)
    assert counted.notes == ("Parameter 'x': 4 rows.",)
    tally = tally_of(
        states["tally"],
        counter.conditions,
        names=table.names,
        source_notes=(),
        in_time=True,
    )
    assert tally.counts == counter.tally(ByLoss(handling)).counts
    assert "Parameter 'x': 4 rows." in tally.notes
    assert varying_of(states["varying"], ("x", "k")) == ("x", "k")


def test_a_condition_on_an_unknown_parameter_is_refused() -> None:
    """With a name that is like it."""
    table, _ = drawn(0)
    for counter in both(table, (40, 2)):
        with pytest.raises(NameNotFoundError, match="no parameter 'kk'"):
            counter.where(Condition.parse("kk == 'a'"))
