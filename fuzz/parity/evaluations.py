"""One study evaluated by condped and by Optuna with several settings, and what differs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import optuna
from optuna.distributions import FloatDistribution, IntDistribution
from optuna.importance import BaseImportanceEvaluator, PedAnovaImportanceEvaluator
from optuna.importance._ped_anova import scott_parzen_estimator
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

import condped
from condped.optuna import CondPedAnovaImportanceEvaluator

Target: TypeAlias = Callable[[FrozenTrial], float]
Importances: TypeAlias = dict[str, float]
RELATIVE = 1e-12
# An importance is a sum of squares of differences between masses, which are rounded.
_ROUNDING = 1e-15
_NOTHING = 1e-26  # the effect of rounding on masses of 1e-12, whose squares are summed
_INT64 = 2**63
_PLAIN_CELLS = scott_parzen_estimator._count_numerical_param_in_grid

SAME = "same numbers"
BOTH_RAISE = "both raise"
TURNED = "a `target` that is a maximised objective is explained in its own direction"
UNDETERMINED = "same numbers; shares are 0 with a reason, since no estimate is possible"
WRAPPED = "Optuna's differences of whole numbers wrap around at 64 bits"
ROUNDED = "whole numbers that 64 bits cannot hold are read as floats"
BEYOND = "a value that a sampler rounded to 2⁶³, where Optuna continues in floats"
STEPS = "more steps than floats can count, where Optuna raises"
ONLY_OPTUNA_RAISES = "Optuna raises where condped answers"


@dataclass(frozen=True)
class Settings:
    """The settings of one evaluation."""

    target_quantile: float
    region_quantile: float
    local: bool
    target: str | None  # the name of a function of a trial
    evaluator: bool  # Optuna's interface, or condped's own function


@dataclass(frozen=True)
class Outcome:
    """The result of one evaluation: its kind, how far apart the numbers are, and both answers."""

    kind: str
    distance: float = 0.0
    explained: bool = True
    ours: object = None
    theirs: object = None


def drawn_settings(rng: np.random.Generator, objectives: int) -> Settings:
    """Draw quantiles from tiny to 1, both references, and a target for some."""
    region = float(rng.choice([1.0, 1.0, 1.0, rng.uniform(0.2, 1.0), rng.uniform(0.02, 1.0)]))
    if rng.random() < 0.03:
        region = float(10 ** rng.uniform(-15, 0))
    target = float(
        rng.choice(
            [
                region * rng.uniform(),
                region * rng.uniform(0.02, 0.4),
                region * 10 ** rng.uniform(-15, 0),
                math.nextafter(region, 0.0),
                5e-324,
            ]
        )
    )
    names = [f"{sign}{place}" for place in range(objectives) for sign in "+-"]
    names += ["number", "seconds", "constant", "some NaN"]
    evaluator = bool(rng.random() < 0.5)
    chosen = str(rng.choice(names)) if evaluator and rng.random() < 0.4 else None
    return Settings(target, region, bool(rng.random() < 0.7), chosen, evaluator)


def _target(name: str) -> Target:
    if name[0] in "+-":
        sign, place = (1.0 if name[0] == "+" else -1.0), int(name[1:])
        return lambda trial: sign * trial.values[place]
    functions: dict[str, Target] = {
        "number": lambda trial: (trial.number * 7919) % 31,
        "seconds": lambda trial: trial.duration.total_seconds() if trial.duration else 0.0,
        "constant": lambda _: 3.0,
        "some NaN": lambda trial: math.nan if trial.number % 5 == 0 else trial.number % 7 - 3.0,
    }
    return functions[name]


def evaluated(study: optuna.Study, settings: Settings) -> Outcome:
    """Evaluate a study both ways, unnormalised and normalised, and compare."""
    theirs = _returned_or_raised(partial(_importances_of_optuna, study, settings))
    ours = _returned_or_raised(partial(_importances_of_condped, study, settings))
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        return _with_errors(study, settings, ours, theirs)
    distance = _distance(ours[0], theirs)
    if distance <= RELATIVE:
        return _compare_shares(ours, theirs, distance)
    for kind, call in _explanations(study, settings):
        other = _returned_or_raised(call)
        if not isinstance(other, Exception) and _distance(ours[0], other) <= RELATIVE:
            return _compare_shares(ours, other, _distance(ours[0], other), kind)
    return Outcome("other numbers", distance, False, ours[0], theirs)


def _with_errors(
    study: optuna.Study, settings: Settings, ours: Any, theirs: Importances | Exception
) -> Outcome:
    texts = {"ours": repr(ours)[:300], "theirs": repr(theirs)[:300]}
    if isinstance(ours, Exception):
        # An error of our own explains what is wrong; anything else is a defect.
        said = isinstance(ours, condped.errors.CondpedError)
        kind = BOTH_RAISE if isinstance(theirs, Exception) else "only condped raises"
        return Outcome(kind, 0.0, said and kind == BOTH_RAISE, **texts)
    for _, call in _explanations(study, settings):
        other = _returned_or_raised(call)
        if not isinstance(other, Exception) and _distance(ours[0], other) <= RELATIVE:
            return Outcome(ONLY_OPTUNA_RAISES)
    return Outcome(ONLY_OPTUNA_RAISES, 0.0, False, **texts)


def _compare_shares(
    ours: tuple[Importances, Importances, bool],
    theirs: Importances,
    distance: float,
    kind: str = SAME,
) -> Outcome:
    """Compare the importances as shares, which Optuna itself computes from its own."""
    study = optuna.create_study()
    shares = optuna.importance.get_param_importances(study, evaluator=_FixedEvaluator(theirs))
    found, undetermined = ours[1], ours[2]
    # Optuna divides 1 in proportion to the importances, equally if all are 0.
    if undetermined and not any(found.values()):
        return Outcome(UNDETERMINED if kind == SAME else kind, distance)
    apart = _distance(found, shares, sum(theirs.values()) or 1.0)
    if apart > RELATIVE:
        return Outcome("other shares", apart, False, found, shares)
    return Outcome(kind, max(distance, apart))


class _FixedEvaluator(BaseImportanceEvaluator):
    """An evaluator that returns a given answer."""

    def __init__(self, answer: Importances) -> None:
        self._answer = answer

    def evaluate(self, *_: object, **__: object) -> Importances:
        return self._answer


def _distance(ours: Importances, theirs: Importances, total: float = 1.0) -> float:
    """Return the largest relative difference; infinite where names or NaN differ.

    ``total`` is what 1 stands for in shares.
    """
    if set(ours) != set(theirs):
        return math.inf
    one, other = (np.array([found[name] for name in theirs]) for found in (ours, theirs))
    rounding = np.maximum(_NOTHING, _ROUNDING * np.sqrt(total * np.abs(other)))
    same = total * np.abs(one - other) <= rounding
    same |= (one == other) | (np.isnan(one) & np.isnan(other))
    if same.all():
        return 0.0
    apart = np.abs(one - other)[~same] / np.maximum(np.abs(one), np.abs(other))[~same]
    return math.inf if np.isnan(apart).any() else float(apart.max())


def _returned_or_raised(call: Callable[[], Any]) -> Any:
    """Return what a call returns or raises; the warnings of both sides are not compared."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:  # whatever it is, it is compared
            return error


