"""Limits on the table that a source expands to, so that a small one cannot fill the memory."""

from __future__ import annotations

from condped.errors import DataError

# Cells (rows times columns) of eight bytes that any source may have: 128 MiB.
_MOST_CELLS = 1 << 24
# ... or that it may have for each of its bytes, or each value in it. Columns that hardly vary take
# next to nothing in a file, and most parameters may be absent from most trials; but objectives
# differ.
_CELLS_EACH = 200


def check_cells(cells: int, size: int, what: str, unit: str = "bytes") -> None:
    """Raise if a table of ``cells`` is out of proportion to its source, which ``what`` names."""
    most = max(_MOST_CELLS, _CELLS_EACH * size)
    if cells > most:
        raise DataError(
            f"{what} expands too far: {size:,} {unit} would become a table of more than {most:,} "
            "cells (rows times columns). It may be damaged; if it is intact, select the rows and "
            "columns that are needed with the tool that wrote it."
        )
