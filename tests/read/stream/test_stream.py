"""Files that are streamed give the very counts that the same files give in memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import condped
from condped import Space
from condped.count.counter import Query
from condped.count.ranking import ByLoss
from condped.count.trials import Trials
from condped.errors import DataError, NameNotFoundError, SettingsError, SourceError
from condped.progress import reporting
from condped.read.files import csv as csv_files
from condped.read.stream import pyarrow_parquet_files as pyarrow_tables
from condped.trials.used_trials import Handling
from tests.count.table_chunks import reference
from tests.read.stream import files
from tests.read.stream.files import (
    SPACE,
    as_parquet,
    as_pattern,
    count_all,
    opened,
    same,
    tally,
    trials,
)

WRITERS = [getattr(files, name) for name in dir(files) if name.startswith("as_")]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyarrow_tables, "BATCH", 97)
    monkeypatch.setattr(csv_files, "BLOCK", 5000)


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_files_are_counted_as_in_memory(write: Callable[[Path, Any], str], tmp_path: Path) -> None:
    """Whatever the kind of file, all counts are those of the table in memory."""
    table = trials(1000)
    if write.__name__ == "as_plain_csv":  # nothing is quoted there
        table = table.set_column(2, "learner", [np.where(np.arange(1000) % 2, "knn", "svm")])
        table = table.set_column(6, "neighbours", pa.array([None] * 1000, pa.int64()))
        table = table.set_column(7, "flag", pa.array([None] * 1000, pa.bool_()))
    source = write(tmp_path, table)
    memory = condped.read(
        source, objective="loss", space=SPACE, state="state", constraints=["surplus"]
    )
    stream = opened(source, state="state", constraints=("surplus",))
    handling = Handling(failed="worst", infeasible="drop")
    same(stream, reference(memory), handling)
    assert stream.schema.ignored_columns == memory.ignored_columns
    assert set(stream.tally(ByLoss(handling)).notes) | set(count_all(stream).notes) == set(
        memory.notes
    )


@pytest.mark.parametrize("kind", ["uint8", "int32", "uint64", "float32", "decimal", "text"])
def test_types_of_numbers_mean_the_same(kind: str, tmp_path: Path) -> None:
    """Numbers of all types, with and without nulls, are counted as in memory."""
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 100, 500)
    types: dict[str, Callable[[Any], Any]] = {
        "decimal": lambda v: pa.array([Decimal(int(x)) / 8 for x in v]),
        "text": lambda v: pa.array([str(x / 7) for x in v]),
    }
    made = types.get(kind, lambda v: pa.array(v.astype(kind)))(whole)
    gone = pa.array(rng.random(500) < 0.3)
    nulls = pa.compute.if_else(gone, pa.scalar(None, made.type), made)
    loss = rng.random(500).astype(np.float32)
    pq.write_table(pa.table({"loss": loss, "a": made, "b": nulls}), tmp_path / "t.parquet")
    space = Space({n: {"type": "float", "low": 0, "high": 100} for n in "ab"})
    source = str(tmp_path / "t.parquet")
    same(
        opened(source, space=space),
        reference(condped.read(source, objective="loss", space=space)),
    )


def test_whole_numbers_beyond_the_floats_are_told_apart(tmp_path: Path) -> None:
    """Neighbouring int64 that are one float64 fall into the cells that they belong to."""
    base = 2**60
    values = pa.array([base, base + 1, None, base + 2, base + 2])
    pq.write_table(pa.table({"loss": [1.0, 2, 3, 4, 5], "n": values}), tmp_path / "t.parquet")
    space = Space({"n": {"type": "int", "low": base, "high": base + 2}})
    counter = opened(str(tmp_path / "t.parquet"), space=space)
    (found,) = counter.count(Query(ByLoss(Handling()), np.array([9.0]), ("n",))).parameters
    assert found[0, 0, :, 0].tolist() == [1, 1, 2, 1]


def test_numbers_may_be_choices(tmp_path: Path) -> None:
    """Numbers, texts with a None, booleans and dictionaries of numbers are choices."""
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "loss": rng.random(400),
            "n": rng.integers(1, 4, 400),
            "t": pa.array([None, "a", "b"]).take(pa.array(rng.integers(0, 3, 400))),
            "b": rng.random(400) < 0.5,
            "d": pa.array(rng.integers(1, 3, 400)).dictionary_encode(),
            "never": pa.nulls(400),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    choices: dict[str, list[Any]] = {
        "n": [3, 2, 1], "t": ["b", None, "a"], "b": [True, False], "d": [1, 2], "never": ["a", "b"],
    }  # fmt: skip
    space = Space({n: {"type": "categorical", "choices": c} for n, c in choices.items()})
    source = str(tmp_path / "t.parquet")
    same(
        opened(source, space=space),
        reference(condped.read(source, objective="loss", space=space)),
    )


def test_files_of_different_types_are_fitted_together(tmp_path: Path) -> None:
    """A column may be of whole numbers here, of fractions there and lacking elsewhere."""
    loss = np.arange(5.0)
    for number, column in enumerate([pa.array(range(5)), pa.array([0.5] * 5), None]):
        table = pa.table({"loss": loss} if column is None else {"loss": loss, "a": column})
        pq.write_table(table, tmp_path / f"{number}.parquet")
    space = Space({"a": {"type": "float", "low": 0, "high": 5}})
    source = str(tmp_path / "*.parquet")
    stream = opened(source, space=space)
    memory = condped.read(source, objective="loss", space=space)
    same(stream, reference(memory))
    assert tally(stream).notes == memory.notes
    pq.write_table(pa.table({"loss": loss, "a": [[1]] * 5}), tmp_path / "9.parquet")
    with pytest.raises(
        DataError, match=r"The 4 files have incompatible columns: .* Read them separately\."
    ):
        opened(source, space=space)


def test_only_some_rows_and_parameters_are_counted(tmp_path: Path) -> None:
    """Conditions and parameters of the caller's choice leave the rest out, as in memory."""
    source = as_pattern(tmp_path, trials(1000))
    condition = "learner == 'knn' and x > 0"
    stream = opened(source, where=condition, parameters=("depth", "neighbours"))
    memory = condped.read(
        source, objective="loss", space=SPACE, where=condition, parameters=["depth", "neighbours"]
    )
    assert stream.schema.names == ("depth", "neighbours")
    assert stream.schema.some_parameters
    same(stream, reference(memory))
    assert tally(stream).notes == memory.notes
    assert tally(stream).selections == memory.selections


