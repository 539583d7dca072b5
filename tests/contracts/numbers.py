"""Cases about numbers: edges of cells, scales, steps, float32, whole numbers beyond 2^53."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from condped.count.edges import grid_edges

from condped.space.domain import Domain, Float, Int
from tests.contracts.case import LOSS, ORDER, Case, wide

_HUGE = 2**60

# In each: values on the edges of cells, one ulp beside them, and on the bounds.
_DOMAINS: dict[str, Domain] = {
    "plain": Float(0.0, 1.0),
    "shifted": Float(-7.1, -2.3),
    "tiny": Float(1e-300, 3e-300),
    "wide": Float(-1e308, 7e307),
    "around_zero": Float(-0.3, 0.3),
    "log": Float(1e-5, 1e-1, log=True),
    "log_wide": Float(5e-324, 1e308, log=True),
    "stepped": Float(0.0, 1.0, step=0.1),
    "half_steps": Float(0.25, 40.0, step=0.25),
    "count": Int(1, 400),
    "few": Int(-2, 3),
    "int_log": Int(1, 1000, log=True),
    "int_steps": Int(3, 900, step=7),
    "huge": Int(_HUGE + 1, _HUGE + 10_001),
    "huge_steps": Int(-(2**62), 2**62, step=2**40 + 1),
    "all_int64": Int(-(2**63), 2**63 - 1),
}
_SINGLE = {"single": Float(0.0, 1.0), "single_log": Float(1e-3, 10.0, log=True)}


def beside(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return numbers with those next to them on both sides."""
    if values.dtype.kind == "i":
        # Without passing the ends of int64.
        below = values[values > np.iinfo(np.int64).min] - 1
        above = values[values < np.iinfo(np.int64).max] + 1
    else:
        below, above = np.nextafter(values, -np.inf), np.nextafter(values, np.inf)
    return np.unique(np.concatenate([values, below, above]))


def on_edges(domain: Float | Int) -> np.ndarray[Any, Any]:
    """Return values of a domain on the edges of its cells and beside them; steps are kept to."""
    if domain.step is not None and not (isinstance(domain, Int) and domain.step == 1):
        steps = round((domain.high - domain.low) / domain.step)
        taken = np.unique(np.linspace(0, steps, 60).astype(np.int64)).tolist()
        if isinstance(domain, Int):
            return np.array([domain.low + domain.step * step for step in taken], dtype=np.int64)
        return np.array([domain.low + domain.step * step for step in taken])
    dtype = np.int64 if isinstance(domain, Int) else np.float64
    found = beside(np.array([domain.low, *grid_edges((domain,))[0], domain.high], dtype=dtype))
    return found[(found >= domain.low) & (found <= domain.high)]


def _column(domain: Domain) -> pa.Array:
    assert isinstance(domain, Float | Int)
    return pa.array(on_edges(domain))


def _singles(domain: Float) -> pa.Array:
    """Return float32 values whose neighbours of that kind lie on either side of an edge."""
    edges = grid_edges((domain,))[0].astype(np.float32)
    found = np.concatenate([edges, np.nextafter(edges, np.float32(np.inf))])
    return pa.array(found[(found >= domain.low) & (found <= domain.high)])


def edges() -> Case:
    """Values on the edges of cells of every kind of domain, and 99 thresholds."""
    columns = {name: _column(domain) for name, domain in _DOMAINS.items()}
    columns |= {name: _singles(domain) for name, domain in _SINGLE.items()}
    return Case(
        "edges",
        wide(1, columns),
        {**_DOMAINS, **_SINGLE},
        quantiles=tuple(k / 100 for k in range(1, 100)),
        conditions=("plain < 0.3", "huge >= 1152921504606846978", "count in [1, 2, 3]"),
        groups=2,
        blocks=2,
    )


