"""Which parameters trials lack, used or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from condped.count.counter import Counter
from condped.count.ranking import Ranking, ranked
from condped.space.condition import Condition
from condped.trials.batch import Batch, TableSource
from condped.trials.table import State
from condped.trials.where import condition_mask, with_gates


@dataclass(frozen=True, slots=True)
class AbsencesFold:
    """Counts complete and pruned trials without a parameter.

    Failed and running trials are ignored: they may have stopped before suggesting it.
    """

    names: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    what: str = "Looking for absent parameters"

    @property
    def parameters(self) -> tuple[str, ...]:
        return with_gates(self.names, self.conditions)

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


def absences(counter: Counter, names: Sequence[str]) -> dict[str, int]:
    """Return how many complete and pruned trials lack each parameter."""
    return counter.source.fold(AbsencesFold(tuple(names), counter.conditions))


def only_unused(counter: Counter, ranking: Ranking) -> tuple[str, ...]:
    """Return the parameters that only unused trials have; none if trials are not in memory."""
    source = counter.source
    if not isinstance(source, TableSource):
        return ()
    used = ranked(source.batch, ranking).used
    if used is None:
        return ()
    present = {p.name: np.asarray(p.domain_ids) >= 0 for p in source.table.parameters}
    return tuple(n for n, rows in present.items() if rows.any() and not (rows & used).any())
