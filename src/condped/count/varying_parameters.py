"""Which parameters vary at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.where import condition_mask

# For each parameter the lowest and highest value, and the lowest and highest domain id.
VaryingState: TypeAlias = dict[str, tuple[Any, Any, int, int]]


@dataclass(frozen=True, slots=True)
class VaryingFold:
    """Finds parameters with at least two values, or two domains."""

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
        selected = condition_mask(batch, self.conditions)
        for parameter in batch.table.parameters:
            ids = np.asarray(parameter.domain_ids)
            present = ids >= 0 if selected is None else (ids >= 0) & selected
            values, places = parameter.values[present], ids[present]
            if values.size:
                extremes = (values.min(), values.max(), int(places.min()), int(places.max()))
                state[parameter.name] = _merged(state.get(parameter.name), extremes)

    def merge(self, state: VaryingState, other: VaryingState) -> None:
        for name, here in other.items():
            state[name] = _merged(state.get(name), here)


def _merged(
    known: tuple[Any, Any, int, int] | None, extremes: tuple[Any, Any, int, int]
) -> tuple[Any, Any, int, int]:
    if known is None:
        return extremes
    return (
        min(known[0], extremes[0]), max(known[1], extremes[1]),
        min(known[2], extremes[2]), max(known[3], extremes[3]),
    )  # fmt: skip


def varying_of(whole: VaryingState, names: Sequence[str]) -> tuple[str, ...]:
    """Return the parameters that vary."""
    spread = {
        name: low != high or first != last for name, (low, high, first, last) in whole.items()
    }
    return tuple(name for name in names if spread.get(name, False))
