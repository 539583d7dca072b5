"""How trials were drawn, from every storage, against what Optuna itself tells."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.samplers import (
    BruteForceSampler,
    GridSampler,
    NSGAIIISampler,
    NSGAIISampler,
    PartialFixedSampler,
    QMCSampler,
    RandomSampler,
    TPESampler,
)
from optuna.storages import InMemoryStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

import condped
from condped.read.optuna import study as memory
from condped.read.optuna.journals import replay
from condped.read.optuna.samplers import marked
from condped.read.optuna.sql import study as sql
from condped.trials.course.drawing import Drawing
from tests.optuna_version import constrain, needs_optuna_5
from tests.read.optuna.rustuna_studies import new_study

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")

STORAGES = ("memory", "sqlite", "journal")
CHOICES = ["svm", None, 2, True]


def storage_of(kind: str, folder: Path) -> Any:
    """Return a new storage of Optuna's."""
    if kind == "memory":
        return InMemoryStorage()
    if kind == "sqlite":
        return f"sqlite:///{folder}/study.db"
    return JournalStorage(JournalFileBackend(f"{folder}/study.log"))


def source_of(kind: str, folder: Path, study: optuna.Study) -> Any:
    """Return what to read."""
    return (
        study if kind == "memory" else str(folder / f"study.{'db' if kind == 'sqlite' else 'log'}")
    )


def objective(trial: optuna.Trial) -> float:
    """Switch a parameter, report NaN now and then, prune and fail."""
    x = trial.suggest_float("x", 1e-3, 1, log=True)
    choice = trial.suggest_categorical("it's a choice", CHOICES)
    n = trial.suggest_int("n", 0, 6, step=2)
    if choice == "svm":
        trial.suggest_float("only svm", 0, 1)
    constrain(trial, "size", n - 4.0)
    trial.report(x, 7)
    trial.report(math.nan if trial.number % 3 == 2 else -x, 2)
    if trial.number % 4 == 2:
        trial.report(math.nan if trial.number % 8 == 2 else math.inf, 11)
        raise optuna.TrialPruned
    if trial.number % 11 == 7:
        raise ArithmeticError
    return x + n


def run(study: optuna.Study) -> optuna.Study:
    """Enqueue trials, run some, add one, and leave one running and one waiting."""
    study.enqueue_trial({"x": 0.25, "it's a choice": None})
    study.enqueue_trial({"it's a choice": True, "n": 4, "no such": 1})
    study.optimize(objective, n_trials=24, catch=(ArithmeticError,))
    study.add_trial(
        optuna.create_trial(
            params={"x": 0.5},
            distributions={"x": optuna.distributions.FloatDistribution(1e-3, 1, log=True)},
            value=0.5,
            intermediate_values={3: 0.125},
        )
    )
    study.ask().suggest_float("x", 1e-3, 1, log=True)
    study.enqueue_trial({"n": 0})
    return study


def drawing_of(source: Any, **options: Any) -> Drawing:
    """Return how the trials of a source were drawn."""
    found = condped.read(source, **options).drawing
    assert found is not None
    return found


def same(one: Any, other: Any) -> bool:
    """Return whether two arrays are recorded and equal."""
    return one is not None and np.array_equal(one, other, equal_nan=True)


def check_against_optuna(drawing: Drawing, study: optuna.Study) -> None:
    """Compare with what Optuna's own API says of each trial, one after the other."""
    signs = [-1 if d.name == "MAXIMIZE" else 1 for d in study.directions]
    assert drawing.losses is not None
    for row, trial in enumerate(study.trials):
        if drawing.steps is not None and drawing.last_losses is not None:
            last, found = trial.last_step, [drawing.steps[row], drawing.last_losses[row]]
            expected = (
                [math.nan] * 2
                if last is None
                else [last, signs[0] * trial.intermediate_values[last]]
            )
            assert np.array_equal(found, expected, equal_nan=True)
        else:
            assert trial.last_step is None
        values = trial.values or [math.nan] * len(signs)
        losses = [sign * value for sign, value in zip(signs, values, strict=True)]
        assert np.array_equal(drawing.losses[row], losses, equal_nan=True)
        given = trial.system_attrs.get("fixed_params", {})
        fixed = {name for name in given if name in trial.params}
        assert {name for name, where in drawing.fixed.items() if where[row]} == fixed


@pytest.mark.parametrize("kind", STORAGES)
def test_everything_is_what_optuna_tells(kind: str, tmp_path: Path) -> None:
    """Times, reports with NaN, enqueued values of ended, running, waiting trials."""
    study = run(
        optuna.create_study(
            storage=storage_of(kind, tmp_path),
            direction="maximize",
            sampler=TPESampler(seed=1, n_startup_trials=5),
        )
    )
    states = {trial.state for trial in study.trials}
    assert states == set(TrialState)
    drawing = drawing_of(source_of(kind, tmp_path, study))
    check_against_optuna(drawing, study)
    assert drawing.steps is not None
    assert 11 in drawing.steps
    assert set(drawing.fixed) == {"x", "it's a choice", "n"}
    if kind != "memory":  # a loaded study, too
        loaded = optuna.load_study(study_name=None, storage=study._storage)
        check_against_optuna(drawing_of(loaded), study)
        assert drawing_of(loaded).samplers == drawing.samplers


