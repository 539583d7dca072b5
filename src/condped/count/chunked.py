"""Passes over trials that come in chunks, each a small table in memory, counted with numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.count.distinct import Distinct
from condped.count.histogram import BinSet, Histogram
from condped.count.keys import KeyBins
from condped.count.memory import place_counts
from condped.count.noticed import Noticed
from condped.count.passes import Counted, Levels, Outline, Series, Tally, Wanted, Within
from condped.count.rank_places import rank_place_counts
from condped.count.search import Search
from condped.errors import not_found
from condped.read.table.outside import all_outside
from condped.space.condition import Condition
from condped.trials.batch import Chunk, Sorted, chosen, group_ids, series_keys
from condped.trials.regimes import expand_parameter
from condped.trials.table import Selection, id_dtype
from condped.trials.topsets import Handling, TrialCounts, sort_out
from condped.trials.where import columns_of

State = TypeVar("State")


class ChunkSource(Protocol):
    """Where chunks come from."""

    @property
    def outline(self) -> Outline:
        """What is known of the trials."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed so far, such as files that were left out."""
        ...

    def fold(
        self,
        make: Callable[[], State],
        step: Callable[[State, Chunk], None],
        parameters: Sequence[str],
        what: str,
    ) -> list[State]:
        """Let each worker make a state and take its chunks into it; return the states.

        The chunks have these parameters of the space only, and between them every row once.
        ``what`` is done, for whoever shows progress.
        """
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


@dataclass(frozen=True, slots=True)
class ChunkedPasses:
    """Passes over a source of chunks."""

    source: ChunkSource
    conditions: tuple[Condition, ...] = ()
    most_bins: int = 1 << 20
    most_levels: int = 1 << 22
    most_counts: int = 1 << 25

    @property
    def outline(self) -> Outline:
        return self.source.outline

    def close(self) -> None:
        self.source.close()

    def where(self, condition: Condition) -> ChunkedPasses:
        known = self.outline.space or self.outline.names
        for name in condition.names:
            if name not in known:
                raise not_found("parameter", name, known)
        return replace(self, conditions=(*self.conditions, condition))

    def tally(self, handling: Handling) -> Tally:
        def step(state: _Ended, chunk: Chunk) -> None:
            state.add(chunk, handling, self.conditions)

        states = self._fold(lambda: _Ended(len(self.conditions)), step, (), "Looking at objectives")
        whole = _Ended(len(self.conditions))
        for state in states:
            whole.merge(state)
        selections = whole.selections(self.conditions)
        if whole.dropped and not whole.met[0]:
            raise all_outside()
        noticed = whole.noticed.told(self.outline.names)
        notes = (*self.source.notes, *noticed, *whole.told(self.conditions))
        return Tally(
            TrialCounts(**{n: int(c) for n, c in whole.counts.items()}),
            whole.lowest,
            whole.highest,
            earliest=whole.earliest,
            latest=whole.latest,
            selections=selections,
            notes=notes,
            sorted_by_loss=Sorted.joined(whole.pieces),
        )

    def histogram(
        self,
        wanted: Mapping[Series, Sequence[KeyBins]],
        within: Within,
        groups: int = 1,
        seed: int = 0,
    ) -> dict[Series, list[IntArray]]:
        sets = {series: BinSet(bins) for series, bins in wanted.items()}

        def make() -> dict[Series, Histogram]:
            return {series: Histogram(bins, groups) for series, bins in sets.items()}

        def step(state: dict[Series, Histogram], chunk: Chunk) -> None:
            for series, keys, rows in self._keys(wanted, chunk, within):
                group = None if groups == 1 else group_ids(chunk, groups, seed)[rows]
                state[series].add(keys, group)

        states = self._fold(make, step, self._named(wanted), "Looking for cut-offs")
        return {
            series: np.split(
                np.sum([state[series].counts() for state in states], axis=0), bins.ends[:-1], axis=1
            )
            for series, bins in sets.items()
        }

    def levels(
        self,
        wanted: Mapping[Series, Sequence[tuple[KeyBins, BoolArray]]],
        within: Within,
        groups: int = 1,
        seed: int = 0,
    ) -> dict[Series, Levels]:
        sets = {
            series: (BinSet([bins for bins, _ in entries]), np.concatenate([m for _, m in entries]))
            for series, entries in wanted.items()
        }

        def make() -> dict[Series, Distinct]:
            return {series: Distinct(self.most_levels) for series in wanted}

        def step(state: dict[Series, Distinct], chunk: Chunk) -> None:
            for series, keys, rows in self._keys(wanted, chunk, within):
                bins, marked = sets[series]
                inside, places = bins.find(keys)
                kept = np.flatnonzero(marked.take(places))
                if not kept.size:
                    continue
                kept = kept if inside is None else inside[kept]
                group = None if groups == 1 else group_ids(chunk, groups, seed)[rows][kept]
                state[series].add(keys[kept], group)

        states = self._fold(make, step, self._named(wanted), "Looking for cut-offs")
        return {
            series: Distinct.joined([state[series] for state in states], self.most_levels).levels(
                whole=entries[0][0].whole
            )
            for series, entries in wanted.items()
        }

    def count(self, wanted: Wanted) -> Counted:
        names = self.outline.names
        counted = names if wanted.parameters is None else [names[p] for p in wanted.parameters]
        places = {name: place for place, name in enumerate(names)}

        def step(state: _Cells, chunk: Chunk) -> None:
            state.add(chunk, wanted, self.conditions, counted, places)

        needed = (*counted, *(name for c in wanted.conditions for name in c.names))
        search = Search(wanted.cutoffs)
        states = self._fold(lambda: _Cells(search), step, needed, "Counting")
        whole = _Cells(search)
        for state in states:
            whole.merge(state)
        return replace(whole.counted(wanted, counted), notes=whole.noticed.told(names))

    def _fold(
        self,
        make: Callable[[], State],
        step: Callable[[State, Chunk], None],
        parameters: Sequence[str],
        what: str,
    ) -> list[State]:
        gates = (name for condition in self.conditions for name in condition.names)
        return self.source.fold(make, step, tuple(dict.fromkeys((*parameters, *gates))), what)

    def _named(self, wanted: Mapping[Series, object]) -> tuple[str, ...]:
        names = self.outline.names
        return tuple(dict.fromkeys(names[s.parameter] for s in wanted if s.kind == "value"))

    def _keys(
        self, wanted: Mapping[Series, object], chunk: Chunk, within: Within
    ) -> list[tuple[Series, IntArray, IntArray | slice]]:
        """Return for each series the keys of its numbers in a chunk, and their rows."""
        rows = chosen(chunk, self.conditions)
        return series_keys(tuple(wanted), chunk, rows, within, self.outline.names)


