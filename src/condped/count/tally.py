"""The first pass: what became of all trials, and between what numbers their losses lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from condped.arrays import FloatArray
from condped.count.condition_masks import selected
from condped.count.ranking import Ranking, ranked
from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.notes import Notes
from condped.trials.table import Selection
from condped.trials.topsets import TrialCounts


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of all trials.

    Attributes
    ----------
    counts
        Each trial counted once, under the first reason that applies.
    lowest, highest
        Of the losses of used trials that stand for themselves (not counted as worst); infinite if
        there are none.
    earliest, latest
        Bounds of the places in time, where rows have an order.
    selections
        What conditions left out.
    notes
        What the user should know, one sentence each.
    sorted_by_loss
        Whether the rows' own order is that of their losses, and so none of time.
    dropped
        Trials that were left out for a value outside its domain.
    """

    counts: TrialCounts
    lowest: float
    highest: float
    earliest: int = 0
    latest: int = 0
    selections: tuple[Selection, ...] = ()
    notes: tuple[str, ...] = ()
    sorted_by_loss: bool = False
    dropped: int = 0

    @property
    def ordinary(self) -> int:
        """Used trials that stand for themselves."""
        return self.counts.used - self.counts.counted_as_worst

    @property
    def all_equal(self) -> bool:
        """Whether all used trials have the same objective."""
        if self.counts.counted_as_worst or not self.counts.used:
            return self.ordinary == 0
        return self.lowest == self.highest


@dataclass(frozen=True, slots=True)
class Run:
    """Whether the losses of some rows in a row rise, fall, or neither."""

    first_row: int
    trials: int
    first: float = np.nan
    last: float = np.nan
    rises: bool = True
    falls: bool = True

    @classmethod
    def of(cls, first_row: int, losses: FloatArray) -> Run:
        """Look at some rows."""
        if not losses.size:
            return cls(first_row, 0)
        # Most batches are in no order, which their beginning shows.
        head = losses[:17].tolist()
        rises = all(a <= b for a, b in pairwise(head)) and bool((losses[1:] >= losses[:-1]).all())
        falls = all(a >= b for a, b in pairwise(head)) and bool((losses[1:] <= losses[:-1]).all())
        return cls(first_row, len(losses), float(losses[0]), float(losses[-1]), rises, falls)


def in_order(runs: Sequence[Run]) -> bool:
    """Return whether the rows of all runs together are sorted, and are not all equal."""
    if len(runs) == 1:
        return runs[0].rises != runs[0].falls
    ordered = [run for run in sorted(runs, key=lambda run: run.first_row) if run.trials]
    steps = list(pairwise(ordered))
    rises = all(r.rises for r in ordered) and all(a.last <= b.first for a, b in steps)
    falls = all(r.falls for r in ordered) and all(a.last >= b.first for a, b in steps)
    return rises != falls


@dataclass(slots=True)
class TallyState:
    """What became of the trials of some batches."""

    met: list[int]  # trials in all, and after each condition
    counts: TrialCounts = field(default_factory=TrialCounts)
    lowest: float = np.inf
    highest: float = -np.inf
    earliest: int = (1 << 63) - 1
    latest: int = -(1 << 63)
    dropped: int = 0
    noted: Notes = field(default_factory=Notes)
    runs: list[Run] = field(default_factory=list)

    def merge(self, other: TallyState) -> None:
        """Take in what another worker saw."""
        self.met = [a + b for a, b in zip(self.met, other.met, strict=True)]
        self.counts += other.counts
        self.lowest, self.highest = min(self.lowest, other.lowest), max(self.highest, other.highest)
        self.earliest = min(self.earliest, other.earliest)
        self.latest = max(self.latest, other.latest)
        self.dropped += other.dropped
        self.noted.merge(other.noted)
        self.runs += other.runs


@dataclass(frozen=True, slots=True)
class TallyFold:
    """Counts what became of the trials."""

    ranking: Ranking
    conditions: tuple[Condition, ...] = ()
    what: str = "Reading the objective"

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for c in self.conditions for name in c.names))

    def start(self) -> TallyState:
        return TallyState(met=[0] * (len(self.conditions) + 1))

    def add(self, state: TallyState, batch: Batch) -> None:
        earliest, latest = batch.span
        state.earliest, state.latest = min(state.earliest, earliest), max(state.latest, latest)
        state.dropped += batch.dropped
        state.noted.add(batch.notes)
        rows = selected(batch, self.conditions, state.met)
        if rows is not None:
            batch = Batch(batch.table.only(rows), batch.first_row, batch.times)
        levels, used, ordinary, counts = ranked(batch, self.ranking)
        state.counts += counts
        own = levels if ordinary is None else levels[ordinary]
        if own.size:
            state.lowest = min(state.lowest, float(own.min()))
            state.highest = max(state.highest, float(own.max()))
        if batch.times is None:  # a column that the caller names is taken at its word
            state.runs.append(Run.of(batch.first_row, levels if used is None else levels[used]))


def tally_of(
    states: Sequence[TallyState],
    conditions: tuple[Condition, ...],
    *,
    names: Sequence[str],
    source_notes: tuple[str, ...],
    order_given: bool,
) -> Tally:
    """Put together what all workers saw."""
    whole, *others = states
    for other in others:
        whole.merge(other)
    steps = list(zip(conditions, whole.met, whole.met[1:], strict=False))
    chosen = tuple(
        f"All trials meet {c.text}."
        if before == after
        else f"Only trials with {c.text}: {before - after} of {before} left out."
        for c, before, after in steps
    )
    return Tally(
        whole.counts,
        whole.lowest,
        whole.highest,
        earliest=whole.earliest,
        latest=whole.latest,
        selections=tuple(Selection(c.text, before, before - after) for c, before, after in steps),
        notes=(*source_notes, *whole.noted.sentences(names), *chosen),
        sorted_by_loss=not order_given and in_order(whole.runs),
        dropped=whole.dropped,
    )
