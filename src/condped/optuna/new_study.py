"""A new study in an advised space, which takes over the old study's trials."""

from __future__ import annotations

import warnings
from typing import Any

import optuna
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import TrialState

from condped.analyse.across.start.starts import Starts
from condped.analyse.advice.advise import check_explore
from condped.analyse.advice.result import Advice
from condped.errors import SettingsError
from condped.optuna.advised_sampler import AdvisedSampler, afresh
from condped.optuna.narrowing import Narrowing

_CARRIED = (TrialState.COMPLETE, TrialState.PRUNED)


def start_study(
    advice: Advice,
    study: Study,
    *,
    explore: float | None,
    storage: Any,
    study_name: str | None,
    sampler: BaseSampler | None,
    new_code: bool,
    enqueue_best: bool,
) -> Study:
    """Return the new study; see :meth:`condped.Advice.start`."""
    if not isinstance(study, Study):
        raise SettingsError(
            f"study must be an optuna.Study (got {type(study).__name__}). Pass the study that the "
            "advice is about."
        )
    share = advice.explore if explore is None else explore
    check_explore(share)
    base = sampler if sampler is not None else _sampler_of(study)
    # Code of the new space can only draw from it.
    advised = base if new_code else AdvisedSampler(base, every=None, explore=share, advice=advice)
    new = optuna.create_study(
        storage=storage,
        study_name=study_name,
        directions=study.directions,
        sampler=advised,
        pruner=study.pruner,
    )
    if study.metric_names is not None:
        with warnings.catch_warnings():  # users were warned when they named them
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            new.set_metric_names(study.metric_names)
    for key, value in study.user_attrs.items():
        new.set_user_attr(key, value)
    narrowing = Narrowing(advice.changes)
    for trial in study.get_trials(deepcopy=False, states=_CARRIED):
        fitting = narrowing.fitting(trial)
        if fitting is not None:
            new.add_trial(fitting if new_code else trial)
        elif share > 0 and not new_code:  # the old space is still drawn from
            new.add_trial(trial)
    if enqueue_best and len(study.directions) == 1:
        complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if complete:
            new.enqueue_trial(study.best_params)
    return new


def _sampler_of(study: Study) -> BaseSampler:
    sampler = study.sampler
    while isinstance(sampler, AdvisedSampler):
        sampler = sampler._base_sampler
    return afresh(sampler)


def study_with_starts(starts: Starts, options: dict[str, Any]) -> Study:
    """Return a new study that tries some configurations first; see :meth:`condped.Starts.study`."""
    study = optuna.create_study(**options)
    starts.enqueue(study)
    return study
