"""Importances and sweeps as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condped.analyse.importance.ties import sweep_messages
from condped.show.documents.parts import Document, Table, undetermined
from condped.show.text.account import account_lines, headline, headline_of
from condped.show.text.tables import (
    MOST_ROWS,
    NUMBERS,
    importance_columns,
    sweep_remarks,
    sweep_rows,
    sweep_sets,
)
from condped.show.words import (
    UNATTRIBUTED,
    folded_lines,
    remarks,
    rows_left_out,
    tie_lines,
    tie_remark,
    unfolded,
)

if TYPE_CHECKING:
    from condped.analyse.importance.result import ImportanceResult
    from condped.analyse.importance.sweep import SweepResult
    from condped.analyse.report.result import Report

_MOST_COLUMNS = 8  # parameters of a sweep
_NO_NAMES = ("γ'", "used", UNATTRIBUTED)  # columns of a sweep that are not parameters


def importance_document(result: ImportanceResult) -> Document:
    """Return the parameters, then what the numbers are based on."""
    shown, silent = unfolded(result, MOST_ROWS)
    columns = [column for column in importance_columns(result, shown) if column[0]]  # no bars
    header, *rows = zip(*columns, strict=True)
    right = frozenset(place for place, name in enumerate(header) if name in NUMBERS)
    below = [
        *folded_lines(silent),
        *rows_left_out(result, shown, silent),
        *remarks(result, shown, silent),
        *account_lines(result.account, result.settings, tie_remark(result.tie, result.target_size)),
    ]
    return Document(
        headline_of(result),
        [Table(header, rows, right), below],
        [*tie_lines(result.tie), *undetermined(result.status, result.reason)],
    )


def report_document(report: Report) -> Document:
    """Return the importances that a report opens with."""
    return importance_document(report.importance)


def sweep_document(curve: SweepResult) -> Document:
    """Return the course of the importances, then what the numbers are based on."""
    header, *rows = sweep_rows(curve, _MOST_COLUMNS)
    every = frozenset(range(len(header)))
    heads = frozenset(place for place in every if header[place] not in _NO_NAMES)
    table = Table(header, rows, every, frozenset(), heads)
    below = sweep_remarks(curve, _MOST_COLUMNS)
    below += account_lines(curve.account, curve.settings, sweep_sets(curve))
    return Document(
        headline(curve.account, curve.settings, None),
        [table, below],
        [
            *sweep_messages(curve.flat, curve.account.ties),
            *undetermined(curve.status, curve.reason),
        ],
    )
