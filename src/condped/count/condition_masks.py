"""Which trials of a batch meet the conditions of an analysis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from condped.arrays import BoolArray
from condped.space.condition import Condition
from condped.trials.batch import Batch
from condped.trials.where import columns_of


def condition_mask(
    batch: Batch, conditions: Sequence[Condition], met: list[int] | None = None
) -> BoolArray | None:
    """Return which trials meet all conditions; None: all.

    The number of trials, and of those that meet the first, the first two … are added to ``met``.
    """
    if met is not None:
        met[0] += len(batch.table)
    if not conditions:
        return None
    columns = columns_of(batch.table)
    rows = np.ones(len(batch.table), dtype=bool)
    for place, condition in enumerate(conditions, 1):
        rows &= condition.holds(columns)
        if met is not None:
            met[place] += int(np.count_nonzero(rows))
    return rows


def intersection(first: BoolArray | None, second: BoolArray | None) -> BoolArray | None:
    """Return where both masks hold; None means everywhere."""
    if first is None or second is None:
        return second if first is None else first
    return first & second
