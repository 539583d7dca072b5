"""Which parameters vary at all, and whether their domains do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from condped.count.counter import Counter, Query
from condped.count.ranking import ByLoss
from condped.space.condition import Condition
from condped.space.domain import Categorical
from condped.trials.batch import Batch
from condped.trials.regimes import may_be_smooth, no_pooling, vary_smoothly
from condped.trials.used_trials import Handling
from condped.trials.where import condition_mask, with_gates

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
        return with_gates(self.names, self.conditions)

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
                state[parameter.name] = _merge_extremes(state.get(parameter.name), extremes)

    def merge(self, state: VaryingState, other: VaryingState) -> None:
        for name, here in other.items():
            state[name] = _merge_extremes(state.get(name), here)


def _merge_extremes(
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


def require_no_pooling(
    counter: Counter, names: Sequence[str], *, all_varying: bool
) -> tuple[str, ...]:
    """Raise if a parameter has domains to pool, which needs trials in memory.

    Return notes on the values.
    """
    schema = counter.schema
    recorded = dict(zip(schema.names, schema.domains, strict=True))
    for name in names:
        categorical = any(isinstance(domain, Categorical) for domain in recorded[name])
        if all_varying and len(recorded[name]) > 1 and not categorical:
            raise no_pooling(name, len(recorded[name]), schema.source)
    many = tuple(name for name in names if may_be_smooth(recorded[name]))
    if not many:
        return ()
    counted = counter.count(Query(ByLoss(Handling()), np.zeros(0), many, by_regime=True))
    for name, counts in zip(many, counted.parameters, strict=True):
        if vary_smoothly(counts[0, 0, :-1, 0]):
            raise no_pooling(name, len(recorded[name]), schema.source)
    return counted.notes
