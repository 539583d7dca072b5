"""Trial states, from a column with words for them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condped.errors import DataError
from condped.read.table.raw import RawTable
from condped.read.table.row_errors import describe_row, known_count, row_number
from condped.read.table.state_words import STATE_OF, state_of
from condped.safe_text import brief, text_of
from condped.trials.columns import LevelColumn, NumberColumn
from condped.trials.table import State, all_complete


def states_of(raw: RawTable, name: str | None) -> npt.NDArray[np.int8]:
    """Return the states in a column; without a column, all trials are complete."""
    if name is None:
        return all_complete(raw.rows)
    column = raw.require("state column", name)
    if isinstance(column, NumberColumn) and column.absent().all():
        return np.full(raw.rows, State.RUNNING, dtype=np.int8)
    if not isinstance(column, LevelColumn) or (False in column.levels):
        raise DataError(
            f"The state column {name!r} must hold texts such as 'complete'.", column=name
        )
    found = [state_of(text_of(level)) for level in column.levels]
    unknown = np.array([state is None for state in found] + [False])[column.codes]
    if unknown.any():
        first = int(np.argmax(unknown))
        raise DataError(
            f"The state {brief(column.levels[column.codes[first]])} in {describe_row(first)} of "
            f"{name!r} is unknown. Known: {', '.join(STATE_OF)}.",
            column=name,
            first_row=row_number(first),
            count=known_count(int(np.count_nonzero(unknown))),
        )
    # A trial without a state has not ended.
    known = [State.RUNNING if state is None else state for state in found]
    return np.array([*known, State.RUNNING], np.int8)[column.codes]
