"""Ties: trials at the end of a target set that the objective cannot separate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.count.counter import Query
from condped.count.target_sets import NestedSets
from condped.count.trials import Trials
from condped.safe_text import percent
from condped.trials.batch import Batch
from condped.trials.table import TrialTable
from condped.trials.used_trials import set_size

TieKind = Literal["best", "cut-off", "worst", "objectives"]
# From here on a target set is so much larger than requested that the first line must say so.
_TIMES, _POINTS, _FEWEST = 1.5, 0.05, 2
_EXACT = 1e15  # whole numbers below it are shown with all digits


@dataclass(frozen=True, slots=True)
class Tie:
    """Trials at the end of one target set that the objective cannot separate.

    Attributes
    ----------
    target_quantile
        γ' as requested.
    asked, size
        ⌈γ'N⌉, and the trials in the target set.
    trials
        N, the trials used.
    kind
        ``best``: they share the best value. ``cut-off``: the value at the end of the target set.
        ``worst``: they are counted as worst, without a value. ``objectives``: each shares all of
        several objectives with another; only some of them are in the target set.
    tied, inside
        How many they are, and how many of them are in the target set; with one objective all. None
        if they are few, and counting them would take another pass over the data.
    value
        The value that they share, as in the study; None if it is not a single value.
    """

    target_quantile: float
    asked: int
    size: int
    trials: int
    kind: TieKind
    tied: int | None
    inside: int | None
    value: float | None

    @property
    def excess(self) -> int:
        """How many more trials than requested there are, including all tied ones."""
        left_out = 0 if self.tied is None or self.inside is None else self.tied - self.inside
        return self.size + left_out - self.asked

    @property
    def notable(self) -> bool:
        """Whether it changes what the numbers are about."""
        return is_notable(self.asked, self.asked + self.excess, self.trials)

    @property
    def same(self) -> tuple[float, float] | None:
        """γ' above the first and up to the second give the same target set; None if unknown."""
        if self.tied is None or self.kind == "objectives":
            return None
        return (self.size - self.tied) / self.trials, self.size / self.trials

    @property
    def used_share(self) -> float:
        """The share of the trials in the target set."""
        return self.size / self.trials

    @property
    def what(self) -> str:
        """Which trials are tied: the beginning of a sentence."""
        many = "many" if self.tied is None else str(self.tied)
        if self.kind == "worst":
            return f"{many} of {self.trials} trials count as worst"
        if self.kind == "objectives":
            return (
                f"{many} of {self.trials} trials share all objectives with another one at the "
                "cut-off"
            )
        where = "best value" if self.kind == "best" else "value"
        end = " at the cut-off" if self.kind == "cut-off" else ""
        who = "all" if self.tied == self.trials else f"{many} of"
        return f"{who} {self.trials} trials share the {where} {value_text(self.value)}{end}"

    @property
    def message(self) -> str:
        """The tie in one sentence, with the share that was actually used."""
        start = self.what[0].upper() + self.what[1:]
        if self.kind == "objectives":
            return (
                f"{start}; the objectives cannot separate them, and the first {self.inside} count."
            )
        cannot = "nothing separates them" if self.kind == "worst" else (
            "this objective cannot separate them further"
        )  # fmt: skip
        return f"{start}; {cannot} ({self.shares})."

    @property
    def clause(self) -> str:
        """The tie in a few words, for a line with more in it."""
        counted = f"the first {self.inside} count" if self.kind == "objectives" else self.shares
        return f"{self.what} ({counted})"

    @property
    def shares(self) -> str:
        """Which share was requested, and which was used."""
        return f"asked for {percent(self.target_quantile)}, used {percent(self.used_share)}"


def is_notable(asked: int, size: int, trials: int) -> bool:
    """Return whether a set is so much larger than requested that readers must know first.

    Examples
    --------
    >>> is_notable(16, 113, 154), is_notable(16, 17, 154)
    (True, False)
    """
    more = size - asked
    return more >= _FEWEST and (size >= _TIMES * asked or more >= _POINTS * trials)


def value_text(value: float | None) -> str:
    """Format an objective; whole numbers with all known digits.

    Examples
    --------
    >>> value_text(0.9736842105), value_text(-1234567.0), value_text(1e300)
    ('0.973684', '-1234567', '1e+300')
    """
    if value is None:
        return "?"
    if abs(value) < _EXACT and value == round(value):
        return str(round(value))
    return f"{value:.6g}"


def ties_of(trials: Trials, top: NestedSets, quantiles: Sequence[float] | None) -> tuple[Tie, ...]:
    """Return the ties at the ends of the target sets that have any.

    An outcome has none: the target set is exactly the trials that had it.
    """
    used = top.counts.used
    if quantiles is None or top.of_outcome or not used:
        return ()
    requested = np.array([set_size(quantile, used) for quantile in quantiles])
    if len(trials.goals) > 1:
        return _of_objectives(trials, top, quantiles, requested)
    below = _strictly_below(trials, top, requested)
    maximised = trials.goals[0].direction == "maximize"
    found = []
    for place in np.flatnonzero(top.target_sizes > requested).tolist():
        cutoff, size = float(top.cutoffs[place]), int(top.target_sizes[place])
        kind: TieKind = "cut-off"
        if not np.isfinite(cutoff):
            kind = "worst"
        elif cutoff == top.tally.lowest:
            kind = "best"
        tied = None if below[place] < 0 else size - int(below[place])
        value = -cutoff if maximised else cutoff
        found.append(
            Tie(
                float(quantiles[place]), int(requested[place]), size, used, kind, tied, tied,
                None if kind == "worst" else value + 0.0,  # no minus before a zero
            )
        )  # fmt: skip
    return tuple(found)


