"""Searches that scikit-learn really ran: grids, distributions, lists of them, halving, failures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.importance import PedAnovaImportanceEvaluator
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
)

import condped
from condped.errors import DataError, SettingsError, SpaceError
from condped.space.domain import Categorical, Domain, Float, Int
from condped.testing import Run, check_reader
from condped.trials.notes import Caution
from condped.trials.table import State
from tests.optuna_version import needs_optuna_5

X, Y = np.arange(240.0).reshape(-1, 1), np.tile([0, 1], 120)
UP: Any = ("maximize",)


class Model(BaseEstimator):  # type: ignore[misc]
    """An estimator whose score is a formula: searches take no time, and are the real ones."""

    def __init__(  # its parameters are named as scikit-learn's
        self,
        kind: Any = "svm",
        C: float = 1.0,  # noqa: N803
        layers: int = 1,
        epochs: int = 1,
        junk: Any = 0,
    ) -> None:
        self.kind, self.C, self.layers, self.epochs, self.junk = kind, C, layers, epochs, junk

    def fit(self, x: Any, y: Any) -> Model:
        """Fit nothing, or fail."""
        if self.C > 500:
            raise ValueError("C is too large")
        self.rows_, self.classes_ = len(x), np.array([0, 1])
        return self

    def score(self, x: Any, y: Any = None) -> float:
        """Return a score that depends on the branch and on the resources."""
        best = -abs(np.log10(self.C)) if self.kind == "svm" else -0.2 * self.layers
        return float(best - 1 / (self.rows_ * self.epochs))


BRANCHES = [
    {"kind": ["svm"], "C": stats.loguniform(1e-3, 1e2), "junk": stats.uniform(-1, 3)},
    {"kind": ["net", "forest"], "layers": stats.randint(1, 7), "junk": stats.uniform(-1, 3)},
]
DOMAINS: dict[str, Domain] = {
    "kind": Categorical(["svm", "net", "forest"]),
    "C": Float(1e-3, 1e2, log=True),
    "layers": Int(1, 6),
    "junk": Float(-1, 2),
}


def runs_of(results: Mapping[str, Any], domains: Mapping[str, Domain]) -> list[Run]:
    """Return the candidates as scikit-learn tells them."""
    pairs = zip(results["params"], results["mean_test_score"], strict=True)
    return [
        Run(
            [None if np.isnan(score) else float(score)],
            entry,
            {name: domains[name] for name in entry if name in domains},
            State.FAILED if np.isnan(score) else State.COMPLETE,
        )
        for entry, score in pairs
    ]


def random_search(**options: Any) -> Any:
    """Return a random search of two branches."""
    return RandomizedSearchCV(
        Model(), BRANCHES, n_iter=120, cv=2, random_state=0, refit=False, **options
    ).fit(X, Y)


def test_a_list_of_distributions_is_a_conditional_space() -> None:
    """Checked by the kit: domains, presence, scores; the design is known to be random."""
    search = random_search()
    table = check_reader(
        "scikit-learn", search, runs_of(search.cv_results_, DOMAINS), directions=UP
    )
    assert table.space is not None
    conditions = {name: table.space[name][0].when for name in table.names}
    assert {name: when and when.text for name, when in conditions.items()} == {
        "kind": None,
        "C": "kind == 'svm'",
        "junk": None,
        "layers": "kind in ['net', 'forest']",
    }
    assert table.notes == ()
    result = condped.importance(search)
    assert "RandomizedSearchCV" in result.evidence.sampling
    assert result.evidence["C"].verdict == "matters"
    assert result.evidence["junk"].verdict != "matters"


@needs_optuna_5
def test_importances_equal_optunas_on_the_same_trials() -> None:
    """The trials rebuilt for Optuna 5, with the domains that the search was given."""
    search = random_search()
    kinds: dict[str, Any] = {
        "kind": CategoricalDistribution(["svm", "net", "forest"]),
        "C": FloatDistribution(1e-3, 1e2, log=True),
        "layers": IntDistribution(1, 6),
        "junk": FloatDistribution(-1, 2),
    }
    study = optuna.create_study(direction="maximize")
    results = search.cv_results_
    for entry, score in zip(results["params"], results["mean_test_score"], strict=True):
        plain = {n: v.item() if isinstance(v, np.generic) else v for n, v in entry.items()}
        study.add_trial(
            optuna.trial.create_trial(
                value=score, params=plain, distributions={n: kinds[n] for n in plain}
            )
        )
    for target in (0.1, 0.3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = PedAnovaImportanceEvaluator(target_quantile=target).evaluate(study)
        ours = condped.importance(search, target_quantile=target).to_dict(normalize=False)
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-15)


def test_fits_that_fail_are_failed_trials() -> None:
    """A score of NaN; another value for failures is named by the caller."""
    grid = {"C": [0.1, 1.0, 10.0, 1000.0], "layers": [1, 2]}
    search = GridSearchCV(Model(), grid, cv=2, refit=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, Y)
    domains: dict[str, Domain] = {"C": Float(0.1, 1000, log=True), "layers": Int(1, 2)}
    runs = runs_of(search.cv_results_, domains)
    assert [run.state for run in runs].count(State.FAILED) == 2
    check_reader("scikit-learn", search, runs, directions=UP)
    check_reader("scikit-learn", search.cv_results_, runs, directions=UP)
    frame = condped.read(pd.DataFrame(search.cv_results_))
    assert (frame.states == State.FAILED).sum() == 2
    times = condped.read(search, objective="duration")
    assert (times.states == State.FAILED).sum() == 2
    marked = GridSearchCV(Model(), grid, cv=2, refit=False, error_score=-99)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        marked.fit(X, Y)
    assert (condped.read(marked, failure_values=[-99]).states == State.FAILED).sum() == 2


def test_several_scores_are_named_by_scorer_or_chosen_by_refit() -> None:
    """The score that picks the best candidate is the objective unless another is named."""
    scoring = {"up": Model.score, "down": lambda model, x, y: -model.score(x, y)}
    search = GridSearchCV(
        Model(), {"C": [0.1, 1.0, 10.0]}, cv=2, scoring=scoring, refit="down"
    ).fit(X, Y)
    (objective,) = condped.read(search).objectives
    assert (objective.name, objective.direction) == ("mean_test_down", "maximize")
    (short,) = condped.read(search, objective="up").objectives
    assert (short.name, short.direction) == ("up", "maximize")
    assert short.values == pytest.approx(search.cv_results_["mean_test_up"])
    (rank,) = condped.read(search, objective="rank_test_up").objectives
    assert rank.direction == "minimize"
    with pytest.raises(SettingsError, match="objective is needed"):
        condped.read(search.cv_results_)  # which do not tell what refit was
    with pytest.raises(condped.errors.NameNotFoundError, match="'upp'"):
        condped.read(search, objective="upp")


HALVING: dict[str, Callable[[], Any]] = {
    "random": lambda: HalvingRandomSearchCV(
        Model(),
        {"C": stats.loguniform(1e-3, 1e2), "layers": stats.randint(1, 5)},
        n_candidates=27,
        min_resources=12,
        factor=3,
        random_state=0,
        cv=2,
    ),
    "grid": lambda: HalvingGridSearchCV(
        Model(),
        {"C": [0.01, 0.1, 1.0, 10.0], "layers": [1, 2, 3]},
        resource="epochs",
        max_resources=9,
        factor=3,
        random_state=0,
        cv=2,
    ),
    "aggressive": lambda: HalvingGridSearchCV(
        Model(),
        {"C": [0.01, 0.1, 1.0, 10.0], "layers": [1, 2, 3]},
        min_resources=100,
        aggressive_elimination=True,
        factor=3,
        random_state=0,
        cv=2,
    ),
}


@pytest.mark.parametrize("kind", HALVING)
@pytest.mark.parametrize("form", ["search", "results", "frame", "csv"])
def test_halving_compares_candidates_at_one_budget(kind: str, form: str, tmp_path: Path) -> None:
    """All of them at the first, survivors at a later one; the rest is counted."""
    search = HALVING[kind]().fit(X, Y)
    results = search.cv_results_
    pd.DataFrame(results).to_csv(tmp_path / "results.csv")
    source = {
        "search": search,
        "results": results,
        "frame": pd.DataFrame(results),
        "csv": tmp_path / "results.csv",
    }[form]
    first = results["iter"] == 0
    table = condped.read(source)
    assert set(table.names) == {"C", "layers"}  # not the resource
    assert table.objectives[0].values == pytest.approx(results["mean_test_score"][first])
    several = len(set(search.n_resources_)) > 1
    cautions = [note for note in table.notes if isinstance(note, Caution)]
    assert len(cautions) == several
    if several:
        assert f"{(~first).sum()} of {len(first)} measurements do not count" in cautions[0]
        last = results["n_resources"] == search.n_resources_[-1]
        again = condped.read(source, budget=search.n_resources_[-1])
        assert again.objectives[0].values == pytest.approx(results["mean_test_score"][last])
    with pytest.raises(SettingsError, match=r"no measurements at budget 7\. Available .* at "):
        condped.read(source, budget=7)


def test_halving_budgets_are_compared() -> None:
    """As in a table with one row per candidate and budget."""
    search = HALVING["random"]().fit(X, Y)
    results = search.cv_results_
    rows = [
        {**entry, "n": n, "score": score}
        for entry, n, score in zip(
            results["params"], results["n_resources"], results["mean_test_score"], strict=True
        )
    ]
    expected = condped.budgets(
        rows, objective="score", direction="maximize", budget_column="n"
    ).rows()
    assert condped.budgets(search).rows() == expected
    assert condped.budgets(results).rows() == expected
    assert condped.budgets(pd.DataFrame(results)).rows() == expected


def test_a_budget_has_no_meaning_without_halving() -> None:
    """It is refused, not ignored."""
    search = GridSearchCV(Model(), {"C": [0.1, 1.0]}, cv=2).fit(X, Y)
    for source in (search, search.cv_results_, pd.DataFrame(search.cv_results_)):
        with pytest.raises(SettingsError, match="budget cannot be set"):
            condped.read(source, budget=3)


def test_objects_become_choices_with_labels() -> None:
    """Estimators, functions, tuples, dicts and None, the same in every run."""
    values: list[Any] = [Model(kind="net"), Model, len, (10, 5), {0: 1.5}, None, "text"]
    search = GridSearchCV(Model(), {"junk": values, "C": [0.1, 1.0, 10.0]}, cv=2).fit(X, Y)
    labels = ["Model(kind='net')", "Model", "len", (10, 5), "{0: 1.5}", None, "text"]
    table = condped.read(search)
    junk = next(entry for entry in table.parameters if entry.name == "junk")
    (domain,) = junk.domains
    assert isinstance(domain, Categorical)
    assert list(domain.choices) == labels
    told = [values.index(entry["junk"]) for entry in search.cv_results_["params"]]
    assert [int(value) for value in junk.values] == told
    alone = condped.read(search.cv_results_)
    other = next(entry for entry in alone.parameters if entry.name == "junk")
    assert isinstance(other.domains[0], Categorical)
    assert set(other.domains[0].choices) == set(labels)


@pytest.mark.parametrize("kind", ["random", "halving"])
def test_a_dict_that_was_never_drawn_has_parameters_without_values(kind: str) -> None:
    """Whether its condition is known or not: few candidates may all come from other dicts."""
    branches: list[dict[str, Any]] = [
        {"kind": ["svm"], "C": [1.0, 10.0]},
        {"kind": ["svm"], "C": [0.1, 1.0], "epochs": [1, 2]},  # which kind does not identify
        {"kind": ["net"], "layers": [1, 2, 3]},
    ]
    for seed in range(200):
        search = (
            RandomizedSearchCV(Model(), branches, n_iter=2, cv=2, random_state=seed)
            if kind == "random"
            else HalvingRandomSearchCV(Model(), branches, n_candidates=2, cv=2, random_state=seed)
        ).fit(X, Y)
        if not {"param_epochs", "param_layers"} & set(search.cv_results_):
            break
    table = check_reader("scikit-learn", search, runs_of(search.cv_results_, {}), directions=UP)
    assert set(table.names) == {"kind", "C", "epochs", "layers"}
    assert "No trial has epochs, layers." in table.notes


def test_a_search_can_be_the_space_of_its_table() -> None:
    """A list of dicts, or distributions, are a space for the results as a table."""
    search = random_search()
    table = condped.read(pd.DataFrame(search.cv_results_), space=BRANCHES)
    whole = condped.read(search)
    assert table.space == whole.space
    assert [p.domains for p in table.parameters] == [p.domains for p in whole.parameters]


def test_objects_in_a_frame_have_the_labels_of_the_search(tmp_path: Path) -> None:
    """So that its grid is their space, and conditions on them can be saved."""
    grid = [
        {"kind": ["svm"], "junk": [Model("a"), len], "C": [0.1, 1.0, 10.0]},
        {"kind": ["net"], "junk": [Model("b"), max], "layers": [1, 2, 3]},
    ]
    search = GridSearchCV(Model(), grid, cv=2, refit=False).fit(X, Y)
    frame = pd.DataFrame(search.cv_results_)
    table, whole = condped.read(frame, space=grid), condped.read(search)
    assert table.space == whole.space
    for one, other in zip(table.parameters, whole.parameters, strict=True):
        assert one.domains == other.domains
        assert one.values[one.domain_ids >= 0] == pytest.approx(other.values[other.domain_ids >= 0])
    gates = pd.DataFrame(
        GridSearchCV(
            Model(), [{"junk": [len], "C": [0.1, 1.0, 10.0]}, {"junk": [max]}], cv=2, refit=False
        )
        .fit(X, Y)
        .cv_results_
    )
    advice = condped.advise(gates)
    advice.save(tmp_path / "advice.json")
    assert str(condped.load(tmp_path / "advice.json")) == str(advice)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.update(params="none"), r"'params' of cv_results_ must be a list of dicts"),
        (lambda r: r.update(params=[1, 2]), r"'params' of cv_results_ must be a list of dicts"),
        (lambda r: r.update(mean_fit_time=[1.0]), r"'mean_fit_time'.*for each of the 2 candidates"),
        (lambda r: r.update(mean_test_score=["a", "b"]), r"'mean_test_score' must be numeric"),
    ],
)
def test_damaged_results_are_told(change: Callable[[Any], None], message: str) -> None:
    """The error says what is wrong, and what to pass instead."""
    results = dict(GridSearchCV(Model(), {"C": [0.1, 1.0]}, cv=2).fit(X, Y).cv_results_)
    change(results)
    with pytest.raises(DataError, match=message):
        condped.read(results)


def test_a_changed_grid_is_told() -> None:
    """What is no grid cannot be a space."""
    search = GridSearchCV(Model(), {"C": [0.1, 1.0]}, cv=2).fit(X, Y)
    search.param_grid = {"C": "large"}
    with pytest.raises(SpaceError, match=r"param_grid of the search.*'C' must have a list"):
        condped.read(search)
