"""The counter: passes over the batches of a source, each of which returns integers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.count.cells.cell_counts import RankEdges, grid_counts, rank_counts, regime_counts
from condped.count.cells.cell_places import cell_places, has_few_values
from condped.count.cells.fast_searchsorted import EdgeLookup
from condped.count.order_statistics.bins import Levels
from condped.count.order_statistics.keys import KeyBins
from condped.count.order_statistics.series import (
    ONE_GROUP,
    GatherFold,
    Groups,
    HistogramFold,
    LevelsFold,
    NumbersInRange,
    NumbersInRangeFold,
    Region,
    Series,
    bin_sets,
)
from condped.count.ranking import Ranking, ranked
from condped.count.tally import Tally, TallyFold, tally_of
from condped.errors import not_found
from condped.space.condition import Condition
from condped.trials.batch import Batch, Schema, Source, TableSource
from condped.trials.notes import Notes
from condped.trials.regimes import expand_parameter
from condped.trials.table import id_dtype
from condped.trials.where import columns_of, condition_mask, intersection, with_gates

_LONG = 1 << 14  # trials, from which a lookup table is faster than binary search


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What to count.

    Attributes
    ----------
    cutoffs
        (cut-offs,): ascending and distinct levels. Bucket j holds the used trials above j of them:
        ``searchsorted(cutoffs, level)``; there is one bucket more than there are cut-offs.
    parameters
        The parameters to count.
    edges
        None: cells are those of the domains' grids. Otherwise the edges of cells by rank;
        categorical domains have a cell per choice and no entry.
    by_regime
        Count the trials of each regime, not of its cells.
    laid_out
        For parameters with very many domains, those whose cells are counted; trials with any other
        domain are counted with the absent ones.
    block_starts
        Positions in time where the second, third … block begins; None: one block.
    groups
        Trials are assigned to groups by :func:`condped.count.order_statistics.keys.group_of`.
    spanned
        Give each parameter the one domain that spans all of its domains
        (:func:`condped.trials.regimes.spanning_domain`); it has place 0 in ``edges``.
    conditions
        Conditions on parameters; the trials that meet each are counted as well.
    """

    ranking: Ranking
    cutoffs: FloatArray
    parameters: tuple[str, ...] = ()
    edges: RankEdges | None = None
    by_regime: bool = False
    laid_out: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    block_starts: ValueArray | None = None
    groups: Groups = ONE_GROUP
    spanned: bool = False
    conditions: tuple[Condition, ...] = ()

    @property
    def shape(self) -> tuple[int, int, int]:
        """Groups, blocks of time, buckets."""
        blocks = 1 if self.block_starts is None else len(self.block_starts) + 1
        return self.groups.size, blocks, len(self.cutoffs) + 1


@dataclass(frozen=True, slots=True, eq=False)
class CountedTrials:
    """Counts of used trials.

    Attributes
    ----------
    parameters
        For each counted parameter (groups, blocks, places, buckets): the places are the cells of
        its domains in order and, last, absence.
    sizes
        (groups, buckets): all used trials.
    conditions
        (conditions, buckets): those that meet each condition.
    best
        (conditions,): the lowest level of trials not counted as worst; NaN if none.
    rows
        (conditions,): all trials that meet each condition, used or not.
    notes
        Notes on the values, for the user.
    """

    parameters: tuple[IntArray, ...]
    sizes: IntArray
    conditions: IntArray
    best: FloatArray
    rows: IntArray
    notes: tuple[str, ...] = ()

    @property
    def every(self) -> IntArray:
        """(groups, blocks, places, buckets) of all parameters, one after the other."""
        groups, buckets = self.sizes.shape
        nothing = np.zeros((groups, 1, 0, buckets), dtype=np.int64)
        return np.concatenate(self.parameters or (nothing,), axis=2)


@dataclass(slots=True)
class CountState:
    """Counts of some batches; the last axis has an entry for each group, block and bucket."""

    sizes: IntArray
    met: IntArray  # (conditions, …)
    best: FloatArray  # (conditions,)
    rows: IntArray  # (conditions,)
    parameters: dict[str, IntArray] = field(default_factory=dict)  # (places, …) each
    noted: Notes = field(default_factory=Notes)

    def merge(self, other: CountState) -> None:
        """Add the counts of another worker."""
        self.sizes = self.sizes + other.sizes
        self.met = self.met + other.met
        self.best = np.minimum(self.best, other.best)
        self.rows = self.rows + other.rows
        for name, counts in other.parameters.items():
            known = self.parameters.get(name)
            self.parameters[name] = counts if known is None else known + counts
        self.noted.merge(other.noted)