def _strictly_below(trials: Trials, top: NestedSets, requested: IntArray) -> IntArray:
    """Return (target sets,): used trials that are better than the cut-off; -1 if not counted.

    Counting takes a pass over the objective, which is made only for notable ties.
    """
    used = top.counts.used
    below = np.full(len(requested), -1, dtype=np.int64)
    below[top.cutoffs == top.tally.lowest] = 0
    below[~np.isfinite(top.cutoffs)] = top.tally.ordinary
    notable = [
        place
        for place in np.flatnonzero((top.target_sizes > requested) & (below < 0)).tolist()
        if is_notable(int(requested[place]), int(top.target_sizes[place]), used)
    ]
    if notable:
        levels, back = np.unique(np.nextafter(top.cutoffs[notable], -np.inf), return_inverse=True)
        counted = trials.counter.count(Query(top.ranking, levels)).sizes[0]
        below[notable] = counted.cumsum()[back.ravel()]
    return below


def _of_objectives(
    trials: Trials, top: NestedSets, quantiles: Sequence[float], requested: IntArray
) -> tuple[Tie, ...]:
    """Return a tie for each target set with only some of the trials that share all objectives.

    Fronts are ordered by hypervolume, so the sets have the requested size: among trials with the
    same objectives the first are taken.
    """
    table = trials.table("The order of trials by several objectives")
    levels, ordinary = _levels(table, top)
    if not ordinary.any():
        return ()
    losses = np.column_stack([objective.losses[ordinary] for objective in table.objectives])
    _, group = np.unique(losses, axis=0, return_inverse=True)
    sizes = np.bincount(group.ravel())
    found = []
    for place, cutoff in enumerate(top.cutoffs.tolist()):
        inside = np.bincount(group.ravel()[levels[ordinary] <= cutoff], minlength=len(sizes))
        divided = (inside > 0) & (inside < sizes)
        if divided.any():
            found.append(
                Tie(
                    float(quantiles[place]), int(requested[place]), int(top.target_sizes[place]),
                    top.counts.used, "objectives", int(sizes[divided].sum()),
                    int(inside[divided].sum()), None,
                )
            )  # fmt: skip
    return tuple(found)


def _levels(table: TrialTable, top: NestedSets) -> tuple[FloatArray, np.ndarray]:
    ranks = top.ranking.ranked(Batch(table))
    ordinary = np.ones(len(table), dtype=bool) if ranks.ordinary is None else ranks.ordinary
    return ranks.levels, ordinary


def plain_tie(tie: Tie | None) -> dict[str, Any] | None:
    """Return a tie as plain data, with the sentence that describes it."""
    if tie is None:
        return None
    return asdict(tie) | {
        "used_share": tie.used_share, "same": tie.same, "notable": tie.notable,
        "message": tie.message,
    }  # fmt: skip


# From here on η² is not a share of anything.
OVER = 1.0005
OVER_WORDS = (
    "η² above 1 is not a share: smoothing overstates it where one parameter decides nearly "
    "everything."
)


def row_note(tie: Tie | None, eta_squared: float) -> str | None:
    """Return what the reader of one row must know about its numbers; None if nothing."""
    notes = [tie.message] if tie is not None and tie.notable else []
    notes += [OVER_WORDS] if eta_squared >= OVER else []
    return " ".join(notes) or None


@dataclass(frozen=True, slots=True)
class FlatRange:
    """Target quantiles, from the first to the last, that give the same target set."""

    first: float
    last: float
    tie: Tie

    @property
    def message(self) -> str:
        """The range in one sentence."""
        start = self.tie.what[0].upper() + self.tie.what[1:]
        if self.first == self.last:
            return f"{start} ({self.tie.shares})."
        return (
            f"{start}: from γ' = {self.first:.3g} to {self.last:.3g} the target set is the same "
            f"{self.tie.size} trials."
        )


def flat_ranges(
    quantiles: Sequence[float], sizes: Sequence[int], ties: Sequence[Tie]
) -> tuple[FlatRange, ...]:
    """Return the ranges in which notable ties keep the target set from changing."""
    found: dict[int, FlatRange] = {}
    for tie in ties:
        if tie.notable and tie.kind != "objectives" and tie.size not in found:
            same = [q for q, size in zip(quantiles, sizes, strict=True) if size == tie.size]
            found[tie.size] = FlatRange(float(same[0]), float(same[-1]), tie)
    return tuple(found.values())


def sweep_messages(ranges: Sequence[FlatRange], ties: Sequence[Tie], most: int = 3) -> list[str]:
    """Return what must be said before any number of a sweep, the widest range first."""
    widest = sorted(ranges, key=lambda one: one.first - one.last)
    messages = [one.message for one in widest[:most]]
    if messages:
        messages[0] = f"This objective cannot separate all trials. {messages[0]}"
    if len(widest) > most:
        more = len(widest) - most
        messages.append(f"… and {more} more such range{'' if more == 1 else 's'}.")
    divided = next((tie for tie in ties if tie.kind == "objectives" and tie.notable), None)
    if divided is not None:
        messages.append(f"At γ' = {divided.target_quantile:.3g}: {divided.message}")
    return messages
