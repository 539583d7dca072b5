"""A long table as expressions: its domains, its trials, and parameters as columns beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis
import ibis.expr.types as ir

from condped.count.ibis_columns import Cells
from condped.count.ibis_parameters import ParameterColumn, raw_gate
from condped.count.ibis_session import Session
from condped.count.ibis_trees import any_of, code, is_nan
from condped.count.ibis_wide import WideRows, ended_of, order_of, switched
from condped.errors import CondpedError, DataError, SettingsError, not_found
from condped.read.asked import Asked
from condped.read.databases.long_table import LongTable
from condped.read.optuna.records import domain_of
from condped.space.domain import Domain
from condped.space.space import Space
from condped.trials.table import State

_MOST_PAIRS = 5_000


@dataclass(frozen=True)
class LongRows:
    """A long table and what its parameters are.

    Attributes
    ----------
    given
        Without the rows that name no trial.
    all_rows
        With these.
    texts
        Of each parameter's domains, the texts that record it; empty where a space is given.
    """

    session: Session
    given: LongTable
    all_rows: ir.Table
    asked: Asked
    domains: Mapping[str, tuple[Domain, ...]]
    texts: Mapping[str, tuple[tuple[str, ...], ...]]

    @property
    def space(self) -> Space | None:
        """The space, where it is given."""
        return self.asked.space

    @property
    def positions(self) -> bool:
        """Whether choices are recorded by their positions."""
        return not self.given.rows[self.given.value].type().is_string()

    def trials(self) -> ir.Table:
        """Return the table of one row per trial."""
        if self.given.trials is not None:
            return self.given.trials
        rows, names = self.given.rows, self.measured()
        for name in names:
            _require(rows, "column", name)
        return rows.group_by(self.given.trial).agg(**{name: rows[name].max() for name in names})

    def measured(self) -> list[str]:
        """Return the columns that tell how a trial ended."""
        asked = self.asked
        named = (asked.objective, asked.state, asked.order, *asked.constraints)
        return list(dict.fromkeys(name for name in named if name is not None))

    def with_parameters(self, names: Iterable[str]) -> WideRows:
        """Return the trials with some parameters as columns: those that conditions look at."""
        wanted = self._with_gates(names)
        trials, rows = self.trials(), self.given.rows
        columns = {name: fresh(trials, f"parameter{k}") for k, name in enumerate(wanted)}
        table = trials
        if wanted:
            table = self._spread(trials, rows, columns)
        ended = ended_of(self.session, table, self.asked)
        finished = None if ended.state is None else ended.state == int(State.COMPLETE)
        cells = {name: self._cells(name, table[column]) for name, column in columns.items()}
        if self.space is None:
            parameters = {
                name: self.recorded(name, cells[name], table[f"{column}_domain"])
                for name, column in columns.items()
            }
        else:
            gates = {name: self._raw(name, cells[name]) for name in wanted}
            parameters = {
                name: self._positioned(
                    switched(cells[name], self.space[name], gates, finished, self.asked.outside)
                )
                for name in wanted
            }
        return WideRows(table, ended, parameters, order_of(table, self.asked))

    def _with_gates(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the parameters and those that their conditions look at, in turn."""
        found = dict.fromkeys(names)
        todo = list(found)
        while todo and self.space is not None:
            name = todo.pop()
            gates = [g for a in self.space[name] if a.when is not None for g in a.when.names]
            todo += [gate for gate in gates if gate not in found]
            found |= dict.fromkeys(gates)
        return tuple(found)

    def _spread(self, trials: ir.Table, rows: ir.Table, columns: Mapping[str, str]) -> ir.Table:
        """Return trials with columns for some parameters, empty where there is no row."""
        given = self.given
        some = rows.filter(rows[given.parameter].isin(list(columns)))
        spread = {}
        for name, column in columns.items():
            here = some[given.parameter] == name
            value = some[given.value]
            spread[column] = here.ifelse(value, ibis.null(value.type())).max()
            if self.space is None:
                domain = some[given.domain]
                spread[f"{column}_domain"] = here.ifelse(domain, ibis.null("string")).max()
        key = fresh(trials, "trial_key")
        found = some.group_by(**{key: some[given.trial]}).agg(**spread)
        return trials.left_join(found, trials[given.trial] == found[key])

    def _raw(self, name: str, cells: Cells) -> Any:
        assert self.space is not None
        if not self.positions:
            return raw_gate(cells, self.space[name])
        domains = tuple(dict.fromkeys(a.domain for a in self.space[name]))
        # Where it has a row it has a value, whatever its own conditions say.
        first = ParameterColumn(cells, domains[:1], (None,), self.asked.outside, positions=True)
        if len(domains) > 1 and first.numbers is None:
            raise SettingsError(
                f"{name!r} has several categorical domains, so that positions of choices do not "
                "tell a condition what the choice is. Record choices as texts."
            )
        return first.gate()

    def _positioned(self, parameter: ParameterColumn) -> ParameterColumn:
        return ParameterColumn(
            parameter.cells, parameter.domains, parameter.applies, parameter.outside,
            parameter.conditions, parameter.finished, positions=self.positions,
        )  # fmt: skip

    def _cells(self, name: str, value: ir.Value) -> Cells:
        dtype = value.type()
        if dtype.is_string():
            return Cells(name, value, value.isnull(), spelled=True)
        if dtype.is_decimal():
            value = value.cast("string").cast("float64")
        elif dtype.is_numeric() and not dtype.is_float64():
            value = value.cast("float64") if dtype.is_floating() else value
        elif not dtype.is_numeric():
            raise DataError(
                f"The column of values {self.given.value!r} must hold numbers or texts (got "
                f"{dtype}).",
                column=self.given.value,
            )
        empty = value.isnull()
        return Cells(name, value, empty | is_nan(value) if value.type().is_floating() else empty)

    def recorded(self, name: str, cells: Cells, domain: ir.Value) -> ParameterColumn:
        """Return a parameter whose domain stands beside each value."""
        applies = [domain.isin(list(texts)).fill_null(False) for texts in self.texts[name]]
        return ParameterColumn(
            cells, self.domains[name], tuple(applies), self.asked.outside,
            positions=self.positions,
        )  # fmt: skip

    def without_parameters(self) -> WideRows:
        """Return the rows themselves as if each were a trial."""
        rows = self.given.rows
        ended = ended_of(self.session, rows, self.asked)
        return WideRows(rows, ended, {}, order_of(rows, self.asked))

    def gates(self) -> tuple[str, ...]:
        """Return the parameters that conditions of the space look at."""
        if self.space is None:
            return ()
        named = (n for entry in self.space.values() for a in entry if a.when for n in a.when.names)
        return tuple(dict.fromkeys(named))

    def switches(self, trials: WideRows) -> tuple[dict[str, tuple[str, ...]], dict[str, ir.Value]]:
        """Return, for each parameter with conditions, columns that say where its domains apply."""
        held: dict[str, tuple[str, ...]] = {}
        columns: dict[str, ir.Value] = {}
        if self.space is None:
            return held, columns
        gates = {name: self._raw(name, trials.parameters[name].cells) for name in self.gates()}
        for name, alternatives in self.space.items():
            if alternatives[0].when is None:
                continue
            # Its cells do not matter here: only where its domains apply does.
            some = next(iter(trials.parameters.values())).cells
            applies = switched(some, alternatives, gates, None, self.asked.outside).applies
            held[name] = tuple(f"held{len(columns) + k}" for k in range(len(applies)))
            columns |= dict(zip(held[name], applies, strict=True))
        return held, columns

    def columns_of(
        self, table: ir.Table, held: Mapping[str, Sequence[str]]
    ) -> dict[str, ParameterColumn]:
        """Return the parameters on rows with the columns parameter, value and perhaps domain.

        ``held`` names the columns that say where each domain of a parameter applies.
        """
        found = {}
        for name, domains in self.domains.items():
            cells = self._cells(name, table["value"])
            if self.space is None:
                found[name] = self.recorded(name, cells, table["domain"])
                continue
            texts = tuple(a.when.text for a in self.space[name] if a.when is not None)
            applies = tuple(table[column].fill_null(False) for column in held.get(name, ()))
            found[name] = ParameterColumn(
                cells,
                domains,
                applies or (None,),
                self.asked.outside,
                texts,
                positions=self.positions,
            )
        return found

    def check_trials(self) -> None:
        """Refuse rows of one trial that contradict each other, and trials that stand twice."""
        given, rows = self.given, self.given.rows
        if given.trials is not None:
            trials = given.trials
            each = trials.group_by(trial=trials[given.trial]).agg(n=trials.count())
            found = self.session.rows(each.filter(each.n > 1).limit(1), "looking at the trials")
            if found:
                raise DataError(
                    f"Trial {found[0]['trial']!r} stands {found[0]['n']} times in the table of "
                    "trials. Keep one row of each."
                )
            return
        ends = {f"low{k}": rows[name].min() for k, name in enumerate(self.measured())}
        ends |= {f"high{k}": rows[name].max() for k, name in enumerate(self.measured())}
        # Neither bound tells of rows that have nothing where others have something.
        ends |= {f"given{k}": rows[name].count() for k, name in enumerate(self.measured())}
        each = rows.group_by(trial=rows[given.trial]).agg(n=rows.count(), **ends)
        differs = any_of(
            (each[f"low{k}"] != each[f"high{k}"]).fill_null(False)
            | ((each[f"given{k}"] > 0) & (each[f"given{k}"] < each.n))
            for k in range(len(self.measured()))
        )
        found = self.session.rows(each.filter(differs).limit(1), "looking at the trials")
        if found:
            raise DataError(
                f"The rows of trial {found[0]['trial']!r} differ in one of "
                f"{', '.join(self.measured())}. Make them the same in all rows of a trial."
            )

    def left_out(self) -> tuple[str, ...]:
        """Say how many rows count nowhere, each one under the first reason that applies."""
        given, rows = self.given, self.all_rows
        table = rows.select(my_trial=rows[given.trial], parameter=rows[given.parameter])
        if given.trials is not None:
            ids = given.trials.select(its_trial=given.trials[given.trial]).distinct()
            table = table.left_join(ids, table.my_trial == ids.its_trial)
        branches = [(table.my_trial.isnull(), code(1))]
        if given.trials is not None:
            branches.append((table.its_trial.isnull(), code(2)))
        named = table.parameter.isin(list(self.domains)).fill_null(False)
        base = table.select(reason=ibis.cases(*branches, (~named, code(3)), else_=code(0)))
        query = base.group_by("reason").agg(n=base.count())
        found = {row["reason"]: row["n"] for row in self.session.rows(query, "looking at the keys")}
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


