"""SHAP: the mean absolute Shapley value of each parameter in a forest's predictions."""

from __future__ import annotations

import numpy as np
from shap import TreeExplainer

from condped.arrays import FloatArray
from condped.baselines.matrix import Matrix
from condped.baselines.sklearn_forest import fit
from condped.importance.settings import BaselineSettings


def shap(matrix: Matrix, objective: FloatArray, settings: BaselineSettings) -> FloatArray:
    """Return (P,): in units of the objective."""
    forest = fit(matrix, objective, settings)
    by_column = TreeExplainer(forest).shap_values(matrix.values)
    by_parameter = np.zeros((len(matrix.values), len(matrix.names)))
    np.add.at(by_parameter.T, matrix.owner, by_column.T)
    return np.asarray(np.abs(by_parameter).mean(axis=0))
