"""The counter: passes over the batches of a source, each of which returns integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from condped.arrays import BoolArray, IntArray, ValueArray
from condped.count.count_fold import Counted, CountFold, Query, counted_of
from condped.count.order_statistics.bins import Distinct, Levels
from condped.count.order_statistics.keys import KeyBins
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
from condped.count.ranking import Ranking
from condped.count.tally import Tally, TallyFold, tally_of
from condped.errors import not_found
from condped.space.condition import Condition
from condped.trials.batch import Schema, Source, TableSource

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
        """Return the trials that meet one more condition on parameters."""
        known = self.schema.space or self.schema.names
        for name in condition.names:
            if name not in known:
                raise not_found("parameter", name, known)
        return replace(self, conditions=(*self.conditions, condition))

    def tally(self, ranking: Ranking) -> Tally:
        """Return how many trials are used or left out, and the range of their losses."""
        states = self.source.fold(TallyFold(ranking, self.conditions))
        return tally_of(
            states,
            self.conditions,
            names=self.schema.names,
            source_notes=self.source.notes,
            in_time=self.schema.ordered and not self.schema.order_given,
        )

    def gather(
        self, requested: tuple[Series, ...], within: Region, groups: Groups = ONE_GROUP
    ) -> dict[Series, tuple[ValueArray, IntArray | None]]:
        """Return all numbers of each series, and the group of each (None: one group)."""
        states = self.source.fold(GatherFold(requested, within, groups, self.conditions))
        found = {}
        for series in requested:
            parts = [part for state in states for part in state[series]]
            owners = [group for _, group in parts if group is not None]
            found[series] = (
                _joined([numbers for numbers, _ in parts]), _joined(owners) if owners else None
            )  # fmt: skip
        return found

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
        states = self.source.fold(fold)
        return {
            series: np.split(
                np.sum([state[series].counts() for state in states], axis=0), bins.ends[:-1], axis=1
            )
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
        states = self.source.fold(fold)
        return {
            series: Distinct.joined([state[series] for state in states], most).levels(
                whole=entries[0][0].whole
            )
            for series, entries in requested.items()
        }

    def count(self, query: Query) -> Counted:
        """Return the trials in each cell and bucket."""
        states = self.source.fold(CountFold(query, self.conditions))
        return counted_of(states, query, self.schema.names)


def _joined(parts: list[ValueArray]) -> ValueArray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
