"""Long tables as sources of batches."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Sequence
from typing import Any

import ibis
import ibis.expr.types as ir

from condped.errors import CondpedError, DataError, SettingsError, SourceError, not_found
from condped.read.batches import BatchReader
from condped.read.databases.fetched_rows import FetchedRows, needed_columns
from condped.read.databases.ibis.batches import (
    can_cancel,
    cancel,
    one_snapshot,
    record_batches,
)
from condped.read.databases.ibis.long_reader import RecordedReader, SpacedReader, domain_column
from condped.read.databases.ibis.long_rows import (
    DOMAIN,
    PARAMETER,
    TRIAL,
    VALUE,
    LongLayout,
    by_trial,
)
from condped.read.databases.ibis.session import Session
from condped.read.databases.ibis.tables import session_of, with_plain_types
from condped.read.databases.long_table import LongTable
from condped.read.options import ReadOptions
from condped.read.optuna.records import domain_of
from condped.read.stream.source import StreamSource
from condped.space.domain import Domain

_MOST_DOMAINS = 5_000  # different ones that are recorded


class LongRows:
    """One row per trial: what was measured, and parameters with the domains that are recorded.

    The engine sorts the rows by their trials, and they are put together here: engines that pivot
    take several times as long, and the longer the more parameters there are.
    """

    ordered = False
    total = 0

    def __init__(
        self, session: Session, given: LongTable, measured: Sequence[str], parameters: Sequence[str]
    ) -> None:
        self.session, self.given = session, given
        self.parameters = {name: domain_column(name) for name in parameters}
        self.layout = LongLayout(tuple(measured), self.parameters, given.trials is None)
        self.shown, self.can_cancel = session.shown, can_cancel(session.backend)
        self.names = (*measured, *self.parameters, *self.parameters.values())
        self.notes: tuple[str, ...] = ()

    def batches(self, columns: Sequence[str]) -> Generator[Any]:
        backend = self.session.backend
        with_domains = any(name in columns for name in self.parameters.values())
        with self.session.failing("reading the rows"), one_snapshot(backend):
            self._check_trials()
            self.notes = self._left_out()
            sorted_rows = with_plain_types(self._sorted(with_domains=with_domains))
            for rows in by_trial(record_batches(backend, sorted_rows)):
                yield self.layout.widened(rows, columns)

    def _sorted(self, *, with_domains: bool) -> ir.Table:
        """Return the rows of each trial beside each other; a trial without any has one of nulls."""
        given, rows = self.given, self.given.rows
        mine = {PARAMETER: rows[given.parameter], VALUE: rows[given.value]}
        if with_domains:
            mine[DOMAIN] = rows[given.domain].cast("string")
        of_trials = rows if given.trials is None else given.trials
        ends = {f"m{place}": of_trials[name] for place, name in enumerate(self.layout.measured)}
        if given.trials is None:
            known = rows.filter(rows[given.trial].notnull())
            table = known.select(**{TRIAL: rows[given.trial]}, **mine, **ends)
        else:
            some = rows.select(key=rows[given.trial], **mine)
            left = of_trials.select(**{TRIAL: of_trials[given.trial]}, **ends)
            table = left.left_join(some, left[TRIAL] == some.key).drop("key")
        return table.order_by(TRIAL)

    def _check_trials(self) -> None:
        """Raise if a trial stands twice in the table of trials, or one has no name."""
        trials = self.given.trials
        if trials is None:
            return
        each = trials.group_by(trial=trials[self.given.trial]).agg(n=trials.count())
        wrong = each.filter((each.n > 1) | each.trial.isnull()).limit(1)
        for trial, times in self.session.rows(wrong, "looking at the trials"):
            if trial is None:
                raise DataError(
                    f"A row of the table of trials has no {self.given.trial!r}. Complete it."
                )
            raise DataError(
                f"Trial {trial!r} stands {times} times in the table of trials. Keep one row of "
                "each."
            )

    def _left_out(self) -> tuple[str, ...]:
        """Say how many rows count nowhere, each one under the first reason that applies."""
        given, rows = self.given, self.given.rows
        table = rows.select(mine=rows[given.trial], parameter=rows[given.parameter])
        branches = [(table.mine.isnull(), 1)]
        if given.trials is not None:
            ids = given.trials.select(its=given.trials[given.trial]).distinct()
            table = table.left_join(ids, table.mine == ids.its)
            branches = [(table.mine.isnull(), 1), (table.its.isnull(), 2)]
        named = table.parameter.isin(list(self.parameters)).fill_null(False)
        base = table.select(reason=ibis.cases(*branches, (~named, 3), else_=0))
        query = base.group_by("reason").agg(n=base.count())
        found = dict(self.session.rows(query, "looking at the keys"))
        reasons = {
            1: "without a trial",
            2: "whose trial is not in the table of trials",
            3: "whose parameter is not in the space",
        }
        return tuple(
            f"1 row {why} was left out."
            if found[number] == 1
            else f"{found[number]} rows {why} were left out."
            for number, why in reasons.items()
            if found.get(number)
        )

    def cancel(self) -> None:
        cancel(self.session.backend)

    def close(self) -> None:
        self.session.close()


def open_long(source: LongTable, options: ReadOptions) -> StreamSource:
    """Open a long table; its columns are looked at, and the domains if it records them."""
    for table in (source.rows, source.trials):
        if not isinstance(table, ir.Table) and not (table is source.trials and table is None):
            raise SourceError(
                f"A LongTable takes Ibis tables (got {type(table).__name__}). Connect with Ibis to "
                "where the rows are."
            )
    session = session_of(source.rows)
    _check_columns(source)
    measured = _measured(source, options)
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
            f"The column {given.trial!r} holds {mine} in the rows and {its} in the trials, so that "
            "rows do not find their trials. Give both the same type.",
            column=given.trial,
        )


def _measured(given: LongTable, options: ReadOptions) -> list[str]:
    """Return the columns that tell how a trial ended."""
    objective = options.objective
    if objective is None:
        raise SettingsError("objective is needed for a table: name one of its columns.")
    if isinstance(objective, int):
        raise SettingsError(
            f"objective must be the name of a column for a table (got {objective!r})."
        )
    several = [objective] if isinstance(objective, str) else objective
    constraints = options.constraints or ()
    constraints = [constraints] if isinstance(constraints, str) else constraints
    table = given.rows if given.trials is None else given.trials
    named = (*several, options.state, options.order, *constraints)
    found = [name for name in dict.fromkeys(named) if name is not None]
    for name in found:
        if name not in table.columns:
            raise not_found("column", name, table.columns)
    return found


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
            "count apart. Give a space, or read the trials with engine='memory' as a table of one "
            "row each, where domains that differ little are pooled."
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
                f"{'' if name is None else f' for {name!r}'}. Complete it."
            )
        try:
            domain = domain_of(text)
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError, CondpedError) as error:
            raise DataError(
                f"The domain of {name!r} cannot be understood: {text!r} "
                f"({' '.join(str(error).split())}). Allowed: JSON as in a space file, or Optuna's.",
                column=name,
            ) from error
        known = places.setdefault(name, {})
        texts.setdefault(name, {})[text] = known.setdefault(domain, len(known))
    return {name: tuple(known) for name, known in places.items()}, texts