def test_all_storages_tell_the_same(tmp_path: Path) -> None:
    """What a study's sampler tells in memory is all that the others lack."""
    found = []
    for kind in STORAGES:
        sampler = TPESampler(seed=1, n_startup_trials=5)
        study = optuna.create_study(storage=storage_of(kind, tmp_path), sampler=sampler)
        found.append(drawing_of(source_of(kind, tmp_path, run(study))))
    first, *others = found
    for other in others:
        for name in ("steps", "last_losses", "losses"):
            assert np.array_equal(getattr(first, name), getattr(other, name), equal_nan=True)
        assert set(first.fixed) == set(other.fixed)
        assert all(np.array_equal(first.fixed[name], other.fixed[name]) for name in first.fixed)
        assert [s.name for s in other.samplers] == [s.name for s in first.samplers]


def test_several_objectives(tmp_path: Path) -> None:
    """All of them, each so that lower is better, whichever is explained."""
    for kind in STORAGES:
        study = optuna.create_study(
            storage=storage_of(kind, tmp_path), directions=["minimize", "maximize"]
        )
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), trial.number), n_trials=12)
        for options in ({}, {"objective": 1}):
            drawing = drawing_of(source_of(kind, tmp_path, study), **options)
            check_against_optuna(drawing, study)


def few(trial: optuna.Trial) -> float:
    """Return a value of a small discrete space."""
    return trial.suggest_int("a", 0, 4) + trial.suggest_categorical("b", [1, 2, 5])


SAMPLERS: dict[str, tuple[Callable[[], Any], str | None, str]] = {
    "TPE": (lambda: TPESampler(n_startup_trials=4), "TPESampler", "tpe"),
    "univariate TPE": (lambda: TPESampler(multivariate=False), None, ""),
    "TPE without liar": (lambda: TPESampler(constant_liar=False), None, ""),
    "grid": (
        lambda: GridSampler({"a": [0, 1, 2, 3, 4], "b": [1, 2, 5]}),
        "GridSampler",
        "independent",
    ),
    "NSGA-II": (lambda: NSGAIISampler(population_size=4), "NSGAIISampler", "other"),
    "NSGA-III": (lambda: NSGAIIISampler(population_size=4), "NSGAIIISampler", "other"),
    "QMC": (QMCSampler, "QMCSampler", "independent"),
    "random": (RandomSampler, None, ""),
    "brute force": (BruteForceSampler, None, ""),
}


@needs_optuna_5
@pytest.mark.filterwarnings("ignore:The QMC sampler")
@pytest.mark.parametrize("kind", STORAGES)
@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_are_known_by_their_marks(name: str, kind: str, tmp_path: Path) -> None:
    """Those that leave none are known in memory only."""
    make, marked_as, what = SAMPLERS[name]
    study = optuna.create_study(storage=storage_of(kind, tmp_path), sampler=make())
    study.optimize(few, n_trials=15)
    samplers = drawing_of(source_of(kind, tmp_path, study)).samplers
    if kind == "memory":
        assert [s.name for s in samplers] == [type(study.sampler).__name__]
        assert samplers[0].source == "the study's sampler"
        # Another sampler afterwards does not hide the marks.
        study.sampler = RandomSampler()
        samplers = drawing_of(study).samplers[1:]
    expected = [] if marked_as is None else [(marked_as, what, "marks in the storage")]
    assert [(s.name, s.kind, s.source) for s in samplers] == expected


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (["cma:generation", "cma:optimizer:0", "cma:n_restarts"], "CmaEsSampler"),
        (["cma:restart_1:generation"], "CmaEsSampler"),
        (["cmawm:generation", "x_for_tell"], "CmaEsSampler"),
        (["gp:relative_params:0"], "GPSampler"),
        (["nsga2:generation"], "NSGAIISampler"),
        (["nsga3:generation"], "NSGAIIISampler"),
        (["HypESampler:generation"], "HypESampler"),
        (["sobol (scramble=True, seed=3)'s last sample id"], "QMCSampler"),
    ],
)
def test_marks_of_other_versions_and_libraries(keys: list[str], name: str) -> None:
    """Keys that stand in the sources of Optuna 3.0 to 5.0 and of OptunaHub."""
    assert [sampler.name for sampler in marked(keys)] == [name]


def test_what_is_no_mark_is_no_sampler() -> None:
    """Pruners, constraints, names of metrics and retries tell nothing of samplers."""
    keys = ["completed_rung_0", "constraints", "study:metric_names", "failed_trial", "search_space"]
    assert marked(keys) == ()
    assert [s.kind for s in marked(["auto:sampler"], ["TPESampler", None])] == ["tpe"]


