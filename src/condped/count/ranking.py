"""What trials are ranked by: a loss, an outcome, or precomputed levels."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from condped.arrays import BoolArray, FloatArray
from condped.trials.batch import Batch
from condped.trials.outcome import outcome_of
from condped.trials.table import State
from condped.trials.used_trials import Handling, TrialCounts, classify_trials


class RankedBatch(NamedTuple):
    """Trials of a batch, ranked.

    Attributes
    ----------
    levels
        (trials,): lower is better; +inf for trials that count as worst.
    used
        (trials,): which are used; None: all.
    ordinary
        (trials,): which are used and not counted as worst; None: all.
    counts
        How the trials were treated.
    """

    levels: FloatArray
    used: BoolArray | None
    ordinary: BoolArray | None
    counts: TrialCounts


class Ranking(Hashable, Protocol):
    """A way to rank trials. It is sent to workers, and is hashable."""

    def ranked(self, batch: Batch) -> RankedBatch:
        """Return the trials of a batch, ranked."""
        ...


def ranked(batch: Batch, ranking: Ranking) -> RankedBatch:
    """Return the trials of a batch, ranked; cached per batch."""
    found: RankedBatch | None = batch.known.get(ranking)
    if found is None:
        found = batch.known[ranking] = ranking.ranked(batch)
    return found


@dataclass(frozen=True, slots=True)
class ByLoss:
    """By the one objective, negated if maximised."""

    handling: Handling

    def ranked(self, batch: Batch) -> RankedBatch:
        used, worst, counts = classify_trials(batch.table, self.handling)
        losses = batch.table.objectives[0].losses
        if worst is None:
            return RankedBatch(losses, used, used, counts)
        ordinary = ~worst if used is None else used & ~worst
        return RankedBatch(np.where(worst, np.inf, losses), used, ordinary, counts)


@dataclass(frozen=True, slots=True)
class ByOutcome:
    """Trials with the outcome (0) before those that could have had it (1)."""

    outcome: str

    def ranked(self, batch: Batch) -> RankedBatch:
        table, found = batch.table, outcome_of(batch.table, self.outcome)
        return rank_by_outcome(found.target, found.considered, np.asarray(table.states))


@dataclass(frozen=True, slots=True, eq=False)
class PrecomputedRanking:
    """Levels computed beforehand for all trials of the only batch."""

    ranks: RankedBatch
    outcome: bool = False  # whether they are ranked by an outcome

    def ranked(self, batch: Batch) -> RankedBatch:
        assert len(batch.table) == len(self.ranks.levels)
        return self.ranks


def rank_by_outcome(
    target: BoolArray, considered: BoolArray, states: npt.NDArray[np.int8]
) -> RankedBatch:
    """Rank trials by whether they had an outcome, among those that could have had it."""
    counts = TrialCounts(
        total=len(target),
        used=int(np.count_nonzero(considered)),
        running=int(np.count_nonzero(states == State.RUNNING)),
    )
    return RankedBatch(np.where(target, 0.0, 1.0), considered, considered, counts)
