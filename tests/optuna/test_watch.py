"""The callback that tells what matters while a study runs, in real studies."""

from __future__ import annotations

import json
import logging
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import optuna
import pytest

import condped
from condped.optuna import Watch

# Looks as often as it is asked to, so that tests need not wait for a share of the time.
_EAGER = 1e9


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let looking take all the time that it wants."""
    monkeypatch.setattr("condped.optuna.watch._SHARE", _EAGER)


def _objective(trial: optuna.Trial) -> float:
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    if trial.number % 10 == 3:
        raise optuna.TrialPruned
    if trial.number % 10 == 5:
        raise RuntimeError("failed")
    return x + 0.1 * y


def _study(watch: Watch, trials: int, jobs: int = 1, **options: Any) -> optuna.Study:
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(sampler=sampler, **options)
    study.optimize(
        _objective, n_trials=trials, n_jobs=jobs, callbacks=[watch], catch=(RuntimeError,)
    )
    return study


@pytest.mark.usefixtures("eager")
def test_a_function_gets_the_result_every_so_many_trials() -> None:
    """Pruned and failed trials count; the numbers are those of the trials so far."""
    heard: list[condped.ImportanceResult] = []
    watch = Watch(every=20, out=heard.append)
    study = _study(watch, 60)
    assert [result.account.trials.total for result in heard] == [20, 40, 60]
    again = condped.importance(study)
    assert watch.result is heard[-1]
    assert heard[-1].to_dict() == again.to_dict()
    assert heard[-1].account.trials.pruned == again.account.trials.pruned == 6


@pytest.mark.usefixtures("eager")
def test_verdicts_are_those_of_repeated_looks() -> None:
    """What the line says equals a test of the first trials, made from a new reading."""
    lines: list[str] = []
    watch = Watch(every=10, out=_logger(lines.append))
    study = _study(watch, 45)
    first = condped.read(study).first(40)
    evidence = condped.importance(first, looks="repeated").evidence
    assert lines[-1].startswith("40 trials, best value ")
    assert lines[-1].endswith(", verdicts as of trial 40.")
    for name in "xy":
        assert f"{name} {watch.result[name].importance:.3f} {evidence[name].verdict}" in lines[-1]  # type: ignore[index]
    assert "verdicts" not in lines[0]
    assert lines[0].endswith(", not tested yet.")


@pytest.mark.usefixtures("eager")
def test_a_selection_is_tested_at_looks_of_the_study() -> None:
    """Verdicts are as of a trial of all that have finished."""
    lines: list[str] = []
    _study(Watch(every=10, where="x < 0.5", out=_logger(lines.append)), 50)
    assert lines[-1].startswith("50 trials")
    assert lines[-1].endswith(", verdicts as of trial 50.")


@pytest.mark.usefixtures("eager")
def test_a_line_goes_to_standard_error_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    """As Optuna's own messages do."""
    _study(Watch(every=30), 30)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "condped: 30 trials, best value " in shown.err


@pytest.mark.usefixtures("eager")
def test_threads_look_one_at_a_time() -> None:
    """With n_jobs=4 no look has fewer new trials than asked for, and none is at the same time."""
    inside, heard = [], []

    def out(result: condped.ImportanceResult) -> None:
        inside.append(1)
        assert len(inside) == 1
        trials = result.account.trials
        heard.append(trials.total - trials.running)
        inside.pop()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = _study(Watch(every=10, out=out), 100, jobs=4)
    assert len(study.trials) == 100
    assert heard
    assert all(later - sooner >= 10 for sooner, later in pairwise([0, *heard]))


_WORKER = """
import json, sys, optuna, condped.optuna.watch as module
optuna.logging.set_verbosity(optuna.logging.ERROR)
module._SHARE = 1e9
heard = []
def out(result):
    trials = result.account.trials
    heard.append(trials.total - trials.running)
sampler = optuna.samplers.RandomSampler()
study = optuna.load_study(storage=sys.argv[1], study_name="s", sampler=sampler)
def objective(trial):
    return trial.suggest_float("x", 0, 1)
study.optimize(objective, n_trials=30, callbacks=[module.Watch(every=10, out=out)])
print(json.dumps(heard))
"""


def test_processes_count_the_trials_of_all(tmp_path: Path) -> None:
    """Two processes on one SQLite file each look at what both have finished."""
    url = f"sqlite:///{tmp_path / 'study.db'}"
    study = optuna.create_study(storage=url, study_name="s")
    command = [sys.executable, "-c", _WORKER, url]
    workers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = [worker.communicate(timeout=120) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], told
    assert len(study.trials) == 60
    heard = [json.loads(out) for out, _ in told]
    # Whoever ends last has seen trials of the other one.
    assert max(max(counts) for counts in heard) > 30
    for counts in heard:
        assert all(later - sooner >= 10 for sooner, later in pairwise(counts))


