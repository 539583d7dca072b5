"""Eight objectives: scikit-learn models on its own data sets, with five dead parameters each.

An objective yields its values after every fold or round of epochs; the last are the trial's own.
Dead parameters are suggested and never used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.studies.spaces import Parameter, Params, Space, choice, inside, integer, real

Array: TypeAlias = npt.NDArray[Any]
Values: TypeAlias = tuple[float, ...]
Fold: TypeAlias = tuple[Array, Array, Array, Array]  # training data and labels, test the same


@dataclass(frozen=True)
class Objective:
    """An objective and what is known about it."""

    name: str
    space: Space
    evaluate: Callable[[Params], Iterator[Values]]
    deciding: str  # the real parameter on which most depends
    task: str
    conditional: bool
    ties: bool
    pruning: bool
    objectives: int = 1

    @property
    def dead(self) -> tuple[str, ...]:
        """The parameters that nothing uses."""
        return tuple(own.name for own in self.space if own.name.startswith("dead_"))

    def values(self, params: Params) -> Values:
        """Return the values of a configuration."""
        with quick():
            return list(self.evaluate(params))[-1]


@contextmanager
def quick() -> Iterator[None]:
    """Leave out scikit-learn's checks and the warnings of solvers that are stopped early."""
    with (
        warnings.catch_warnings(),
        config_context(assume_finite=True, skip_parameter_validation=True),
    ):
        warnings.simplefilter("ignore")
        yield


def _dead() -> list[Parameter]:
    return [
        integer("dead_seed", 0, 9),
        real("dead_float", 0.0, 1.0),
        real("dead_log", 1e-5, 1e-1, log=True),
        choice("dead_choice", "a", "b", "c"),
    ]


@cache
def _folds(loader: Callable[[], Any], rows: int, folds: int, seed: int = 0) -> list[Fold]:
    """Return the folds of some rows of a data set, standardised."""
    data = loader()
    rng = np.random.default_rng(seed)
    kept = rng.permutation(len(data.target))[:rows]
    inputs = StandardScaler().fit_transform(data.data[kept])
    labels = data.target[kept]
    if labels.dtype.kind == "f":
        labels = (labels - labels.mean()) / labels.std()
    number = np.arange(rows) % folds
    return [
        (inputs[number != fold], labels[number != fold], inputs[number == fold],
         labels[number == fold])
        for fold in range(folds)
    ]  # fmt: skip


@cache
def _split(loader: Callable[[], Any], rows: int, test: int) -> Fold:
    """Return one split of some rows of a data set, as they are."""
    data = loader()
    kept = np.random.default_rng(1).permutation(len(data.target))[:rows]
    inputs, labels = data.data[kept], data.target[kept]
    return inputs[test:], labels[test:], inputs[:test], labels[:test]


@cache
def _digits(rows: int, folds: int) -> list[Fold]:
    found = []
    for train, labels, test, truth in _folds(load_digits, rows, folds):
        reduce = PCA(16, random_state=0).fit(train)
        scale = StandardScaler().fit(reduce.transform(train))
        found.append(
            (scale.transform(reduce.transform(train)), labels,
             scale.transform(reduce.transform(test)), truth)
        )  # fmt: skip
    return found


def _running(scores: Iterator[float]) -> Iterator[Values]:
    """Yield the mean of the scores so far."""
    total = 0.0
    for number, score in enumerate(scores, 1):
        total += score
        yield (total / number,)


def _log_loss(probabilities: Array, labels: Array, classes: Array) -> float:
    places = np.searchsorted(classes, labels)
    chosen = probabilities[np.arange(len(labels)), places]
    return float(-np.log(np.clip(chosen, 1e-6, 1.0)).mean())


