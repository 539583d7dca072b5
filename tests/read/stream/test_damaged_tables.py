"""Damaged Arrow, Feather and Parquet files: an error of ours, and the process lives."""

from __future__ import annotations

import io
import json
import os
import random
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import condped
from condped.errors import CondpedError, DataError
from condped.read.options import ReadOptions
from condped.read.stream.pyarrow_parquet_files import TableFiles
from condped.trials.columns import NumberColumn

SPACE = {
    "kind": {"type": "categorical", "choices": ["adam", "sgd", "é"]},
    "code": {"type": "categorical", "choices": ["adam", "sgd", "é"]},
    "width": {"type": "int", "low": 1, "high": 9},
}


def a_table() -> Any:
    rng = np.random.default_rng(0)
    kind = np.array(["adam", "sgd", "é"])[rng.integers(0, 3, 40)]
    return pa.table(
        {
            "loss": rng.random(40),
            "kind": kind,
            "code": pa.array(kind).dictionary_encode(),
            "large": pa.array(kind.tolist(), pa.large_string()),
            "width": rng.integers(1, 10, 40),
            "some": pa.array([None if x > 0.5 else x for x in rng.random(40)]),
            "nothing": pa.nulls(40),
            "list": pa.array([[1, 2]] * 40),
        }
    )


def as_ipc(compression: str | None, *, stream: bool = False) -> bytes:
    sink = io.BytesIO()
    open_it = pa.ipc.new_stream if stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    table = a_table()
    with open_it(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=15)
    return sink.getvalue()