class _Ended:
    """How the trials of some chunks ended."""

    def __init__(self, conditions: int) -> None:
        self.counts = dict.fromkeys(
            ("total", "used", "failed", "pruned", "running", "nonfinite", "infeasible",
             "counted_as_worst"), 0,
        )  # fmt: skip
        self.met = [0] * (conditions + 1)  # trials in all, and after each condition
        self.lowest, self.highest = np.inf, -np.inf
        self.earliest, self.latest = np.iinfo(np.int64).max, np.iinfo(np.int64).min
        self.dropped = 0
        self.noticed = Noticed()
        self.pieces: list[Sorted] = []

    def add(self, chunk: Chunk, handling: Handling, conditions: tuple[Condition, ...]) -> None:
        table = chunk.table
        earliest, latest = chunk.span
        self.earliest, self.latest = min(self.earliest, earliest), max(self.latest, latest)
        self.dropped += chunk.dropped
        self.noticed.add(chunk.notices)
        rows = chosen(chunk, conditions, self.met)
        if rows is not None:
            table = table.only(rows)
        used, worst, counts = sort_out(table, handling)
        for name in self.counts:
            self.counts[name] += getattr(counts, name)
        losses = table.objectives[0].losses
        ordinary = losses if used is None else losses[used]
        ranked = ordinary
        if worst is not None:
            aside = worst if used is None else worst[used]
            ranked, ordinary = np.where(aside, np.inf, ordinary), ordinary[~aside]
        if ordinary.size:
            self.lowest = min(self.lowest, float(ordinary.min()))
            self.highest = max(self.highest, float(ordinary.max()))
        if chunk.times is None:  # the caller is taken at his word
            self.pieces.append(Sorted.of(chunk.first_row, ranked))

    def merge(self, other: _Ended) -> None:
        for name in self.counts:
            self.counts[name] += other.counts[name]
        self.met = [a + b for a, b in zip(self.met, other.met, strict=True)]
        self.lowest, self.highest = min(self.lowest, other.lowest), max(self.highest, other.highest)
        self.earliest = min(self.earliest, other.earliest)
        self.latest = max(self.latest, other.latest)
        self.pieces += other.pieces
        self.dropped += other.dropped
        self.noticed.merge(other.noticed)

    def selections(self, conditions: tuple[Condition, ...]) -> tuple[Selection, ...]:
        return tuple(
            Selection(c.text, before, before - after)
            for c, before, after in zip(conditions, self.met, self.met[1:], strict=False)
        )

    def told(self, conditions: tuple[Condition, ...]) -> tuple[str, ...]:
        """Return what to say of the conditions, as the reader in memory does."""
        return tuple(
            f"All trials meet {c.text}."
            if before == after
            else f"Only trials with {c.text}: {before - after} of {before} left out."
            for c, before, after in zip(conditions, self.met, self.met[1:], strict=False)
        )


