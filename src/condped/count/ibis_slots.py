"""Where trials are counted among groups, blocks of time and buckets of the loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ibis.expr.types as ir
import numpy as np

from condped.count.ibis_trials import NOWHERE
from condped.count.passes import Wanted


def shape_of(wanted: Wanted) -> tuple[int, int, int]:
    """Return how many groups, blocks and buckets there are."""
    blocks = 1 if wanted.block_starts is None else len(wanted.block_starts) + 1
    return wanted.groups, blocks, len(wanted.cutoffs) + 1


@dataclass(frozen=True, slots=True)
class Slots:
    """A place for each trial.

    Attributes
    ----------
    columns
        bucket (NOWHERE: the trial is not counted) and, where there are several, block and group:
        apart from each other, so that each is worked out once.
    """

    columns: Mapping[str, ir.Value]
    shape: tuple[int, int, int]

    @property
    def size(self) -> int:
        """How many places there are."""
        return int(np.prod(self.shape))

    def of(self, table: ir.Table) -> Slots:
        """Return the same places, as columns that a table has under the same names."""
        return Slots({name: table[name] for name in self.columns}, self.shape)

    def place(self, row: Mapping[str, Any]) -> int:
        """Return where a row of an answer belongs among all places; NOWHERE if in none."""
        if row["bucket"] == NOWHERE:
            return NOWHERE
        _, blocks, buckets = self.shape
        outer = int(row.get("group", 0)) * blocks + int(row.get("block", 0))
        return outer * buckets + int(row["bucket"])
