"""Scores of the methods that explain a forest, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from condped.arrays import FloatArray
from condped.comparison.baselines.absent_values import (
    Matrix,
    encode,
    filter_absent,
    impute_absent,
    presence,
)
from condped.errors import DataError
from condped.estimate.settings import BaselineSettings
from condped.optional import load_optional
from condped.progress import report
from condped.trials.table import Objective, TrialTable

Scores: TypeAlias = Callable[[Matrix, FloatArray, BaselineSettings], FloatArray]
# Forests hold values in single precision, and square the objective in double.
_LARGEST = float(np.finfo(np.float32).max)
_LARGEST_OBJECTIVE = 1e150
# Where a method is, what to call it, and the libraries that it needs.
_PLACES = {
    "f-anova": ("sklearn_forest", "f_anova", "A random forest", "sklearn"),
    "mdi": ("sklearn_forest", "mdi", "A random forest", "sklearn"),
    "shap": ("shap_values", "shap", "SHAP", "sklearn and shap"),
}


def scores_of(method: str) -> Scores:
    """Return a method's function; raise if its library is missing, naming the extra."""
    module, function, feature, library = _PLACES[method]
    loaded = load_optional(
        f"condped.comparison.baselines.{module}",
        feature=feature,
        library=library,
        extra="baselines",
    )
    scores: Scores = getattr(loaded, function)
    return scores


def forest_scores(table: TrialTable, settings: BaselineSettings) -> dict[str, float | None]:
    """Return each parameter's score; None if there is nothing to learn it from.

    ``table`` has one domain per parameter, finite objectives, and only used trials.
    """
    scores = scores_of(settings.method)
    if settings.absent == "imputation":
        return _score_table(impute_absent(table), scores, settings)
    # Parameters that come and go together have the same trials, and the same forest.
    together: dict[bytes, list[str]] = {}
    for entry in table.parameters:
        together.setdefault(np.packbits(presence(entry)).tobytes(), []).append(entry.name)
    found: dict[str, float | None] = {}
    for done, names in enumerate(together.values()):
        report("Growing forests", done, len(together))
        of_all = _score_table(filter_absent(table, names[0]), scores, settings)
        found |= {name: of_all.get(name) for name in names}
    return found


def _score_table(
    table: TrialTable, scores: Scores, settings: BaselineSettings
) -> dict[str, float | None]:
    """Return the scores on one table without absences."""
    found: dict[str, float | None] = dict.fromkeys(table.names)
    objective = table.objectives[0].values
    if len(table) < 2 or objective.min() == objective.max():
        return found
    if settings.method == "f-anova":
        # A single value has no extent to average over, and explains nothing.
        found.update({p.name: 0.0 for p in table.parameters if p.domains[0].single})
        table = replace(
            table, parameters=tuple(p for p in table.parameters if not p.domains[0].single)
        )
    if not table.parameters:
        return found
    matrix = encode(table)
    _require_size(matrix, table.objectives[0])
    values = np.asarray(scores(matrix, objective, settings))
    found.update(zip(matrix.names, values.tolist(), strict=True))
    return found


def _require_size(matrix: Matrix, objective: Objective) -> None:
    """Raise if a forest would turn a number into infinity."""
    largest = np.abs(matrix.values).max(axis=0)
    if (largest > _LARGEST).any():
        column = int(np.argmax(largest > _LARGEST))
        raise DataError(
            f"Parameter {matrix.names[matrix.owner[column]]!r} has a value too large for a forest "
            f"(got {largest[column]:.4g}, at most {_LARGEST:.4g}). Scale it, or leave it out."
        )
    if (highest := np.abs(objective.values).max()) > _LARGEST_OBJECTIVE:
        raise DataError(
            f"Objective {objective.name!r} has a value too large for a forest "
            f"(got {highest:.4g}, at most {_LARGEST_OBJECTIVE:.4g}). Scale it, or leave out such "
            "trials with failure_values=."
        )