def _probabilities(model: Any, inputs: Array) -> Array:
    if not isinstance(model, SVC):
        return np.asarray(model.predict_proba(inputs))
    margins = model.decision_function(inputs)
    if margins.ndim == 1:
        margins = np.stack([-margins, margins], axis=1)
    raised = np.exp(2 * (margins - margins.max(axis=1, keepdims=True)))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _classifier(params: Params) -> Any:
    if params["model"] == "svm":
        return SVC(C=params["svm_C"], gamma=params["svm_gamma"])
    if params["model"] == "tree":
        return DecisionTreeClassifier(
            max_depth=params["tree_depth"], min_samples_leaf=params["tree_leaf"], random_state=0
        )
    if params["model"] == "knn":
        return KNeighborsClassifier(params["knn_k"], weights=params["knn_weights"])
    return LogisticRegression(C=params["logreg_C"], max_iter=30)


def _classifiers(*before: Parameter) -> Space:
    seed, number, small, letter = _dead()
    return (
        seed,
        *before,
        choice("model", "svm", "tree", "knn", "logreg"),
        number,
        *inside("model", ("svm",), real("svm_C", 1e-3, 1e3, log=True),
                real("svm_gamma", 1e-4, 10.0, log=True), real("dead_branch", 0.0, 1.0)),
        *inside("model", ("tree",), integer("tree_depth", 1, 12), integer("tree_leaf", 1, 20)),
        *inside("model", ("knn",), integer("knn_k", 1, 30),
                choice("knn_weights", "uniform", "distance")),
        *inside("model", ("logreg",), real("logreg_C", 1e-4, 1e2, log=True)),
        small,
        letter,
    )  # fmt: skip


def _wine_models(params: Params) -> Iterator[Values]:
    train, labels, test, truth = _split(load_wine, 178, 68)
    if params["scale"] != "none":
        scale = (StandardScaler if params["scale"] == "standard" else MinMaxScaler)().fit(train)
        train, test = scale.transform(train), scale.transform(test)
    predicted = _classifier(params).fit(train, labels).predict(test)
    yield (float(np.mean(predicted != truth)),)


def _digits_models(params: Params) -> Iterator[Values]:
    def scores() -> Iterator[float]:
        for train, labels, test, truth in _digits(200, 3):
            model = _classifier(params).fit(train, labels)
            yield _log_loss(_probabilities(model, test), truth, model.classes_)

    yield from _running(scores())


def _diabetes_boosting(params: Params) -> Iterator[Values]:
    train, labels, test, truth = _folds(load_diabetes, 260, 2)[0]
    model = GradientBoostingRegressor(
        n_estimators=params["trees"], learning_rate=params["learning_rate"],
        max_depth=params["max_depth"], subsample=params["subsample"],
        min_samples_leaf=params["min_leaf"], max_features=params["max_features"], random_state=0,
    )  # fmt: skip
    model.fit(train, labels)
    yield (float(np.sqrt(np.mean((model.predict(test) - truth) ** 2))),)


def _flat(*real_ones: Parameter) -> Space:
    seed, number, small, letter = _dead()
    half = len(real_ones) // 2
    return (
        seed, number, *real_ones[:half], letter, *real_ones[half:], small,
        integer("dead_levels", 1, 100),
    )  # fmt: skip


def _cancer_svm(params: Params) -> Iterator[Values]:
    def scores() -> Iterator[float]:
        for train, labels, test, truth in _folds(load_breast_cancer, 180, 3):
            used = slice(0, params["features"])
            weights = None if params["class_weight"] == "none" else "balanced"
            model = SVC(C=params["C"], gamma=params["gamma"], class_weight=weights)
            predicted = model.fit(train[:, used], labels).predict(test[:, used])
            yield float(np.mean(predicted != truth))

    yield from _running(scores())


def _wine_mlp(params: Params) -> Iterator[Values]:
    train, labels, test, truth = _folds(load_wine, 120, 2)[0]
    units = tuple(params[f"units_{layer + 1}"] for layer in range(params["layers"]))
    model = MLPClassifier(
        units, activation=params["activation"], solver="sgd", alpha=params["alpha"],
        learning_rate_init=params["learning_rate"], momentum=params["momentum"], batch_size=20,
        random_state=0,
    )  # fmt: skip
    classes = np.unique(labels)
    for _ in range(4):
        for _ in range(2):
            model.partial_fit(train, labels, classes=classes)
        yield (_log_loss(model.predict_proba(test), truth, classes),)


