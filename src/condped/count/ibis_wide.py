"""A table with one row per trial, as expressions for its trials and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ibis.expr.types as ir

from condped.count.ibis_columns import Cells, cells_of
from condped.count.ibis_conditions import Gate, compiled
from condped.count.ibis_parameters import ParameterColumn, raw_gate
from condped.count.ibis_session import Session
from condped.count.ibis_trees import any_of
from condped.count.ibis_trials import Ended, ended, words_by_state
from condped.errors import DataError, not_found
from condped.read.asked import Asked
from condped.read.table.states import STATE_OF, state_of
from condped.space.domain import Domain
from condped.space.space import Alternative, Space
from condped.trials.table import State

_MOST_WORDS = 1_000  # of a state column; one with more holds something else


@dataclass(frozen=True)
class WideRows:
    """The table's columns as what they mean.

    Attributes
    ----------
    order
        The place of each trial in time; None: rows have none.
    """

    table: ir.Table
    ended: Ended
    parameters: dict[str, ParameterColumn]
    order: ir.Value | None


def wide_rows(session: Session, table: ir.Table, asked: Asked, space: Space) -> WideRows:
    """Say what the columns mean."""
    told = ended_of(session, table, asked)
    finished = None
    if told.state is not None:
        finished = told.state == int(State.COMPLETE)
    cells = {name: _cells(table, name) for name in space}
    gates = {name: raw_gate(cells[name], space[name]) for name in space}
    parameters = {
        name: switched(cells[name], space[name], gates, finished, asked.outside) for name in space
    }
    return WideRows(table, told, parameters, order_of(table, asked))


def switched(
    cells: Cells,
    alternatives: tuple[Alternative, ...],
    gates: Mapping[str, Gate],
    finished: ir.BooleanValue | None,
    outside: str,
) -> ParameterColumn:
    """Return a parameter whose domains are switched by conditions on others."""
    domains = tuple(dict.fromkeys(alternative.domain for alternative in alternatives))
    if alternatives[0].when is None:
        return ParameterColumn(cells, domains, (None,), outside, finished=finished)
    held: dict[Domain, list[ir.BooleanValue]] = {domain: [] for domain in domains}
    texts = []
    for alternative in alternatives:
        assert alternative.when is not None
        held[alternative.domain].append(compiled(alternative.when, gates))
        texts.append(alternative.when.text)
    applies = tuple(any_of(held[domain]) for domain in domains)
    return ParameterColumn(cells, domains, applies, outside, tuple(texts), finished)


def _cells(table: ir.Table, name: str) -> Cells:
    if name not in table.columns:
        raise not_found("column for the parameter", name, table.columns)
    return cells_of(name, table[name])


def ended_of(session: Session, table: ir.Table, asked: Asked) -> Ended:
    """Return the columns that tell how trials ended."""
    assert asked.objective is not None
    objective = numbers("objective", table, asked.objective)
    state, words = None, None
    if asked.state is not None:
        state = _required("state column", table, asked.state)
        words = _words(session, table, asked.state)
    return ended(
        -objective if asked.direction == "maximize" else objective,
        objective,
        states=words,
        state=state,
        failure_values=asked.failure_values,
        violations=[numbers("constraint", table, n) for n in asked.constraints],
    )


def _required(kind: str, table: ir.Table, name: str) -> ir.Value:
    if name not in table.columns:
        raise not_found(kind, name, table.columns)
    return table[name]


def numbers(kind: str, table: ir.Table, name: str) -> ir.Value:
    """Return a column of measurements as float64."""
    column = _required(kind, table, name)
    if not (column.type().is_numeric() or column.type().is_null()) or column.type().is_boolean():
        raise DataError(f"The {kind} {name!r} must be numeric (got {column.type()}).", column=name)
    if column.type().is_decimal():
        return column.cast("string").cast("float64")
    return column.cast("float64")


def _words(session: Session, table: ir.Table, name: str) -> dict[State, Sequence[str]]:
    """Return the words of the state column by what they mean."""
    column = table[name]
    if not (column.type().is_string() or column.type().is_null()):
        raise DataError(
            f"The state column {name!r} must hold texts such as 'complete'.", column=name
        )
    found = table.select(word=column).distinct().limit(_MOST_WORDS)
    words = [row["word"] for row in session.rows(found, "reading the states")]
    if len(words) == _MOST_WORDS:
        raise DataError(
            f"The state column {name!r} has {_MOST_WORDS} different texts or more. Name the "
            "column that says how a trial ended.",
            column=name,
        )
    return dict(words_by_state(words, name, state_of, ", ".join(STATE_OF)))


def order_of(table: ir.Table, asked: Asked) -> ir.Value | None:
    """Return the column with the place of each trial in time; None if there is none."""
    if asked.order is None:
        return None
    column = _required("order column", table, asked.order)
    if not column.type().is_integer():
        raise DataError(
            f"The order column {asked.order!r} must hold a whole number in every row (it holds "
            f"{column.type()}). Number the trials in time, from the first one on.",
            column=asked.order,
        )
    return column.cast("int64")
