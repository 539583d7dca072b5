"""The first pass: how many trials are used or left out, and the range of their losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from condped.arrays import FloatArray
from condped.count.ranking import Ranking, ranked
from condped.errors import NoTrialsError
from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.notes import Notes
from condped.trials.table import Selection
from condped.trials.used_trials import TrialCounts
from condped.trials.where import condition_mask, with_gates

SAMPLED = 1 << 10  # one in this many losses is sampled, to find where the cut-offs are


@dataclass(frozen=True, slots=True)
class Tally:
    """How many trials are used or left out, and the range of their losses.

    Attributes
    ----------
    counts
        Each trial counted once, under the first reason that applies.
    lowest, highest
        Range of the losses of used trials that are not counted as worst; infinite if there are
        none.
    earliest, latest
        Bounds of the positions in time, if rows have an order.
    selections
        How many trials each condition left out.
    notes
        Notes for the user, one sentence each.
    sorted_by_loss
        Whether the rows are sorted by their losses, and so not by time.
    dropped
        Trials that were left out for a value outside its domain.
    sample
        Some of the losses between lowest and highest, in pieces.
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
    sample: Sequence[FloatArray] = field(default=(), compare=False, repr=False)

    @property
    def ordinary(self) -> int:
        """Used trials that are not counted as worst."""
        return self.counts.used - self.counts.counted_as_worst

    @property
    def all_equal(self) -> bool:
        """Whether all used trials have the same objective."""
        if self.counts.counted_as_worst or not self.counts.used:
            return self.ordinary == 0
        return self.lowest == self.highest


@dataclass(frozen=True, slots=True)
class MonotoneRun:
    """Whether the losses of consecutive rows rise, fall, or neither."""

    first_row: int
    trials: int
    first: float = np.nan
    last: float = np.nan
    rises: bool = True
    falls: bool = True

    @classmethod
    def of(cls, first_row: int, losses: FloatArray) -> MonotoneRun:
        """Check the losses of some rows."""
        if not losses.size:
            return cls(first_row, 0)
        # Most batches are not sorted, as their first rows show.
        head = losses[:17].tolist()
        rises = all(a <= b for a, b in pairwise(head)) and bool((losses[1:] >= losses[:-1]).all())
        falls = all(a >= b for a, b in pairwise(head)) and bool((losses[1:] <= losses[:-1]).all())
        return cls(first_row, len(losses), float(losses[0]), float(losses[-1]), rises, falls)


def is_sorted(runs: Sequence[MonotoneRun]) -> bool:
    """Return whether the rows of all runs together are sorted and not all equal."""
    if len(runs) == 1:
        return runs[0].rises != runs[0].falls
    ordered = [run for run in sorted(runs, key=lambda run: run.first_row) if run.trials]
    steps = list(pairwise(ordered))
    rises = all(r.rises for r in ordered) and all(a.last <= b.first for a, b in steps)
    falls = all(r.falls for r in ordered) and all(a.last >= b.first for a, b in steps)
    return rises != falls


@dataclass(slots=True)
class TallyState:
    """The tally of some batches."""

    met: list[int]  # all trials, and those left after each condition
    counts: TrialCounts = field(default_factory=TrialCounts)
    lowest: float = np.inf
    highest: float = -np.inf
    earliest: int = (1 << 63) - 1
    latest: int = -(1 << 63)
    dropped: int = 0
    noted: Notes = field(default_factory=Notes)
    runs: list[MonotoneRun] = field(default_factory=list)
    sample: list[FloatArray] = field(default_factory=list)

    def merge(self, other: TallyState) -> None:
        """Add the tally of another worker."""
        self.met = [a + b for a, b in zip(self.met, other.met, strict=True)]
        self.counts += other.counts
        self.lowest, self.highest = min(self.lowest, other.lowest), max(self.highest, other.highest)
        self.earliest = min(self.earliest, other.earliest)
        self.latest = max(self.latest, other.latest)
        self.dropped += other.dropped
        self.noted.merge(other.noted)
        self.runs += other.runs
        self.sample += other.sample


@dataclass(frozen=True, slots=True)
class TallyFold:
    """Counts used and left-out trials."""

    ranking: Ranking
    conditions: tuple[Condition, ...] = ()
    what: str = "Reading the objective"

    @property
    def parameters(self) -> tuple[str, ...]:
        return with_gates((), self.conditions)

    def start(self) -> TallyState:
        return TallyState(met=[0] * (len(self.conditions) + 1))

    def add(self, state: TallyState, batch: Batch) -> None:
        earliest, latest = batch.span
        state.earliest, state.latest = min(state.earliest, earliest), max(state.latest, latest)
        state.dropped += batch.dropped
        state.noted.add(batch.notes)
        rows = condition_mask(batch, self.conditions, state.met)
        if rows is not None:
            batch = Batch(batch.table.only(rows), batch.first_row, batch.times)
        levels, used, ordinary, counts = ranked(batch, self.ranking)
        state.counts += counts
        ordinary_levels = levels if ordinary is None else levels[ordinary]
        if ordinary_levels.size:
            state.lowest = min(state.lowest, float(ordinary_levels.min()))
            state.highest = max(state.highest, float(ordinary_levels.max()))
            state.sample.append(ordinary_levels[::SAMPLED].copy())
        if batch.times is None:  # an order given by the caller is not questioned
            used_levels = levels if used is None else levels[used]
            state.runs.append(MonotoneRun.of(batch.first_row, used_levels))

    def merge(self, state: TallyState, other: TallyState) -> None:
        state.merge(other)


def tally_of(
    whole: TallyState,
    conditions: tuple[Condition, ...],
    *,
    names: Sequence[str],
    source_notes: tuple[str, ...],
    in_time: bool,
) -> Tally:
    """Return the tally of all workers.

    ``in_time``: whether the rows of the source are in order of time.
    """
    steps = list(zip(conditions, whole.met, whole.met[1:], strict=False))
    selection_notes = tuple(
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
        notes=(*source_notes, *whole.noted.sentences(names), *selection_notes),
        sorted_by_loss=in_time and is_sorted(whole.runs),
        dropped=whole.dropped,
        sample=whole.sample,
    )


def check_any_left(tally: Tally) -> None:
    """Raise if conditions, or values outside their domains, have left no trials."""
    if tally.counts.total:
        return
    total = tally.selections[0].total if tally.selections else 0
    if total:
        conditions = " and ".join(selection.condition for selection in tally.selections)
        raise NoTrialsError(
            f"None of the {total} trials meets the condition {conditions!r}. Correct where, or "
            "leave it out."
        )
    if tally.dropped:
        raise NoTrialsError("All trials have a value outside its domain. Correct the space.")
