"""Identities of the paper: decomposition, leakage, limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import condped
from condped.estimate.formula import inter_contributions, pearson, regime_contributions
from condped.estimate.settings import Measure
from tests.oracle import slow

_MASS = st.floats(0.01, 1.0)


@given(
    alpha=arrays(float, 3, elements=_MASS),
    beta=arrays(float, 3, elements=_MASS),
    target=arrays(float, (3, 7), elements=_MASS),
    region=arrays(float, (3, 7), elements=_MASS),
)
def test_divergence_over_all_regimes_is_within_plus_inter(
    alpha: np.ndarray, beta: np.ndarray, target: np.ndarray, region: np.ndarray
) -> None:
    """The lemma of the paper's appendix, on arbitrary masses of three regimes."""
    alpha, beta = alpha / alpha.sum(), beta / beta.sum()
    target = target / target.sum(axis=1, keepdims=True)
    region = region / region.sum(axis=1, keepdims=True)
    whole = pearson((alpha[:, None] * target).ravel(), (beta[:, None] * region).ravel())
    one = np.ones(1)
    within = regime_contributions(alpha[:, None], beta, pearson(target, region)[:, None], one)
    inter = inter_contributions(alpha[:, None], beta, one)
    assert within.sum() + inter.sum() == pytest.approx(float(whole), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", condped.problems.names())
def test_within_plus_inter_is_the_standard_local_variance(name: str) -> None:
    """Eq. (standard local variance), computed at once on the extended domain by the slow oracle."""
    table = condped.problems.get(name).sample(400, seed=2)
    result = condped.importance(table, target_quantile=0.3, measure="standard")
    loss = table.objectives[0].values
    good = loss <= np.sort(loss)[119]
    for parameter in table.parameters:
        extended: list[tuple[float, float]] = []
        for place in np.unique(parameter.domain_ids):
            here = parameter.domain_ids == place
            alpha, beta = (here & good).sum() / good.sum(), here.mean()
            if place < 0 or not (here & good).any():
                extended.append((alpha, beta))
                continue
            domain = parameter.domains[place]
            assert not isinstance(domain, condped.Categorical)
            slow_domain = slow.SlowDomain("float", domain.low, domain.high)
            p = slow.masses(parameter.values[here & good].tolist(), slow_domain)
            q = slow.masses(parameter.values[here].tolist(), slow_domain)
            extended += [(alpha * a, beta * b) for a, b in zip(p, q, strict=True)]
        divergence = sum(q * (p / q - 1) ** 2 for p, q in extended)
        found = result[parameter.name]
        assert found.variance == pytest.approx((120 / 400) ** 2 * divergence, rel=1e-8)
        assert found.variance == pytest.approx(found.within + found.inter, rel=1e-12)


@pytest.mark.parametrize("name", ["activation-disjoint", "regime-dependent", "three-way"])
def test_standard_variance_of_a_gated_parameter_holds_the_gates(name: str) -> None:
    """The leakage theorem on trials: v_d = within + v_c, up to the gate's own smoothing."""
    table = condped.problems.get(name).sample(50_000, seed=3)
    for target in (0.1, 0.3, 0.6):
        result = condped.importance(table, target_quantile=target)
        inter = {p.name: p.inter for p in result}
        gate = result["c"].within
        assert inter["x"] == pytest.approx(gate, rel=0.12, abs=2e-3)


@pytest.mark.parametrize("measure", ["within", "standard", "unweighted", "unconditional"])
def test_measures_agree_where_nothing_is_conditional(measure: Measure) -> None:
    """With one regime all four are PED-ANOVA."""
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 300))
    space = {n: {"type": "float", "low": 0, "high": 1} for n in "xy"}
    columns = {"x": x, "y": y, "loss": x + y / 4}
    plain = condped.importance(columns, objective="loss", space=space)
    other = condped.importance(columns, objective="loss", space=space, measure=measure)
    assert other.to_dict() == pytest.approx(plain.to_dict(), rel=1e-12)


def test_unweighted_measure_adds_the_divergences_of_the_regimes() -> None:
    """The paper's second ablation: κ² Σ D_i."""
    table = condped.problems.get("three-way").sample(1000, seed=0)
    result = condped.importance(table, target_quantile=0.5, measure="unweighted")
    for parameter in result:
        expected = 0.5**2 * sum(regime.divergence for regime in parameter.regimes)
        assert parameter.variance == pytest.approx(expected, rel=1e-12)


def test_contributions_and_shares_of_the_regimes_add_up() -> None:
    """Shares sum to 1, contributions to the variance, trials to the sets."""
    result = condped.importance(condped.problems.get("nested").sample(1000, seed=0))
    for parameter in result:
        assert sum(r.target_share for r in parameter.regimes) == pytest.approx(1)
        assert sum(r.region_share for r in parameter.regimes) == pytest.approx(1)
        assert sum(r.region_trials for r in parameter.regimes) == 1000
        assert sum(r.target_trials for r in parameter.regimes) == 100
        assert sum(r.contribution for r in parameter.regimes) == pytest.approx(parameter.variance)
        assert parameter.eta_squared == pytest.approx(parameter.variance / (0.1 * 0.9))
