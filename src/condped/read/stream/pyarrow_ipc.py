"""Arrow files, in file or stream format, read batch by batch."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from condped.errors import DataError

_FILE_FORMAT = b"ARROW1"
_FIRST_FEATHER = b"FEA1"


def ipc_schema(path: str) -> Any:
    """Return the columns of an Arrow file."""
    with _arrow_reader(path, None) as reader:
        return reader.schema


def ipc_batches(path: str, columns: Sequence[str]) -> Generator[Any]:
    """Iterate over the record batches of an Arrow file, with some columns; nothing is checked."""
    with _arrow_reader(path, columns) as reader:
        if isinstance(reader, pa.ipc.RecordBatchFileReader):
            yield from map(reader.get_batch, range(reader.num_record_batches))
        else:
            yield from reader


@contextmanager
def _arrow_reader(path: str, columns: Sequence[str] | None) -> Iterator[Any]:
    """Open an Arrow file for some columns or all.

    The file is read, not mapped into memory: if it is truncated meanwhile, accessing mapped pages
    kills the process.
    """
    with pa.OSFile(path) as source:
        begins = source.read(len(_FILE_FORMAT))
        if begins.startswith(_FIRST_FEATHER):
            raise DataError(
                f"The file {path!r} is of the first version of Feather, which is not supported. "
                "Write it again with pyarrow.feather.write_feather, or as Parquet."
            )
        open_ipc = pa.ipc.open_file if begins == _FILE_FORMAT else pa.ipc.open_stream
        source.seek(0)
        fields = None
        if columns is not None:
            places = {name: place for place, name in enumerate(open_ipc(source).schema.names)}
            fields = [places[name] for name in columns if name in places]
            source.seek(0)
        with open_ipc(source, options=pa.ipc.IpcReadOptions(included_fields=fields)) as reader:
            yield reader
