"""Parquet, Arrow and Feather files, against pyarrow's own table in memory."""

from __future__ import annotations

import io
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeAlias

import condped
from fuzz import mutate
from fuzz.door import Door
from fuzz.doors import tables
from fuzz.doors.text_files import SPACE, read_or_stream

Kind: TypeAlias = Callable[[list[int | None]], Any]


class Parquet(Door):
    """Files of many types, compressions and sizes of pages, damaged and whole."""

    name = "parquet"
    title = "Parquet"
    weight = 2
    oracle = "the table as pyarrow reads it, batches for reading whole"
    batch = 1_000
    endings: ClassVar[tuple[str, ...]] = (".parquet", ".pq")
    kinds: ClassVar[tuple[Kind, ...]] = ()

    def make(self, rng: Random) -> tuple[str, bytes]:
        table = _arrow_table(rng, self.kinds)
        data = self.written(rng, table)
        if rng.random() < 0.7:
            data = _damaged(rng, data)
        ending = rng.choice(self.endings)
        return f"{'stream:' if rng.random() < 0.3 else ''}trials{ending}", data

    def written(self, rng: Random, table: Any) -> bytes:
        """Return a table as a file."""
        import pyarrow.parquet as pq  # noqa: PLC0415  (imported by workers only)

        sink = io.BytesIO()
        pq.write_table(
            table, sink,
            compression=rng.choice(("none", "snappy", "gzip", "zstd", "lz4")),
            use_dictionary=rng.random() < 0.5,
            version=rng.choice(("1.0", "2.6")),
            data_page_version=rng.choice(("1.0", "2.0")),
            row_group_size=rng.choice((1, 7, 1000)),
            write_page_checksum=rng.random() < 0.3,
            store_schema=rng.random() < 0.5,
        )  # fmt: skip
        return sink.getvalue()

    def ask(self, what: str, data: bytes) -> Any:
        return read_or_stream(what, data)

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        name = what.rpartition(":")[2]
        if what.startswith("stream:"):
            # Batches read only the columns that they need, and damage may be in others.
            tables.agree_engines(answer, name, may_refuse=True, objective="loss", space=SPACE)
            return
        try:
            frame = self.read_by_pyarrow(name)
            frame.validate(full=True)
        except Exception:
            return  # pyarrow checks more than condped requested
        tables.agree(
            answer,
            lambda: condped.read(frame, objective="loss", outside="drop"),
            "file and table",
        )

    def read_by_pyarrow(self, name: str) -> Any:
        """Return the table as pyarrow reads it."""
        import pyarrow.parquet as pq  # noqa: PLC0415  (imported by workers only)

        return pq.ParquetFile(name).read()


def _zoned(numbers: list[int | None]) -> Any:
    """Return times in a zone that no database of zones has."""
    import pyarrow as pa  # noqa: PLC0415  (imported by workers only; so below)

    return pa.array(numbers, pa.timestamp("ns", "Not/AZone"))


def _scaled(numbers: list[int | None]) -> Any:
    """Return decimals with a negative scale."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.array(
        [None if n is None else Decimal(1000 * n) for n in numbers], pa.decimal128(9, -3)
    )


def _run_ends(numbers: list[int | None]) -> Any:
    """Return numbers whose repetitions are counted."""
    import pyarrow as pa  # noqa: PLC0415

    ends = pa.array(range(1, len(numbers) + 1), pa.int32())
    return pa.RunEndEncodedArray.from_arrays(ends, pa.array(numbers))


def _union(numbers: list[int | None]) -> Any:
    """Return a column of numbers and texts."""
    import pyarrow as pa  # noqa: PLC0415

    kinds = pa.array([place % 2 for place in range(len(numbers))], pa.int8())
    texts = pa.array([str(n) for n in numbers])
    return pa.UnionArray.from_sparse(kinds, [pa.array(numbers), texts])


def _views(numbers: list[int | None]) -> Any:
    """Return lists whose offsets need not ascend."""
    import pyarrow as pa  # noqa: PLC0415

    lists = [None if n is None else [n, n] for n in numbers]
    return pa.array(lists, pa.list_view(pa.int64()))


def _extension(numbers: list[int | None]) -> Any:
    """Return truth values in bytes, a type defined on top of another."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.ExtensionArray.from_storage(pa.bool8(), pa.array(numbers, pa.int8()))


