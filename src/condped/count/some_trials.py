"""Some of the trials themselves: the first ones, and those that contradict conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from condped.arrays import BoolArray
from condped.count.counter import Counter
from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.table import ABSENT, State, TrialTable
from condped.trials.where import columns_of, condition_mask, with_gates

# For each parameter the places of its domains, and when it has each; None: always.
Claims = Mapping[str, Sequence[tuple[int, Condition | None]]]


@dataclass(frozen=True, slots=True)
class SomeTrialsFold:
    """Collects up to ``most`` trials: those that contradict claims, or the first if there are none.

    The presence of a parameter can contradict a claim in any trial, its absence only in complete
    trials and, if ``strict``, in pruned ones.
    """

    names: tuple[str, ...]
    conditions: tuple[Condition, ...]
    most: int
    claims: Claims = field(default_factory=dict)
    strict: bool = True
    what: str = "Looking for conditions"

    @property
    def parameters(self) -> tuple[str, ...]:
        return with_gates(self.names, self.conditions)

    def start(self) -> list[TrialTable]:
        return []

    def add(self, state: list[TrialTable], batch: Batch) -> None:
        room = self.most - sum(map(len, state))
        if room <= 0:
            return
        rows = np.arange(len(batch.table)) + batch.first_row < self.most
        if self.claims:
            rows = self._rows_contradicting(batch.table)
        selected = condition_mask(batch, self.conditions)
        places = np.flatnonzero(rows if selected is None else rows & selected)[:room]
        if places.size:
            state.append(replace(batch.table.only(places), notes=()).with_parameters(self.names))

    def merge(self, state: list[TrialTable], other: list[TrialTable]) -> None:
        state += other

    def _rows_contradicting(self, table: TrialTable) -> BoolArray:
        states = np.asarray(table.states)
        ended = states == State.COMPLETE
        if self.strict:
            ended |= states == State.PRUNED
        columns, found = columns_of(table), np.zeros(len(table), dtype=bool)
        for name, claims in self.claims.items():
            own = np.asarray(columns[name].parameter.domain_ids)
            claimed = np.full(len(table), ABSENT)
            for place, condition in claims:
                claimed[slice(None) if condition is None else condition.holds(columns)] = place
            found |= (own != claimed) & ((own >= 0) | ended)
        return found


def some_trials(
    counter: Counter,
    names: Sequence[str],
    most: int,
    claims: Claims | None = None,
    *,
    strict: bool = True,
) -> list[TrialTable]:
    """Return the first trials, or those that contradict claims; at most ``most`` per worker."""
    fold = SomeTrialsFold(tuple(names), counter.conditions, most, claims or {}, strict)
    return counter.source.fold(fold)