def kinds() -> Case:
    """Numbers in columns of other types than their domains': narrow ints, whole floats, nulls."""
    whole = Int(0, 60)
    columns = {
        "int8": pa.array(list(range(61)), pa.int8()),
        "int16": pa.array([*range(61), None], pa.int16()),
        "int32": pa.array([*range(61), None], pa.int32()),
        "whole_floats": pa.array([*map(float, range(61)), None]),
        "whole_singles": pa.array([*map(float, range(61)), None], pa.float32()),
        "ints_as_floats": pa.array([*range(61), None], pa.int64()),
        "null_or_nan": pa.array([0.5, None, float("nan"), 0.25, -0.0], from_pandas=False),
        "decimal": pa.array([*(Decimal(k) / 1000 for k in range(200)), None], pa.decimal128(9, 3)),
        "spelled": pa.array(["0.1", " .25 ", "1e-3", "0.30000000000000004", "+1", None]),
        "spelled_whole": pa.array(["1", "2.0", "3e0", " 40", None]),
        "nothing": pa.array([None, None], pa.float64()),
        "not_a_number": pa.array([float("nan")] * 2, from_pandas=False),
        "unused": pa.array(["not", "in", "the", "space"]),
    }
    space = {
        **dict.fromkeys(("int8", "int16", "int32", "whole_floats", "whole_singles"), whole),
        "ints_as_floats": Float(0.0, 60.0),
        "null_or_nan": Float(-1.0, 1.0),
        "decimal": Float(0.0, 0.2),
        "spelled": Float(0.0, 1.0),
        "spelled_whole": Int(1, 40),
        "nothing": Float(0.0, 1.0),
        "not_a_number": Float(0.0, 1.0),
    }
    conditions = (
        "null_or_nan > 0",
        "not null_or_nan > 0",
        "null_or_nan != 0.25",
        "int8 < whole_floats",
        "not (int16 >= int32)",
        "nothing < 1",
        "decimal <= 0.1 and spelled >= 0.25",
        "spelled_whole in [2, 40]",
        "not not_a_number in [0.5, 1]",
    )
    return Case("kinds", wide(2, columns), space, conditions=conditions, csv=False)


def infinities() -> Case:
    """Objectives that are NaN, infinite, missing, denormal, or either zero."""
    losses = [
        None, float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 5e-324, -5e-324, 1e308,
        -1.7976931348623157e308, 1.7976931348623157e308, 0.1, 0.30000000000000004, 0.3, 1 / 3,
    ]  # fmt: skip
    return Case(
        "infinities",
        wide(3, {"x": np.linspace(0, 1, 120)}, losses),
        {"x": Float(0.0, 1.0)},
        quantiles=(0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95),
        region=0.98,
        conditions=("x < 0.5", "x > 2"),
    )


def all_equal() -> Case:
    """All objectives are the same: one cut-off, and everything at or below it."""
    table = wide(4, {"x": np.linspace(0, 1, 40)}, [0.1])
    # Of the numbers of an order all int64 may be used.
    order = np.linspace(-(2.0**62), 2.0**62, 40).astype(np.int64)
    order[0], order[-1] = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    table = table.set_column(table.column_names.index(ORDER), ORDER, pa.array(order[::-1]))
    return Case("all_equal", table, {"x": Float(0.0, 1.0)}, region=0.5)


def one_trial() -> Case:
    """There is one trial."""
    return Case("one_trial", wide(5, {"x": [0.5]}), {"x": Float(0.0, 1.0)}, conditions=("x > 1",))


def maximised() -> Case:
    """Higher is better; the objective is in single precision, and trials are chosen twice."""
    table = wide(6, {"x": np.linspace(0, 1, 150), "k": ["a", "b", None], "n": [*range(5), None]})
    place = table.column_names.index(LOSS)
    table = table.set_column(place, LOSS, table[LOSS].cast(pa.float32()))
    space = {
        "x": Float(0.0, 1.0),
        "k": {"type": "categorical", "choices": ["a", "b"]},
        "n": Int(0, 4),
    }
    return Case(
        "maximised",
        table,
        space,
        direction="maximize",
        where="x > 0.1 and not k == 'b'",
        region=0.8,
        parameters=("n", "x"),
        conditions=("n >= 2", "x < 0.05"),
    )


def whole_objective() -> Case:
    """The objective is a column of ints, and rows have the order in which they stand."""
    table = wide(7, {"x": np.linspace(0, 1, 90)}).drop_columns([LOSS])
    losses = np.random.default_rng(8).integers(-5, 5, size=90)
    table = table.append_column(LOSS, pa.array(losses))
    return Case("whole_objective", table, {"x": Float(0.0, 1.0)}, region=0.9)


CASES = (edges, kinds, infinities, all_equal, one_trial, maximised, whole_objective)
