"""Tables that Ibis reaches, as sources of batches."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir

from condped.errors import NoTrialsError, SourceError
from condped.optional import load_optional
from condped.read.batches import BatchReader
from condped.read.databases.fetched_rows import (
    EngineTable,
    FetchedRows,
    ScannedRows,
    needed_columns,
)
from condped.read.databases.ibis.session import Session, named_table
from condped.read.databases.ibis.where import translated
from condped.read.options import ReadOptions
from condped.read.stream.source import StreamSource
from condped.read.table.build import no_rows
from condped.trials.batch import Source
from condped.trials.table import Selection


class IbisTable(EngineTable):
    """A table or an expression of an engine, or some of its rows, in no order.

    Attributes
    ----------
    where
        Condition on the rows to read; None: all.
    counted
        The number of rows, and of those to read, once that is known.
    """

    def __init__(self, session: Session, table: ir.Table, where: Any | None = None) -> None:
        self.session, self.table, self.where = session, table, where
        self.label, self.names = session.label, tuple(table.columns)
        self.counted: tuple[int, int] | None = None
        self.can_cancel = session.can_cancel

    @property
    def total(self) -> int:
        """The number of rows to read; 0: not known."""
        return 0 if self.counted is None else self.counted[1]

    def count(self) -> tuple[int, int]:
        """Count all rows, and those to read."""
        counts = {"rows": self.table.count()}
        if self.where is not None:
            counts["selected"] = self.table.count(where=self.where)
        found = self.session.rows(self.table.agg(**counts), "counting the rows")[0]
        self.counted = (found[0], found[-1])
        return self.counted

    def batches(self, columns: Sequence[str]) -> Generator[Any]:
        some = self.table if self.where is None else self.table.filter(self.where)
        with self.session.failing("reading the rows"), self.session.snapshot():
            if self.where is not None and self.counted is None:
                self.count()
            yield from self.session.batches(with_plain_types(some.select(*columns)))

    def cancel(self) -> None:
        self.session.cancel()

    def close(self) -> None:
        self.session.close()


def open_table(source: Any, options: ReadOptions, backend: str | None = None) -> Source:
    """Open an Ibis table, or one of a database by its name.

    A condition that the engine evaluates exactly as the counter does is left to it: rows that do
    not meet it are not fetched, and so not checked against the domains either.
    """
    session, table = _session(source, backend)
    if session.backend.name == "pyspark":
        spark = load_optional(
            "condped.read.databases.clusters.spark",
            feature="Counting in Spark",
            library="pyspark and pyarrow and py4j",
            extra="spark",
        )
        found: Source = spark.open_spark(source, options, backend)
        return found
    try:
        return _table_source(session, table, options)
    except BaseException:
        session.close()
        raise


def read_whole(source: Any, backend: str | None = None) -> Any:
    """Return all rows of a table as an Arrow table, without columns of unsupported types."""
    import pyarrow as pa  # noqa: PLC0415

    session, table = _session(source, backend)
    try:
        whole = IbisTable(session, table)
        unusable = unusable_columns(table)
        known = [name for name in table.columns if name not in unusable]
        batches = list(whole.batches(known))
        schema = with_plain_types(table.select(*known)).schema().to_pyarrow()
        return pa.Table.from_batches(batches, None if batches else schema)
    finally:
        session.close()


def _session(source: Any, backend: str | None) -> tuple[Session, ir.Table]:
    if isinstance(source, str):
        return named_table(source, backend)
    if not isinstance(source, ir.Table):
        raise SourceError(
            f"An Ibis source must be a table (got an object of type {type(source).__name__}). "
            "Select columns that make up a table."
        )
    return session_of(source), source


def session_of(table: ir.Table) -> Session:
    """Return the connection of a table that the caller has opened."""
    if table.op().find(ops.InMemoryTable):
        raise SourceError(
            "The Ibis table holds a dataframe of this process (ibis.memtable). Give the dataframe "
            "itself, or write it to a table of the backend."
        )
    if table.op().find((ops.ScalarUDF, ops.AggUDF)):
        raise SourceError(
            "The Ibis table is computed with a function of this process. Write its rows to a "
            "table of the backend, and give that."
        )
    try:
        backend = table.get_backend()
    except ibis.common.exceptions.IbisError as error:
        raise SourceError(
            f"The Ibis table has no backend ({' '.join(str(error).split())}). Connect with Ibis to "
            "where its rows are."
        ) from error
    name = getattr(table.op(), "name", None)
    return Session(
        backend, f"the table {name!r}" if isinstance(name, str) else "the Ibis expression"
    )


def _table_source(session: Session, table: ir.Table, options: ReadOptions) -> StreamSource:
    space, where = options.space, None
    if options.where is not None and space is not None and _can_filter(session, options):
        where = translated(options.where, table, space)
    remaining = options if where is None else replace(options, where=None)
    reader = BatchReader.of(table.columns, remaining, space, unusable=unusable_columns(table))
    schema = reader.schema(session.engine, ordered=False)
    engine_table = IbisTable(session, table, where)
    notes = () if space is None else space.notes
    rows: ScannedRows | FetchedRows
    if _cheap_to_scan(session, table):
        engine_table.count()
        rows = ScannedRows(engine_table)
    else:
        rows = FetchedRows(engine_table, needed_columns(reader, schema))
        if where is not None:  # the number of rows that meet it is known once they are fetched
            rows.fetch()
    if where is None:
        return StreamSource(rows, reader, schema, tuple(notes))
    assert options.where is not None
    selection, note = _selection(options.where.text, engine_table)
    return StreamSource(rows, reader, replace(schema, selections=(selection,)), (*notes, note))


def _can_filter(session: Session, options: ReadOptions) -> bool:
    """Return whether the engine may filter rows: one that is known to compare as numpy does.

    Trials outside a domain are dropped before the condition is applied, and a study without any
    row that meets it must not vanish.
    """
    known = session.backend.name in ("duckdb", "postgres")
    return known and options.outside != "drop" and options.study_column is None


def _selection(condition: str, table: IbisTable) -> tuple[Selection, str]:
    """Return how many rows the engine's filter left out, and the note on it."""
    assert table.counted is not None
    total, met = table.counted
    if not total:
        raise no_rows()
    if not met:
        raise NoTrialsError(
            f"None of the {total} trials meets the condition {condition!r}. Correct where, or "
            "leave it out."
        )
    note = f"Only trials with {condition}: {total - met} of {total} left out."
    return Selection(condition, total, total - met), (
        f"All trials meet {condition}." if met == total else note
    )


