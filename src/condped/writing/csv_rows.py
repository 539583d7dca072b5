"""Rows as comma-separated values that spreadsheets show and do not run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from csv import writer
from io import StringIO
from itertools import chain
from typing import Any

# How a text begins that a spreadsheet takes for a formula, after OWASP's list; wide signs as well.
# Apostrophes before it count, so that what is added here can be taken away again.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def csv_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return rows as lines of comma-separated values under a line of names.

    Texts that a spreadsheet would run get an apostrophe in front.
    """
    cells = ([_cell(row[name]) for name in columns] for row in rows)
    return "".join(map(_line, chain([columns], cells)))


def _line(cells: Sequence[Any]) -> str:
    line = StringIO()
    # The writer puts cells into quotes that hold a part of what ends its lines: a return as well.
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
