"""How trials ended, as expressions: state, objective, constraints, and what becomes of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import ibis.expr.types as ir
import numpy as np

from condped.arrays import FloatArray, ValueArray
from condped.count.ibis_trees import (
    all_of,
    any_of,
    choose,
    code,
    is_finite,
    is_nan,
    real,
    stepwise,
    whole,
)
from condped.count.keys import FACTORS, MODULUS, shift_of
from condped.errors import DataError
from condped.trials.table import State
from condped.trials.topsets import Handling, TrialCounts

Role = Literal["used", "worst", "dropped"]
_ROLES: tuple[Role, ...] = ("used", "worst", "dropped")
NOWHERE = -1  # the bucket of trials that are not counted


@dataclass(frozen=True, slots=True)
class Ended:
    """The columns that tell how trials ended; None: the same for all.

    Attributes
    ----------
    state
        Numbers of :class:`condped.trials.State`.
    by_value
        Where a finished trial counts as failed by its objective.
    loss
        float64, lower is better; null or not finite where there is none.
    """

    loss: ir.Value
    finite: ir.BooleanValue
    state: ir.Value | None = None
    by_value: ir.BooleanValue | None = None
    infeasible: ir.BooleanValue | None = None

    def keys(self) -> dict[str, ir.Value]:
        """Return what trials are told apart by, as small numbers."""
        given = {"by_value": self.by_value, "infeasible": self.infeasible, "finite": self.finite}
        flags = {n: choose(e, code(1), code(0)) for n, e in given.items() if e is not None}
        return flags if self.state is None else {"state": self.state, **flags}

    def role(self, handling: Handling) -> ir.Value:
        """Return each trial's role as a position in ("used", "worst", "dropped")."""

        def of(state: State) -> Any:
            leaves = {
                key: code(_ROLES.index(sorted_out(handling, state, *key)[0]))
                for key in product((True, False), repeat=2)
            }
            with_value = choose(self.infeasible, leaves[True, True], leaves[True, False])
            without = choose(self.infeasible, leaves[False, True], leaves[False, False])
            return choose(self.finite, with_value, without)

        states = (State.RUNNING, State.FAILED, State.PRUNED)
        role = of(State.COMPLETE)
        if self.by_value is not None:
            role = choose(self.by_value, of(State.FAILED), role)
        if self.state is not None:
            for state in states:
                role = choose(self.state == code(state), of(state), role)
        return role

    def used(self, handling: Handling) -> ir.BooleanValue | None:
        """Return which trials are used; None: all."""
        role = self.role(handling)
        return None if role is code(0) else role != code(2)

    def stands(self, handling: Handling) -> ir.BooleanValue | None:
        """Return which trials are used and stand for themselves; None: all."""
        role = self.role(handling)
        return None if role is code(0) else role == code(0)

    def bucket(self, handling: Handling, cutoffs: FloatArray) -> ir.Value:
        """Return how many cut-offs each trial's loss is above; NOWHERE if it is not used."""
        finite = [float(cutoff) for cutoff in cutoffs if math.isfinite(cutoff)]
        first = int(np.count_nonzero(np.isneginf(cutoffs)))
        leaves = [code(first + place) for place in range(len(finite) + 1)]
        found = stepwise(self.loss, finite, leaves)
        worst = code(int(np.searchsorted(cutoffs, np.inf)))
        role = self.role(handling)
        if role is code(0):
            return found
        aside = choose(role == code(1), worst, code(NOWHERE))
        return choose(role == code(0), found, aside)


def sorted_out(
    handling: Handling, state: State, finite: bool, infeasible: bool
) -> tuple[Role, tuple[str, ...]]:
    """Return what becomes of a trial, and under which reasons it is counted.

    The first reason that applies settles it; what is kept is counted and looked at further.
    """

    def settled(treatment: str) -> Role:
        return "worst" if treatment == "worst" else "dropped"

    reasons: tuple[str, ...] = ()
    if state == State.RUNNING:
        return "dropped", ("running",)
    if state == State.FAILED:
        return settled(handling.failed), ("failed",)
    if state == State.PRUNED:
        if handling.pruned != "keep":
            return settled(handling.pruned), ("pruned",)
        reasons = ("pruned",) if finite else ()
    if not finite:
        return settled(handling.nonfinite), (*reasons, "nonfinite")
    if infeasible:
        reasons = (*reasons, "infeasible")
        if handling.infeasible != "keep":
            return settled(handling.infeasible), reasons
    return "used", reasons


