"""What trials measured at each budget: epochs, steps, instances, shares of the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Reports:
    """Measurements of one objective, each of a trial at a budget.

    Attributes
    ----------
    trials
        How many trials there are.
    rows, budgets, values
        (measurements,): the trial's position, its budget, and the value there. Of several for the
        same trial and budget, the last one counts.
    """

    trials: int
    rows: IntArray
    budgets: FloatArray
    values: FloatArray

    @classmethod
    def of(cls, trials: int, found: Iterable[tuple[int, float, float]]) -> Reports:
        """Return measurements, each a trial's position, a budget and a value."""
        listed = np.array(list(found), dtype=np.float64).reshape(-1, 3)
        return cls(trials, listed[:, 0].astype(np.int64), listed[:, 1], listed[:, 2])

    def only(self, rows: Rows) -> Reports:
        """Return the measurements of these trials; positions also give their order."""
        kept = np.arange(self.trials)[rows]
        place = np.full(self.trials, -1)
        place[kept] = np.arange(len(kept))
        ours = place[self.rows] >= 0
        return Reports(len(kept), place[self.rows[ours]], self.budgets[ours], self.values[ours])

    def at(self, budget: float) -> FloatArray:
        """Return (trials,): the value of each at a budget; NaN where it has none.

        Examples
        --------
        >>> Reports.of(2, [(0, 1, 0.5), (0, 3, 0.25), (1, 1, 0.75)]).at(3)
        array([0.25,  nan])
        """
        values = np.full(self.trials, np.nan)
        there = self.budgets == budget
        values[self.rows[there]] = self.values[there]
        return values
