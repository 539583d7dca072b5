"""Which trials are in the region set and in the target sets.

Everything about objectives ends here: direction, failed and infinite trials, constraints,
several objectives. What is left is one small integer per trial.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from condped.arrays import BoolArray, FloatArray, IdArray, IntArray
from condped.errors import SettingsError
from condped.trials.pareto import pareto_positions
from condped.trials.table import Objective, State, TrialTable, id_dtype

LeftOut = Literal["drop", "worst"]
Treatment = Literal["keep", "drop", "worst"]
_CHUNK = 1 << 17


@dataclass(frozen=True, slots=True)
class Handling:
    """What to do with trials that did not end well.

    ``drop`` leaves them out, ``worst`` counts them as worse than every other trial, and
    ``keep`` counts them like any other: infeasible trials, as the reference does, and pruned
    ones with the value that they had reached.
    """

    failed: LeftOut = "drop"
    pruned: Treatment = "drop"
    nonfinite: LeftOut = "drop"
    infeasible: Treatment = "keep"

    def __post_init__(self) -> None:
        for name in ("failed", "pruned", "nonfinite", "infeasible"):
            kept = name in ("pruned", "infeasible")
            allowed = ("keep", "drop", "worst") if kept else ("drop", "worst")
            if getattr(self, name) not in allowed:
                raise SettingsError(
                    f"{name} must be one of {', '.join(allowed)} (got {getattr(self, name)!r})."
                )


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """How many trials there were, and what became of them. Each trial is counted once."""

    total: int
    used: int  # N of the estimator, those counted as worst included
    failed: int
    pruned: int
    running: int  # running or waiting: always left out
    nonfinite: int  # objective NaN, infinite or not recorded
    infeasible: int
    counted_as_worst: int

    @property
    def left_out(self) -> int:
        """How many trials played no part."""
        return self.total - self.used


@dataclass(frozen=True, slots=True, eq=False)
class TopSets:
    """The nested sets, as one bucket per trial.

    Attributes
    ----------
    buckets
        (trials,): the first target set that the trial is in, counted from the tightest;
        the number of target sets where it is in the region set only; one more where outside.
    target_sizes
        (target sets,), ascending.
    region_size
        Trials in the region set.
    counts
        What became of all trials.
    all_equal
        Whether all trials that were used have the same objective.
    """

    buckets: IdArray
    target_sizes: IntArray
    region_size: int
    counts: TrialCounts
    all_equal: bool
    levels: FloatArray | None = None  # (trials,): what they are ranked by, lower is better
    used: BoolArray | None = None  # (trials,): which take part; None: all

    @property
    def n_buckets(self) -> int:
        """How many different buckets there can be, the outside included."""
        return len(self.target_sizes) + 2


def set_size(quantile: float, trials: int) -> int:
    """Return ⌈quantile · trials⌉ in floating point, as the reference has it: 0.07 of 100 is 8."""
    return math.ceil(quantile * trials)


def top_sets(
    table: TrialTable,
    target_quantiles: Sequence[float],
    region_quantile: float,
    handling: Handling,
) -> TopSets:
    """Find the region set and, inside it, a target set for each (ascending) target quantile."""
    thresholds = len(target_quantiles)
    dtype = id_dtype(thresholds + 2)
    used, worst, counts = sort_out(table, handling)
    if counts.used == 0:
        outside = np.broadcast_to(dtype(thresholds + 1), len(table))
        nothing = np.zeros(thresholds, dtype=np.int64)
        return TopSets(outside, nothing, 0, counts, all_equal=True, used=used)

    wanted = [set_size(quantile, counts.used) - 1 for quantile in target_quantiles]
    # The region set of gamma = 1 is everything; asking for its order statistic would be waste.
    whole = region_quantile == 1.0
    if not whole:
        wanted.append(set_size(region_quantile, counts.used) - 1)
    levels = _levels(table.objectives, used, worst, sizes=[k + 1 for k in wanted])
    ranked = levels if used is None else levels[used]
    cutoffs = np.partition(ranked, sorted(set(wanted)))[wanted]

    if thresholds == 1:
        buckets = (levels > cutoffs[0]).astype(dtype)
    else:
        buckets = np.searchsorted(cutoffs[:thresholds], levels).astype(dtype)
    if not whole:
        buckets[levels > cutoffs[-1]] = thresholds + 1
    if used is not None:
        buckets[~used] = thresholds + 1
    sizes = np.zeros(thresholds + 2, dtype=np.int64)
    for start in range(0, len(buckets), _CHUNK):
        sizes += np.bincount(buckets[start : start + _CHUNK], minlength=thresholds + 2)
    reached = np.cumsum(sizes)
    return TopSets(
        buckets=buckets,
        target_sizes=reached[:thresholds],
        region_size=int(reached[thresholds]),
        counts=counts,
        all_equal=_all_equal(table.objectives, used, worst),
        levels=levels,
        used=used,
    )


def outcome_sets(table: TrialTable, target: BoolArray, considered: BoolArray) -> TopSets:
    """Take trials with an outcome as the target set, all that are considered as the region set."""
    buckets = np.where(target & considered, 0, np.where(considered, 1, 2)).astype(np.int8)
    hits, used = int(np.count_nonzero(buckets == 0)), int(np.count_nonzero(considered))
    running = int(np.count_nonzero(table.states == State.RUNNING))
    counts = TrialCounts(
        total=len(table),
        used=used,
        failed=0,
        pruned=0,
        running=running,
        nonfinite=0,
        infeasible=0,
        counted_as_worst=0,
    )
    return TopSets(
        buckets, np.array([hits]), used, counts, all_equal=hits in (0, used), used=considered
    )


def sort_out(
    table: TrialTable, handling: Handling
) -> tuple[BoolArray | None, BoolArray | None, TrialCounts]:
    """Decide which trials are used (None: all) and which of those count as worst (None: none).

    A trial is counted under the first reason that applies: running, failed, pruned, not finite,
    infeasible.
    """
    n = len(table)
    counts = dict.fromkeys(("running", "failed", "pruned", "nonfinite", "infeasible"), 0)
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

    finite = np.isfinite(table.objectives[0].values)
    for objective in table.objectives[1:]:
        finite &= np.isfinite(objective.values)
    if table.states.strides != (0,):
        set_aside("running", table.states == State.RUNNING, "drop")
        set_aside("failed", table.states == State.FAILED, handling.failed)
        pruned = table.states == State.PRUNED
        # One that is kept but has no value is counted below, and only there.
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


def _levels(
    objectives: tuple[Objective, ...],
    used: BoolArray | None,
    worst: BoolArray | None,
    sizes: Sequence[int],
) -> FloatArray:
    """Return a number per trial, lower is better, such that the best k of each size come first."""
    if len(objectives) == 1:
        levels = objectives[0].losses
        if worst is not None:
            levels = np.where(worst, np.inf, levels)
        return levels
    ordinary = _ordinary(len(objectives[0].values), used, worst)
    losses = np.column_stack([objective.losses[ordinary] for objective in objectives])
    levels = np.full(len(ordinary), np.inf)
    levels[ordinary] = pareto_positions(losses, sizes)
    return levels


def _ordinary(n: int, used: BoolArray | None, worst: BoolArray | None) -> BoolArray:
    """Return where a trial is used and stands for itself."""
    ordinary = np.ones(n, dtype=bool) if used is None else used.copy()
    if worst is not None:
        ordinary &= ~worst
    return ordinary


def _all_equal(
    objectives: tuple[Objective, ...], used: BoolArray | None, worst: BoolArray | None
) -> bool:
    if worst is not None:
        return not _ordinary(len(worst), used, worst).any()
    for objective in objectives:
        values = objective.values if used is None else objective.values[used]
        if values.min() != values.max():
            return False
    return True