@needs_optuna_5
def test_settings_of_tpe_in_memory() -> None:
    """As given, and what the defaults become for several objectives."""
    for sampler, expected in (
        (TPESampler(), (10, 24, True, True)),
        (
            TPESampler(n_startup_trials=3, n_ei_candidates=7, constant_liar=False),
            (3, 7, False, True),
        ),
        (TPESampler(multivariate=False), (10, 24, True, False)),
        (PartialFixedSampler({"a": 1}, TPESampler(n_startup_trials=2)), (2, 24, True, True)),
    ):
        study = optuna.create_study(sampler=sampler)
        study.optimize(few, n_trials=5)
        (found,) = drawing_of(study).samplers
        assert found.name == "TPESampler"
        settings = (found.startup, found.candidates, found.constant_liar, found.multivariate)
        assert settings == expected
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=TPESampler())
    study.optimize(lambda trial: (few(trial), trial.number), n_trials=5)
    assert drawing_of(study).samplers[0].multivariate is False


def test_a_sampler_that_drew_nothing_is_not_named() -> None:
    """In a study whose trials were all added, such as those of another tool."""
    ran = optuna.create_study(sampler=RandomSampler())
    ran.optimize(few, n_trials=5)
    added = optuna.create_study()
    for trial in ran.trials:
        added.add_trial(
            optuna.create_trial(
                params=trial.params, distributions=trial.distributions, values=trial.values
            )
        )
    assert drawing_of(added).samplers == ()


@needs_optuna_5
def test_values_that_a_retry_takes_over_are_fixed() -> None:
    """A trial that is tried again repeats what the failed one drew."""
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(few, n_trials=3)
    trial = study.ask()
    trial.suggest_int("a", 0, 4)
    study.tell(trial, state=TrialState.FAIL)
    optuna.storages.RetryHeartbeatStaleTrialCallback()(study, study.trials[-1])
    study.optimize(few, n_trials=1)
    assert study.trials[-1].params["a"] == trial.params["a"]
    drawing = drawing_of(study)
    assert {name: where.tolist() for name, where in drawing.fixed.items()} == {
        "a": [False, False, False, False, True]
    }


@pytest.mark.parametrize("kind", STORAGES)
def test_what_is_explained_does_not_change_what_the_sampler_saw(kind: str, tmp_path: Path) -> None:
    """Another objective, a loss of one's own, and a selection keep the rows in step."""
    study = optuna.create_study(storage=storage_of(kind, tmp_path), direction="maximize")

    def objective(trial: optuna.Trial) -> float:
        trial.set_user_attr("seconds", trial.number)
        trial.report(trial.number, trial.number)
        return few(trial)

    study.optimize(objective, n_trials=15)
    source = source_of(kind, tmp_path, study)
    values = np.array([[-trial.values[0]] for trial in study.trials])
    for options in ({}, {"objective": "user_attrs_seconds"}, {"loss": np.arange(15.0)}):
        assert same(drawing_of(source, **options).losses, values)
    part = drawing_of(source, where="a >= 2")
    rows = [trial.number for trial in study.trials if trial.params["a"] >= 2]
    assert same(part.losses, values[rows])
    assert same(part.steps, rows)
    table = condped.read(source)
    backwards = table.only(np.arange(15)[::-1]).drawing
    assert backwards is not None
    assert same(backwards.steps, np.arange(15)[::-1])


@pytest.mark.parametrize("kind", STORAGES)
def test_large_studies_are_read_without_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the limit nothing is looked up, constraints apart."""
    for module in (memory, sql, replay):
        monkeypatch.setattr(module, "MOST_RECORDED", 20)
    study = run(optuna.create_study(storage=storage_of(kind, tmp_path)))
    table = condped.read(source_of(kind, tmp_path, study))
    assert table.drawing is None
    assert table.violations is not None


def test_it_is_put_together_when_first_looked_at() -> None:
    """Then it is a record like any other: copied with changes, cut, pickled."""
    study = run(optuna.create_study())
    table = condped.read(study)
    drawing = table.drawing
    assert drawing is not None
    with pytest.raises(AttributeError):
        drawing.nothing  # type: ignore[attr-defined]  # noqa: B018
    copied = pickle.loads(pickle.dumps(table)).drawing
    changed = replace(drawing, samplers=())
    for other in (copied, changed, drawing.only(np.arange(len(table)))):
        assert isinstance(other, Drawing)
        assert same(other.losses, drawing.losses)
        assert set(other.fixed) == set(drawing.fixed)
    assert changed.samplers == ()


@pytest.mark.parametrize("kind", STORAGES)
def test_studies_of_rustuna(kind: str, tmp_path: Path) -> None:
    """Its values; it leaves no marks, so its sampler is known in memory only."""
    path = tmp_path / "study.x"
    study = new_study(kind, path)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=12)
    drawing = drawing_of(study if kind == "memory" else str(path))
    assert same(drawing.losses, [trial.values for trial in study.trials])
    assert [s.name for s in drawing.samplers] == (["TPESampler"] if kind == "memory" else [])