def _diabetes_pipeline(params: Params) -> Iterator[Values]:
    train, labels, test, truth = _folds(load_diabetes, 300, 2)[0]
    reduce: Any = None
    if params["reduce"] == "pca":
        reduce = PCA(params["pca_components"], random_state=0)
    elif params["reduce"] == "best":
        reduce = SelectKBest(f_regression, k=params["best_features"])
    if reduce is not None:
        train = reduce.fit_transform(train, labels)
        test = reduce.transform(test)
    model = _regressor(params).fit(train, labels)
    error = float(np.sqrt(np.mean((model.predict(test) - truth) ** 2)))
    yield (min(error, 10.0),)


def _regressor(params: Params) -> Any:
    if params["model"] == "svr":
        return SVR(
            kernel=params["svr_kernel"], C=params["svr_C"], epsilon=params["svr_epsilon"],
            gamma=params.get("svr_gamma", "scale"), degree=params.get("svr_degree", 3),
            coef0=1.0, max_iter=2000,
        )  # fmt: skip
    if params["model"] == "knn":
        return KNeighborsRegressor(params["knn_k"], weights=params["knn_weights"])
    if params["model"] == "tree":
        return DecisionTreeRegressor(
            max_depth=params["tree_depth"], min_samples_leaf=params["tree_leaf"], random_state=0
        )
    return Ridge(alpha=params["ridge_alpha"])


def _pipeline() -> Space:
    seed, number, small, letter = _dead()
    return (
        choice("reduce", "none", "pca", "best"),
        *inside("reduce", ("pca",), integer("pca_components", 1, 10)),
        *inside("reduce", ("best",), integer("best_features", 1, 10)),
        letter, seed,
        choice("model", "svr", "ridge", "knn", "tree"),
        *inside("model", ("svr",), choice("svr_kernel", "rbf", "poly", "linear"),
                real("svr_C", 1e-2, 1e2, log=True), real("svr_epsilon", 1e-3, 1.0, log=True),
                real("dead_branch", 0.0, 1.0)),
        *inside("svr_kernel", ("rbf", "poly"), real("svr_gamma", 1e-3, 1.0, log=True)),
        *inside("svr_kernel", ("poly",), integer("svr_degree", 2, 4)),
        *inside("model", ("ridge",), real("ridge_alpha", 1e-3, 1e4, log=True)),
        *inside("model", ("knn",), integer("knn_k", 1, 50),
                choice("knn_weights", "uniform", "distance")),
        *inside("model", ("tree",), integer("tree_depth", 1, 12), integer("tree_leaf", 1, 40)),
        number, small,
    )  # fmt: skip


def _cancer_size(params: Params) -> Iterator[Values]:
    train, labels, test, truth = _folds(load_breast_cancer, 260, 2)[0]
    model: Any
    if params["model"] == "tree":
        model = DecisionTreeClassifier(
            max_depth=params["tree_depth"], min_samples_leaf=params["tree_leaf"], random_state=0
        ).fit(train, labels)
        size = model.tree_.node_count
    elif params["model"] == "forest":
        model = RandomForestClassifier(
            params["forest_trees"], max_depth=params["forest_depth"], random_state=0
        ).fit(train, labels)
        size = sum(tree.tree_.node_count for tree in model.estimators_)
    else:
        model = LogisticRegression(
            C=params["lasso_C"], l1_ratio=1.0, solver="liblinear", random_state=0
        ).fit(train, labels)
        size = 1 + np.count_nonzero(model.coef_)
    yield _log_loss(model.predict_proba(test), truth, model.classes_), float(np.log10(size))


