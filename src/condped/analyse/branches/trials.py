"""What the trials of a branch reached, and when the last of them was drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from condped.analyse.effects.reached import reached_by
from condped.analyse.effects.trials import trial_numbers
from condped.arrays import BoolArray
from condped.count.ranking import ranked
from condped.count.target_sets import NestedSets
from condped.count.trials import Trials
from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.table import TrialTable
from condped.trials.where import columns_of

if TYPE_CHECKING:
    from condped.analyse.effects.result import Reached


@dataclass(frozen=True, slots=True)
class LastTried:
    """When a branch was last tried, by any trial, used or not.

    Attributes
    ----------
    number
        The trial's position in the study, from 0.
    ago
        How many trials came after it.
    seconds_ago
        Seconds from its start to the last time that the study records; None if not recorded.
    """

    number: int
    ago: int
    seconds_ago: float | None


@dataclass(frozen=True, slots=True, eq=False)
class StudyMembers:
    """The trials of a study in memory; ``valued`` are those of the region set with an objective."""

    table: TrialTable
    valued: BoolArray

    @classmethod
    def of(cls, trials: Trials, top: NestedSets) -> StudyMembers | None:
        """Return a study's trials; None if they are not in memory."""
        table = trials.in_memory
        if table is None:
            return None
        batch = Batch(table)
        _, region, _ = top.members(batch)
        ordinary = ranked(batch, top.ranking).ordinary
        return cls(table, region if ordinary is None else region & ordinary)

    def reached(self, condition: Condition) -> tuple[Reached, ...]:
        """Return what the trials that meet a condition reached in each objective."""
        rows = np.flatnonzero(self._rows_matching(condition) & self.valued)
        return tuple(reached_by(objective, rows) for objective in self.table.objectives)

    def last_tried(self, condition: Condition) -> LastTried | None:
        """Return when a trial last met a condition; None if none did."""
        rows = np.flatnonzero(self._rows_matching(condition))
        if not len(rows):
            return None
        last = int(rows[-1])
        number = int(trial_numbers(self.table)[last])
        total = len(self.table.study)
        return LastTried(number, total - 1 - number, self._seconds_since(last))

    def _seconds_since(self, row: int) -> float | None:
        times = self.table.times
        if times is None or not np.isfinite(times.started[row]):
            return None
        known = np.concatenate([times.started, times.ended])
        return float(np.nanmax(known) - times.started[row])

    def _rows_matching(self, condition: Condition) -> BoolArray:
        return condition.holds(columns_of(self.table))
