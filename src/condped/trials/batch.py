"""One chunk of trials, and what a pass looks at in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.count.edges import is_whole
from condped.count.keys import group_of, keys_of
from condped.count.passes import Series, Within
from condped.space.condition import Condition
from condped.trials.notes import RowsNote
from condped.trials.table import TrialTable
from condped.trials.topsets import Handling, sort_out
from condped.trials.where import columns_of


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some trials as a small table.

    Attributes
    ----------
    first_row
        How many rows of the source come before.
    times
        (trials,): the place of each in time, where a column tells; None: that of its row.
    notices
        What was noticed of these rows.
    dropped
        How many more trials there were, left out for a value outside its domain.
    """

    table: TrialTable
    first_row: int
    times: IntArray | None = None
    notices: tuple[RowsNote, ...] = ()
    dropped: int = 0

    @property
    def order(self) -> IntArray:
        """(trials,): the place of each in time."""
        if self.times is not None:
            return self.times
        return np.arange(self.first_row, self.first_row + len(self.table), dtype=np.int64)

    @property
    def span(self) -> tuple[int, int]:
        """The earliest and the latest place in time."""
        if self.times is not None and self.times.size:
            return int(self.times.min()), int(self.times.max())
        return self.first_row, self.first_row + len(self.table) - 1

    def losses(
        self, rows: BoolArray | None, handling: Handling
    ) -> tuple[FloatArray, BoolArray | None, BoolArray | None]:
        """Return (trials,) losses, which trials are used, and which stand for themselves.

        ``rows`` are those that count at all; None stands for all.
        """
        used, worst, _ = sort_out(self.table, handling)
        if rows is not None:
            used = rows if used is None else used & rows
        losses = self.table.objectives[0].losses
        if worst is None:
            return losses, used, used
        ordinary = ~worst if used is None else used & ~worst
        return np.where(worst, np.inf, losses), used, ordinary


@dataclass(frozen=True, slots=True)
class Sorted:
    """Whether the losses of some rows in a row rise, fall, or neither."""

    first_row: int
    trials: int
    first: float = np.nan
    last: float = np.nan
    rises: bool = True
    falls: bool = True
    equal: bool = True

    @classmethod
    def of(cls, first_row: int, losses: FloatArray) -> Sorted:
        """Look at some rows."""
        if not losses.size:
            return cls(first_row, 0)
        before, after = losses[:-1], losses[1:]
        # Most chunks are in no order, which their beginning shows.
        head = slice(0, 64)
        rises = bool((after[head] >= before[head]).all() and (after >= before).all())
        falls = bool((after[head] <= before[head]).all() and (after <= before).all())
        return cls(
            first_row, len(losses), float(losses[0]), float(losses[-1]), rises, falls,
            rises and falls,
        )  # fmt: skip

    @staticmethod
    def joined(pieces: Sequence[Sorted]) -> bool:
        """Return whether the rows of all pieces together are sorted, and are not all equal."""
        ordered = [p for p in sorted(pieces, key=lambda piece: piece.first_row) if p.trials]
        steps = list(pairwise(ordered))
        rises = all(p.rises for p in ordered) and all(a.last <= b.first for a, b in steps)
        falls = all(p.falls for p in ordered) and all(a.last >= b.first for a, b in steps)
        return rises != falls


def chosen(
    chunk: Chunk, conditions: Sequence[Condition], met: list[int] | None = None
) -> BoolArray | None:
    """Return which trials meet all conditions; None: all.

    ``met`` takes how many there are, and how many meet the first, the first two …
    """
    if met is not None:
        met[0] += len(chunk.table)
    if not conditions:
        return None
    columns = columns_of(chunk.table)
    rows = np.ones(len(chunk.table), dtype=bool)
    for place, condition in enumerate(conditions, 1):
        rows &= condition.holds(columns)
        if met is not None:
            met[place] += int(np.count_nonzero(rows))
    return rows


def group_ids(chunk: Chunk, groups: int, seed: int) -> IntArray:
    """Return (trials,): the group of each."""
    return group_of(chunk.order, groups, seed)


def series_keys(
    wanted: Sequence[Series],
    chunk: Chunk,
    rows: BoolArray | None,
    within: Within,
    names: Sequence[str],
) -> list[tuple[Series, IntArray, IntArray | slice]]:
    """Return the keys of each series' numbers among these rows, and which rows they are."""
    losses, used, ordinary = chunk.losses(rows, within.handling)
    region = used
    if within.cutoff is not None:
        inside = losses <= within.cutoff
        region = inside if used is None else used & inside
    known = {parameter.name: parameter for parameter in chunk.table.parameters}
    found: list[tuple[Series, IntArray, IntArray | slice]] = []
    for series in wanted:
        numbers: ValueArray
        if series.kind == "loss":
            numbers, counted = losses, ordinary
        elif series.kind == "order":
            numbers, counted = chunk.order, region
        else:
            parameter = known[names[series.parameter]]
            ids = np.asarray(parameter.domain_ids)
            here = ids >= 0 if series.domain < 0 else ids == series.domain
            counted = here if region is None else here & region
            numbers = parameter.values
            if not is_whole(parameter.domains):
                numbers = numbers.astype(np.float64, copy=False)
        where = slice(None) if counted is None else np.flatnonzero(counted)
        found.append((series, keys_of(numbers[where]), where))
    return found