class Arrow(Parquet):
    """Files of Arrow's own format, with and without compressed buffers and dictionaries."""

    name = "arrow"
    title = "Arrow and Feather"
    weight = 2
    endings = (".arrow", ".feather")
    kinds = (_zoned, _scaled, _run_ends, _union, _views, _extension)  # which Parquet has not

    def written(self, rng: Random, table: Any) -> bytes:
        import pyarrow as pa  # noqa: PLC0415  (imported by workers only)

        sink = io.BytesIO()
        packing = rng.choice((None, None, "lz4", "zstd"))
        options = pa.ipc.IpcWriteOptions(compression=packing)
        opened = pa.ipc.new_file if rng.random() < 0.8 else pa.ipc.new_stream
        with opened(sink, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=rng.choice((1, 7, 1000)))
        return sink.getvalue()

    def read_by_pyarrow(self, name: str) -> Any:
        import pyarrow as pa  # noqa: PLC0415  (imported by workers only)

        return pa.ipc.open_file(pa.py_buffer(Path(name).read_bytes())).read_all()


def _damaged(rng: Random, data: bytes) -> bytes:
    """Change bytes anywhere, or where lengths and offsets stand: at the end."""
    if rng.random() < 0.5:
        return mutate.changed_bytes(rng, data)
    at = rng.randrange(max(0, len(data) - 1200), len(data))
    return data[:at] + mutate.changed_bytes(rng, data[at:])


def _arrow_table(rng: Random, further: tuple[Kind, ...]) -> Any:
    """Return a table with columns of types that files have and Python has not."""
    import pyarrow as pa  # noqa: PLC0415  (imported by workers only)

    rows = rng.randrange(1, 30)
    columns: dict[str, Any] = {"loss": pa.array([rng.random() for _ in range(rows)])}
    numbers = [None if rng.random() < 0.2 else rng.randrange(11) for _ in range(rows)]
    floats = [None if n is None else n / 10 for n in numbers]
    texts = [None if n is None else rng.choice(("a", "größe", "")) for n in numbers]
    ints = rng.choice((pa.int8(), pa.int32(), pa.int64(), pa.uint64(), pa.float32()))
    columns["p0"] = pa.array(floats, rng.choice((pa.float64(), pa.float32())))
    columns["p1"] = pa.array(numbers, ints)
    kinds: tuple[Callable[[], Any], ...] = (
        *(partial(kind, numbers) for kind in further),
        lambda: pa.array(texts, rng.choice((pa.string(), pa.large_string(), pa.string_view()))),
        lambda: pa.array(texts).dictionary_encode(),
        lambda: pa.array([None if n is None else n > 5 for n in numbers]),
        lambda: pa.array(numbers, pa.timestamp("us")),
        lambda: pa.array(numbers, pa.decimal128(10, 2)),
        lambda: pa.array([None if n is None else [n, n] for n in numbers]),
        lambda: pa.array([None if n is None else {"x": n} for n in numbers]),
        lambda: pa.nulls(rows),
        lambda: pa.array([None if t is None else t.encode() for t in texts]),
        lambda: pa.array([None if n is None else n for n in numbers], pa.duration("s")),
    )
    for place in range(rng.randrange(3)):
        columns[rng.choice(mutate.TEXTS[:40]) or f"c{place}"] = rng.choice(kinds)()
    try:
        return pa.table(columns)
    except (UnicodeError, ValueError):
        return pa.table({name: columns[name] for name in ("loss", *SPACE)})
