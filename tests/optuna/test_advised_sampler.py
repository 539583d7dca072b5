"""AdvisedSampler in real studies of Optuna: where it draws, what it leaves alone."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import optuna
import pytest
from optuna.samplers import BaseSampler, NSGAIISampler, QMCSampler, RandomSampler, TPESampler

import condped
from condped.errors import SettingsError
from condped.optuna import AdvisedSampler
from condped.optuna.advised_sampler import MARK
from tests.optuna_version import needs_optuna_5


def models(trial: optuna.Trial) -> float:
    """One of three models is best; its rate is on a log scale."""
    if trial.suggest_categorical("model", ["a", "b", "c"]) == "a":
        rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
        return (math.log10(rate) + 2) ** 2 + 0.1 * abs(trial.suggest_int("depth", 1, 20) - 7)
    return 5.0 + trial.suggest_float("other", 0.0, 1.0)


def run(sampler: BaseSampler, trials: int, objective: Any = models) -> optuna.Study:
    """Return a study after some trials."""
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=trials)
    return study


def params(study: optuna.Study) -> list[dict[str, Any]]:
    """Return what was drawn."""
    return [trial.params for trial in study.trials]


@pytest.mark.parametrize("made", [RandomSampler, TPESampler])
def test_without_advice_the_base_draws_alone(made: Callable[..., BaseSampler]) -> None:
    """Trial by trial the same values, as long as there is nothing to follow."""
    plain = run(made(seed=3), 40)
    wrapped = run(AdvisedSampler(made(seed=3), every=1000), 40)
    assert params(wrapped) == params(plain)


def test_advised_trials_lie_in_the_new_space_and_others_do_not_have_to() -> None:
    """Every fifth explores, whatever the process that draws it."""
    study = run(AdvisedSampler(RandomSampler(seed=0), every=200), 300)
    sampler = study.sampler
    assert isinstance(sampler, AdvisedSampler)
    steps = {step.parameter: step.proposal for step in sampler.steps}
    assert steps["model"] == condped.Categorical(["a"])
    later = study.trials[200:]
    exploring = [trial for trial in later if sampler.explores(trial.number)]
    following = [trial for trial in later if not sampler.explores(trial.number)]
    assert len(exploring) == 20
    assert all(MARK in trial.system_attrs for trial in following)
    assert not any(MARK in trial.system_attrs for trial in exploring)
    assert {trial.params["model"] for trial in following} == {"a"}
    assert {trial.params["model"] for trial in exploring} == {"a", "b", "c"}
    rate = steps["rate"]
    assert isinstance(rate, condped.Float)
    assert all(rate.low <= trial.params["rate"] <= rate.high for trial in following)
    # What the objective suggests from is what is recorded.
    assert len({str(trial.distributions["model"]) for trial in study.trials}) == 1


@pytest.mark.parametrize(
    "made",
    [
        lambda: TPESampler(seed=1, n_startup_trials=5),
        lambda: TPESampler(seed=1, multivariate=False),
        lambda: NSGAIISampler(seed=1, population_size=10),
        lambda: QMCSampler(seed=1),
    ],
    ids=["tpe", "univariate", "nsga2", "qmc"],
)
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_any_sampler_may_be_inside(made: Callable[[], BaseSampler]) -> None:
    """What it draws for a trial that follows advice lies in the new space."""
    base = made()
    advice = condped.advise(run(RandomSampler(seed=0), 200))
    sampler = AdvisedSampler(base, every=None, advice=advice, explore=0.25)
    study = run(sampler, 60)
    following = [t for t in study.trials if not sampler.explores(t.number)]
    assert len(following) == 45
    assert {trial.params["model"] for trial in following} == {"a"}
    bounds = {step.parameter: step.proposal for step in advice.changes}
    rate = bounds["rate"]
    assert isinstance(rate, condped.Float)
    assert all(rate.low <= trial.params["rate"] <= rate.high for trial in following)


@needs_optuna_5
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_groups_of_a_multivariate_tpe_stay_groups() -> None:
    """Its search space of the smaller space is its own."""
    advice = condped.advise(run(RandomSampler(seed=0), 200))
    base = TPESampler(seed=1, multivariate=True, group=True, n_startup_trials=5)
    run(base, 20)  # it has seen another space before
    study = run(AdvisedSampler(base, every=None, advice=advice, explore=0.0), 30)
    assert {trial.params["model"] for trial in study.trials} == {"a"}
    assert all("tpe:relative_params:0" in trial.system_attrs for trial in study.trials[10:])


def test_domains_that_depend_on_a_choice_are_narrowed_each() -> None:
    """The step of one regime does not touch the other."""

    def regimes(trial: optuna.Trial) -> float:
        low, high = (0, 10) if trial.suggest_categorical("kind", ["a", "b"]) == "a" else (20, 40)
        x = trial.suggest_float("x", low, high)
        return abs(x - 3) if low == 0 else abs(x - 33) / 2

    study = run(AdvisedSampler(RandomSampler(seed=1), every=300, explore=0.0), 360, regimes)
    sampler = study.sampler
    assert isinstance(sampler, AdvisedSampler)
    steps = {step.domain: step.proposal for step in sampler.steps if step.parameter == "x"}
    assert set(steps) == {condped.Float(0, 10), condped.Float(20, 40)}
    for trial in study.trials[300:]:
        low, high = (0, 10) if trial.params["kind"] == "a" else (20, 40)
        own = steps[condped.Float(low, high)]
        assert isinstance(own, condped.Float)
        assert own.low <= trial.params["x"] <= own.high


@pytest.mark.filterwarnings("ignore:Choices for a categorical distribution")
def test_choices_may_be_lists() -> None:
    """Which cannot be hashed; they are drawn as the objective gave them."""

    def layers(trial: optuna.Trial) -> float:
        choices: list[Any] = [[8], [8, 8], [64, 64, 64]]
        sizes = trial.suggest_categorical("sizes", choices)
        return len(sizes) + trial.suggest_float("x", 0.0, 1.0) / 10

    study = run(AdvisedSampler(RandomSampler(seed=0), every=200, explore=0.0), 230, layers)
    assert all(trial.params["sizes"] == [8] for trial in study.trials[200:])


def test_what_was_narrowed_is_given_up_once_good_trials_lie_outside() -> None:
    """Advice that turns out to be wrong does not last."""
    wrong = condped.advise(run(RandomSampler(seed=0), 200))
    assert wrong.changes

    def turned(trial: optuna.Trial) -> float:
        return -models(trial)

    sampler = AdvisedSampler(RandomSampler(seed=0), every=40, explore=0.5, advice=wrong)
    run(sampler, 39, turned)
    assert sampler.steps == wrong.changes
    study = optuna.create_study(sampler=sampler)
    study.optimize(turned, n_trials=41)
    kept = [step for step in sampler.steps if step.parameter == "model"]
    assert [step.proposal for step in kept] != [condped.Categorical(["a"])]


def test_several_objectives_and_pruned_trials() -> None:
    """Advice is about the Pareto front then, and a pruned trial is a finished one."""

    def two(trial: optuna.Trial) -> tuple[float, float]:
        x, y = (trial.suggest_float(name, 0.0, 1.0) for name in "xy")
        return (x - 0.2) ** 2, (x - 0.2) ** 2 + abs(y - 0.5) / 10

    study = optuna.create_study(
        directions=["minimize", "minimize"], sampler=AdvisedSampler(RandomSampler(seed=0))
    )
    study.optimize(two, n_trials=120)
    assert isinstance(study.sampler, AdvisedSampler)
    assert {step.parameter for step in study.sampler.steps} == {"x"}

    def pruned(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.report(x, 1)
        if trial.number % 3 == 0:
            raise optuna.TrialPruned
        return x

    study = run(AdvisedSampler(RandomSampler(seed=0), every=90), 120, pruned)
    assert isinstance(study.sampler, AdvisedSampler)
    assert study.sampler.steps
    assert len(study.trials) == 120


def test_enqueued_trials_are_left_as_they_are() -> None:
    """Outside the new space, too."""
    study = run(AdvisedSampler(RandomSampler(seed=0), every=100), 150)
    study.enqueue_trial({"model": "b", "other": 0.5})
    study.optimize(models, n_trials=1)
    assert study.trials[-1].params == {"model": "b", "other": 0.5}


def test_threads_and_pickles() -> None:
    """Eight threads draw as one would: followers inside; a pickled sampler goes on alike."""
    advice = condped.advise(run(RandomSampler(seed=0), 200))
    sampler = AdvisedSampler(TPESampler(seed=0, n_startup_trials=5), every=None, advice=advice)
    study = optuna.create_study(sampler=pickle.loads(pickle.dumps(sampler)))
    study.optimize(models, n_trials=64, n_jobs=8)
    followers = [trial for trial in study.trials if not sampler.explores(trial.number)]
    assert {trial.params["model"] for trial in followers} == {"a"}
    one, other = (pickle.loads(pickle.dumps(sampler)) for _ in range(2))
    assert params(run(one, 20)) == params(run(other, 20))


def test_studies_that_advice_cannot_read_go_on() -> None:
    """As if there were no advice: here no trial has a value."""

    def failing(trial: optuna.Trial) -> float:
        trial.suggest_float("x", 0.0, 1.0)
        return math.nan

    sampler = AdvisedSampler(RandomSampler(seed=0), every=5)
    study = optuna.create_study(sampler=sampler)
    study.optimize(failing, n_trials=20)
    assert len(study.trials) == 20
    assert sampler.steps == ()


@needs_optuna_5
def test_constraints_are_recorded_once() -> None:
    """By the sampler inside, for advised trials as well."""
    seen: list[int] = []

    def constraint(trial: optuna.trial.FrozenTrial) -> list[float]:
        seen.append(trial.number)
        return [trial.params.get("rate", 0.0) - 0.5]

    with pytest.warns(FutureWarning):
        base = TPESampler(seed=0, constraints_func=constraint)
    study = run(AdvisedSampler(base, every=100), 130)
    assert seen == list(range(130))
    assert len(study.trials[-1].constraints) == 1


def test_readers_see_what_drew_the_trials() -> None:
    """The base until something was narrowed, then also the sampler that narrowed it."""
    study = run(AdvisedSampler(RandomSampler(seed=0), every=100), 90)
    told = condped.importance(study).evidence.sampling
    assert "RandomSampler" in told
    study.optimize(models, n_trials=60)
    told = condped.importance(study).evidence.sampling
    assert "AdvisedSampler" in told


@pytest.mark.parametrize(
    "wrong",
    [{"every": 0}, {"every": 1.5}, {"explore": 1.0}, {"target_quantile": 0}, {"base": "tpe"}],
    ids=str,
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    """With what was given and what may be."""
    with pytest.raises(SettingsError, match=f"{next(iter(wrong))} must be"):
        AdvisedSampler(**wrong)
