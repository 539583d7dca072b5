"""Parameters through Ibis with many domains and choices, and numbers that 64 bits do not hold."""

from __future__ import annotations

from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from condped.count.ibis_engine import open_passes
from condped.count.passes import Passes, Wanted, Within
from condped.read.asked import Asked

from condped.errors import DataError, SettingsError
from condped.space.condition import Condition
from condped.space.space import Space
from condped.trials.topsets import Handling


def opened(columns: dict[str, Any], space: Space, **asked: Any) -> Passes:
    """Open columns as a table of DuckDB."""
    connection = ibis.duckdb.connect()
    connection.con.register("arriving", pa.table(columns))
    connection.raw_sql("CREATE TABLE trials AS SELECT * FROM arriving")
    return open_passes(connection.table("trials"), Asked("loss", space=space, **asked))


def counted(passes: Passes) -> list[list[int]]:
    """Return how many trials each place of each parameter has."""
    found = passes.count(Wanted(Within(Handling()), np.zeros(0), edges={}))
    return [cells.sum(axis=(0, 1, 3)).tolist() for cells in found.parameters]


def alternatives(count: int) -> Space:
    """Return a parameter with as many domains, by the value of another."""
    return Space(
        {
            "c": {"type": "int", "low": 0, "high": count},
            "x": [
                {"type": "float", "low": k, "high": k + 1, "when": f"c == {k}"}
                for k in range(count)
            ],
        }
    )


def test_a_parameter_may_have_many_domains() -> None:
    """Each of them is counted apart, and values against all conditions are refused."""
    columns = {"c": np.arange(100), "x": np.arange(100) + 0.5, "loss": np.zeros(100)}
    assert counted(opened(columns, alternatives(100)))[1] == [1] * 100 + [0]
    columns["c"] = np.where(columns["c"] == 3, 100, columns["c"])
    with pytest.raises(DataError, match="'x' has a value where none of its conditions holds"):
        counted(opened(columns, alternatives(100)))


def test_two_domains_at_once_are_refused_among_many() -> None:
    """Also where the two are far apart in the order."""
    conditions = ["c in [0, 59]", *(f"c == {k}" for k in range(1, 60))]
    space = Space(
        {
            "c": {"type": "int", "low": 0, "high": 60},
            "x": [
                {"type": "float", "low": -k, "high": 60, "when": condition}
                for k, condition in enumerate(conditions)
            ],
        }
    )
    with pytest.raises(DataError, match="'x' has two domains at once"):
        counted(opened({"c": [0, 59], "x": [0.5, 0.5], "loss": [1.0, 2.0]}, space))


def test_a_parameter_may_have_many_choices() -> None:
    """Also where trials are chosen by many of them, and where unknown ones are dropped."""
    names = [f"m{k}" for k in range(600)]
    space = Space({"m": {"type": "categorical", "choices": names}})
    columns = {"m": [*names[:50], "other"], "loss": np.zeros(51)}
    passes = opened(columns, space, outside="drop", where=Condition.parse(f"m in {names[1:]!r}"))
    tally = passes.tally(Handling())
    assert (tally.counts.total, tally.selections[0].left_out) == (49, 1)
    assert counted(passes)[0][:51] == [0, *[1] * 49, 0]


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (alternatives(1_001), "'x' has 1001 domains, too many for one query .at most 1000."),
        (
            Space({"x": {"type": "categorical", "choices": list(range(10_001))}}),
            "'x' has 10001 choices, too many for one query .at most 10000.",
        ),
    ],
    ids=["domains", "choices"],
)
def test_more_than_a_query_can_hold_is_refused(space: Space, message: str) -> None:
    """Before a query is put together."""
    with pytest.raises(SettingsError, match=message):
        opened({"c": [0], "x": [0.5], "loss": [1.0]}, space)


def test_whole_numbers_beyond_64_bits_are_refused() -> None:
    """In the words of the reader in memory."""
    space = Space({"n": {"type": "int", "low": 2**63, "high": 2**63 + 9}})
    columns = {"n": pa.array([2**63], pa.uint64()), "loss": [1.0]}
    with pytest.raises(DataError, match="'n' has whole numbers beyond 64 bits"):
        opened(columns, space)