def _importances_of_optuna(
    study: optuna.Study, settings: Settings, sign: float = 1.0
) -> Importances:
    evaluator = PedAnovaImportanceEvaluator(
        target_quantile=settings.target_quantile,
        region_quantile=settings.region_quantile,
        evaluate_on_local=settings.local,
    )
    target = _target(settings.target) if settings.target else None
    if target is None or sign > 0:
        return dict(evaluator.evaluate(study, target=target))
    return dict(evaluator.evaluate(study, target=lambda trial: -target(trial)))


def _importances_of_condped(
    study: optuna.Study, settings: Settings
) -> tuple[Importances, Importances, bool]:
    """Return importances, the same as shares, and whether they are undetermined."""
    if not settings.evaluator:
        result = condped.importance(
            study,
            target_quantile=settings.target_quantile,
            region_quantile=settings.region_quantile,
            reference="region" if settings.local else "space",
            method="paper",
            pooling="never",
        )
        finished = {name for t in _finished_trials(study) for name in t.params}
        plain = {k: v for k, v in result.to_dict(normalize=False).items() if k in finished}
        shares = {k: v for k, v in result.to_dict(normalize=True).items() if k in finished}
        return plain, shares, result.reason is not None
    evaluator = CondPedAnovaImportanceEvaluator(
        target_quantile=settings.target_quantile,
        region_quantile=settings.region_quantile,
        evaluate_on_local=settings.local,
    )
    target = _target(settings.target) if settings.target else None
    plain = evaluator.evaluate(study, target=target)
    shares = optuna.importance.get_param_importances(study, evaluator=_FixedEvaluator(plain))
    return plain, shares, not sum(plain.values())


