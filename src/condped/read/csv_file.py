"""CSV files: texts that the space turns into numbers and choices."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from condped.errors import CondpedError, DataError
from condped.read.build import build_table
from condped.read.options import ReadOptions
from condped.read.raw import RawTable
from condped.read.texts import column_of_texts
from condped.trials import TrialTable


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return a CSV file's rows as trials.

    The first line names the columns; commas, semicolons or tabs separate. Cells are texts until
    the space says otherwise: a choice '01' stays '01'.
    """
    names, columns = _cells(source)
    by_name = dict(zip(names, columns, strict=True))
    rows = len(columns[0]) if columns else 0
    return build_table(
        RawTable(
            tuple(names), rows, lambda name: column_of_texts(by_name[name], options.space, name)
        ),
        options,
    )


def _cells(path: str) -> tuple[list[str], list[Sequence[str]]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:  # noqa: PTH123
            first = re.sub(r'"[^"]*("|$)', "", file.readline())
            file.seek(0)
            separator = max(",;\t", key=first.count)
            lines = csv.reader(file, delimiter=separator, strict=True)
            names = next(lines, [])
            rows = []
            for row in lines:
                if len(row) == len(names):
                    rows.append(row)
                elif not names:
                    raise DataError(
                        f"The first line of {path!r} is blank. It must name the columns."
                    )
                elif row:
                    raise DataError(
                        f"Line {lines.line_num} of {path!r} has {len(row)} cells, the header has "
                        f"{len(names)}. Quote cells that hold a separator."
                    )
    except OSError as error:
        raise DataError(f"The file {path!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"The file {path!r} is not UTF-8 text: {error.reason}.") from error
    except csv.Error as error:
        raise DataError(f"The file {path!r} is not valid CSV: {error}.") from error
    except ValueError as error:  # a null byte in the path
        if isinstance(error, CondpedError):
            raise
        raise DataError(f"The file {path!r} cannot be read: {error}.") from error
    if not names:
        raise DataError(f"The file {path!r} is empty. Its first line must name the columns.")
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return names, list(columns)
