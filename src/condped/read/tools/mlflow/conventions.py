"""Conventions of MLflow's records, the same in all of its stores and exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray

PARENT_TAG = "mlflow.parentRunId"
_LARGEST = np.finfo(np.float64).max


def with_infinities(values: FloatArray) -> FloatArray:
    """Return metrics with infinities restored: MLflow's databases store the largest float."""
    infinite = np.abs(values) == _LARGEST
    return np.where(infinite, np.copysign(np.inf, values), values) if infinite.any() else values


@dataclass(frozen=True, slots=True)
class Kept:
    """The runs that are trials, and notes on the others."""

    rows: BoolArray
    notes: tuple[str, ...]


def trials_among(runs: Sequence[str], parents: Mapping[str, str], tried: BoolArray) -> Kept:
    """Decide which of nested runs and their parents are trials.

    The parent of nested runs with parameters is a sweep, not a trial. Nested runs without
    parameters are parts of their parent: the folds of a cross-validation.

    Parameters
    ----------
    runs
        Their ids.
    parents
        The parent of each nested run.
    tried
        (runs,) whether a run has parameters.
    """
    row_of = {run: row for row, run in enumerate(runs)}
    below: dict[int, list[int]] = {}
    for run, parent in parents.items():
        if run in row_of and parent in row_of and parent != run:
            below.setdefault(row_of[parent], []).append(row_of[run])
    sweeps = [above for above, nested in below.items() if tried[nested].any()]
    parts = [
        row
        for above, nested in below.items()
        if tried[above] and not tried[nested].any()
        for row in nested
    ]
    rows = np.ones(len(runs), dtype=bool)
    rows[sweeps] = False
    rows[parts] = False
    notes = []
    if sweeps:
        notes.append(f"Runs left out since their nested runs are the trials: {len(sweeps)}.")
    if parts:
        notes.append(
            "Nested runs without parameters left out, as parts of the runs above them: "
            f"{len(parts)}."
        )
    return Kept(rows, tuple(notes))
