"""``advice.start``: a new study that carries the old one's trials along."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.samplers import RandomSampler, TPESampler

import condped
from condped.errors import SettingsError
from condped.optuna import AdvisedSampler
from tests.optuna.test_advised_sampler import models, run


@pytest.fixture(scope="module")
def old() -> optuna.Study:
    """A study of 200 random trials."""
    return run(RandomSampler(seed=0), 200)


def fits(trial: optuna.trial.FrozenTrial, advice: condped.Advice) -> bool:
    """Return whether a trial lies in the new domains, judged by their bounds alone."""
    for step in advice.changes:
        value, domain = trial.params.get(step.parameter), step.proposal
        if value is None:
            continue
        if isinstance(domain, condped.Categorical):
            if value not in domain.choices:
                return False
        elif domain is None or not domain.low <= value <= domain.high:
            return False
    return True


def test_trials_are_carried_along_and_the_best_comes_first(old: optuna.Study) -> None:
    """With the objective as it was; the old study is not touched."""
    advice = condped.advise(old)
    new = advice.start(old)
    assert [trial.params for trial in new.trials[:200]] == [trial.params for trial in old.trials]
    assert new.trials[200].state == optuna.trial.TrialState.WAITING
    new.optimize(models, n_trials=51)
    assert new.trials[200].params == old.best_params
    assert len(old.trials) == 200
    sampler = new.sampler
    assert isinstance(sampler, AdvisedSampler)
    drawn = new.trials[201:]
    followers = [trial for trial in drawn if not sampler.explores(trial.number)]
    assert len(followers) == 40
    assert all(fits(trial, advice) for trial in followers)
    assert not all(fits(trial, advice) for trial in drawn)


def test_without_exploring_only_fitting_trials_are_carried(old: optuna.Study) -> None:
    """As many as the advice says that it keeps."""
    advice = condped.advise(old)
    new = advice.start(old, explore=0.0, enqueue_best=False)
    expected = [trial.params for trial in old.trials if fits(trial, advice)]
    assert [trial.params for trial in new.trials] == expected
    assert len(expected) == advice.kept_region
    new.optimize(models, n_trials=20)
    assert all(fits(trial, advice) for trial in new.trials)


def test_the_new_code_runs_in_the_new_study(old: optuna.Study) -> None:
    """Optuna holds a name to one list of choices: the carried trials have the new one."""
    advice = condped.advise(old)
    names: dict[str, Any] = {}
    exec(advice.optuna_code(), names)

    def objective(trial: optuna.Trial) -> float:
        p = names["suggest"](trial)
        return float((math.log10(p["rate"]) + 2) ** 2 + 0.1 * abs(p["depth"] - 7))

    new = advice.start(old, new_code=True, sampler=TPESampler(seed=0))
    carried = len(new.trials) - 1
    assert carried == advice.kept_region
    new.optimize(objective, n_trials=20)
    assert len(new.trials) == carried + 20
    assert all(fits(trial, advice) for trial in new.trials)


@pytest.mark.filterwarnings("ignore:.*set_metric_names:optuna.exceptions.ExperimentalWarning")
def test_settings_of_the_study_are_taken_over(tmp_path: Path) -> None:
    """Directions, pruner, names, attributes; into any storage, under any name."""
    study = optuna.create_study(
        directions=["maximize", "minimize"],
        sampler=RandomSampler(seed=0),
        pruner=optuna.pruners.NopPruner(),
    )
    study.set_metric_names(["gain", "cost"])
    study.set_user_attr("team", "a")

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        x = trial.suggest_float("x", 0.0, 1.0)
        return -((x - 0.3) ** 2), (x - 0.3) ** 2

    study.optimize(objective, n_trials=100)
    storage = f"sqlite:///{tmp_path / 'new.db'}"
    new = condped.advise(study).start(study, storage=storage, study_name="next")
    new.optimize(objective, n_trials=10)
    assert new.directions == study.directions
    assert new.pruner is study.pruner
    assert new.metric_names == ["gain", "cost"]
    assert new.user_attrs == {"team": "a"}
    loaded = optuna.load_study(study_name="next", storage=storage)
    assert len(loaded.trials) == 110


def test_new_trials_say_which_space_they_were_drawn_from(old: optuna.Study) -> None:
    """As a user attribute; carried and enqueued trials have none."""
    new = condped.advise(old).start(old, explore=0.2)
    carried = len(new.trials) - 1
    new.optimize(models, n_trials=21)
    assert isinstance(new.sampler, AdvisedSampler)
    spaces = [trial.user_attrs.get("condped:drawn_from") for trial in new.trials]
    assert spaces[: carried + 1] == [None] * (carried + 1)
    assert spaces[carried + 1 :] == [
        "old space" if new.sampler.explores(trial.number) else "advised space"
        for trial in new.trials[carried + 1 :]
    ]


def test_an_advised_study_may_be_started_from_again() -> None:
    """The sampler inside is taken, not one wrapped twice."""
    study = run(AdvisedSampler(TPESampler(seed=0), every=None), 120)
    new = condped.advise(study, sampling="ordered").start(study)
    assert isinstance(new.sampler, AdvisedSampler)
    assert isinstance(new.sampler._base_sampler, TPESampler)
    new.optimize(models, n_trials=5)


def test_what_is_no_study_is_refused(old: optuna.Study) -> None:
    """A table knows no directions, pruner or storage."""
    advice = condped.advise(old)
    with pytest.raises(SettingsError, match=r"study must be an optuna\.Study"):
        advice.start(condped.read(old))  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="explore must be"):
        advice.start(old, explore=2)
