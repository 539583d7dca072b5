"""Outcomes other than a good objective: failing, being pruned, diverging."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from condped.arrays import BoolArray
from condped.errors import SettingsError
from condped.safe_text import brief
from condped.trials.table import State, TrialTable
from condped.trials.used_trials import ENDINGS

# One of OUTCOMES, a truth value per trial, or a function from the table to these.
Target: TypeAlias = str | npt.ArrayLike | Callable[[TrialTable], npt.ArrayLike]
OUTCOMES = ENDINGS


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """An outcome, which trials had it, and which could have had it."""

    label: str
    target: BoolArray
    considered: BoolArray


def label_of(target: Target) -> str:
    """Return a short name for an outcome."""
    return target if isinstance(target, str) else "target"


def outcome_of(table: TrialTable, target: Target) -> Outcome:
    """Return the outcome that ``target`` names or gives.

    ``failed``: of all trials that ended. ``pruned``: of those that did not fail. ``nonfinite``: of
    those that finished, an objective that is NaN or infinite. ``infeasible``: of those that
    finished, a violated constraint. A mask or a function gives a truth value for each trial.
    """
    if isinstance(target, str):
        return _named_outcome(table, target)
    given = target(table) if callable(target) else target
    mask = np.asarray(given)
    if mask.shape != (len(table),) or mask.dtype != np.bool_:
        raise SettingsError(
            f"target must be one of {', '.join(OUTCOMES)}, or a truth value for each of the "
            f"{len(table)} trials (got {_describe(given)})."
        )
    return Outcome("target", mask, np.asarray(table.states) != State.RUNNING)


def _named_outcome(table: TrialTable, name: str) -> Outcome:
    states = np.asarray(table.states)
    complete = states == State.COMPLETE
    if name == "failed":
        return Outcome(name, states == State.FAILED, states != State.RUNNING)
    if name == "pruned":
        pruned = states == State.PRUNED
        return Outcome(name, pruned, complete | pruned)
    if name == "nonfinite":
        return Outcome(name, ~table.finite, complete)
    if name == "infeasible":
        infeasible = table.infeasible
        if infeasible is None:
            raise SettingsError("target='infeasible' needs constraints, and none are recorded.")
        return Outcome(name, infeasible, complete)
    raise SettingsError(
        f"target must be one of {', '.join(OUTCOMES)}, or a mask (got {brief(name)})."
    )


def _describe(given: Any) -> str:
    array = np.asarray(given)
    return f"an array of shape {array.shape} and type {array.dtype}"