def fresh(table: ir.Table, name: str) -> str:
    """Return a name that no column has."""
    while any(column.lower().startswith(name.lower()) for column in table.columns):
        name = f"_{name}"
    return name


def _require(table: ir.Table, kind: str, name: str) -> None:
    if name not in table.columns:
        raise not_found(kind, name, table.columns)


def _refuse_incomparable(given: LongTable) -> None:
    """Refuse ids of trials that cannot be the same in both tables."""
    mine, its = (table[given.trial].type() for table in (given.rows, given.trials))
    if type(mine) is not type(its) and not (mine.is_integer() and its.is_integer()):
        raise DataError(
            f"The column {given.trial!r} holds {mine} in the rows and {its} in the trials, so that "
            "rows do not find their trials. Give both the same type.",
            column=given.trial,
        )


def long_rows(session: Session, given: LongTable, asked: Asked) -> LongRows:
    """Find out what the parameters of a long table are."""
    every = given.rows
    for kind, name in (("trial", given.trial), ("parameter", given.parameter),
                       ("value", given.value)):  # fmt: skip
        _require(every, f"{kind} column", name)
    if given.trials is not None:
        _require(given.trials, "trial column", given.trial)
        _refuse_incomparable(given)
    given = replace(given, rows=every.filter(every[given.trial].notnull()))
    if asked.space is not None:
        domains = {
            name: tuple(dict.fromkeys(alternative.domain for alternative in alternatives))
            for name, alternatives in asked.space.items()
        }
        return LongRows(session, given, every, asked, domains, {})
    if given.domain not in given.rows.columns:
        raise SettingsError(
            f"The long table has no column {given.domain!r} of domains. Name it with domain, or "
            "give a space."
        )
    pairs = (
        given.rows.select(parameter=given.rows[given.parameter], domain=given.rows[given.domain])
        .distinct()
        .limit(_MOST_PAIRS + 1)
    )
    found = [(row["parameter"], row["domain"]) for row in session.rows(pairs, "reading domains")]
    if len(found) > _MOST_PAIRS:
        raise DataError(
            f"The long table records more than {_MOST_PAIRS} different domains. Counting all of "
            "them would take too much memory: read the trials with engine='memory', which pools "
            "domains that differ little, or give a space."
        )
    domains, texts = _sorted_domains(found)
    return LongRows(session, given, every, asked, domains, texts)


def _sorted_domains(
    pairs: Iterable[tuple[Any, Any]],
) -> tuple[dict[str, tuple[Domain, ...]], dict[str, tuple[tuple[str, ...], ...]]]:
    """Return each parameter's distinct domains and the texts that record each, by name and text."""
    texts: dict[str, dict[Domain, list[str]]] = {}
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
        texts.setdefault(name, {}).setdefault(domain, []).append(text)
    return (
        {name: tuple(known) for name, known in texts.items()},
        {name: tuple(map(tuple, known.values())) for name, known in texts.items()},
    )
