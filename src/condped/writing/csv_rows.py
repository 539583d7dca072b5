"""Rows as comma-separated values that spreadsheets display and do not execute."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from csv import writer
from io import StringIO
from itertools import chain
from typing import Any

# Beginnings of texts that a spreadsheet takes for formulas, after OWASP's list, with full-width
# signs. Apostrophes before them count, so that those added here can be removed again.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def csv_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return rows as lines of comma-separated values under a line of names.

    Texts that a spreadsheet would execute get an apostrophe in front.
    """
    cells = ([_cell(row[name]) for name in columns] for row in rows)
    return "".join(map(_line, chain([columns], cells)))


def _line(cells: Sequence[Any]) -> str:
    line = StringIO()
    # The writer quotes cells that hold a part of its line terminator, so carriage returns as well.
    writer(line, lineterminator="\r\n").writerow(cells)
    return f"{line.getvalue()[:-2]}\n"


def _cell(value: Any) -> Any:
    formula = isinstance(value, str) and _FORMULA.match(value) and not _is_number(value)
    return f"'{value}" if formula else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text
