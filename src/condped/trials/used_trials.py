"""Which trials are used: failed, pruned, infinite and infeasible ones; and how large sets are."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal, TypedDict

import numpy as np

from condped.arrays import BoolArray
from condped.options import check_choices, option
from condped.trials.table import State, TrialTable

LeftOut = Literal["drop", "worst"]
Treatment = Literal["keep", "drop", "worst"]


class HandlingOptions(TypedDict, total=False):
    """The fields of :class:`Handling`, for functions that take them."""

    failed: LeftOut
    pruned: Treatment
    nonfinite: LeftOut
    infeasible: Treatment


@dataclass(frozen=True, slots=True)
class Handling:
    """How failed, pruned, non-finite and infeasible trials are treated.

    ``drop`` leaves them out, ``worst`` counts them as worse than every other trial, and
    ``keep`` counts them like any other: infeasible trials, as the reference does, and pruned
    ones with the last value they reported.
    """

    failed: LeftOut = option(
        "drop", "Failed trials: leave them out, or count them as worse than all others."
    )
    pruned: Treatment = option("drop", "Pruned trials; keep: with the last value they reported.")
    nonfinite: LeftOut = option("drop", "Trials whose objective is NaN or infinite.")
    infeasible: Treatment = option("keep", "Trials that violate a constraint.")

    def __post_init__(self) -> None:
        check_choices(self)


# How trials can end other than well.
ENDINGS = tuple(one.name for one in fields(Handling))


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """How many trials there were, and how they were treated. Each trial is counted once.

    Attributes
    ----------
    total
        All of them.
    used
        N of the estimator, including those counted as worst.
    failed, pruned, infeasible
        By how they ended.
    running
        Running or waiting: always left out.
    nonfinite
        The objective is NaN, infinite or not recorded.
    counted_as_worst
        Those ranked last because of ``failed="worst"`` and the like.
    """

    total: int = 0
    used: int = 0
    failed: int = 0
    pruned: int = 0
    running: int = 0
    nonfinite: int = 0
    infeasible: int = 0
    counted_as_worst: int = 0

    def __add__(self, other: TrialCounts) -> TrialCounts:
        if not self.total:
            return other
        names = [one.name for one in fields(TrialCounts)]
        return TrialCounts(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def left_out(self) -> int:
        """How many trials were not used."""
        return self.total - self.used


def set_size(quantile: float, trials: int) -> int:
    """Return ⌈quantile · trials⌉ in floating point, as the reference does: 0.07 of 100 is 8."""
    return math.ceil(quantile * trials)


def classify_trials(
    table: TrialTable, handling: Handling
) -> tuple[BoolArray | None, BoolArray | None, TrialCounts]:
    """Decide which trials are used (None: all) and which of those count as worst (None: none).

    A trial is counted under the first reason that applies: running, failed, pruned, not finite,
    infeasible.
    """
    n = len(table)
    counts = dict.fromkeys(("running", *ENDINGS), 0)
    undecided: BoolArray | None = None  # None: all
    dropped: list[BoolArray] = []
    worst: list[BoolArray] = []

    def set_aside(reason: str, where: BoolArray, treatment: str) -> None:
        nonlocal undecided
        where = where if undecided is None else where & undecided
        counts[reason] = int(np.count_nonzero(where))
        if counts[reason] and treatment != "keep":
            (worst if treatment == "worst" else dropped).append(where)
            undecided = ~where if undecided is None else undecided & ~where

    finite = table.finite
    if table.states.strides != (0,):
        set_aside("running", table.states == State.RUNNING, "drop")
        set_aside("failed", table.states == State.FAILED, handling.failed)
        pruned = table.states == State.PRUNED
        # A kept trial without a value is counted below, and only there.
        pruned = pruned & finite if handling.pruned == "keep" else pruned
        set_aside("pruned", pruned, handling.pruned)
    if not finite.all():
        set_aside("nonfinite", ~finite, handling.nonfinite)
    infeasible = table.infeasible
    if infeasible is not None:
        set_aside("infeasible", infeasible, handling.infeasible)

    used = ~np.logical_or.reduce(dropped) if dropped else None
    as_worst = np.logical_or.reduce(worst) if worst else None
    return (
        used,
        as_worst,
        TrialCounts(
            total=n,
            used=n if used is None else int(np.count_nonzero(used)),
            counted_as_worst=0 if as_worst is None else int(np.count_nonzero(as_worst)),
            **counts,
        ),
    )
