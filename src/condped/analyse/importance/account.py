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
    """What the numbers are based on, and what was left out of them.

    Attributes
    ----------
    trials
        How many there were, and how many were used.
    handling
        How trials that did not end well were treated.
    objectives
        Their names and directions.
    outcome
        What the target set is, if not the best objectives.
    region_size
        How many trials the region set has.
    pooled
        Parameters whose domains vary smoothly and were pooled.
    dropped_regimes
        Regimes with too few trials to estimate anything.
    space_inferred
        Whether the domains were inferred from the values.
    ignored_columns
        Columns that are not parameters.
    notes
        Remarks about the source, one sentence each.
    selections
        Conditions by which the trials were selected.
    ties
        One for each target set with ties at its end.
    """

    pooled: tuple[PooledDomains, ...]
    outcome: str | None
    objectives: tuple[Goal, ...]
    trials: TrialCounts
    handling: Handling
    region_size: int
    dropped_regimes: tuple[DroppedRegimes, ...]
    space_inferred: bool
    ignored_columns: tuple[str, ...]
    notes: tuple[str, ...]
    selections: tuple[Selection, ...] = ()
    ties: tuple[Tie, ...] = ()

    def tie(self, target_quantile: float | None) -> Tie | None:
        """Return the tie at the end of the target set of one quantile, if any."""
        found = (tie for tie in self.ties if tie.target_quantile == target_quantile)
        return next(found, None)
