"""A sampler that starts where past studies were good, and notices if they mislead."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.across.start.misled import inside_since, misled, proven
from condped.errors import SettingsError
from condped.optuna import InformedSampler
from tests.analyse.across.start_studies import instance, past

SAMPLERS = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}


def run(name: str, kind: str, *, jump: bool, trials: int = 60) -> InformedSampler:
    """Run a new study of a family, and return its sampler."""
    sampler = InformedSampler(SAMPLERS[kind](seed=3), past(name))
    study = optuna.create_study(sampler=sampler)
    new = instance(name, np.random.default_rng(77), jump=jump)
    study.optimize(new.objective, n_trials=trials)
    return sampler


@pytest.mark.parametrize("kind", SAMPLERS)
@pytest.mark.parametrize("name", ["rates", "models", "regimes"])
def test_it_opens_the_space_where_the_optimum_jumped(name: str, kind: str) -> None:
    """It says so once, as a warning, and keeps the reason."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sampler = run(name, kind, jump=True, trials=100)
    assert sampler.opened is not None
    mislead = [one for one in told if "Past studies mislead" in str(one.message)]
    assert len(mislead) == 1
    assert sampler.opened in str(mislead[0].message)


@pytest.mark.parametrize("kind", SAMPLERS)
@pytest.mark.parametrize("name", ["rates", "models", "regimes"])
def test_it_stays_closed_where_the_past_is_right(name: str, kind: str) -> None:
    """Most trials are then drawn from the smaller space."""
    assert run(name, kind, jump=False).opened is None


def test_starts_and_the_whole_space_take_turns() -> None:
    """Once the starts are clearly better, most trials come from the smaller space."""
    starts = past("models").starts(5)
    sampler = InformedSampler(optuna.samplers.TPESampler(seed=0), past("models"))
    study = optuna.create_study(sampler=sampler)
    new = instance("models", np.random.default_rng(5))
    study.optimize(new.objective, n_trials=60)
    assert [trial.params for trial in study.trials[:10:2]] == starts.configurations
    assert not any(suggested(trial) for trial in study.trials[1:8:2])
    later = [trial.params["model"] == "net" for trial in study.trials[30:]]
    assert np.mean(later) >= 0.8
    assert study.best_value < min(trial.value or 0 for trial in study.trials[:10])


def suggested(trial: optuna.trial.FrozenTrial) -> bool:
    """Return whether the past suggested a trial."""
    return bool({"condped:start", "condped:advised"} & set(trial.system_attrs))


@pytest.mark.parametrize("kind", SAMPLERS)
def test_a_misleading_past_costs_only_the_trials_that_it_took(kind: str) -> None:
    """All others are those of the sampler alone, one by one."""
    new = instance("rates", np.random.default_rng(77), jump=True)
    informed = optuna.create_study(sampler=InformedSampler(SAMPLERS[kind](seed=3), past("rates")))
    with pytest.warns(UserWarning, match="Past studies mislead"):
        informed.optimize(new.objective, n_trials=60)
    others = [trial.params for trial in informed.trials if not suggested(trial)]
    alone = optuna.create_study(sampler=SAMPLERS[kind](seed=3))
    alone.optimize(new.objective, n_trials=len(others))
    assert 40 <= len(others) < 60
    assert others == [trial.params for trial in alone.trials]


@pytest.mark.parametrize("kind", SAMPLERS)
def test_the_smaller_space_has_random_numbers_of_its_own(kind: str) -> None:
    """They repeat none of the whole space's, are reproducible, and can be reseeded."""
    new = instance("rates", np.random.default_rng(4))

    def idle(*, reseed: bool = False) -> list[float]:
        sampler = InformedSampler(SAMPLERS[kind](seed=0), past("rates"))
        if reseed:
            sampler.reseed_rng()
        study = optuna.create_study(sampler=sampler)
        study.optimize(new.objective, n_trials=30)
        return [trial.params["idle_0"] for trial in study.trials]

    drawn, reseeded = idle(), idle(reseed=True)
    assert len(set(drawn)) == len(drawn)
    assert drawn == idle()
    assert not set(drawn[10:]) & set(reseeded[10:])


