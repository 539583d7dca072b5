"""Cases with values outside their domains, and with values that must be refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from condped.space.domain import Categorical, Float, Int
from condped.space.space import when
from tests.contracts.case import Case, wide

_SLACK = 2.0**-24


def _outside(way: str) -> Case:
    columns = {
        "x": pa.array([*np.linspace(0, 1, 80), -0.5, 1.5, 1e300, -1e300]),
        # Bounds may be missed by rounding: by as much as single precision, and no ulp more.
        "rounded": pa.array(
            [
                *np.linspace(1, 2, 60),
                1 - _SLACK,
                np.nextafter(1 - _SLACK, 0),
                2 + 2 * _SLACK,
                2 + 3 * _SLACK,
            ]
        ),
        "log": pa.array([*np.geomspace(1e-3, 1, 30), 1e-4, 2.0]),
        "n": pa.array([*range(1, 9), *range(1, 9), *range(1, 9), 0, 9, -(2**63), 2**63 - 1]),
        "log_n": pa.array([*range(1, 65), 65, 100]),
        "k": pa.array([*"ababababab", "é?"] if way == "drop" else ["a", "b"]),
        "steps": pa.array([*(step / 10 for step in range(12))]),
    }
    space = {
        "x": Float(0, 1),
        "rounded": Float(1, 2),
        "log": Float(1e-3, 1, log=True),
        "n": Int(1, 8),
        "log_n": Int(1, 64, log=True),
        "k": Categorical(["a", "b"]),
        "steps": Float(0, 1, step=0.1),
    }
    table = wide(21, columns)
    return Case(
        f"outside_{way}",
        table,
        space,
        outside=way,
        where="k == 'a'" if way == "drop" else None,
        conditions=("x > 1", "n < 1 or log_n > 64"),
        notes=("x", "rounded", "n", "log_n"),
    )


def nearest() -> Case:
    """Values outside are counted in the nearest cell."""
    return _outside("nearest")


def dropped() -> Case:
    """Trials with values outside are left out, also those with unknown choices."""
    return _outside("drop")


CASES = (nearest, dropped)


@dataclass(frozen=True)
class Refused:
    """A case that must be refused, and what the refusal must name."""

    case: Case
    named: str

    def __str__(self) -> str:
        return self.case.name


def _good() -> Case:
    columns = {
        "x": np.linspace(0, 1, 20),
        "n": np.arange(1, 6),
        "k": ["a", "b"],
        "s": np.array([0.0, 0.25, 0.5]),
        "m": np.array([1, 4, 7]),
        "f": np.array([1.0, 2.0]),
        "state": ["complete"],
    }
    space = {
        "x": Float(0, 1),
        "n": Int(1, 5),
        "k": Categorical(["a", "b"]),
        "s": Float(0, 0.5, step=0.25),
        "m": Int(1, 7, step=3),
        "f": Int(1, 2),
    }
    return Case("good", wide(31, columns), space, state="state")


def _bad(name: str, parameter: str, values: list[Any], *, rows: int = 1, **changed: Any) -> Refused:
    """Return a case with values in the first rows that its space does not allow."""
    good = _good()
    column = good.table[parameter].to_pylist()
    column[: rows * len(values)] = values * rows
    bad = good.with_column(parameter, pa.array(column, from_pandas=False))
    return Refused(replace(bad, name=name, **changed), parameter)


def refused() -> tuple[Refused, ...]:
    """Return one case for each reason to refuse a value."""
    good = _good()
    ulp_above = float(np.nextafter(1 + 2.0**-24, 2))
    not_ended = good.table["state"].to_pylist()
    not_ended[0] = "running"
    unfinished = _bad("outside_in_a_trial_that_runs", "x", [7.0]).case
    return (
        _bad("above", "x", [ulp_above]),
        _bad("below", "x", [-0.5], rows=3),
        _bad("infinite", "x", [float("inf")]),
        _bad("int_above", "n", [6]),
        _bad("unknown_choice", "k", ["it's"]),
        _bad("fraction", "f", [1.5]),
        _bad("fraction_though_nearest", "f", [1.5], outside="nearest"),
        _bad("between_steps", "s", [0.3]),
        _bad("between_whole_steps", "m", [5]),
        _bad("outside_though_not_chosen", "x", [2.0], where="x < 0.5"),
        Refused(unfinished.with_column("state", pa.array(not_ended)), "x"),
        Refused(
            replace(good, name="against", space={**good.space, "x": [when("n < 3", Float(0, 1))]}),
            "x",
        ),
        Refused(
            replace(
                good,
                name="two_domains",
                space={
                    **good.space,
                    "x": [when("n < 4", Float(0, 1)), when("n >= 3", Float(-1, 1))],
                },
            ),
            "x",
        ),
    )


def unreadable() -> tuple[Refused, ...]:
    """Return one case for each reason to refuse a table as a whole."""
    good = _good()
    rows = good.table.num_rows
    texts = pa.array(["1.5", "it's"] * (rows // 2))
    times = pa.array(range(rows), pa.timestamp("us"))
    return (
        Refused(replace(good, name="no_parameter", table=good.table.drop_columns(["m"])), "'m'"),
        Refused(replace(good, name="no_objective", objective="accuracy"), "'accuracy'"),
        Refused(replace(good, name="no_state", state="status"), "'status'"),
        Refused(replace(good, name="no_constraint", constraints=("g",)), "'g'"),
        Refused(replace(good, name="no_rows", table=good.table.slice(0, 0)), "no rows"),
        Refused(replace(good, name="where_never", where="x > 5"), "x > 5"),
        Refused(replace(good, name="where_unknown", where="y > 5"), "'y'"),
        Refused(
            replace(good.with_column("state", texts), name="unknown_state"),
            "'state'",
        ),
        Refused(replace(good.with_column("x", texts), name="text_as_number"), "'x'"),
        Refused(replace(good.with_column("loss", texts), name="text_as_objective"), "'loss'"),
        Refused(replace(good.with_column("x", times), name="time_as_number", csv=False), "'x'"),
        Refused(
            replace(good.with_column("loss", times), name="time_as_objective", csv=False), "'loss'"
        ),
        Refused(
            replace(
                good,
                name="all_outside",
                space={**good.space, "x": Float(2, 3)},
                outside="drop",
            ),
            "outside",
        ),
    )
