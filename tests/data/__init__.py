"""Trials of real studies, kept as files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import condped

# 200 trials of univariate TPE: four classifiers of scikit-learn on its wine data by the accuracy of
# five folds with two decimals, median pruning. The seed is dead for three of the four.
WINE = Path(__file__).with_name("wine.csv")
WINE_OPTIONS: dict[str, Any] = {
    "objective": "value",
    "direction": "maximize",
    "state": "state",
    "space": {
        "seed": {"type": "int", "low": 0, "high": 9},
        "model": {"type": "categorical", "choices": ["svm", "forest", "knn", "logistic"]},
        "C": {"when": "model == 'svm'", "type": "float", "low": 0.01, "high": 1000, "log": True},
        "gamma": {"when": "model == 'svm'", "type": "float", "low": 1e-4, "high": 10, "log": True},
        "n_estimators": {"when": "model == 'forest'", "type": "int", "low": 5, "high": 60},
        "max_depth": {"when": "model == 'forest'", "type": "int", "low": 1, "high": 10},
        "n_neighbors": {"when": "model == 'knn'", "type": "int", "low": 1, "high": 30},
        "weights": {
            "when": "model == 'knn'", "type": "categorical", "choices": ["uniform", "distance"],
        },
        "logistic_C": {
            "when": "model == 'logistic'", "type": "float", "low": 0.001, "high": 100, "log": True,
        },
    },
}  # fmt: skip


@cache
def wine() -> condped.TrialTable:
    """Return the study of classifiers: 91 of its 139 complete trials share the best accuracy."""
    return condped.read(WINE, **WINE_OPTIONS)
