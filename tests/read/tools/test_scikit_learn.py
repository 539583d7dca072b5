"""Searches of scikit-learn: what they tried, how it scored, and nothing else as parameter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import condped
from condped.errors import DataError, SettingsError
from condped.space.domain import Categorical

X, Y = make_classification(60, random_state=0)


@pytest.fixture(scope="module")
def search() -> Any:
    """Return a search over kernels, of which one has a degree."""
    grid = [
        {"kernel": ["rbf"], "C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]},
        {"kernel": ["poly"], "C": [0.1, 1.0], "degree": [2, 3]},
    ]
    return GridSearchCV(SVC(), grid, cv=3, return_train_score=True).fit(X, Y)


@pytest.mark.parametrize("form", ["search", "mapping", "frame", "csv"])
def test_only_what_was_searched_is_a_parameter(search: Any, form: str, tmp_path: Path) -> None:
    """With its mean score as the objective, which more is better of."""
    frame = pd.DataFrame(search.cv_results_)
    frame.to_csv(tmp_path / "results.csv")
    sources = {
        "search": search,
        "mapping": search.cv_results_,
        "frame": frame,
        "csv": tmp_path / "results.csv",
    }
    table = condped.read(sources[form])
    assert set(table.names) == {"C", "kernel", "gamma", "degree"}
    (objective,) = table.objectives
    assert (objective.name, objective.direction) == ("mean_test_score", "maximize")
    assert objective.values == pytest.approx(search.cv_results_["mean_test_score"])
    by_name = {parameter.name: parameter for parameter in table.parameters}
    poly = [entry["kernel"] == "poly" for entry in search.cv_results_["params"]]
    assert (by_name["degree"].domain_ids >= 0).tolist() == poly
    assert (by_name["gamma"].domain_ids < 0).tolist() == poly
    assert table.notes == ()
    took = search.cv_results_["mean_fit_time"] + search.cv_results_["mean_score_time"]
    timed = condped.read(sources[form], objective="duration")
    assert timed.objectives[0].values == pytest.approx(took)
    assert timed.objectives[0].direction == "minimize"


def test_other_columns_can_be_objectives(search: Any) -> None:
    """Scores of a split and of training are better when higher, times when lower."""
    for name, direction in (
        ("split0_test_score", "maximize"),
        ("mean_train_score", "maximize"),
        ("std_test_score", "minimize"),
        ("mean_fit_time", "minimize"),
    ):
        (objective,) = condped.read(search, objective=name).objectives
        assert objective.direction == direction
        assert objective.values == pytest.approx(search.cv_results_[name])
    turned = condped.read(search, objective="mean_test_score", direction="minimize")
    assert turned.objectives[0].direction == "minimize"


def test_none_is_a_choice_and_hidden_values_are_absent() -> None:
    """A depth of None means no limit; several scores need a choice of one."""
    search = RandomizedSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [None, 1, 2], "min_samples_leaf": list(range(1, 9))},
        n_iter=15,
        cv=2,
        scoring=["accuracy", "f1"],
        refit=False,
        random_state=0,
    ).fit(X, Y)
    with pytest.raises(SettingsError, match=r"objective is needed.*mean_test_accuracy"):
        condped.read(search)
    table = condped.read(search, objective="mean_test_f1")
    assert table.objectives[0].direction == "maximize"
    depth = next(entry for entry in table.parameters if entry.name == "max_depth")
    (domain,) = depth.domains
    assert isinstance(domain, Categorical)
    assert set(domain.choices) == {None, 1, 2}
    told = [entry["max_depth"] for entry in search.cv_results_["params"]]
    assert [domain.choices[int(value)] for value in depth.values] == told
    both = condped.read(search, objective=["mean_test_f1", "mean_test_accuracy"])
    assert [entry.direction for entry in both.objectives] == ["maximize", "maximize"]


def test_a_search_must_have_run() -> None:
    """The error says what to call."""
    with pytest.raises(DataError, match=r"GridSearchCV has no results yet. Call its fit"):
        condped.read(GridSearchCV(SVC(), {"C": [1.0]}))


def test_importances_come_out_of_the_box(search: Any) -> None:
    """One call, as anybody would try it first."""
    result = condped.importance(search.cv_results_, target_quantile=0.3)
    assert set(result.names) == {"C", "kernel", "gamma", "degree"}
    assert np.isfinite([entry.variance for entry in result.parameters]).all()