def ended(
    loss: ir.Value,
    objective: ir.Value,
    *,
    states: Mapping[State, Sequence[str]] | None,
    state: ir.Value | None,
    failure_values: Sequence[float],
    violations: Sequence[ir.Value],
) -> Ended:
    """Put together what tells how trials ended; ``states`` are the words for each."""
    number: Any = None
    complete: ir.BooleanValue | None = None
    if states is not None and state is not None:
        number = code(State.RUNNING)  # a trial without a state has not ended
        for meaning in (State.FAILED, State.PRUNED, State.COMPLETE):
            words = list(states.get(meaning, ()))
            here = state.isin(words).fill_null(False) if words else None
            number = choose(here, code(meaning), number)
            complete = here if meaning == State.COMPLETE else complete
    by_value = any_of(
        (objective == real(value)).fill_null(False)
        for value in failure_values
        if not math.isnan(value)
    )
    if by_value is not None and number is not None:
        by_value = all_of([by_value, complete]) if complete is not None else None
    infeasible = any_of(
        ((value > real(0.0)) & ~is_nan(value)).fill_null(False) for value in violations
    )
    return Ended(loss, is_finite(loss).fill_null(False), number, by_value, infeasible)


@dataclass(slots=True)
class Summary:
    """Trials counted by how they ended; rows are (state, by_value, finite, infeasible, n, …)."""

    rows: list[dict[str, Any]]

    def counts(self, handling: Handling) -> tuple[TrialCounts, float, float]:
        """Return the counts, and the bounds of the losses of trials that stand for themselves."""
        counts = dict.fromkeys(
            ("total", "used", "failed", "pruned", "running", "nonfinite", "infeasible",
             "counted_as_worst"), 0,
        )  # fmt: skip
        lowest, highest = math.inf, -math.inf
        for row in self.rows:
            n = int(row["n"])
            counts["total"] += n
            state = State(row.get("state", State.COMPLETE))
            state = State.FAILED if row.get("by_value") else state
            role, reasons = sorted_out(
                handling, state, bool(row["finite"]), bool(row.get("infeasible"))
            )
            for reason in reasons:
                counts[reason] += n
            counts["used"] += n * (role != "dropped")
            counts["counted_as_worst"] += n * (role == "worst")
            if role == "used":
                lowest, highest = min(lowest, row["lowest"]), max(highest, row["highest"])
        return TrialCounts(**counts), lowest, highest


def group_expression(number: ir.Value, groups: int, seed: int) -> ir.Value:
    """Return the group of each trial by its number, as :func:`condped.count.keys.group_of` does."""
    modulus = whole(MODULUS)
    # A remainder may come out negative: once more, from above.
    mixed = (number.cast("int64") % modulus + modulus) % modulus
    for factor in FACTORS:
        mixed = (mixed * whole(factor) + whole(shift_of(seed))) % modulus
        mixed = (mixed * mixed + whole(factor)) % modulus
    # Both numbers are below 2^53, and no quotient is so near to the next whole number that it
    # would be rounded up to it.
    dealt = (mixed * whole(groups)).cast("float64") / real(float(MODULUS))
    return dealt.floor().cast("int32")


def block_expression(order: ir.Value, starts: ValueArray) -> ir.Value:
    """Return in which block of time a trial is."""
    edges = [int(start) - 1 for start in starts]
    return stepwise(order, edges, [code(block) for block in range(len(starts) + 1)])


def words_by_state(
    words: Sequence[Any], name: str, state_of: Any, known: str
) -> dict[State, list[str]]:
    """Sort the words of a state column by what they mean."""
    found: dict[State, list[str]] = {}
    for word in words:
        if word is None:
            continue
        state = state_of(str(word))
        if state is None:
            raise DataError(
                f"The state {word!r} of {name!r} is unknown. Known: {known}.", column=name
            )
        found.setdefault(state, []).append(word)
    return found
