"""What MLflow's records mean, in whatever way they reach us."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray

PARENT_TAG = "mlflow.parentRunId"
_LARGEST = np.finfo(np.float64).max


def with_infinities(values: FloatArray) -> FloatArray:
    """Return metrics with infinities again, for which MLflow's databases hold the largest float."""
    infinite = np.abs(values) == _LARGEST
    return np.where(infinite, np.copysign(np.inf, values), values) if infinite.any() else values


@dataclass(frozen=True, slots=True)
class Kept:
    """The runs that are trials, and what to say about the others."""

    rows: BoolArray
    notes: tuple[str, ...]


def trials_among(runs: Sequence[str], parents: Mapping[str, str], tried: BoolArray) -> Kept:
    """Decide which of nested runs and the runs above them are trials.

    A run above nested runs with parameters is their frame: a sweep. Nested runs without any are
    parts of the run above them: the folds of a cross-validation.

    Parameters
    ----------
    runs
        Their ids.
    parents
        The run above each nested run.
    tried
        (runs,) whether a run has parameters.
    """
    row_of = {run: row for row, run in enumerate(runs)}
    below: dict[int, list[int]] = {}
    for run, parent in parents.items():
        if run in row_of and parent in row_of and parent != run:
            below.setdefault(row_of[parent], []).append(row_of[run])
    frames = [above for above, nested in below.items() if tried[nested].any()]
    parts = [
        row
        for above, nested in below.items()
        if tried[above] and not tried[nested].any()
        for row in nested
    ]
    rows = np.ones(len(runs), dtype=bool)
    rows[frames] = False
    rows[parts] = False
    notes = []
    if frames:
        notes.append(f"Runs left out since their nested runs are the trials: {len(frames)}.")
    if parts:
        notes.append(
            "Nested runs without parameters left out, as parts of the runs above them: "
            f"{len(parts)}."
        )
    return Kept(rows, tuple(notes))
