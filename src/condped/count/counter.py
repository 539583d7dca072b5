"""The counter: passes over the batches of a source, each of which comes back as integers."""

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
    Series,
    Within,
    bin_sets,
)
from condped.count.ranking import Ranking
from condped.count.tally import Tally, TallyFold, tally_of
from condped.errors import not_found
from condped.space.condition import Condition
from condped.trials.batch import Schema, Source, TableSource

MOST_BINS = 1 << 20  # of one histogram, all groups together
MOST_LEVELS = 1 << 22  # different numbers that are asked for at a time


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts the trials of a source that meet some conditions.

    Counting raises a DataError for what :func:`condped.read` refuses: values outside their domains,
    unknown choices, values against their conditions.
    """

    source: Source
    conditions: tuple[Condition, ...] = ()

    @property
    def schema(self) -> Schema:
        """What is known before any pass."""
        return self.source.schema

    @property
    def in_memory(self) -> bool:
        """Whether the trials are in memory as a whole."""
        return isinstance(self.source, TableSource)

    def where(self, condition: Condition) -> Counter:
        """Return the trials that meet one more condition on parameters."""
        known = self.schema.space or self.schema.names
        for name in condition.names:
            if name not in known:
                raise not_found("parameter", name, known)
        return replace(self, conditions=(*self.conditions, condition))

    def tally(self, ranking: Ranking) -> Tally:
        """Return what became of the trials."""
        states = self.source.fold(TallyFold(ranking, self.conditions))
        return tally_of(
            states,
            self.conditions,
            names=self.schema.names,
            source_notes=self.source.notes,
            order_given=self.schema.order_given,
        )

    def gather(
        self, wanted: tuple[Series, ...], within: Within, groups: Groups = ONE_GROUP
    ) -> dict[Series, tuple[ValueArray, IntArray | None]]:
        """Return the numbers of each series themselves, and the group of each (None: one)."""
        states = self.source.fold(GatherFold(wanted, within, groups, self.conditions))
        found = {}
        for series in wanted:
            parts = [part for state in states for part in state[series]]
            owners = [group for _, group in parts if group is not None]
            found[series] = (
                _joined([numbers for numbers, _ in parts]), _joined(owners) if owners else None
            )  # fmt: skip
        return found

    def histogram(
        self,
        wanted: Mapping[Series, Sequence[KeyBins]],
        within: Within,
        groups: Groups = ONE_GROUP,
    ) -> dict[Series, list[IntArray]]:
        """Return (groups, bins) for each of a series' bins: how many numbers fall into each.

        A number may be in no bins; bins of one series do not overlap.
        """
        sets = bin_sets(wanted)
        fold = HistogramFold(tuple(wanted), within, groups, self.conditions, bins=sets)
        states = self.source.fold(fold)
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
        groups: Groups = ONE_GROUP,
        most: int = MOST_LEVELS,
    ) -> dict[Series, Levels]:
        """Return the numbers that fall into marked bins, with how often they do.

        Raises TooManyLevels where a series has more than ``most`` different ones.
        """
        sets = bin_sets({series: [bins for bins, _ in own] for series, own in wanted.items()})
        marked = {
            series: (sets[series], np.concatenate([marks for _, marks in own]))
            for series, own in wanted.items()
        }
        fold = LevelsFold(tuple(wanted), within, groups, self.conditions, marked=marked, most=most)
        states = self.source.fold(fold)
        return {
            series: Distinct.joined([state[series] for state in states], most).levels(
                whole=own[0][0].whole
            )
            for series, own in wanted.items()
        }

    def count(self, query: Query) -> Counted:
        """Return the trials in each cell and bucket."""
        states = self.source.fold(CountFold(query, self.conditions))
        return counted_of(states, query, self.schema.names)


def _joined(parts: list[ValueArray]) -> ValueArray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
