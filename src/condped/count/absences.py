"""Which parameters are absent from some trials, whatever became of these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.table import State
from condped.trials.where import condition_mask


@dataclass(frozen=True, slots=True)
class AbsencesFold:
    """Counts complete and pruned trials without a parameter.

    Trials that failed or run are not looked at: they may have stopped before suggesting it.
    """

    names: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    what: str = "Looking for absent parameters"

    @property
    def parameters(self) -> tuple[str, ...]:
        gates = (name for condition in self.conditions for name in condition.names)
        return tuple(dict.fromkeys((*self.names, *gates)))

    def start(self) -> dict[str, int]:
        return dict.fromkeys(self.names, 0)

    def add(self, state: dict[str, int], batch: Batch) -> None:
        states = np.asarray(batch.table.states)
        ended = (states == State.COMPLETE) | (states == State.PRUNED)
        selected = condition_mask(batch, self.conditions)
        rows = ended if selected is None else ended & selected
        for parameter in batch.table.parameters:
            if parameter.name in state:
                absent = np.asarray(parameter.domain_ids) < 0
                state[parameter.name] += int(np.count_nonzero(absent & rows))

    def merge(self, state: dict[str, int], other: dict[str, int]) -> None:
        for name, count in other.items():
            state[name] += count