def as_parquet(**options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(a_table(), sink, row_group_size=15, **options)
    return sink.getvalue()


WHOLE: dict[str, Callable[[], bytes]] = {
    "plain.arrow": lambda: as_ipc(None),
    "lz4.arrow": lambda: as_ipc("lz4"),
    "stream.arrow": lambda: as_ipc(None, stream=True),
    "zstd.feather": lambda: as_ipc("zstd"),
    "plain.parquet": lambda: as_parquet(compression="none", use_dictionary=False),
    "snappy.parquet": as_parquet,
}


def damaged(content: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Change, cut, remove and repeat bytes, whatever they mean."""
    rng = random.Random(seed)
    for _ in range(count):
        changed = bytearray(content)
        for _ in range(rng.choice([1, 1, 2, 4])):
            at, way = rng.randrange(len(changed)), rng.randrange(7)
            whole = rng.choice([-1, 0, 8, 2**31 - 1, 2**33, 2**62, rng.randrange(2**31)])
            if way <= 1:
                changed[at] ^= 1 << rng.randrange(8)
            elif way == 2:
                changed[at] = rng.randrange(256)
            elif way == 3:
                place = at & ~7
                changed[place : place + 8] = struct.pack("<q", whole)
            elif way == 4:
                del changed[at : at + rng.choice([1, 8, 64])]
            elif way == 5:
                changed[at:at] = changed[at : at + rng.choice([1, 8, 64])]
            elif rng.random() < 0.3:
                del changed[at:]
            if not changed:
                break
        yield bytes(changed)


def read_damaged(folder: Path, count: int, seed: int) -> None:
    """Read damaged files one after the other, in memory and in batches; write what is read."""
    told = []
    for name, make in WHOLE.items():
        path = folder / name
        for number, changed in enumerate(damaged(make(), count, seed)):
            path.write_bytes(changed)
            (folder / "last").write_text(f"{name} {number}", encoding="utf-8")
            for space in (None, SPACE):
                try:
                    condped.importance(
                        path,
                        objective="loss",
                        engine="memory" if space is None else "stream",
                        space=space,
                    )
                except CondpedError as error:
                    told.append(str(error))
    assert not [text for text in told if "report this" in text or len(text) > 2000]


def test_no_damage_kills_the_process(tmp_path: Path) -> None:
    """Whatever bytes are changed, removed or repeated, there is an answer or an error of ours."""
    code = (
        "import sys, warnings; from pathlib import Path; warnings.simplefilter('ignore')\n"
        "from tests.read.stream.test_damaged_tables import read_damaged\n"
        f"read_damaged(Path({str(tmp_path)!r}), 50, 19)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, (tmp_path / "last").read_text(encoding="utf-8") + done.stderr


def replaced(content: bytes, old: bytes, new: bytes) -> bytes:
    assert content.count(old) == 1
    return content.replace(old, new)


def ipc_of(table: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def negative_offset() -> bytes:
    content = ipc_of(pa.table({"loss": [1.0, 2.0, 3.0], "x": ["a", "bb", "cccc"]}))
    return replaced(content, struct.pack("<4i", 0, 1, 3, 7), struct.pack("<4i", 0, -(2**30), 3, 7))


def code_without_a_level() -> bytes:
    codes = pa.array([0, 1, 1, 0, 1, 0, 0, 1], pa.int8())
    levels = pa.DictionaryArray.from_arrays(codes, ["a", "b"])
    content = ipc_of(pa.table({"loss": np.arange(8.0), "x": levels}))
    return replaced(content, bytes([0, 1, 1, 0, 1, 0, 0, 1]), bytes([0, 1, 1, 0, 1, 0, 0, 100]))


def text_that_is_no_utf8() -> bytes:
    return replaced(ipc_of(pa.table({"loss": [1.0, 2.0], "x": ["aaa", "bbb"]})), b"bbb", b"b\xffb")


def name_that_is_no_utf8() -> bytes:
    content = ipc_of(pa.table({"loss": [1.0, 2.0], "width": [1, 2]}))
    return content.replace(b"width", b"w\xffdth")


@pytest.mark.parametrize(
    "make",
    [
        negative_offset,
        code_without_a_level,
        text_that_is_no_utf8,
        name_that_is_no_utf8,
    ],
)
def test_what_pyarrow_trusts_is_checked(make: Callable[[], bytes], tmp_path: Path) -> None:
    """Offsets, codes and texts that pyarrow takes as they are; the message names the file."""
    path = tmp_path / "t.arrow"
    path.write_bytes(make())
    with pytest.raises(DataError, match=r"^The file '.*t\.arrow' cannot be read: .*") as caught:
        condped.read(path, objective="loss")
    assert "\n" not in str(caught.value)


def test_texts_of_parquet_are_checked_too(tmp_path: Path) -> None:
    """A text that is no UTF-8 is an error that names the file."""
    path = tmp_path / "t.parquet"
    table = pa.table({"loss": [1.0, 2.0], "x": ["aaa", "bbb"]})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_statistics=False)
    path.write_bytes(path.read_bytes().replace(b"bbb", b"b\xffb"))
    with pytest.raises(DataError, match=r"t\.parquet' cannot be read: .*UTF8"):
        condped.read(path, objective="loss")


def test_a_file_that_is_cut_off_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    """What was read stays there; mapped pages would be gone, which kills the process."""
    path = tmp_path / "t.arrow"
    table = pa.table({"loss": np.ones(400_000), "x": np.arange(400_000.0)})
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=100_000)
    files = TableFiles.open([str(path)], None, ReadOptions(), [])
    (segment,) = files.segments(["loss", "x"], 1)
    batches = segment()
    first = next(batches)
    os.truncate(path, 5000)
    column = first.read()("loss")
    assert isinstance(column, NumberColumn)
    assert column.values.sum() == 100_000
    with pytest.raises(DataError, match="cannot be read"):
        list(batches)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    """Rows of two versions would be one table that never existed."""
    path = tmp_path / "t.arrow"
    table = pa.table({"loss": np.ones(1000), "x": np.arange(1000.0)})

    def write(value: float) -> None:
        changed = table.set_column(0, "loss", pa.array(np.full(1000, value)))
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(changed, max_chunksize=100)

    write(1.0)
    files = TableFiles.open([str(path)], None, ReadOptions(), [])
    (segment,) = files.segments(["loss", "x"], 1)
    batches = segment()
    next(batches)
    write(2.0)
    with pytest.raises(DataError, match="has changed since reading began"):
        list(batches)


def test_the_first_version_of_feather_is_named(tmp_path: Path) -> None:
    """Its reader in pyarrow checks nothing, so it is not used."""
    path = tmp_path / "t.feather"
    path.write_bytes(b"FEA1" + bytes(64) + b"FEA1")
    with pytest.raises(DataError, match="is of the first version of Feather"):
        condped.read(path, objective="loss")


@pytest.mark.parametrize("index", [3, "x", {"x": 1}, [["x"]], None])
def test_metadata_that_pandas_did_not_write_is_ignored(index: object, tmp_path: Path) -> None:
    """Whatever stands where the names of index columns belong."""
    table = pa.table({"loss": [1.0, 2.0], "x": [0.1, 0.2]})
    table = table.replace_schema_metadata({"pandas": json.dumps({"index_columns": index})})
    pq.write_table(table, tmp_path / "t.parquet")
    assert condped.read(tmp_path / "t.parquet", objective="loss").names == ("x",)


def test_rows_that_no_file_can_hold_are_refused(tmp_path: Path) -> None:
    """A column without values takes no bytes, however many rows it claims to have."""
    path = tmp_path / "t.arrow"
    content = ipc_of(pa.table({"loss": pa.nulls(7777)}))
    claimed = struct.pack("<q", 10**12)
    path.write_bytes(content.replace(struct.pack("<q", 7777), claimed))
    with pytest.raises(DataError, match=r"expands too far: .*\. It may be damaged"):
        condped.read(path, objective="loss")