def test_an_open_space_is_that_of_the_sampler_alone() -> None:
    """Opened from the beginning, it draws exactly what the other sampler draws."""
    new = instance("models", np.random.default_rng(5))
    sampler = InformedSampler(optuna.samplers.TPESampler(seed=0), past("models").space(), starts=0)
    sampler._opened = "for this test"
    informed = optuna.create_study(sampler=sampler)
    alone = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    for study in (informed, alone):
        study.optimize(new.objective, n_trials=25)
    assert [t.params for t in informed.trials] == [t.params for t in alone.trials]


def test_other_bounds_than_in_the_past_are_narrowed_as_well() -> None:
    """A bound that the past did not narrow stays that of the new study."""
    start = past("rates").space()
    step = next(step for step in start.changes if step.parameter == "rate")
    assert isinstance(step.proposal, condped.Float)
    sampler = InformedSampler(optuna.samplers.RandomSampler(seed=0), start, starts=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda t: t.suggest_float("rate", 1e-6, 10.0, log=True) * 0.0, n_trials=12)
    marked = [t for t in study.trials if "condped:advised" in t.system_attrs]
    assert marked
    low, high = step.proposal.low, step.proposal.high
    assert all(low <= trial.params["rate"] <= high for trial in marked)


def test_it_can_be_pickled_and_refuses_what_is_no_past() -> None:
    """A study in another process needs it."""
    sampler = InformedSampler(optuna.samplers.TPESampler(seed=0), past("models"))
    again = pickle.loads(pickle.dumps(sampler))
    assert again.steps == sampler.steps
    with pytest.raises(SettingsError, match=r"a result of condped\.across"):
        InformedSampler(past=None)


def test_maximised_objectives_are_looked_at() -> None:
    """Where high values outside are better, it opens, too."""
    new = instance("rates", np.random.default_rng(77), jump=True)
    sampler = InformedSampler(optuna.samplers.RandomSampler(seed=3), past("rates"))
    study = optuna.create_study(sampler=sampler, direction="maximize")
    with pytest.warns(UserWarning, match="Past studies mislead"):
        study.optimize(lambda trial: -float(new.objective(trial)), n_trials=60)
    assert sampler.opened is not None


def test_several_objectives_are_looked_at() -> None:
    """Trials of the Pareto front count as the best; a past that is right is not opened."""
    new = instance("models", np.random.default_rng(77))
    sampler = InformedSampler(optuna.samplers.RandomSampler(seed=3), past("models"))
    study = optuna.create_study(sampler=sampler, directions=["maximize", "minimize"])

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        loss = float(new.objective(trial))
        return -loss, loss

    study.optimize(objective, n_trials=30)
    assert sampler.opened is None
    assert len(study.best_trials) == 1


def test_without_a_smaller_space_the_sampler_sees_the_starts() -> None:
    """With too few studies to narrow anything, there is no fallback to keep apart."""
    few = past("rates", studies=5)
    with pytest.warns(UserWarning, match="5 studies do not suffice for a risk of 10 %") as caught:
        sampler = InformedSampler(optuna.samplers.TPESampler(seed=0), few, starts=10)
    assert [str(one.message) for one in caught] == [few.space().notes[-1]]
    assert sampler.steps == ()
    study = optuna.create_study(sampler=sampler)
    new = instance("rates", np.random.default_rng(4))
    study.optimize(new.objective, n_trials=30)
    assert [t.params for t in study.trials[:20:2]] == few.starts(10).configurations
    seen = [sampler._plan_of(study, trial) for trial in study.trials[21:]]
    assert seen == [None] * 9  # the sampler inside, as it is
    assert sampler.opened is None


@pytest.mark.parametrize("seed", range(20))
def test_trials_inside_are_counted_since_the_lead_was_lost(seed: int) -> None:
    """As a look at every moment counts them: who leads, and since when."""
    rng = np.random.default_rng(seed)
    losses, within = rng.permutation(30).tolist(), (rng.random(30) < 0.6).tolist()
    leads = [within[int(np.argmin(losses[: end + 1]))] for end in range(30)]
    lost = max((end for end in range(30) if leads[end]), default=-1) + 1
    expected = 0 if leads[-1] else sum(within[lost + 1 :])
    assert inside_since(losses, within) == expected


def test_by_chance_alone_it_rarely_opens() -> None:
    """Losses that are all alike: one look at 30 of them opens in at most one of five."""
    rng = np.random.default_rng(0)
    opened = [misled(rng.random(20), rng.random(10)) is not None for _ in range(300)]
    assert np.mean(opened) < 0.2
    trusted = [proven(rng.random(10), rng.random(6)) for _ in range(300)]
    assert np.mean(trusted) < 0.08
