"""The same numbers as Optuna 5.0.0's own evaluator, on any study."""

from __future__ import annotations

import warnings

import numpy as np
import optuna
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from optuna.importance import PedAnovaImportanceEvaluator

import condped
from condped.optuna import CondPedAnovaImportanceEvaluator
from tests.optuna_version import needs_optuna_5
from tests.parity.studies import studies

pytestmark = needs_optuna_5

PAIRS = [(0.1, 1.0), (0.01, 0.99), (0.07, 0.5), (0.3, 0.6), (0.5, 1.0), (0.9, 1.0), (0.45, 0.55)]


def optuna_values(
    study: optuna.Study, target: float, region: float, local: bool
) -> dict[str, float]:
    """Ask Optuna, whose warnings about small regimes are not ours to heed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PedAnovaImportanceEvaluator(
            target_quantile=target, region_quantile=region, evaluate_on_local=local
        ).evaluate(study)


def assert_same(ours: dict[str, float], theirs: dict[str, float]) -> None:
    """Compare by name, to 1e-9 relative."""
    assert set(ours) == set(theirs)
    names = sorted(theirs)
    np.testing.assert_allclose(
        [ours[n] for n in names], [theirs[n] for n in names], rtol=1e-9, atol=1e-15
    )


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(study=studies(), pair=st.sampled_from(PAIRS), local=st.booleans())
def test_evaluator_equals_optunas(
    study: optuna.Study, pair: tuple[float, float], local: bool
) -> None:
    """Unnormalised importances agree for generated conditional studies."""
    evaluator = CondPedAnovaImportanceEvaluator(
        target_quantile=pair[0], region_quantile=pair[1], evaluate_on_local=local
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Importances are undetermined")
        ours = evaluator.evaluate(study)
    assert_same(ours, optuna_values(study, *pair, local))


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(study=studies(objectives=1), region=st.sampled_from([1.0, 0.75]))
def test_sweep_equals_optuna_at_every_quantile(study: optuna.Study, region: float) -> None:
    """Each point of a sweep is what Optuna computes for that quantile alone."""
    targets = [0.01, 0.07, 0.1, 0.29, 0.5, 0.57, 0.7]
    curve = condped.sweep(study, target_quantiles=targets, region_quantile=region)
    for place, target in enumerate(targets):
        theirs = optuna_values(study, target, region, True)
        ours = dict(zip(curve.names, curve.variance[place].tolist(), strict=True))
        assert_same({name: ours[name] for name in theirs}, theirs)


@pytest.mark.parametrize("objectives", [2, 3, 4])
@pytest.mark.parametrize("decimals", [0, 1, 15])
@pytest.mark.parametrize("seed", range(3))
def test_pareto_sets_are_optunas(objectives: int, decimals: int, seed: int) -> None:
    """The best trials of several objectives are those that Optuna takes, ties included."""
    rng = np.random.default_rng(seed)
    down, up = optuna.study.StudyDirection.MINIMIZE, optuna.study.StudyDirection.MAXIMIZE
    directions = [down, up, down, up][:objectives]
    study = optuna.create_study(directions=directions)
    for _ in range(150):
        x, y = rng.random(2)
        values = np.round(rng.normal(size=objectives) + x, decimals).tolist()
        study.add_trial(
            optuna.trial.create_trial(
                values=values,
                params={"x": x, "y": y},
                distributions={
                    "x": optuna.distributions.FloatDistribution(0, 1),
                    "y": optuna.distributions.FloatDistribution(0, 1),
                },
            )
        )
    for target, region in PAIRS:
        ours = condped.importance(study, target_quantile=target, region_quantile=region)
        assert_same(ours.to_dict(normalize=False), optuna_values(study, target, region, local=True))


def test_tpe_study_with_nested_conditions_equals_optuna() -> None:
    """Adaptive sampling, domain switches, failures and pruning change nothing about parity."""

    def objective(trial: optuna.Trial) -> float:
        learner = trial.suggest_categorical("learner", ["svm", "net", "none"])
        if trial.number % 11 == 5:
            raise optuna.TrialPruned
        if learner == "svm":
            c = trial.suggest_float("C", 1e-3, 1e3, log=True)
            kernel = trial.suggest_categorical("kernel", ["rbf", "linear"])
            gamma = trial.suggest_float("gamma", 1e-4, 1, log=True) if kernel == "rbf" else 0.1
            return float(abs(np.log10(c)) + abs(np.log10(gamma) + 1))
        if learner == "net":
            layers = trial.suggest_int("layers", 1, 4)
            wide = layers < 3
            units = trial.suggest_int("units", 8 if wide else 4, 512 if wide else 64, log=True)
            return float("inf" if units > 400 else 3 / layers + np.log2(units) / 9)
        return 5.0

    sampler = optuna.samplers.TPESampler(seed=3, n_startup_trials=20)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=150)
    for target, region in PAIRS:
        for local in (True, False):
            ours = condped.importance(
                study,
                target_quantile=target,
                region_quantile=region,
                reference="region" if local else "space",
            )
            theirs = optuna_values(study, target, region, local)
            assert_same(ours.to_dict(normalize=False), theirs)


def test_unconditional_measure_is_optuna_on_the_spanning_domain() -> None:
    """Where domains switch, PED-ANOVA without conditions sees one domain around all."""
    table = condped.problems.get("regime-dependent").sample(400, seed=1)
    spans = {"c": (0, 1), "x": (-7, 7), "y": (-5, 5)}
    study = optuna.create_study()
    wide: dict[str, optuna.distributions.BaseDistribution] = {
        n: optuna.distributions.FloatDistribution(*span) for n, span in spans.items()
    }
    for row in range(len(table)):
        params = {p.name: float(p.values[row]) for p in table.parameters}
        study.add_trial(
            optuna.trial.create_trial(
                value=float(table.objectives[0].values[row]), params=params, distributions=wide
            )
        )
    for target, region in PAIRS:
        ours = condped.importance(
            table, target_quantile=target, region_quantile=region, measure="unconditional"
        )
        assert_same(ours.to_dict(normalize=False), optuna_values(study, target, region, True))
