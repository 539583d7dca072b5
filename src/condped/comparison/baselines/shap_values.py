"""SHAP: the mean absolute Shapley value of each parameter in a forest's predictions."""

from __future__ import annotations

import warnings

import numpy as np

from condped.arrays import FloatArray
from condped.comparison.baselines.absent_values import Matrix
from condped.comparison.baselines.sklearn_forest import fit
from condped.estimate.settings import BaselineSettings
from condped.progress import report

with warnings.catch_warnings():
    # On import it makes colour maps in a way that matplotlib is going to drop.
    warnings.simplefilter("ignore", PendingDeprecationWarning)
    from shap import TreeExplainer

_CHUNK = 512  # trials between reports of progress


def shap(matrix: Matrix, objective: FloatArray, settings: BaselineSettings) -> FloatArray:
    """Return (P,): mean absolute Shapley values, in units of the objective."""
    forest = fit(matrix, objective, settings)
    explainer = TreeExplainer(forest)
    trials = len(matrix.values)
    sums = np.zeros(len(matrix.names))
    for start in range(0, trials, _CHUNK):
        report("Explaining trials", start, trials)
        by_column = explainer.shap_values(matrix.values[start : start + _CHUNK])
        by_parameter = np.zeros((len(matrix.names), len(by_column)))
        np.add.at(by_parameter, matrix.owner, by_column.T)
        sums += np.abs(by_parameter).sum(axis=1)
    return sums / trials