@pytest.mark.usefixtures("eager")
def test_what_goes_wrong_is_warned_of_once_and_the_study_goes_on() -> None:
    """A function that fails ends no study."""

    def out(_: condped.ImportanceResult) -> None:
        raise ZeroDivisionError("a mistake")

    with pytest.warns(UserWarning, match=r"ZeroDivisionError: a mistake.*only once") as caught:
        study = _study(Watch(every=10, out=out), 40)
    assert len(caught) == 1
    assert len(study.trials) == 40


@pytest.mark.usefixtures("eager")
def test_a_study_goes_on_where_warnings_are_errors(caplog: pytest.LogCaptureFixture) -> None:
    """Then the log has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = _study(Watch(every=10, ignore=["x", "y"], objective="nothing"), 20)
    assert len(study.trials) == 20
    assert "this is reported only once" in caplog.text


def test_looking_keeps_to_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that a look moves on by a second and a trial by a tenth, it takes one per cent."""
    now = [0.0]
    monkeypatch.setattr("condped.optuna.watch.time.perf_counter", lambda: now[0])
    looks = []

    def out(result: condped.ImportanceResult) -> None:
        now[0] += 1.0
        looks.append(now[0])

    def objective(trial: optuna.Trial) -> float:
        now[0] += 0.1
        return trial.suggest_float("x", 0, 1)

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=3500, callbacks=[Watch(every=1, out=out)])
    assert 3 <= len(looks) <= 1 + 0.01 * now[0]
    assert all(later - sooner >= 99 for sooner, later in pairwise(looks))


@pytest.mark.usefixtures("eager")
def test_another_study_begins_anew() -> None:
    """One callback can watch several studies, one after the other."""
    heard: list[int] = []
    watch = Watch(every=10, out=lambda result: heard.append(result.account.trials.total))
    _study(watch, 30)
    _study(watch, 20)
    assert heard == [10, 20, 30, 10, 20]


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("kind", ["memory", "deleted", "files"])
def test_another_study_of_the_same_name_begins_anew(kind: str, tmp_path: Path) -> None:
    """As in a notebook whose cell runs again, or with a file for each data set."""
    heard: list[int] = []
    watch = Watch(every=10, out=lambda result: heard.append(result.account.trials.total))
    for place, trials in enumerate((30, 20)):
        name = place if kind == "files" else 0
        url = None if kind == "memory" else f"sqlite:///{tmp_path / f'{name}.db'}"
        if kind == "deleted" and place and url is not None:
            optuna.delete_study(study_name="tuning", storage=url)
        _study(watch, trials, study_name="tuning", storage=url)
    assert heard == [10, 20, 30, 10, 20]


@pytest.mark.usefixtures("eager")
def test_a_study_that_is_loaded_again_and_again_is_the_same(tmp_path: Path) -> None:
    """One object per call of optimize, each of the same study: looks keep their distance."""
    url = f"sqlite:///{tmp_path / 'study.db'}"
    optuna.create_study(study_name="tuning", storage=url)
    heard: list[int] = []
    watch = Watch(every=10, out=lambda result: heard.append(result.account.trials.total))
    for _ in range(5):
        study = optuna.load_study(study_name="tuning", storage=url)
        study.optimize(_objective, n_trials=5, callbacks=[watch], catch=(RuntimeError,))
    assert heard == [10, 20]


@pytest.mark.usefixtures("eager")
def test_a_multi_objective_study_is_watched() -> None:
    """There is no single best value to tell, but everything else."""
    lines: list[str] = []
    study = optuna.create_study(directions=["minimize", "maximize"])
    study.optimize(
        lambda trial: (trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)),
        n_trials=20,
        callbacks=[Watch(every=20, out=_logger(lines.append))],
    )
    assert len(lines) == 1
    assert lines[0].startswith("20 trials: ")


def test_a_callback_can_be_sent_to_other_processes() -> None:
    """What it was asked for arrives."""
    copy = pickle.loads(pickle.dumps(Watch(every=7, ignore=["seed"])))
    assert copy.every == 7
    assert len(_study(copy, 10).trials) == 10


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"every": 0}, "every must be a number of trials"),
        ({"every": 1.5}, "every must be a number of trials"),
        ({"out": "stdout"}, "out must be None"),
        ({"target_quantile": 2.0}, "target_quantile"),
        ({"method": "magic"}, "method must be one of"),
    ],
)
def test_wrong_options_are_refused_before_the_study(options: dict[str, Any], told: str) -> None:
    """The constructor raises, so that no study runs for hours without being watched."""
    with pytest.raises(condped.errors.SettingsError, match=told):
        Watch(**options)


def test_an_unknown_option_is_refused() -> None:
    """With the name that was meant."""
    with pytest.raises(TypeError, match="does not take 'tarjet'"):
        Watch(tarjet="failed")  # type: ignore[call-arg]


def _logger(heard: Callable[[str], object]) -> logging.Logger:
    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard(record.getMessage())

    logger = logging.Logger("watched")
    logger.addHandler(Handler())
    return logger