@dataclass(frozen=True, slots=True)
class CountFold:
    """Counts what a query requests."""

    query: Query
    conditions: tuple[Condition, ...] = ()  # by which the trials are selected
    what: str = "Counting"

    @property
    def parameters(self) -> tuple[str, ...]:
        return with_gates(self.query.parameters, (*self.query.conditions, *self.conditions))

    def start(self) -> CountState:
        places, conditions = math.prod(self.query.shape), len(self.query.conditions)
        return CountState(
            sizes=np.zeros(places, dtype=np.int64),
            met=np.zeros((conditions, places), dtype=np.int64),
            best=np.full(conditions, np.inf),
            rows=np.zeros(conditions, dtype=np.int64),
        )

    def add(self, state: CountState, batch: Batch) -> None:
        state.noted.add(batch.notes)
        query, n = self.query, len(state.sizes)
        levels, used, ordinary, _ = ranked(batch, query.ranking)
        selected = condition_mask(batch, self.conditions)
        buckets = _buckets(batch, query, levels, intersection(used, selected))
        sizes = np.bincount(buckets.astype(np.intp), minlength=n + 1)
        state.sizes += sizes[:n]
        for name, counts in _cell_counts(batch, query, buckets, sizes):
            if name in state.parameters:
                state.parameters[name] += counts
            else:
                state.parameters[name] = counts
        if query.conditions:
            ranked_levels = levels if ordinary is None else np.where(ordinary, levels, np.inf)
            _add_met(state, batch, query.conditions, buckets, ranked_levels, selected=selected)

    def merge(self, state: CountState, other: CountState) -> None:
        state.merge(other)


def _cell_counts(
    batch: Batch, query: Query, buckets: ValueArray, sizes: IntArray
) -> Iterator[tuple[str, IntArray]]:
    """Iterate over the parameters of a query with (places, buckets) counts of each.

    ``sizes`` are the trials in each bucket, those that are not counted last.
    """
    n = len(sizes) - 1
    plain = not query.by_regime and not query.laid_out
    if plain and has_few_values(batch, query.parameters):
        found = cell_places(batch, query.parameters, query.edges, spanned=query.spanned)
        yield from zip(query.parameters, found.counts(buckets, n), strict=True)
        return
    known = {parameter.name: parameter for parameter in batch.table.parameters}
    for name in query.parameters:
        parameter = expand_parameter(known[name]) if query.spanned else known[name]
        if query.by_regime:
            yield name, regime_counts(parameter, buckets, n)
        elif query.edges is None:
            yield name, grid_counts(parameter, buckets, sizes, query.laid_out.get(name))
        else:
            yield name, rank_counts(parameter, buckets, n, query.edges)


def _add_met(
    state: CountState,
    batch: Batch,
    conditions: Sequence[Condition],
    buckets: ValueArray,
    levels: FloatArray,
    *,
    selected: BoolArray | None,
) -> None:
    """Count the selected trials that meet each condition, and find the lowest level among them."""
    columns, n = columns_of(batch.table), len(state.sizes)
    for place, condition in enumerate(conditions):
        rows = condition.holds(columns)
        rows = rows if selected is None else rows & selected
        state.rows[place] += np.count_nonzero(rows)
        state.met[place] += np.bincount(buckets[rows].astype(np.intp), minlength=n + 1)[:n]
        state.best[place] = min(state.best[place], np.min(levels[rows], initial=np.inf))


def _buckets(batch: Batch, query: Query, levels: FloatArray, used: BoolArray | None) -> ValueArray:
    """Return each trial's index into (groups, blocks, buckets); unused trials come last."""
    groups, blocks, width = query.shape
    n = groups * blocks * width
    dtype = id_dtype(n + 1)
    if width == 2:
        found = (levels > query.cutoffs[0]).astype(dtype)
    elif len(levels) < _LONG:
        found = np.searchsorted(query.cutoffs, levels).astype(dtype)
    else:
        found = EdgeLookup(query.cutoffs).places(levels).astype(dtype)
    if blocks > 1 or groups > 1:
        whole = found.astype(np.int64)
        if query.block_starts is not None:
            whole += np.searchsorted(query.block_starts, batch.order, side="right") * width
        if groups > 1:
            whole += query.groups.of(batch) * (blocks * width)
        found = whole.astype(dtype)
    if used is not None:
        found[~used] = n
    return np.asarray(found)


