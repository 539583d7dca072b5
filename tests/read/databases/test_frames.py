"""Lazy frames: computed once, in batches if their space is known, and read whole otherwise."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import condped
from condped.count.counter import Counter
from condped.count.ranking import ByLoss
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.opening import open_source
from condped.space.condition import Condition
from condped.trials.batch import TableSource
from condped.trials.used_trials import Handling

SPACE = {"x": {"type": "float", "low": 0, "high": 1}}
ASKED: Any = {"objective": "loss", "space": SPACE}
RANKING = ByLoss(Handling())


def columns() -> dict[str, Any]:
    """Return trials in their order."""
    rng = np.random.default_rng(5)
    return {"x": rng.random(40), "loss": rng.normal(size=40)}


def lazy_frames() -> dict[str, Any]:
    """Return the trials as lazy frames of all libraries."""
    connection = duckdb.connect()
    connection.register("arriving", pd.DataFrame(columns()))
    return {
        "polars": pl.LazyFrame(columns()),
        "narwhals": nw.from_native(pl.LazyFrame(columns())),
        "dask": dd.from_pandas(pd.DataFrame(columns()), npartitions=3),  # type: ignore[no-untyped-call]
        "duckdb": connection.sql("SELECT * FROM arriving"),
    }


@pytest.mark.parametrize("library", ["polars", "narwhals", "dask", "duckdb"])
def test_lazy_frames_are_read_as_their_space_is_known(library: str) -> None:
    """In batches with a space, in memory without one or when asked to."""
    frame = lazy_frames()[library]
    source = open_source(frame, **ASKED)
    assert not isinstance(source, TableSource)
    assert source.schema.ordered == (library != "duckdb")
    assert Counter(source).tally(RANKING).counts.total == 40
    for options in ({"objective": "loss"}, {**ASKED, "engine": "memory"}):
        read = open_source(frame, **options)
        assert isinstance(read, TableSource)
        np.testing.assert_array_equal(read.table.parameters[0].values, columns()["x"])
    expected = condped.importance(pl.DataFrame(columns()), **ASKED)
    assert condped.importance(frame, **ASKED).parameters == expected.parameters


@pytest.mark.parametrize("frame", [pl.DataFrame(columns()), pd.DataFrame(columns())])
def test_frames_in_memory_stay_there(frame: Any) -> None:
    """Nothing is gained by batches of them."""
    assert isinstance(open_source(frame, **ASKED), TableSource)
    with pytest.raises(condped.errors.SourceError, match=r"lazy frames .*Leave engine out"):
        open_source(frame, engine="stream", **ASKED)


def test_a_lazy_frame_is_computed_once() -> None:
    """However many passes there are."""
    times = []

    def counting(frame: pl.DataFrame) -> pl.DataFrame:
        times.append(len(frame))
        return frame

    made = columns()
    frame = pl.LazyFrame(made).map_batches(counting, schema=pl.LazyFrame(made).collect_schema())
    condped.importance(frame, **ASKED)
    assert len(times) == 1


def test_what_fails_while_it_is_computed_is_told_in_a_line() -> None:
    """And in our words; what is not there is named when it is opened."""
    bad = pl.LazyFrame({"x": ["0.5", "it's"], "loss": [1.0, 2.0]}).with_columns(
        pl.col("x").cast(pl.Float64)
    )
    with pytest.raises(DataError, match="Polars failed at the lazy frame while") as caught:
        Counter(open_source(bad, **ASKED)).tally(RANKING)
    assert "\n" not in str(caught.value)
    with pytest.raises(NameNotFoundError, match="'accuracy'"):
        open_source(bad, **{**ASKED, "objective": "accuracy"})
    when = pl.LazyFrame(columns()).with_columns(x=pl.lit("2020-01-01").str.to_date())
    with pytest.raises(DataError, match="'x' cannot be read: its column holds Date"):
        open_source(when, **ASKED)


def test_rows_are_fetched_with_the_parameters_that_are_wanted() -> None:
    """Others cannot be looked at later."""
    space = {**SPACE, "y": SPACE["x"]}
    frame = pl.LazyFrame({**columns(), "y": columns()["x"]})
    source = open_source(frame, objective="loss", space=space, parameters=["x"])
    counter = Counter(source)
    assert counter.tally(RANKING).counts.total == 40
    with pytest.raises(SettingsError, match="fetched without y"):
        counter.where(Condition.parse("y > 0.5")).tally(RANKING)
