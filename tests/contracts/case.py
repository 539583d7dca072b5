"""What a case of the contract consists of: a wide table, a space, and what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from condped.space.space import Space
from condped.trials.table import Direction
from condped.trials.used_trials import Handling

LOSS, ORDER = "loss", "order"
SOME_QUANTILES = (0.05, 0.1, 0.25, 0.5)


@dataclass(frozen=True, eq=False)
class Case:
    """A table with what is asked of it.

    Attributes
    ----------
    table
        One row per trial; a column ``order`` says when each was made, unless ``order`` is None.
    quantiles, region
        Target quantiles, ascending, and the region quantile.
    handlings
        All are tallied; the first one is counted with.
    conditions
        Counted beside.
    series
        Of how many parameters' values order statistics are asked for.
    csv
        Whether a CSV file can hold the table: it knows no types, and no empty text beside null.
    """

    name: str
    table: pa.Table
    space: dict[str, Any]
    objective: str = LOSS
    direction: Direction = "minimize"
    state: str | None = None
    constraints: tuple[str, ...] = ()
    parameters: tuple[str, ...] | None = None
    failure_values: tuple[float, ...] = ()
    outside: str = "error"
    skip_corrupt: bool = False
    where: str | None = None
    order: str | None = ORDER
    quantiles: tuple[float, ...] = SOME_QUANTILES
    region: float = 1.0
    handlings: tuple[Handling, ...] = (Handling(),)
    conditions: tuple[str, ...] = ()
    groups: int = 3
    seed: int = 7
    blocks: int = 3
    series: int = 20
    csv: bool = True
    notes: tuple[str, ...] = field(default=())  # words that the notes must have

    def __str__(self) -> str:
        return self.name

    @property
    def options(self) -> dict[str, Any]:
        """What a source is opened with."""
        return {
            "objective": self.objective,
            "direction": self.direction,
            "space": Space(self.space),
            "state": self.state,
            "constraints": self.constraints or None,
            "parameters": self.parameters,
            "failure_values": self.failure_values or None,
            "outside": self.outside,
            "skip_corrupt": self.skip_corrupt,
            "where": self.where,
            "order": self.order,
        }

    def with_column(self, name: str, values: Any) -> Case:
        """Return the case with another column of that name."""
        place = self.table.column_names.index(name)
        return replace(self, table=self.table.set_column(place, name, values))


def wide(seed: int, columns: dict[str, Any], losses: Sequence[float | None] | None = None) -> Any:
    """Return a table of columns, cycled to the length of the longest, with losses and an order.

    Losses have ties, and depend on no column. Numbers of the order have gaps, are not those of the
    rows, and some are below 0.
    """
    rng = np.random.default_rng(seed)
    rows = max(len(values) for values in columns.values())
    arrays = {name: _cycled(values, rows, rng) for name, values in columns.items()}
    if losses is None:
        arrays[LOSS] = pa.array(np.round(rng.normal(size=rows), 2))
    else:
        arrays[LOSS] = _cycled(_array(losses), rows, rng)
    arrays[ORDER] = pa.array(rng.permutation(rows).astype(np.int64) * 3 - rows)
    return pa.table(arrays)


def _cycled(values: Any, rows: int, rng: np.random.Generator) -> pa.Array:
    """Return all values at least once, filled up by repeating some, in an order of their own."""
    array = _array(values)
    filled = np.concatenate([np.arange(len(array)), rng.integers(len(array), size=rows)])[:rows]
    return array.take(pa.array(rng.permutation(filled)))


def _array(values: Any) -> pa.Array:
    # A NaN stays a NaN: what is missing is written as None.
    return values if isinstance(values, pa.Array) else pa.array(values, from_pandas=False)
