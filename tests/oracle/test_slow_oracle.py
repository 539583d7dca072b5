"""The fast estimator against the slow one that was written from the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import condped
from tests.oracle import slow
from tests.parity.studies import studies


def slow_domain(distribution: Any) -> slow.SlowDomain:
    """Translate Optuna's record of a domain."""
    if isinstance(distribution, optuna.distributions.CategoricalDistribution):
        return slow.SlowDomain("categorical", choices=distribution.choices)
    kind = "int" if isinstance(distribution, optuna.distributions.IntDistribution) else "float"
    return slow.SlowDomain(
        kind, distribution.low, distribution.high, distribution.log, distribution.step
    )


def slow_trials(study: optuna.Study) -> list[slow.SlowTrial]:
    """Translate a single-objective study, finite trials only, lower is better."""
    sign = -1 if study.direction == optuna.study.StudyDirection.MAXIMIZE else 1
    return [
        slow.SlowTrial(
            sign * trial.value,
            {
                name: (value, slow_domain(trial.distributions[name]))
                for name, value in trial.params.items()
            },
        )
        for trial in study.get_trials(states=(optuna.trial.TrialState.COMPLETE,))
        if trial.value is not None and np.isfinite(trial.value)
    ]


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(
    study=studies(objectives=1),
    pair=st.sampled_from([(0.1, 1.0), (0.3, 0.6), (0.07, 0.5), (0.8, 1.0)]),
)
def test_variances_equal_the_slow_oracles(study: optuna.Study, pair: tuple[float, float]) -> None:
    """Theorem 4.2, summed trial by trial, gives the same variances."""
    trials = slow_trials(study)
    ours = condped.importance(study, target_quantile=pair[0], region_quantile=pair[1])
    for parameter in ours:
        expected = slow.importance(trials, parameter.name, *pair) if len(trials) > 1 else 0.0
        assert parameter.variance == pytest.approx(expected, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("name", condped.problems.names())
def test_problems_sampled_as_tables_equal_the_slow_oracle(name: str) -> None:
    """The path through columns and conditions ends in the same variances."""
    table = condped.problems.get(name).sample(300, seed=5)
    trials = [
        slow.SlowTrial(
            float(table.objectives[0].values[row]),
            {
                p.name: (
                    float(p.values[row]),
                    slow.SlowDomain(
                        "float", p.domains[p.domain_ids[row]].low, p.domains[p.domain_ids[row]].high
                    ),
                )
                for p in table.parameters
                if p.domain_ids[row] >= 0
            },
        )
        for row in range(len(table))
    ]
    for target, region in [(0.1, 1.0), (0.4, 0.75)]:
        ours = condped.importance(table, target_quantile=target, region_quantile=region)
        for parameter in ours:
            expected = slow.importance(trials, parameter.name, target, region)
            assert parameter.variance == pytest.approx(expected, rel=1e-9, abs=1e-14)
