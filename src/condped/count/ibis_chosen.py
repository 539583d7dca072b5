"""What passes over wide and over long tables have in common: limits, and choosing trials."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from condped.count.ibis_counter import Seen
from condped.errors import not_found
from condped.space.condition import Condition


@dataclass(frozen=True, kw_only=True)
class Shared:
    """Fields of all passes through Ibis."""

    seen: Seen = field(default_factory=Seen)
    most_bins: int = 1 << 10
    most_levels: int = 1 << 17
    most_counts: int = 1 << 20


def joined(
    conditions: tuple[Condition, ...], condition: Condition, known: Collection[str]
) -> tuple[Condition, ...]:
    """Return conditions with one more, which may only look at known parameters."""
    for name in condition.names:
        if name not in known:
            raise not_found("parameter", name, known)
    return (*conditions, condition)
