"""Opening a table that Ibis reaches: tables of its own, files, and databases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir

from condped.count.ibis_files import Opened
from condped.count.ibis_long import long_rows
from condped.count.ibis_long_passes import LongPasses
from condped.count.ibis_passes import IbisPasses
from condped.count.ibis_session import Session
from condped.count.ibis_sources import opened
from condped.count.ibis_wide import wide_rows
from condped.count.passes import Outline, Passes
from condped.errors import DataError, SettingsError, SourceError, not_found
from condped.read.asked import Asked
from condped.read.databases.long_table import LongTable
from condped.read.files.sidecar import with_sidecar
from condped.read.options import ReadOptions
from condped.read.table.outside import check_way
from condped.space.space import Space


def open_passes(source: Any, asked: Asked, backend: str | None = None) -> Passes:
    """Open a source for counting.

    Parameters
    ----------
    source
        An Ibis table; the path or pattern of Parquet files, or of a ``.duckdb`` database; or the
        name of a table in ``backend``.
    backend
        ``duckdb://file.duckdb``, ``postgres://user:password@host/database``, ``spark://host:port``
        or ``spark://local[2]``; None: the table's own, or DuckDB inside this process.
    """
    check_way(asked.outside)
    _check(asked)
    if isinstance(source, LongTable):
        return _long_passes(source, asked, backend)
    if isinstance(source, ir.Table):
        if backend is not None:
            raise SettingsError(
                "backend cannot be set for an Ibis table: it has its own. Leave backend out."
            )
        made = Opened(Session(source.get_backend(), _name(source)), source)
    elif isinstance(source, str):
        made = opened(source, backend)
    else:
        raise SourceError(
            f"The engine 'ibis' takes an Ibis table, the path of files, or the name of a table in "
            f"a backend (got {type(source).__name__})."
        )
    try:
        return _passes(made, asked)
    except BaseException:
        made.session.close()
        raise


def _check(asked: Asked) -> None:
    if asked.objective is None:
        raise SettingsError("objective is needed for a table: name one of its columns.")
    if asked.order == asked.objective:
        raise DataError(
            f"Column {asked.order!r} is both the objective and the order. Take it out of one of "
            "them.",
            column=asked.order,
        )
    if asked.skip_corrupt:
        raise SettingsError(
            "skip_corrupt cannot be set for the engine 'ibis': a query reads all files or none. "
            "Use engine='stream', or leave the corrupt file out of the pattern."
        )


def _name(table: ir.Table) -> str:
    node = table.op()
    name = getattr(node, "name", None)
    return f"the table {name!r}" if isinstance(name, str) else "the Ibis expression"


def _passes(made: Opened, asked: Asked) -> IbisPasses:
    session, table = made.session, _with_nulls(made.table)
    session.require()
    _refuse_local(table)
    if made.files is not None:
        asked = replace(asked, space=with_sidecar(made.files, ReadOptions(space=asked.space)).space)
    if asked.space is None:
        raise SettingsError(
            "space is needed for the engine 'ibis': domains are not guessed from rows that stay "
            "where they are. Give the space, or use engine='memory'."
        )
    space = asked.space
    if space.to_infer:
        raise SettingsError(
            f"The space lacks domains of {', '.join(space.to_infer)}, and the engine 'ibis' does "
            "not guess them from the rows. Give their bounds."
        )
    _check_roles(asked, space)
    _refuse_alike(session, table, {*space, asked.objective, asked.state, *asked.constraints})
    rows = wide_rows(session, table, asked, space)
    names = tuple(space) if asked.parameters is None else tuple(dict.fromkeys(asked.parameters))
    for name in names:
        if name not in space:
            raise not_found("parameter", name, space)
    assert asked.objective is not None
    taken = {asked.objective, asked.state, asked.order, *asked.constraints, *space}
    outline = Outline(
        engine=session.engine,
        names=names,
        domains=tuple(rows.parameters[name].domains for name in names),
        objective=asked.objective,
        direction=asked.direction,
        ordered=asked.order is not None,
        space=space,
        space_inferred=space.inferred,
        ignored_columns=tuple(name for name in table.columns if name not in taken),
        some_parameters=asked.parameters is not None,
        outside=asked.outside,
    )
    passes = IbisPasses(
        session, rows, outline, asked.outside, asked.failure_values,
        notes=(*space.notes, *made.notes),
    )  # fmt: skip
    return passes if asked.where is None else passes.where(asked.where)


def _long_passes(source: LongTable, asked: Asked, backend: str | None) -> LongPasses:
    """Open a long table."""
    for one in (source.rows, source.trials):
        if not isinstance(one, ir.Table) and not (one is source.trials and one is None):
            raise SourceError(
                f"A LongTable takes Ibis tables (got {type(one).__name__}). Connect with Ibis to "
                "where the rows are."
            )
    if backend is not None:
        raise SettingsError("backend cannot be set for Ibis tables: they have their own.")
    session = Session(source.rows.get_backend(), _name(source.rows))
    session.require()
    for one in (source.rows, source.trials):
        if one is not None:
            _refuse_local(one)
    long = long_rows(session, source, asked)
    names = tuple(long.domains) if asked.parameters is None else tuple(asked.parameters)
    for name in names:
        if name not in long.domains:
            raise not_found("parameter", name, long.domains)
    for name in long.measured():
        table = source.rows if source.trials is None else source.trials
        if name not in table.columns:
            raise not_found("column", name, table.columns)
    assert asked.objective is not None
    outline = Outline(
        engine=session.engine,
        names=names,
        domains=tuple(long.domains[name] for name in names),
        objective=asked.objective,
        direction=asked.direction,
        ordered=asked.order is not None,
        space=asked.space,
        some_parameters=asked.parameters is not None,
        outside=asked.outside,
    )
    passes = LongPasses(long, outline)
    return passes if asked.where is None else passes.where(asked.where)


def _with_nulls(table: ir.Table) -> ir.Table:
    """Return a table whose columns without any value and type are of the type of nulls."""
    lacking = [
        name
        for name, dtype in table.schema().items()
        if dtype.is_unknown() and str(dtype.raw_type).strip('"').upper() == "NULL"
    ]
    return table.mutate(**{name: ibis.null() for name in lacking}) if lacking else table


def _refuse_local(table: ir.Table) -> None:
    """Refuse tables that are not in the engine: dataframes and functions of this process."""
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


def _refuse_alike(session: Session, table: ir.Table, names: set[str | None]) -> None:
    """Refuse names that differ in case only where the engine takes them for one."""
    if session.backend.name != "pyspark" or session.setting("spark.sql.caseSensitive") == "true":
        return
    known: dict[str, str] = {}
    for name in table.columns:
        other = known.setdefault(name.lower(), name)
        if other != name and {other, name} & names:
            raise DataError(
                f"The columns {other!r} and {name!r} differ in case only, and Spark does not tell "
                "them apart. Rename one of them.",
                column=name,
            )


def _check_roles(asked: Asked, space: Space) -> None:
    taken = {asked.objective, asked.state, asked.order, *asked.constraints}
    for name in space:
        if name in taken:
            raise DataError(
                f"Column {name!r} is both a parameter of the space and an objective, state, "
                "constraint or order. Take it out of one of them.",
                column=name,
            )
