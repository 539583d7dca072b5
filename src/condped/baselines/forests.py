"""Scores of the methods that explain a forest, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from condped.arrays import FloatArray
from condped.baselines.absent import filter_absent, impute_absent
from condped.baselines.matrix import Matrix, encode
from condped.importance.settings import BaselineSettings
from condped.optional import load_optional
from condped.progress import report
from condped.trials import TrialTable

Scores: TypeAlias = Callable[[Matrix, FloatArray, BaselineSettings], FloatArray]
# Which module of ours has the method, and the libraries that it needs.
_PLACES = {
    "f-anova": ("sklearn_forest", "f_anova", "sklearn"),
    "mdi": ("sklearn_forest", "mdi", "sklearn"),
    "shap": ("shap_values", "shap", "sklearn and shap"),
}


def scores_of(method: str) -> Scores:
    """Return a method's function, or say which extra brings its library."""
    module, function, library = _PLACES[method]
    loaded = load_optional(
        f"condped.baselines.{module}", feature=method, library=library, extra="baselines"
    )
    scores: Scores = getattr(loaded, function)
    return scores


def forest_scores(table: TrialTable, settings: BaselineSettings) -> dict[str, float | None]:
    """Return each parameter's score, None where there is nothing to learn it from.

    ``table`` has one domain per parameter, finite objectives, and only trials that count.
    """
    scores = scores_of(settings.method)
    if settings.absent == "imputation":
        return _scored(impute_absent(table), scores, settings)
    found: dict[str, float | None] = {}
    for done, name in enumerate(table.names):
        report("Growing forests", done, len(table.names))
        found[name] = _scored(filter_absent(table, name), scores, settings).get(name)
    return found


def _scored(
    table: TrialTable, scores: Scores, settings: BaselineSettings
) -> dict[str, float | None]:
    """Return the scores on one table without absences."""
    found: dict[str, float | None] = dict.fromkeys(table.names)
    objective = table.objectives[0].values
    if len(table) < 2 or objective.min() == objective.max():
        return found
    if settings.method == "f-anova":
        # What has a single value has no extent to take a mean over, and explains nothing.
        found.update({p.name: 0.0 for p in table.parameters if p.domains[0].single})
        table = replace(
            table, parameters=tuple(p for p in table.parameters if not p.domains[0].single)
        )
    if not table.parameters:
        return found
    matrix = encode(table)
    values = np.asarray(scores(matrix, objective, settings))
    found.update(zip(matrix.names, values.tolist(), strict=True))
    return found
