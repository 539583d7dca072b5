"""Long tables as sources of batches."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any

import ibis
import ibis.expr.types as ir

from condped.errors import DataError, SettingsError, SourceError, not_found
from condped.read.batches import BatchReader
from condped.read.databases.fetched_rows import FetchedRows, needed_columns
from condped.read.databases.ibis.long_reader import RecordedReader, SpacedReader, domain_column
from condped.read.databases.ibis.session import Session
from condped.read.databases.ibis.tables import (
    IbisTable,
    session_of,
    unusable_columns,
    with_plain_types,
)
from condped.read.databases.long_table import LongTable
from condped.read.options import ReadOptions
from condped.read.optuna.records import domain_of
from condped.read.stream.source import StreamSource
from condped.space.domain import Domain
from condped.space.space import Space

_MOST_DOMAINS = 5_000  # different ones that are recorded


class LongRows(IbisTable):
    """One row per trial, pivoted by the engine.

    Its columns are the measurements, the parameters, and the recorded domains.
    """

    def __init__(
        self, session: Session, given: LongTable, measured: Sequence[str], parameters: Sequence[str]
    ) -> None:
        super().__init__(session, given.rows)
        self.given, self.parameters = given, tuple(parameters)
        self.names = (*measured, *parameters, *map(domain_column, parameters))
        # Columns are numbered: for an engine, names may be too long or differ only in case.
        self.measured = {name: f"m{place}" for place, name in enumerate(measured)}
        trials = given.rows if given.trials is None else given.trials
        fields = {field: trials[name] for name, field in self.measured.items()}
        self.trials = trials.select(trial=trials[given.trial], **fields)
        if given.trials is None:
            self.trials = self.trials.filter(self.trials.trial.notnull()).distinct()
        columns = {"trial": given.trial, "parameter": given.parameter, "value": given.value}
        if given.domain in given.rows.columns:
            columns["domain"] = given.domain
        self.rows = given.rows.select(**{new: given.rows[name] for new, name in columns.items()})

    def batches(self, columns: Sequence[str]) -> Generator[Any]:
        with self.session.failing("reading the rows"), self.session.snapshot():
            self._check_trials()
            self._check_parameters()
            self.notes = self._left_out()
            for batch in self.session.batches(with_plain_types(self._pivoted(columns))):
                yield batch.rename_columns(list(columns))

    def _named(self) -> ir.Table:
        """Return the rows of known parameters."""
        return self.rows.filter(self.rows.parameter.isin(self.parameters))

    def _pivoted(self, columns: Sequence[str]) -> ir.Table:
        """Return one row per trial with these columns."""
        rows, cells = self._named(), {}
        for name in self.parameters:
            # At most one row of a trial. With many parameters, a filter of each takes far longer.
            own = rows.parameter == name
            cells[name] = own.ifelse(rows.value, ibis.null()).max()
            if domain_column(name) in columns:
                text = rows.domain.cast("string")
                cells[domain_column(name)] = own.ifelse(text, ibis.null()).max()
        needed = {f"c{place}": cells[name] for place, name in enumerate(columns) if name in cells}
        table = self.trials.left_join(rows.group_by("trial").agg(**needed), "trial")
        return table.select(
            *(self.measured.get(name, f"c{place}") for place, name in enumerate(columns))
        )

    def _check_trials(self) -> None:
        """Raise if a trial occurs twice, or a row has no trial."""
        each = self.trials.group_by("trial").agg(n=ibis._.count())
        wrong = each.filter((each.n > 1) | each.trial.isnull()).order_by("trial").limit(1)
        for trial, times in self.session.rows(wrong, "looking at the trials"):
            if trial is None:
                raise DataError(
                    f"A row of the table of trials has no {self.given.trial!r}. Fill it in."
                )
            if self.given.trials is None:
                raise DataError(
                    f"The rows of trial {trial!r} differ in one of {', '.join(self.measured)}. "
                    "Make them the same in all rows of a trial."
                )
            raise DataError(
                f"Trial {trial!r} appears {times} times in the table of trials. Keep one row of "
                "each."
            )

    def _check_parameters(self) -> None:
        """Raise if a trial has several rows for a parameter."""
        each = self._named().group_by("trial", "parameter").agg(n=ibis._.count())
        several = each.filter(each.n > 1).semi_join(self.trials, "trial")
        twice = several.order_by("trial", "parameter").limit(1)
        for trial, parameter, times in self.session.rows(twice, "looking at the parameters"):
            raise DataError(
                f"Trial {trial!r} has {times} rows for the parameter {parameter!r}. Keep one row "
                "for each trial and parameter."
            )

    def _left_out(self) -> tuple[str, ...]:
        """Return notes on rows that are left out, each under the first reason that applies."""
        ids = self.trials.select(its="trial")
        rows = self.rows.left_join(ids, self.rows.trial == ids.its)
        reasons = {
            "without a trial": rows.trial.isnull(),
            "whose trial is not in the table of trials": rows.its.isnull(),
            "whose parameter is not in the space": ~rows.parameter.isin(self.parameters).fill_null(
                False
            ),
        }
        first = rows.select(reason=ibis.cases(*((holds, why) for why, holds in reasons.items())))
        query = first.group_by("reason").agg(n=first.count())
        found = dict(self.session.rows(query, "looking at the keys"))
        return tuple(
            f"1 row {why} was left out."
            if found[why] == 1
            else f"{found[why]} rows {why} were left out."
            for why in reasons
            if why in found
        )


def open_long(source: LongTable, options: ReadOptions) -> StreamSource:
    """Open a long table; its columns are checked, and recorded domains are read."""
    for table in (source.rows, source.trials):
        if not isinstance(table, ir.Table) and not (table is source.trials and table is None):
            raise SourceError(
                f"A LongTable takes Ibis tables (got {type(table).__name__}). Connect with Ibis to "
                "the database that has the rows."
            )
    session = session_of(source.rows)
    _check_columns(source)
    measured = _other_columns(source, options)
    reader: BatchReader
    if options.space is not None:
        names = (*measured, *(name for name in options.space if name not in measured))
        reader = SpacedReader.of(names, options, options.space)
        parameters, notes = tuple(options.space), options.space.notes
    else:
        domains, texts = _domains(session, source)
        reader = RecordedReader.recording(measured, options, domains, texts)
        parameters, notes = tuple(domains), ()
    schema = reader.schema(session.engine, ordered=False)
    rows = FetchedRows(
        LongRows(session, source, measured, parameters), needed_columns(reader, schema)
    )
    return StreamSource(rows, reader, schema, tuple(notes))


def _check_columns(given: LongTable) -> None:
    columns = (("trial", given.trial), ("parameter", given.parameter), ("value", given.value))
    for kind, name in columns:
        if name not in given.rows.columns:
            raise not_found(f"{kind} column", name, given.rows.columns)
    value = given.rows[given.value].type()
    if not (value.is_numeric() or value.is_string()) or value.is_boolean():
        raise DataError(
            f"The column of values {given.value!r} must hold numbers or texts (got {value}).",
            column=given.value,
        )
    if given.trials is None:
        return
    if given.trial not in given.trials.columns:
        raise not_found("trial column", given.trial, given.trials.columns)
    mine, its = (table[given.trial].type() for table in (given.rows, given.trials))
    if type(mine) is not type(its) and not (mine.is_integer() and its.is_integer()):
        raise DataError(
            f"The column {given.trial!r} holds {mine} in the rows and {its} in the trials, so "
            "rows cannot be matched to trials. Give both the same type.",
            column=given.trial,
        )


def _other_columns(given: LongTable, options: ReadOptions) -> tuple[str, ...]:
    """Return the columns of objectives, states, constraints and order."""
    table = given.rows if given.trials is None else given.trials
    reader = BatchReader(tuple(table.columns), options, Space({}), None, unusable_columns(table))
    return reader.view(()).columns


def _domains(
    session: Session, given: LongTable
) -> tuple[dict[str, tuple[Domain, ...]], dict[str, dict[str, int]]]:
    """Return the domains that the table records, and the texts that stand for each."""
    rows = given.rows
    if given.domain not in rows.columns:
        raise SettingsError(
            f"The long table has no column {given.domain!r} of domains. Name it with domain, or "
            "give a space."
        )
    rows = rows.filter(rows[given.trial].notnull())
    pairs = rows.select(
        parameter=rows[given.parameter], domain=rows[given.domain].cast("string")
    ).distinct()
    found = session.rows(pairs.limit(_MOST_DOMAINS + 1), "reading domains")
    if len(found) > _MOST_DOMAINS:
        raise DataError(
            f"The long table records more than {_MOST_DOMAINS} different domains, too many to "
            "count separately. Give a space, or read a table with one row per trial with "
            "engine='memory', where domains that differ little are pooled."
        )
    return _sorted_domains(found)


def _sorted_domains(
    pairs: Iterable[tuple[Any, ...]],
) -> tuple[dict[str, tuple[Domain, ...]], dict[str, dict[str, int]]]:
    """Return each parameter's domains, in the order of its name and the texts that record them."""
    places: dict[str, dict[Domain, int]] = {}
    texts: dict[str, dict[str, int]] = {}
    for name, text in sorted(pairs, key=lambda pair: (str(pair[0]), str(pair[1]))):
        if name is None or text is None:
            raise DataError(
                f"A row of the long table has no {'parameter' if name is None else 'domain'}"
                f"{'' if name is None else f' for {name!r}'}. Fill it in."
            )
        try:
            domain = domain_of(text)
        except DataError as error:
            raise DataError(
                f"The domain of {name!r} cannot be understood: {text!r} "
                f"({' '.join(str(error).split())}). Allowed: JSON as in a space file, or Optuna's.",
                column=name,
            ) from error
        known = places.setdefault(name, {})
        texts.setdefault(name, {})[text] = known.setdefault(domain, len(known))
    return {name: tuple(known) for name, known in places.items()}, texts