def _cheap_to_scan(session: Session, table: ir.Table) -> bool:
    """Return whether rows can be read again as fast as a copy of them: those of DuckDB's tables.

    Views and expressions would be computed again in every pass.
    """
    node = table.op()
    if session.backend.name != "duckdb" or not isinstance(node, ops.DatabaseTable):
        return False
    query = (
        "SELECT count(*) FROM information_schema.tables WHERE table_name = $name AND "
        "table_type <> 'VIEW' AND ($place IS NULL OR table_schema = $place)"
    )
    with session.failing("looking for the table"):
        values = {"name": node.name, "place": node.namespace.database}
        return bool(session.backend.con.execute(query, values).fetchall()[0][0])


def with_plain_types(table: ir.Table) -> ir.Table:
    """Return a table without types that engines deliver in different ways."""
    changed: dict[str, Any] = {}
    for name, kind in table.schema().items():
        if kind.is_decimal():
            # Through text: some engines divide by a power of ten and miss the nearest float.
            changed[name] = table[name].cast("string").cast("float64")
        elif _is_nothing(kind):
            changed[name] = ibis.null("float64")
    return table.mutate(**changed) if changed else table


def unusable_columns(table: ir.Table) -> Mapping[str, str]:
    """Return the columns that hold neither numbers, texts nor booleans, with their types."""
    return {
        name: str(kind)
        for name, kind in table.schema().items()
        if not (
            kind.is_numeric()
            or kind.is_string()
            or kind.is_boolean()
            or kind.is_null()
            or _is_nothing(kind)
        )
    }


def _is_nothing(kind: Any) -> bool:
    """Return whether a column has neither a value nor a type."""
    return bool(kind.is_unknown() and str(kind.raw_type).strip('"').upper() == "NULL")