@dataclass(slots=True)
class _Cells:
    """Counts of some chunks."""

    search: Search  # among the cut-offs
    parameters: dict[str, IntArray] = field(default_factory=dict)
    sizes: IntArray | None = None
    held: IntArray | None = None
    best: FloatArray | None = None
    noticed: Noticed = field(default_factory=Noticed)

    def add(
        self,
        chunk: Chunk,
        wanted: Wanted,
        conditions: tuple[Condition, ...],
        counted: Sequence[str],
        places: Mapping[str, int],
    ) -> None:
        self.noticed.add(chunk.notices)
        losses, used, ordinary = chunk.losses(chosen(chunk, conditions), wanted.within.handling)
        buckets, n = _buckets(chunk, wanted, self.search, losses, used)
        sizes = np.bincount(buckets.astype(np.intp), minlength=n + 1)
        self.sizes = sizes[:n] if self.sizes is None else self.sizes + sizes[:n]
        known = {parameter.name: parameter for parameter in chunk.table.parameters}
        # Once for all parameters, whose cells are floats as well.
        as_floats = buckets.astype(np.float64)
        for name in counted:
            parameter = expand_parameter(known[name]) if wanted.spanned else known[name]
            if wanted.edges is None:
                counts = place_counts(parameter, as_floats, sizes)
            else:
                counts = rank_place_counts(parameter, buckets, n, wanted.edges, places[name])
            if name in self.parameters:
                self.parameters[name] += counts
            else:
                self.parameters[name] = counts
        if wanted.conditions:
            columns = columns_of(chunk.table)
            rows = [condition.holds(columns) for condition in wanted.conditions]
            own = losses if ordinary is None else np.where(ordinary, losses, np.inf)
            self._hold(rows, own, buckets, n)

    def _hold(self, rows: list[BoolArray], losses: FloatArray, buckets: ValueArray, n: int) -> None:
        """Count the trials that meet each condition, and find the lowest loss among them."""
        held = np.array(
            [np.bincount(buckets[r].astype(np.intp), minlength=n + 1)[:n] for r in rows]
        )
        best = np.array([np.min(losses[r], initial=np.inf) for r in rows])
        self.held = held if self.held is None else self.held + held
        self.best = best if self.best is None else np.minimum(self.best, best)

    def merge(self, other: _Cells) -> None:
        self.noticed.merge(other.noticed)
        for name, counts in other.parameters.items():
            self.parameters[name] = (
                self.parameters[name] + counts if name in self.parameters else counts
            )
        if other.sizes is not None:
            self.sizes = other.sizes if self.sizes is None else self.sizes + other.sizes
        if other.held is not None and other.best is not None:
            self.held = other.held if self.held is None else self.held + other.held
            self.best = other.best if self.best is None else np.minimum(self.best, other.best)

    def counted(self, wanted: Wanted, names: Sequence[str]) -> Counted:
        starts = wanted.block_starts
        blocks = 1 if starts is None else len(starts) + 1
        buckets = len(wanted.cutoffs) + 1
        shape = (wanted.groups, blocks, buckets)
        assert self.sizes is not None
        held = np.zeros((0, np.prod(shape)), np.int64) if self.held is None else self.held
        best = (
            np.zeros(0) if self.best is None else np.where(np.isinf(self.best), np.nan, self.best)
        )
        return Counted(
            parameters=tuple(
                np.moveaxis(self.parameters[name].reshape(-1, *shape), 0, 2) for name in names
            ),
            sizes=self.sizes.reshape(shape).sum(axis=1),
            conditions=held.reshape(-1, *shape).sum(axis=(1, 2)),
            best=best,
        )


def _buckets(
    chunk: Chunk, wanted: Wanted, search: Search, losses: FloatArray, used: BoolArray | None
) -> tuple[ValueArray, int]:
    """Return each row's place among (groups, blocks, buckets), and how many there are."""
    cutoffs = wanted.cutoffs
    blocks = 1 if wanted.block_starts is None else len(wanted.block_starts) + 1
    n = wanted.groups * blocks * (len(cutoffs) + 1)
    dtype = id_dtype(n + 1)
    if len(cutoffs) == 1:
        found = (losses > cutoffs[0]).astype(dtype)
    else:
        found = search.places(losses).astype(dtype)
    if blocks > 1 or wanted.groups > 1:
        whole = found.astype(np.int64)
        if wanted.block_starts is not None:
            block = np.searchsorted(wanted.block_starts, chunk.order, side="right")
            whole += block * (len(cutoffs) + 1)
        if wanted.groups > 1:
            whole += group_ids(chunk, wanted.groups, wanted.seed) * (blocks * (len(cutoffs) + 1))
        found = whole.astype(dtype)
    if used is not None:
        found[~used] = n
    return found, n