@pytest.mark.parametrize("way", ["nearest", "drop"])
def test_values_outside_are_settled_as_in_memory(way: Any, tmp_path: Path) -> None:
    """Values outside, failures by value and gaps are noted once, with rows of the whole source."""
    table = trials(1000)
    loss = np.where(np.arange(1000) % 50 == 49, 1e9, 2.0 + np.arange(1000) % 7)
    x = table.column("x").to_numpy().copy()
    x[[150, 700]] *= 100
    depth = table.column("depth").to_numpy().copy()
    depth[[400, 401, 990]] = 77
    gap = pa.compute.if_else(pa.array(np.arange(1000) % 300 == 299), None, table["neighbours"])
    for name, column in {"loss": loss, "x": x, "depth": depth, "neighbours": gap}.items():
        table = table.set_column(table.column_names.index(name), name, pa.chunked_array([column]))
    source = as_pattern(tmp_path, table)
    memory = condped.read(source, objective="loss", space=SPACE, outside=way, failure_values=[1e9])
    stream = opened(source, outside=way, failure_values=(1e9,))
    same(stream, reference(memory))
    told = (*tally(stream).notes, *count_all(stream).notes)
    assert set(told) == set(memory.notes)
    assert "20 trials with the objective 1e+09 count as failed." in told


