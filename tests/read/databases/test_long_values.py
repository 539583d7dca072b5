"""What the values of long tables mean."""

from __future__ import annotations

from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

from condped.count.counter import Counter, Query
from condped.count.ranking import ByLoss
from condped.errors import DataError, SettingsError, SourceError
from condped.read.databases.long_table import LongTable
from condped.read.opening import open_source
from condped.trials.used_trials import Handling

RANKING = ByLoss(Handling())


def opened(rows: dict[str, Any], trials: dict[str, Any], **asked: Any) -> Counter:
    """Open a long table of DuckDB."""
    connection = ibis.duckdb.connect()
    for name, table in (("long", rows), ("trials", trials)):
        connection.con.register("arriving", pa.table(table))
        connection.con.execute(f"CREATE TABLE {name} AS SELECT * FROM arriving")
        connection.con.unregister("arriving")
    source = LongTable(connection.table("long"), connection.table("trials"))
    return Counter(open_source(source, **{"objective": "loss", **asked}))


FLOAT = '{"type": "float", "low": 0, "high": 1}'
CHOICES = '{"type": "categorical", "choices": ["a", null, 2]}'


@pytest.mark.parametrize("texts", [True, False])
def test_a_parameter_may_have_numbers_and_choices(texts: bool) -> None:
    """Each value is what the domain beside it says; nothing is None where that is a choice."""
    values = ["0.25", "a", "2", None, None] if texts else [0.25, 0.0, 2.0, None, None]
    counter = opened(
        {
            "trial": [0, 1, 2, 3, 4],
            "parameter": ["x"] * 5,
            "value": values,
            "domain": [FLOAT, CHOICES, CHOICES, CHOICES, FLOAT],
        },
        {"trial": [0, 1, 2, 3, 4, 5], "loss": [1.0] * 6},
    )
    cells = counter.count(Query(RANKING, np.zeros(0), ("x",))).parameters[0].sum(axis=(0, 1, 3))
    categorical = [len(getattr(domain, "choices", ())) == 3 for domain in counter.schema.domains[0]]
    choices = cells[:3] if categorical[0] else cells[-4:-1]
    assert choices.tolist() == [1, 1, 1]
    assert (cells.sum(), cells[-1]) == (6, 2)


@pytest.mark.parametrize("recorded", [True, False])
def test_positions_that_are_none_are_refused(recorded: bool) -> None:
    """Or their trials dropped."""
    domain = '{"type": "categorical", "choices": ["a", "b"]}'
    rows = {"trial": [0, 1], "parameter": ["k", "k"], "value": [1.0, 2.0]}
    trials = {"trial": [0, 1], "loss": [1.0, 2.0]}
    asked: dict[str, Any] = {}
    if recorded:
        rows["domain"] = [domain, domain]
    else:
        asked["space"] = {"k": {"type": "categorical", "choices": ["a", "b"]}}
    with pytest.raises(DataError, match=r"'k' has the unknown choice number 2"):
        opened(rows, trials, **asked).count(Query(RANKING, np.zeros(0), ("k",)))
    dropped = opened(rows, trials, outside="drop", **asked).tally(RANKING)
    assert (dropped.counts.total, dropped.dropped) == (1, 1)


def test_what_a_long_table_does_not_take_is_refused() -> None:
    """In a line that says what to give."""
    with pytest.raises(SourceError, match="takes Ibis tables"):
        open_source(LongTable({"trial": [0]}), objective="loss")
    rows = {"trial": [0], "parameter": ["x"], "value": [True], "domain": [FLOAT]}
    trials = {"trial": [0], "loss": [1.0]}
    with pytest.raises(DataError, match=r"must hold numbers or texts \(got boolean\)"):
        opened(rows, trials)
    rows["value"] = [0.5]
    with pytest.raises(SettingsError, match="not read into memory"):
        opened(rows, trials, engine="memory")
    with pytest.raises(SettingsError, match="objective must be a name"):
        opened(rows, trials, objective=0)


def test_names_that_engines_cannot_tell_apart_are_kept_apart() -> None:
    """DuckDB does not look at the case of a column's name; a name may look like another column."""
    names = ["x", "X", "domain"]
    counter = opened(
        {
            "trial": [0, 0, 1, 1],
            "parameter": ["x", "X", "x", "domain"],
            "value": [0.1, 0.9, 0.2, 0.3],
        },
        {"trial": [0, 1, 2], "loss": [1.0, 2.0, 3.0]},
        space={name: {"type": "float", "low": 0, "high": 1} for name in names},
    )
    counts = counter.count(Query(RANKING, np.zeros(0), tuple(names))).parameters
    assert [cells[:, :, :-1].sum() for cells in counts] == [2, 1, 1]