def _finished_trials(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _explanations(
    study: optuna.Study, settings: Settings
) -> Iterator[tuple[str, Callable[[], Importances]]]:
    """Iterate over Optuna's evaluation with one change each that may explain a difference."""
    turned = -1.0 if _is_maximised(study, settings) else 1.0
    if turned < 0:
        yield TURNED, partial(_importances_of_optuna, study, settings, -1.0)
    rounded, reasons = set(), []
    beyond = {n for t in _finished_trials(study) for n, v in t.params.items() if v == _INT64}
    for name, domains in _domains(study).items():
        ints = [domain for domain in domains if isinstance(domain, IntDistribution)]
        bounds = [bound for domain in ints for bound in (domain.low, domain.high)]
        mixed = len(ints) < len(domains) or len({domain.log for domain in ints}) > 1
        if bounds and (mixed or min(bounds) < -_INT64 or max(bounds) >= _INT64):
            rounded.add(name)
            reasons.append(ROUNDED)
        elif bounds and max(bounds) - min(bounds) >= _INT64:
            reasons.append(WRAPPED)
        elif bounds and name in beyond:
            reasons.append(BEYOND)
        if any(
            isinstance(d, FloatDistribution) and d.step and math.isinf((d.high - d.low) / d.step)
            for d in domains
        ):
            reasons.append(STEPS)
    if reasons:
        yield (
            max(reasons, key=reasons.count),
            partial(_without_overflow, rounded, study, settings, turned),
        )


def _domains(study: optuna.Study) -> dict[str, set[Any]]:
    """Return the domains of each parameter, over all trials."""
    domains: dict[str, set[Any]] = {}
    for trial in study.get_trials(deepcopy=False):
        for name, domain in trial.distributions.items():
            # Choices such as NaN equal nothing, not even in a set; it is enough that they occur.
            plain = isinstance(domain, IntDistribution | FloatDistribution)
            domains.setdefault(name, set()).add(domain if plain else "choices")
    return domains


def _is_maximised(study: optuna.Study, settings: Settings) -> bool:
    if settings.target is None or settings.target[0] != "+":
        return False
    return study.directions[int(settings.target[1:])] == StudyDirection.MAXIMIZE


def _without_overflow(
    rounded: set[str], study: optuna.Study, settings: Settings, sign: float
) -> Importances:
    """Return Optuna's importances with cells that are found without overflow.

    Whole numbers are subtracted as Python does, those of ``rounded`` parameters as floats.
    """

    def count(name: str, domain: Any, trials: list[FrozenTrial], most: int) -> Any:
        low, high, step = domain.low, domain.high, domain.step
        if isinstance(domain, FloatDistribution):
            if not step or math.isfinite((high - low) / step):
                return _PLAIN_CELLS(name, domain, trials, most)
            steps = round((Fraction(high) - Fraction(low)) / Fraction(step))
            few = min(steps + 1, most)
            return _PLAIN_CELLS(name, FloatDistribution(low, high), trials, few)
        number: type[int | float] = float if name in rounded else int
        values = [number(trial.params[name]) for trial in trials]
        if domain.log:
            cells = min(int(np.ceil(np.log(float(high - low + 1)) / np.log(2))) + 1, most)
            low, high = math.log(low), math.log(high)
            values = [float(np.log(float(value))) for value in values]
        else:
            cells = min((high - low) // step + 1, most)
            values = [value - number(low) for value in values]
            low, high = 0, high - low
        width = (high - low) / (cells - 1)
        places = np.array([float(value - low) / width for value in values])
        indices = np.clip(np.ceil(places - 0.5).astype(int), 0, cells - 1)
        return np.bincount(indices, minlength=cells)

    with patch.object(scott_parzen_estimator, "_count_numerical_param_in_grid", count):
        return _importances_of_optuna(study, settings, sign)