def test_a_source_of_values_outside_only_is_refused(tmp_path: Path) -> None:
    """Where all trials would have to go, the space is wrong."""
    pq.write_table(pa.table({"loss": [1.0, 2.0], "a": [7.0, 8.0]}), tmp_path / "t.parquet")
    space = Space({"a": {"type": "float", "low": 0, "high": 1}})
    counter = opened(str(tmp_path / "t.parquet"), space=space, outside="drop")
    with pytest.raises(DataError, match="All trials have a value outside its domain"):
        Trials(counter).tally(ByLoss(Handling()))


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("depth", 99, r"'depth' has the value 99 outside its domain .*\(row 777, row 177 of '.*"
                      r"t9.parquet', where reading stopped; rows count from 0\)"),
        ("learner", "svn", r"'learner' has the unknown choice 'svn' .*row 777, row 177 of"),
        ("neighbours", 5, r"'neighbours' has a value where none of .*row 777, row 177 of"),
        ("state", "lost", r"The state 'lost' in row 777 of 'state' is unknown"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_file_and_row(
    name: str, value: object, told: str, tmp_path: Path
) -> None:
    """The first wrong row is told by its number in the whole source and in its file."""
    table = trials(1000)
    rows = [777] if name != "neighbours" else range(777, 1000)
    if name == "neighbours":
        table = table.set_column(2, "learner", [["svm"] * 1000]).set_column(
            6, "neighbours", pa.nulls(1000, pa.int64())
        ).set_column(7, "flag", pa.nulls(1000, pa.bool_()))  # fmt: skip
    column = table.column(name).to_pylist()
    for row in rows:
        column[row] = value
    place = table.column_names.index(name)
    table = table.set_column(place, name, [pa.array(column, table.schema.field(name).type)])
    counter = opened(as_pattern(tmp_path, table), state="state")
    with pytest.raises(DataError, match=told) as caught:
        count_all(counter)
    assert caught.value.first_row == 777
    assert caught.value.count is None


def test_an_order_may_be_told_by_a_column(tmp_path: Path) -> None:
    """Blocks of time are those of the column that the caller names."""
    table = trials(600).append_column("when", [np.arange(600)[::-1]])
    source = as_parquet(tmp_path, table)
    names, starts = tuple(SPACE), np.array([200, 400])
    query = Query(ByLoss(Handling()), np.array([1.0]), names, block_starts=starts)
    counted = opened(source, order="when").count(query)
    memory = condped.read(source, objective="loss", space=SPACE)
    expected = reference(memory, times=np.arange(600)[::-1]).count(query)
    for ours, theirs in zip(counted.parameters, expected.parameters, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(DataError, match=r"The order column 'surplus' must hold a whole number"):
        tally(opened(source, order="surplus"))
    with pytest.raises(NameNotFoundError, match=r"There is no order column 'whem'"):
        opened(source, order="whem")


def test_what_cannot_be_streamed_is_refused(tmp_path: Path) -> None:
    """A lacking space, column or file, and settings without a meaning here, are told at once."""
    source = as_parquet(tmp_path, trials(10))
    with pytest.raises(SettingsError, match="A space is needed"):
        opened(source, space=None)
    with pytest.raises(NameNotFoundError, match="There is no objective 'los'"):
        opened(source, objective="los")
    with pytest.raises(NameNotFoundError, match="There is no parameter 'lrr'"):
        opened(source, parameters=("lrr",))
    with pytest.raises(SourceError, match="got an object of type dict"):
        opened({})
    with pytest.raises(DataError, match="must hold or name files of one kind"):
        opened(str(tmp_path / "none*.parquet"))
    (tmp_path / "t.db").write_text("")
    with pytest.raises(SourceError, match=r"engine=.stream. reads files that end in"):
        opened(tmp_path / "t.db")


def test_a_source_without_rows_is_refused(tmp_path: Path) -> None:
    """Files that hold columns but no rows are refused in the words of the reader."""
    source = as_parquet(tmp_path, trials(10).slice(0, 0))
    with pytest.raises(DataError, match="The source has no rows"):
        tally(opened(source))


def test_a_space_beside_the_files_is_found(tmp_path: Path) -> None:
    """Without a space of the caller's, the one beside the files is taken, and told."""
    source = as_parquet(tmp_path, trials(10))
    (tmp_path / "t.space.json").write_text(
        '{"lr": {"type": "float", "low": 1e-5, "high": 1, "log": true}}', encoding="utf-8"
    )
    counter = opened(source, space=None)
    assert counter.schema.names == ("lr",)
    assert tally(counter).notes == condped.read(source, objective="loss").notes


def test_progress_is_told_in_the_calling_thread(tmp_path: Path) -> None:
    """Reports rise to the whole, whoever reads the pieces."""
    heard: list[tuple[str, float]] = []
    counter = opened(as_parquet(tmp_path, trials(1000)))
    with reporting(lambda what, done, total: heard.append((what, done / total))):
        tally(counter)
    assert {what for what, _ in heard} == {"Reading the objective"}
    shares = [share for _, share in heard]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_columns_that_a_tool_has_marked_are_understood(tmp_path: Path) -> None:
    """A table of Optuna trials is read by its marks, as in memory."""
    table = trials(300).rename_columns(
        [
            f"params_{name}" if name in SPACE else {"loss": "value"}.get(name, name)
            for name in trials(1).column_names
        ]
    )
    source = as_parquet(tmp_path, table.append_column("number", [np.arange(300)]))
    memory = condped.read(source, objective="value", space=SPACE)
    same(opened(source, objective="value"), reference(memory))


_PEAK = """
import sys
import numpy as np
from condped import Space
from condped.count.counter import Counter
from condped.count.counter import Query
from condped.count.ranking import ByLoss
from condped.read.opening import open_source
from condped.trials.used_trials import Handling

space = Space({name: {"type": "float", "low": 0, "high": 1} for name in "abcd"})
counter = Counter(open_source(sys.argv[1], objective="loss", space=space, engine="stream"))
counter.tally(ByLoss(Handling()))
counter.count(Query(ByLoss(Handling()), np.array([0.5]), tuple("abcd")))
status = open("/proc/self/status").read()
print(status.split("VmHWM:")[1].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is Linux's to tell")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A file of 160 MB, all of it one row group, takes hardly more than one of 10 MB."""
    rng = np.random.default_rng(0)
    peaks = []
    for rows in (250_000, 4_000_000):
        path = tmp_path / f"{rows}.parquet"
        some = pa.array(rng.random(rows))
        table = pa.table(dict.fromkeys(["loss", *"abcd"], some))
        pq.write_table(table, path, row_group_size=rows, use_dictionary=False, compression="none")
        done = subprocess.run(
            [sys.executable, "-c", _PEAK, str(path)], capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout) / 1024)
    assert peaks[1] - peaks[0] < 80