def counted_of(whole: CountState, query: Query, names: Sequence[str]) -> CountedTrials:
    """Return the counts of all workers, in the shape of the query."""
    groups, blocks, buckets = query.shape
    return CountedTrials(
        parameters=tuple(
            whole.parameters[name].reshape(-1, groups, blocks, buckets).transpose(1, 2, 0, 3)
            for name in query.parameters
        ),
        sizes=whole.sizes.reshape(groups, blocks, buckets).sum(axis=1),
        conditions=whole.met.reshape(-1, groups, blocks, buckets).sum(axis=(1, 2)),
        best=np.where(whole.best < np.inf, whole.best, np.nan),
        rows=whole.rows,
        notes=whole.noted.sentences(names),
    )


MOST_BINS = 1 << 20  # of one histogram, all groups together
MOST_LEVELS = 1 << 22  # distinct numbers fetched in one pass


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts the trials of a source that meet the conditions.

    Counting raises a DataError where :func:`condped.read` does: values outside their domains,
    unknown choices, values that contradict their conditions.
    """

    source: Source
    conditions: tuple[Condition, ...] = ()

    @property
    def schema(self) -> Schema:
        """What is known before any pass."""
        return self.source.schema

    @property
    def in_memory(self) -> bool:
        """Whether all trials are in memory."""
        return isinstance(self.source, TableSource)

    def where(self, condition: Condition) -> Counter:
        """Return a counter of the trials that also meet this condition."""
        known = self.schema.space or self.schema.names
        for name in condition.names:
            if name not in known:
                raise not_found("parameter", name, known)
        return replace(self, conditions=(*self.conditions, condition))

    def tally(self, ranking: Ranking) -> Tally:
        """Return how many trials are used or left out, and the range of their losses."""
        return tally_of(
            self.source.fold(TallyFold(ranking, self.conditions)),
            self.conditions,
            names=self.schema.names,
            source_notes=self.source.notes,
            in_time=self.schema.ordered and not self.schema.order_given,
        )

    def gather(
        self, requested: tuple[Series, ...], within: Region, groups: Groups = ONE_GROUP
    ) -> dict[Series, tuple[ValueArray, IntArray | None]]:
        """Return all numbers of each series, and the group of each (None: one group)."""
        gathered = self.source.fold(GatherFold(requested, within, groups, self.conditions))
        found = {}
        for series, parts in gathered.items():
            owners = [group for _, group in parts if group is not None]
            numbers = _join_values([numbers for numbers, _ in parts])
            found[series] = numbers, _join_values(owners) if owners else None
        return found

    def between(
        self, series: Series, ranges: Sequence[tuple[float, float]], within: Region
    ) -> list[NumbersInRange]:
        """Return a series' numbers in some ranges, if not too many, and how many are below."""
        return self.source.fold(
            NumbersInRangeFold((series,), within, ONE_GROUP, self.conditions,
                        ranges=tuple(ranges), most=MOST_LEVELS)
        )  # fmt: skip

    def histogram(
        self,
        requested: Mapping[Series, Sequence[KeyBins]],
        within: Region,
        groups: Groups = ONE_GROUP,
    ) -> dict[Series, list[IntArray]]:
        """Return (groups, bins) for each set of bins of a series: how many numbers fall into each.

        Numbers outside all bins are not counted; bins of one series do not overlap.
        """
        sets = bin_sets(requested)
        fold = HistogramFold(tuple(requested), within, groups, self.conditions, bins=sets)
        counted = self.source.fold(fold)
        return {
            series: np.split(counted[series].counts(), bins.ends[:-1], axis=1)
            for series, bins in sets.items()
        }

    def levels(
        self,
        requested: Mapping[Series, Sequence[tuple[KeyBins, BoolArray]]],
        within: Region,
        groups: Groups = ONE_GROUP,
        most: int = MOST_LEVELS,
    ) -> dict[Series, Levels]:
        """Return the distinct numbers in marked bins, with how often they occur.

        Raises TooManyLevels if a series has more than ``most`` of them.
        """
        sets = bin_sets(
            {series: [bins for bins, _ in entries] for series, entries in requested.items()}
        )
        marked = {
            series: (sets[series], np.concatenate([marks for _, marks in entries]))
            for series, entries in requested.items()
        }
        fold = LevelsFold(
            tuple(requested), within, groups, self.conditions, marked=marked, most=most
        )
        distinct = self.source.fold(fold)
        return {
            series: distinct[series].levels(whole=entries[0][0].whole)
            for series, entries in requested.items()
        }

    def count(self, query: Query) -> CountedTrials:
        """Return the trials in each cell and bucket."""
        counts = self.source.fold(CountFold(query, self.conditions))
        return counted_of(counts, query, self.schema.names)


def _join_values(parts: list[ValueArray]) -> ValueArray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
