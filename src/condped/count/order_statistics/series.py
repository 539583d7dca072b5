"""The series of numbers whose order statistics are needed, and the passes over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from condped.arrays import BoolArray, IntArray, ValueArray
from condped.count.order_statistics.bins import BinSet, DistinctPairs, Histogram
from condped.count.order_statistics.keys import KeyBins, group_of, keys_of
from condped.count.ranking import Ranking, ranked
from condped.space.condition import Condition
from condped.space.domain import is_whole
from condped.trials.batch import Batch
from condped.trials.where import condition_mask, intersection, with_gates

_PROGRESS = "Looking for cut-offs"


class Series(NamedTuple):
    """One number per trial, for some trials.

    ``loss``: used trials not counted as worst. ``order``: positions in time. ``value``: values of
    one parameter in one of its (numeric) domains. The last two in the region set only.
    """

    kind: Literal["loss", "order", "value"]
    parameter: str = ""
    domain: int = -1  # its id among the parameter's domains; -1: any of them


@dataclass(frozen=True, slots=True)
class Region:
    """The trials to consider: used ones with levels up to ``cutoff``; None: all used ones."""

    ranking: Ranking
    cutoff: float | None = None


class Groups(NamedTuple):
    """Random groups of trials, by a hash of their numbers."""

    size: int = 1
    seed: int = 0

    def of(self, batch: Batch) -> IntArray:
        """(trials,): the group of each."""
        if self not in batch.known:
            batch.known[self] = group_of(batch.order, self.size, self.seed)
        found: IntArray = batch.known[self]
        return found


ONE_GROUP = Groups()


@dataclass(frozen=True, slots=True)
class SeriesFold:
    """Base of all passes over series."""

    requested: tuple[Series, ...]
    within: Region
    groups: Groups
    conditions: tuple[Condition, ...]
    what: str = _PROGRESS

    @property
    def parameters(self) -> tuple[str, ...]:
        named = (series.parameter for series in self.requested if series.parameter)
        return with_gates(named, self.conditions)

    def numbers(self, batch: Batch) -> list[tuple[Series, ValueArray, IntArray | None]]:
        """Return the numbers of each series in a batch, and which trials have them (None: all)."""
        selected = condition_mask(batch, self.conditions)
        levels, used, ordinary, _ = ranked(batch, self.within.ranking)
        region = intersection(used, selected)
        if self.within.cutoff is not None:
            region = intersection(region, levels <= self.within.cutoff)
        known = {parameter.name: parameter for parameter in batch.table.parameters}
        found: list[tuple[Series, ValueArray, IntArray | None]] = []
        for series in self.requested:
            numbers: ValueArray
            if series.kind == "loss":
                numbers, counted = levels, intersection(ordinary, selected)
            elif series.kind == "order":
                numbers, counted = batch.order, region
            else:
                parameter = known[series.parameter]
                numbers, counted = parameter.values, region
                if not parameter.everywhere:
                    ids = np.asarray(parameter.domain_ids)
                    in_domain = ids >= 0 if series.domain < 0 else ids == series.domain
                    counted = intersection(region, in_domain)
                if not is_whole(parameter.domains):
                    numbers = numbers.astype(np.float64, copy=False)
            rows = None if counted is None else np.flatnonzero(counted)
            found.append((series, numbers if rows is None else numbers[rows], rows))
        return found

    def group(self, batch: Batch, rows: IntArray | None) -> IntArray | None:
        """Return the groups of some trials; None: all are in one."""
        if self.groups.size == 1:
            return None
        groups = self.groups.of(batch)
        return groups if rows is None else groups[rows]


@dataclass(frozen=True, slots=True)
class GatherFold(SeriesFold):
    """Gathers all numbers, for series that are short or in memory anyway."""

    def start(self) -> dict[Series, list[tuple[ValueArray, IntArray | None]]]:
        return {series: [] for series in self.requested}

    def add(
        self, state: dict[Series, list[tuple[ValueArray, IntArray | None]]], batch: Batch
    ) -> None:
        for series, numbers, rows in self.numbers(batch):
            state[series].append((numbers, self.group(batch, rows)))

    def merge(
        self,
        state: dict[Series, list[tuple[ValueArray, IntArray | None]]],
        other: dict[Series, list[tuple[ValueArray, IntArray | None]]],
    ) -> None:
        for series, numbers in other.items():
            state[series] += numbers


@dataclass(slots=True, eq=False)
class NumbersInRange:
    """How many numbers are below a range, and those inside it (None: too many)."""

    below: int = 0
    inside: list[ValueArray] | None = field(default_factory=list)

    def add(self, below: int, inside: list[ValueArray] | None, most: int) -> None:
        """Add the numbers of some trials."""
        self.below += below
        if self.inside is None or inside is None or sum(map(len, self.inside + inside)) > most:
            self.inside = None
        else:
            self.inside += inside


@dataclass(frozen=True, slots=True)
class NumbersInRangeFold(SeriesFold):
    """Gathers the numbers of one series in some ranges, and counts those below."""

    ranges: tuple[tuple[float, float], ...] = ()
    most: int = 0

    def start(self) -> list[NumbersInRange]:
        return [NumbersInRange() for _ in self.ranges]

    def add(self, state: list[NumbersInRange], batch: Batch) -> None:
        ((_, numbers, _),) = self.numbers(batch)
        for found, (low, high) in zip(state, self.ranges, strict=True):
            inside = numbers[np.flatnonzero((numbers >= low) & (numbers <= high))]
            found.add(int(np.count_nonzero(numbers < low)), [inside], self.most)

    def merge(self, state: list[NumbersInRange], other: list[NumbersInRange]) -> None:
        for found, more in zip(state, other, strict=True):
            found.add(more.below, more.inside, self.most)


@dataclass(frozen=True, slots=True)
class HistogramFold(SeriesFold):
    """Counts how many numbers fall into each bin."""

    bins: Mapping[Series, BinSet] | None = None

    def start(self) -> dict[Series, Histogram]:
        assert self.bins is not None
        return {series: Histogram(bins, self.groups.size) for series, bins in self.bins.items()}

    def add(self, state: dict[Series, Histogram], batch: Batch) -> None:
        for series, numbers, rows in self.numbers(batch):
            state[series].add(keys_of(numbers), self.group(batch, rows))

    def merge(self, state: dict[Series, Histogram], other: dict[Series, Histogram]) -> None:
        for series, histogram in other.items():
            state[series].merge(histogram)


@dataclass(frozen=True, slots=True)
class LevelsFold(SeriesFold):
    """Finds the distinct numbers that fall into marked bins."""

    marked: Mapping[Series, tuple[BinSet, BoolArray]] | None = None
    most: int = 0

    def start(self) -> dict[Series, DistinctPairs]:
        return {series: DistinctPairs(self.most) for series in self.requested}

    def add(self, state: dict[Series, DistinctPairs], batch: Batch) -> None:
        assert self.marked is not None
        for series, numbers, rows in self.numbers(batch):
            keys = keys_of(numbers)
            bins, marked = self.marked[series]
            inside, places = bins.find(keys)
            kept = np.flatnonzero(marked.take(places))
            if not kept.size:
                continue
            kept = kept if inside is None else inside[kept]
            group = self.group(batch, rows)
            state[series].add(keys[kept], None if group is None else group[kept])

    def merge(self, state: dict[Series, DistinctPairs], other: dict[Series, DistinctPairs]) -> None:
        for series, distinct in other.items():
            state[series].merge(distinct)


def bin_sets(requested: Mapping[Series, Sequence[KeyBins]]) -> dict[Series, BinSet]:
    """Return the bins of each series as one set."""
    return {series: BinSet(bins) for series, bins in requested.items()}
