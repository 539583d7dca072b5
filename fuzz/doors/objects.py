"""Python objects: mappings, records, arrays and frames with odd values, and odd options."""

from __future__ import annotations

import datetime
import decimal
import fractions
import json
import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import condped
from fuzz import mutate
from fuzz.door import Door
from fuzz.doors import tables


def _within_itself() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


# What JSON has no values for, each under a name: {"$": name}.
ODD: dict[str, Callable[[], Any]] = {
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "bytes": lambda: b"\x00\xff",
    "complex": lambda: 1 + 2j,
    "decimal": lambda: decimal.Decimal("1e400"),
    "signal": lambda: decimal.Decimal("sNaN"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "date": lambda: datetime.date(2026, 1, 1),
    "datetime": lambda: datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    "delta": lambda: datetime.timedelta(days=1),
    "float16": lambda: np.float16(0.1),
    "float32": lambda: np.float32(0.1),
    "longdouble": lambda: np.longdouble(0.1),
    "uint64": lambda: np.uint64(2**64 - 1),
    "bool_": lambda: np.bool_(True),
    "str_": lambda: np.str_("a"),
    "datetime64": lambda: np.datetime64("NaT"),
    "array": lambda: np.arange(3.0),
    "empty": lambda: np.array([]),
    "two": lambda: np.zeros((3, 2)),
    "masked": lambda: np.ma.masked,
    "set": lambda: {1, 2},
    "object": object,
    "type": lambda: int,
    "function": lambda: len,
    "generator": lambda: (entry for entry in (1, 2)),
    "range": lambda: range(3),
    "tuple": lambda: (1, "a", None),
    "list": lambda: [1, [2]],
    "dict": lambda: {"a": {"b": 1}},
    "self": _within_itself,
    "big": lambda: 10**5000,
    "surrogate": lambda: "\ud800",
    "enum": lambda: condped.errors.SpaceError,
}
_KINDS = ("mapping", "mapping", "records", "pandas", "polars", "arrow", "numpy", "alone")
_OPTIONS = ("objective", "direction", "space", "loss", "state", "constraints", "parameters",
            "ignore",
            "groups", "study", "budget", "failure_values", "outside", "reader", "where", "order",
            "engine", "backend", "skip_corrupt")  # fmt: skip
_GOOD: dict[str, tuple[Any, ...]] = {
    "direction": ("maximize",), "parameters": (["a"],), "ignore": (["a"],), "groups": ({"g": ["a",
    "b"]},),
    "where": ("a > 0.2", "k == 'x'"), "outside": ("drop", "nearest"), "order": ("a",),
    "constraints": (["a"],), "failure_values": ([0.5],), "state": ("k",), "loss": ([0.1] * 6,),
    "space": ({"a": {"type": "float", "low": 0, "high": 1}},), "engine": ("memory",),
}  # fmt: skip


class Objects(Door):
    """``condped.read`` of what programs have in memory."""

    name = "objects"
    title = "Python objects and options"
    weight = 3

    def make(self, rng: Random) -> tuple[str, bytes]:
        columns: dict[str, Any] = {
            "loss": [rng.random() for _ in range(6)],
            "a": [rng.random() for _ in range(6)],
            "b": [rng.randrange(4) for _ in range(6)],
            "k": [rng.choice(("x", "y", None)) for _ in range(6)],
        }
        for _ in range(rng.randrange(3)):
            name = rng.choice((*columns, rng.choice(mutate.TEXTS)))
            column = columns.setdefault(name, [None] * 6)
            if rng.random() < 0.7 and isinstance(column, list):
                column[rng.randrange(6)] = _odd_name_or_value(rng)
            else:
                columns[name] = (
                    [_odd_name_or_value(rng)] * rng.choice((6, 6, 0, 5))
                    if rng.random() < 0.6
                    else _odd_name_or_value(rng)
                )
        options: dict[str, Any] = {"objective": "loss"}
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            name = rng.choice(_OPTIONS)
            good = rng.random() < 0.5 and name in _GOOD
            options[name] = rng.choice(_GOOD[name]) if good else _odd_name_or_value(rng)
        spec = {"columns": columns, "options": options}
        return rng.choice(_KINDS), mutate.written(spec).encode()

    def ask(self, what: str, data: bytes) -> Any:
        if what in ("pandas", "polars", "arrow") and b'"self"' in data:
            return None  # they may die of it
        try:
            spec = json.loads(data)
            source = _source(what, _with_odd_values(spec["columns"]))
        except BaseException:  # the library has no such frame; Polars panics
            return None
        return tables.read(source, **_with_odd_values(spec["options"]))


def _odd_name_or_value(rng: Random) -> Any:
    if rng.random() < 0.6:
        return {"$": rng.choice(sorted(ODD))}
    return mutate.value(rng)


def _with_odd_values(plain: Any) -> Any:
    """Return plain data with odd values for their names."""
    if isinstance(plain, dict):
        if "$" in plain:
            return ODD[plain["$"]]()
        return {name: _with_odd_values(value) for name, value in plain.items()}
    return list(map(_with_odd_values, plain)) if isinstance(plain, list) else plain


def _source(what: str, columns: dict[str, Any]) -> Any:
    if what == "records":
        rows = max((len(c) for c in columns.values() if isinstance(c, list)), default=0)
        return [
            {n: c[row] for n, c in columns.items() if isinstance(c, list) and row < len(c)}
            for row in range(rows)
        ]
    if what == "pandas":
        import pandas as pd  # noqa: PLC0415  (imported by workers only)

        return pd.DataFrame(columns)
    if what == "polars":
        import polars as pl  # noqa: PLC0415  (imported by workers only)

        return pl.DataFrame(columns, strict=False)
    if what == "arrow":
        import pyarrow as pa  # noqa: PLC0415  (imported by workers only)

        return pa.table(columns)
    if what == "alone":
        return next(reversed(columns.values()))
    numpy = what == "numpy"
    return {n: np.asarray(column) for n, column in columns.items()} if numpy else columns
