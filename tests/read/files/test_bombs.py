"""Files that grow without measure when they are decompressed, or nest without end."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import tracemalloc
import zipfile
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from backports import zstd
from pyarrow import feather

import condped
from condped.errors import DataError
from condped.read.expansion import check_cells
from condped.read.files import decompress
from condped.read.stream.arrow_messages import expanded_bytes


@pytest.mark.parametrize(("name", "text"), [
    ("b.csv", b"x,loss\n"), ("b.csv", b"x,loss\n1"), ("b.jsonl", b'{"x": "'),
])  # fmt: skip
@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_a_file_made_to_fill_the_memory_is_not_read(
    name: str, text: bytes, ending: str, tmp_path: Path
) -> None:
    """It is given up at a bound, whether or not its lines end."""
    path = tmp_path / f"{name}{ending}"
    block = b"0" * (1 << 20)
    with (gzip.open if ending == ".gz" else zstd.open)(path, "wb") as file:
        file.write(text)
        for _ in range(70):
            file.write(block)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"more than 64 MiB when it is.*decompress it first"):
            condped.read(path, objective="loss", reader="csv" if "csv" in name else None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300 << 20


def zeros(path: Path, rows: int) -> None:
    """Write a table of zeros, which take next to nothing when they are compressed."""
    table = pa.table({name: np.zeros(rows) for name in ("x", "y", "loss")})
    if path.suffix == ".parquet":
        pq.write_table(table, path, compression="zstd")
    elif path.suffix == ".feather":
        feather.write_feather(table, path, compression="zstd", chunksize=rows)
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_stream(str(path), table.schema, options=options) as writer:
            writer.write_table(table)


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow"])
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_a_table_made_to_fill_the_memory_is_not_read(
    ending: str, engine: Literal["memory", "stream"], tmp_path: Path
) -> None:
    """Some kilobytes of a compressed table can be any number of rows."""
    path = tmp_path / f"t.{ending}"
    zeros(path, 6_000_000)
    space = {name: {"type": "float", "low": -1, "high": 1} for name in ("x", "y")}
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(pool)
    try:
        with pytest.raises(DataError, match="expands too far"):
            condped.importance(path, objective="loss", space=space, engine=engine)
    finally:
        pa.set_memory_pool(usual)
    assert pool.max_memory() < 8 << 20
    zeros(path, 100_000)
    assert len(condped.read(path, objective="loss", space=space)) == 100_000


@pytest.mark.parametrize("compression", ["zstd", "lz4", "uncompressed"])
def test_what_an_arrow_file_stands_for_is_known_without_reading_it(
    compression: str, tmp_path: Path
) -> None:
    """As Arrow has it in memory: numbers, texts, dictionaries, in several batches."""
    path = tmp_path / "t.feather"
    table = pa.table({
        "x": np.zeros(3_000),
        "k": pa.array(["a", "bb", None] * 1_000).dictionary_encode(),
        "s": ["x" * 50, "y", "z"] * 1_000,
    })  # fmt: skip
    feather.write_feather(table, path, compression=compression, chunksize=3_000)
    assert expanded_bytes(str(path)) == pytest.approx(table.nbytes, rel=0.01)
    feather.write_feather(table, path, compression=compression, chunksize=700)
    assert expanded_bytes(str(path)) == pytest.approx(table.nbytes, rel=0.01)


def test_tables_that_compress_well_are_read(tmp_path: Path) -> None:
    """A grid in order, with parameters that never change and a loss of few digits."""
    path, rng = tmp_path / "grid.parquet", np.random.default_rng(0)
    grid = np.array(list(itertools.product(range(10), repeat=5)))
    columns = {f"p{place}": grid[:, place] for place in range(5)}
    columns |= {f"same{place}": np.full(len(grid), 0.5) for place in range(95)}
    columns |= {"loss": np.round(rng.random(len(grid)), 2)}
    pq.write_table(pa.table(columns), path, compression="zstd")
    cells = len(grid) * len(columns)
    assert cells / path.stat().st_size > 40
    check_cells(10 * cells, 10 * path.stat().st_size, "ten times as many rows")
    assert len(condped.read(path, objective="loss")) == len(grid)


def test_large_files_may_grow_as_tables_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred times the size on disk is allowed, whatever that is."""
    monkeypatch.setattr(decompress, "ALLOWED_BYTES", 1000)
    path = tmp_path / "table.csv.gz"
    rows = "".join(f"0.{place % 7},{place}\n" for place in range(20_000))
    path.write_bytes(gzip.compress(f"x,loss\n{rows}".encode()))
    assert path.stat().st_size < len(rows) / 3
    assert len(condped.read(path, objective="loss")) == 20_000


def test_archives_of_syne_tune_are_bounded_and_may_be_damaged(tmp_path: Path) -> None:
    """Their table is in a zip file."""
    folder = tmp_path / "experiment"
    folder.mkdir()
    (folder / "metadata.json").write_text(
        '{"metric_names": ["loss"], "metric_mode": "min", "st_tuner_start_timestamp": 1}'
    )
    path = folder / "results.csv.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.csv", "trial_id,loss\n" + "1" * (70 << 20))
    with pytest.raises(DataError, match="more than 64 MiB"):
        condped.read(folder)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.csv", "trial_id,loss\n" + "1,0.5\n" * 1000)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with contextlib.suppress(DataError):  # an untyped error would end the test
            condped.read(folder)


@pytest.mark.parametrize("text", [
    '{"x": ' + '{"a": ' * 100_000 + "1" + "}" * 100_000 + ', "loss": 1}',
    '{"x": ' + '{"a": ' * 500 + "1" + "}" * 500 + ', "loss": 1}',
    '{"x": 1' + "0" * 5000 + ', "loss": 1}',
])  # fmt: skip
@pytest.mark.parametrize("form", ["{}\n", "[{}]"])
def test_deep_and_long_json_is_an_error_of_ours(text: str, form: str, tmp_path: Path) -> None:
    """In lines and in lists."""
    path = tmp_path / "trials.json"
    path = path if form[0] == "[" else path.with_suffix(".jsonl")
    path.write_text(form.replace("{}", text))
    with pytest.raises(DataError, match=r"^Line 1 of|not valid JSON|levels deep"):
        condped.read(path, objective="loss")


def test_space_files_may_be_deep_and_their_numbers_long(tmp_path: Path) -> None:
    """Both end in an error of ours."""
    path = tmp_path / "space.json"
    for text in (
        '{"x": ' * 100_000,
        '{"x": {"type": "int", "low": 0, "high": 1' + "0" * 5000 + "}}",
        '{"x": {"type": "categorical", "choices": ' + "[" * 500 + "]" * 500 + "}}",
    ):
        path.write_text(text)
        with pytest.raises(condped.errors.SpaceError):
            condped.read({"x": [1], "loss": [1]}, objective="loss", space=path)


def test_records_may_not_contain_themselves() -> None:
    """Nested ones are flattened down to a depth."""
    record: dict[str, object] = {"loss": 1}
    record["a"] = record
    with pytest.raises(DataError, match="contains itself"):
        condped.read([record], objective="loss")
