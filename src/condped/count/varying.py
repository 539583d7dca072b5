"""Which parameters take different values at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from condped.count.condition_masks import selected
from condped.space.condition import Condition
from condped.trials.batch import Batch

# Of each parameter the lowest and highest value, and the lowest and highest place of a domain.
VaryingState: TypeAlias = dict[str, tuple[Any, Any, int, int]]


@dataclass(frozen=True, slots=True)
class VaryingFold:
    """Looks for parameters that have two values, or two domains."""

    names: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    what: str = "Looking at values"

    @property
    def parameters(self) -> tuple[str, ...]:
        gates = (name for condition in self.conditions for name in condition.names)
        return tuple(dict.fromkeys((*self.names, *gates)))

    def start(self) -> VaryingState:
        return {}

    def add(self, state: VaryingState, batch: Batch) -> None:
        chosen = selected(batch, self.conditions)
        for parameter in batch.table.parameters:
            ids = np.asarray(parameter.domain_ids)
            present = ids >= 0 if chosen is None else (ids >= 0) & chosen
            values, places = parameter.values[present], ids[present]
            if values.size:
                here = (values.min(), values.max(), int(places.min()), int(places.max()))
                state[parameter.name] = _both(state.get(parameter.name), here)


def _both(
    known: tuple[Any, Any, int, int] | None, here: tuple[Any, Any, int, int]
) -> tuple[Any, Any, int, int]:
    if known is None:
        return here
    return (
        min(known[0], here[0]), max(known[1], here[1]),
        min(known[2], here[2]), max(known[3], here[3]),
    )  # fmt: skip


def varying_of(states: Sequence[VaryingState], names: Sequence[str]) -> tuple[str, ...]:
    """Return the parameters that vary, from what all workers saw."""
    whole: VaryingState = {}
    for state in states:
        for name, here in state.items():
            whole[name] = _both(whole.get(name), here)
    spread = {
        name: low != high or first != last for name, (low, high, first, last) in whole.items()
    }
    return tuple(name for name in names if spread.get(name, False))
