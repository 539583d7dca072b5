"""Simulated futures of a test, compared with scipy's noncentral chi-square and a slow loop."""

import numpy as np
import pytest
from scipy import stats

from condped.estimate.outlook import Growth, probability_dead, settling_looks

_GROWTH = Growth(exponent=0.7, dead=0.4, strength=3.0)


def _posterior(p_value: float, finished: int, growth: Growth) -> float:
    """The probability of no effect by numbers of scipy: both densities of the components."""
    seen = np.array([np.sqrt(stats.chi2.isf(p_value, 2)), 0.0])
    pull = growth.strength * (finished / 100) ** growth.exponent
    none = growth.dead * stats.multivariate_normal([0, 0], 1.0).pdf(seen)
    some = (1 - growth.dead) * stats.multivariate_normal([0, 0], 1.0 + pull).pdf(seen)
    return float(none / (none + some))


@pytest.mark.parametrize("p_value", [1.0, 0.3, 0.01, 1e-8])
def test_probability_of_no_effect_follows_from_both_densities(p_value: float) -> None:
    """Bayes' rule with the densities of the two components."""
    found = probability_dead(p_value, 80, _GROWTH)
    assert found == pytest.approx(_posterior(p_value, 80, _GROWTH), rel=1e-6)


@pytest.mark.parametrize("p_value", [0.5, 0.02])
def test_one_later_look_has_the_power_of_a_noncentral_chi_square(p_value: float) -> None:
    """Given the pull, the statistic at a later look is noncentral; pulls are drawn by scipy."""
    finished, later, limit = 60, 150, 0.004
    rng = np.random.default_rng(0)
    looks, limits = np.array([later]), np.array([limit])
    places = settling_looks(
        p_value, finished, looks, limits, growth=_GROWTH, rng=rng, draws=200_000
    )
    seen = np.array([np.sqrt(stats.chi2.isf(p_value, 2)), 0.0])
    pull = _GROWTH.strength * (finished / 100) ** _GROWTH.exponent
    kept = pull / (1 + pull)
    drift = kept * seen + np.sqrt(kept) * rng.standard_normal((200_000, 2))
    drift[rng.random(200_000) < _posterior(p_value, finished, _GROWTH)] = 0.0
    information = (later / finished) ** _GROWTH.exponent
    mean = seen + drift * (information - 1)
    # The new part has variance I - 1; in its units the size is noncentral.
    new = information - 1
    threshold = stats.chi2.isf(limit, 2) * information / new
    power = stats.ncx2.sf(threshold, 2, (mean**2).sum(axis=1) / new).mean()
    assert np.mean(places == 0) == pytest.approx(power, abs=0.005)


def test_several_later_looks_equal_a_slow_loop() -> None:
    """One future after the other, step by step, gives the same shares of looks."""
    looks, limits = np.array([80, 100, 130, 160]), np.array([0.01, 0.008, 0.006, 0.005])
    places = settling_looks(
        0.05, 60, looks, limits, growth=_GROWTH, rng=np.random.default_rng(1), draws=100_000
    )
    rng = np.random.default_rng(2)
    pull = _GROWTH.strength * 0.6**_GROWTH.exponent
    kept = pull / (1 + pull)
    counts = np.zeros(5)
    for _ in range(20_000):
        components = np.array([np.sqrt(-2 * np.log(0.05)), 0.0])
        drift = kept * components + np.sqrt(kept) * rng.standard_normal(2)
        if rng.random() < _posterior(0.05, 60, _GROWTH):
            drift = np.zeros(2)
        now, found = 1.0, 4
        for place, look in enumerate(looks):
            then = (look / 60) ** _GROWTH.exponent
            components = components + drift * (then - now)
            components = components + np.sqrt(then - now) * rng.standard_normal(2)
            now = then
            if stats.chi2.sf(components @ components / now, 2) <= limits[place]:
                found = place
                break
        counts[found] += 1
    shares = np.bincount(places, minlength=5) / len(places)
    assert shares == pytest.approx(counts / counts.sum(), abs=0.015)
