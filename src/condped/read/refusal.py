"""Refusing values: the parameter, the first row, how many there are, and what to do."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from condped.arrays import BoolArray
from condped.errors import DataError


def refuse(name: str, where: BoolArray, what: str, remedy: str) -> NoReturn:
    """Raise a DataError for the rows ``where`` a parameter's value is not right."""
    first, count = int(np.argmax(where)), int(np.count_nonzero(where))
    rows = f"row {first}" if count == 1 else f"row {first} and {count - 1} more"
    raise DataError(
        f"Parameter {name!r} {what} ({rows}; rows count from 0). {remedy}.",
        column=name,
        first_row=first,
        count=count,
    )