def _sizes() -> Space:
    seed, number, small, letter = _dead()
    return (
        number,
        choice("model", "tree", "forest", "lasso"),
        *inside("model", ("tree",), integer("tree_depth", 1, 10), integer("tree_leaf", 1, 40)),
        *inside("model", ("forest",), integer("forest_trees", 2, 12),
                integer("forest_depth", 1, 8), real("dead_branch", 0.0, 1.0)),
        seed,
        *inside("model", ("lasso",), real("lasso_C", 1e-3, 1e2, log=True)),
        letter, small,
    )  # fmt: skip


def _diabetes_kernel(params: Params) -> Iterator[Values]:
    train, labels, test, truth = _folds(load_diabetes, 220, 2)[0]
    used = slice(0, params["features"])
    model = KernelRidge(
        alpha=params["alpha"], kernel="poly", gamma=params["gamma"], degree=params["degree"],
        coef0=params["coef0"],
    )  # fmt: skip
    predicted = model.fit(train[:, used], labels).predict(test[:, used])
    yield (min(float(np.sqrt(np.mean((predicted - truth) ** 2))), 1e3),)


def _networks() -> Space:
    seed, number, small, letter = _dead()
    return (
        integer("layers", 1, 3),
        integer("units_1", 2, 64, log=True),
        *inside("layers", (2, 3), integer("units_2", 2, 64, log=True),
                real("dead_branch", 0.0, 1.0)),
        *inside("layers", (3,), integer("units_3", 2, 64, log=True)),
        letter, small,
        real("learning_rate", 1e-3, 1.0, log=True),
        real("momentum", 0.0, 0.99),
        real("alpha", 1e-5, 1.0, log=True),
        choice("activation", "relu", "tanh", "logistic"),
        number, seed,
    )  # fmt: skip


def _all() -> Sequence[Objective]:
    scale = choice("scale", "none", "standard", "minmax")
    boosting = _flat(
        integer("trees", 4, 40, log=True), real("learning_rate", 0.01, 1.0, log=True),
        integer("max_depth", 1, 6), real("subsample", 0.3, 1.0), integer("min_leaf", 1, 30),
        real("max_features", 0.1, 1.0),
    )  # fmt: skip
    svm = _flat(
        real("C", 1e-3, 1e3, log=True), real("gamma", 1e-5, 10.0, log=True),
        integer("features", 1, 30), choice("class_weight", "none", "balanced"),
    )  # fmt: skip
    kernel = _flat(
        real("alpha", 1e-3, 1e3, log=True), real("gamma", 1e-4, 1.0, log=True),
        integer("degree", 1, 4), real("coef0", 0.0, 2.0), integer("features", 1, 10),
    )  # fmt: skip
    return (
        Objective("wine_models", _classifiers(scale), _wine_models, "model",
                  "classification", conditional=True, ties=True, pruning=False),
        Objective("digits_models", _classifiers(), _digits_models, "model",
                  "classification", conditional=True, ties=False, pruning=True),
        Objective("diabetes_boosting", boosting, _diabetes_boosting, "learning_rate",
                  "regression", conditional=False, ties=False, pruning=False),
        Objective("cancer_svm", svm, _cancer_svm, "C",
                  "classification", conditional=False, ties=True, pruning=True),
        Objective("wine_mlp", _networks(), _wine_mlp, "learning_rate",
                  "classification", conditional=True, ties=False, pruning=True),
        Objective("diabetes_pipeline", _pipeline(), _diabetes_pipeline, "model",
                  "regression", conditional=True, ties=False, pruning=False),
        Objective("cancer_size", _sizes(), _cancer_size, "model",
                  "classification", conditional=True, ties=False, pruning=False, objectives=2),
        Objective("diabetes_kernel", kernel, _diabetes_kernel, "alpha",
                  "regression", conditional=False, ties=False, pruning=False),
    )  # fmt: skip


OBJECTIVES = {objective.name: objective for objective in _all()}
