"""The words that common tools use for the states of trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from condped.errors import DataError
from condped.trials.table import State

# One per trial: an array of State, or states and words for them such as "failed".
States: TypeAlias = npt.NDArray[np.int8] | Sequence[State | str]

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


def checked_state(state: State | str) -> State:
    """Return a state; raises for an unknown word or number."""
    if isinstance(state, str):
        found = state_of(state)
    else:
        found = State(state) if state in tuple(State) else None
    if found is None:
        raise DataError(f"The state {state!r} is unknown. Known: {', '.join(STATE_OF)}.")
    return found


def state_array(states: States, trials: int) -> npt.NDArray[np.int8]:
    """Return states as an array; raises if there is not one per trial."""
    found = (
        states
        if isinstance(states, np.ndarray) and states.dtype == np.int8
        else np.array([checked_state(state) for state in states], dtype=np.int8)
    )
    if found.shape != (trials,):
        raise DataError(
            f"states must hold one state per trial: {trials:,} (got an array of shape "
            f"{found.shape}). Give a list of words such as 'complete' and 'failed'."
        )
    return found
