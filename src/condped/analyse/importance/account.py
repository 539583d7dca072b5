"""The account: what the numbers are based on, and what was left out of them."""

from __future__ import annotations

from dataclasses import dataclass

from condped.analyse.importance.ties import Tie
from condped.trials.batch import Goal
from condped.trials.regimes import PooledDomains
from condped.trials.table import Selection
from condped.trials.used_trials import Handling, TrialCounts


@dataclass(frozen=True, slots=True)
class DroppedRegimes:
    """Regimes of one parameter that have too few trials to estimate anything."""

    parameter: str
    regimes: int
    region_trials: int  # in all of them together


@dataclass(frozen=True, slots=True)
class Account:
    """What the numbers are based on, and what was left out of them."""

    pooled: tuple[PooledDomains, ...]  # parameters whose domains vary smoothly
    outcome: str | None  # what the target set is, if not the best objectives
    objectives: tuple[Goal, ...]
    trials: TrialCounts
    handling: Handling  # what was done with trials that did not end well
    region_size: int
    dropped_regimes: tuple[DroppedRegimes, ...]
    space_inferred: bool
    ignored_columns: tuple[str, ...]
    notes: tuple[str, ...]
    selections: tuple[Selection, ...] = ()  # conditions that the trials were chosen by
    ties: tuple[Tie, ...] = ()  # of the target sets that have some at their ends

    def tie(self, target_quantile: float | None) -> Tie | None:
        """Return the tie at the end of the target set of one quantile."""
        found = (tie for tie in self.ties if tie.target_quantile == target_quantile)
        return next(found, None)
