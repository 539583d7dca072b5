"""Random forests, and the two methods that need nothing but the forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from condped.arrays import FloatArray
from condped.comparison.baselines.absent_values import Matrix
from condped.comparison.baselines.fanova import Tree, fanova
from condped.estimate.settings import BaselineSettings


def fit(matrix: Matrix, objective: FloatArray, settings: BaselineSettings) -> Any:
    """Return a forest that predicts the objective, grown as Optuna's evaluators grow it."""
    forest = RandomForestRegressor(
        n_estimators=settings.trees,
        max_depth=settings.max_depth,
        min_samples_split=2,
        min_samples_leaf=1,
        random_state=settings.seed,
    )
    return forest.fit(matrix.values, objective)


def f_anova(matrix: Matrix, objective: FloatArray, settings: BaselineSettings) -> FloatArray:
    """Return (P,): the share of the forest's variance over the space that each explains alone."""
    forest = fit(matrix, objective, settings)
    trees = [_tree(estimator.tree_) for estimator in forest.estimators_]
    return fanova(trees, matrix.bounds, matrix.owner, len(matrix.names))


def mdi(matrix: Matrix, objective: FloatArray, settings: BaselineSettings) -> FloatArray:
    """Return (P,): the mean decrease of impurity by splits on each, as a share of 1."""
    forest = fit(matrix, objective, settings)
    by_parameter = np.bincount(matrix.owner, forest.feature_importances_, len(matrix.names))
    return np.asarray(by_parameter, dtype=np.float64)


def _tree(grown: Any) -> Tree:
    # A leaf has -2 for its column.
    return Tree(
        feature=grown.feature,
        threshold=grown.threshold,
        left=grown.children_left,
        right=grown.children_right,
        value=grown.value[:, 0, 0],
    )
