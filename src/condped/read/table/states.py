"""Trial states, from the words that common tools use for them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from condped.errors import DataError
from condped.read.table.raw import RawTable
from condped.read.table.row_errors import describe_row, known_count, row_number
from condped.trials.columns import LevelColumn, NumberColumn
from condped.trials.table import State, all_complete

# What common tools call the four states of a trial.
_STATES = {
    State.COMPLETE: "complete completed success succeeded finished terminated done ok",
    State.PRUNED: "pruned stopped capped",
    State.FAILED: "fail failed failure error crashed killed timeout memout memoryout abort "
    "aborted preempted stop",  # SMAC 1 writes stop for a run that it cut short itself
    State.RUNNING: "running waiting pending scheduled paused preempting",
}
STATE_OF = {word: state for state, words in _STATES.items() for word in words.split()}


def state_of(word: str) -> State | None:
    """Return the state that a word means; None if unknown."""
    return STATE_OF.get(word.rpartition(".")[2].strip().lower())


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
    found = [state_of(str(level)) for level in column.levels]
    unknown = np.array([state is None for state in found] + [False])[column.codes]
    if unknown.any():
        first = int(np.argmax(unknown))
        raise DataError(
            f"The state {column.levels[column.codes[first]]!r} in {describe_row(first)} of "
            f"{name!r} is unknown. Known: {', '.join(STATE_OF)}.",
            column=name,
            first_row=row_number(first),
            count=known_count(int(np.count_nonzero(unknown))),
        )
    # A trial without a state has not ended.
    known = [State.RUNNING if state is None else state for state in found]
    return np.array([*known, State.RUNNING], np.int8)[column.codes]
