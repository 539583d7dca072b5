"""Which readers there are. A reader's module is loaded when a source needs it, not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from condped.errors import SourceError
from condped.optional import load_optional
from condped.read.options import ReadOptions
from condped.trials import TrialTable


class ReadFunction(Protocol):
    """What a reader's module offers under the name ``read``."""

    def __call__(self, source: Any, options: ReadOptions) -> TrialTable:
        """Return the source's trials."""
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of source.

    Attributes
    ----------
    recognises
        Whether a source is of this kind, told without importing anything.
    module
        Where the reader's ``read`` is.
    library, extra
        What it needs beyond condped itself, and the extra that brings it.
    """

    name: str
    description: str
    recognises: Callable[[Any], bool]
    module: str
    library: str = ""
    extra: str = ""

    def load(self) -> ReadFunction:
        """Import the reader."""
        module = load_optional(
            self.module,
            feature=f"Reading {self.description}",
            library=self.library,
            extra=self.extra,
        )
        return cast(ReadFunction, module.read)


def _class_from(library: str, *names: str) -> Callable[[Any], bool]:
    """Return a test for instances of a library's classes that does not import the library."""

    def recognises(source: Any) -> bool:
        return any(
            base.__module__.split(".")[0] == library and base.__name__ in names
            for base in type(source).__mro__
        )

    return recognises


def _frame(source: Any) -> bool:
    return any(
        _class_from(library, name)(source)
        for library, name in (
            ("pandas", "DataFrame"),
            ("polars", "DataFrame"),
            ("polars", "LazyFrame"),
            ("pyarrow", "Table"),
            ("narwhals", "DataFrame"),
            ("narwhals", "LazyFrame"),
        )
    )


def _file(*endings: str) -> Callable[[Any], bool]:
    def recognises(source: Any) -> bool:
        return isinstance(source, (str, Path)) and Path(source).suffix.lower() in endings

    return recognises


def _journal(source: Any) -> bool:
    """Return whether a file starts like a journal of Optuna's."""
    if not isinstance(source, str) or not Path(source).is_file():
        return False
    with Path(source).open("rb") as file:
        start = file.read(200).lstrip()
    return start.startswith(b"{") and b'"op_code"' in start


READERS: tuple[Reader, ...] = (
    Reader(
        "optuna-study",
        "an optuna.Study in memory",
        _class_from("optuna", "Study"),
        "condped.read.optuna_study",
    ),
    Reader(
        "optuna-sqlite",
        "an Optuna study in SQLite (sqlite:///study.db, or the file itself: .db, .sqlite3)",
        lambda source: (
            isinstance(source, str)
            and (source.startswith("sqlite:///") or _file(".db", ".sqlite", ".sqlite3")(source))
        ),
        "condped.read.optuna_sqlite",
    ),
    Reader(
        "optuna-postgresql",
        "an Optuna study in PostgreSQL (postgresql://user:password@host/database)",
        lambda source: (
            isinstance(source, str)
            and source.partition("://")[0].partition("+")[0] in ("postgresql", "postgres")
        ),
        "condped.read.optuna_psycopg",
        library="psycopg",
        extra="postgresql",
    ),
    Reader(
        "optuna-journal",
        "an Optuna journal file (JSON lines of operations, whatever its name)",
        _journal,
        "condped.read.optuna_journal",
    ),
    Reader(
        "mapping",
        "a mapping of column names to arrays or lists",
        lambda source: isinstance(source, Mapping),
        "condped.read.mapping",
    ),
    Reader(
        "frame",
        "a dataframe of pandas, Polars or pyarrow",
        _frame,
        "condped.read.frame",
    ),
    Reader(
        "csv",
        "a CSV file (.csv, .tsv), one row per trial",
        _file(".csv", ".tsv"),
        "condped.read.csv_file",
    ),
    Reader(
        "parquet",
        "a Parquet file (.parquet, .pq), one row per trial",
        _file(".parquet", ".pq"),
        "condped.read.pyarrow_parquet",
        library="pyarrow",
        extra="parquet",
    ),
)


def reader_for(source: Any) -> Reader:
    """Return the reader that recognises a source."""
    for reader in READERS:
        if reader.recognises(source):
            return reader
    tried = "; ".join(f"{reader.name}: {reader.description}" for reader in READERS)
    shown = repr(source) if isinstance(source, (str, Path)) else type(source).__name__
    raise SourceError(f"No reader recognises the source (got {shown}). Tried: {tried}.")
