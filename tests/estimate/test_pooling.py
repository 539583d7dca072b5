"""Numbers of several studies, against scipy and plain numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from condped.analyse.across.difference import compare_pairs
from condped.analyse.across.study import ExplainedShare
from condped.estimate.leave_one_out import chance_variance, twiced_excess
from condped.estimate.statistics.pooling import (
    errors_if_alike,
    holm,
    mean_of,
    odd_p_values,
    skew_tail,
    spread_of,
    unlike_every_other,
)
from condped.estimate.statistics.student_distribution import student_quantile, student_tail


@pytest.mark.parametrize("freedom", [1, 2, 4.5, 19, 300, math.inf])
@pytest.mark.parametrize("t", [0.0, 0.3, -1.7, 4.0, 60.0])
def test_students_tail_is_scipys(t: float, freedom: float) -> None:
    """Both sides, with any degrees of freedom."""
    wanted = 2 * (stats.norm if math.isinf(freedom) else stats.t(freedom)).sf(abs(t))
    assert student_tail(t, freedom) == pytest.approx(wanted, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("freedom", [1, 2, 19, math.inf])
@pytest.mark.parametrize("share", [0.6, 0.95, 0.9999])
def test_students_quantile_is_scipys(share: float, freedom: float) -> None:
    """The opposite of the tail."""
    wanted = (stats.norm if math.isinf(freedom) else stats.t(freedom)).ppf(share)
    assert student_quantile(share, freedom) == pytest.approx(wanted, rel=1e-9)


def test_the_mean_has_students_interval_and_the_error_of_one_study() -> None:
    """Without errors it is scipy's; with them it is wider in quadrature."""
    values = np.random.default_rng(0).normal(0.4, 0.1, 7)
    low, high = stats.t.interval(0.9, 6, values.mean(), stats.sem(values))
    found = mean_of(values, np.zeros(7), 0.9)
    assert (found.value, found.low, found.high) == pytest.approx((values.mean(), low, high))
    wider = mean_of(values, np.full(7, 0.2), 0.9)
    assert wider.high - wider.value == pytest.approx(math.hypot((high - low) / 2, 0.2))


def cochran(values: np.ndarray, variances: np.ndarray) -> float:
    """Return Cochran's Q, by hand."""
    mean = np.average(values, weights=1 / variances)
    return float(((values - mean) ** 2 / variances).sum())


def test_the_spread_is_where_cochrans_q_is_what_it_should_be() -> None:
    """Estimate and ends, the upper one with smaller errors, by scipy's root finder and χ²."""
    rng = np.random.default_rng(1)
    values, errors = rng.normal(0, 0.5, 9), rng.uniform(0.05, 0.2, 9)
    found = spread_of(values, errors, 0.9)
    for wanted, own, part in (
        (8.0, found.deviation, 1.0), (stats.chi2(8).ppf(0.95), found.low, 1.0),
        (stats.chi2(8).ppf(0.05), found.high, 0.7),
    ):  # fmt: skip
        variances = (part * errors) ** 2
        root = optimize.brentq(
            lambda s, q=wanted, v=variances: cochran(values, v + s**2) - q, 0, 50
        )
        assert own == pytest.approx(root, abs=1e-6)
    assert found.p_value == pytest.approx(stats.chi2(8).sf(cochran(values, errors**2)), abs=1e-12)


def test_copies_have_no_spread() -> None:
    """Whatever their errors are; and one study tells nothing of it."""
    alike = spread_of(np.full(5, 0.3), np.array([0.1, 0.2, 0.3, 0.1, 0.1]))
    assert (alike.deviation, alike.low, alike.high, alike.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert math.isnan(spread_of(np.array([0.3]), np.array([0.1])).p_value)


def test_errors_of_studies_that_are_alike_share_what_sampling_adds() -> None:
    """Its mean per trial, though not below 0; chance is each study's own."""
    found = errors_if_alike(np.array([0.04, -0.01]), np.array([0.01, 0.02]), np.array([100, 300]))
    shared = (0.04 * 100 - 0.01 * 300) / 2
    assert found**2 == pytest.approx([shared / 100 + 0.01, shared / 300 + 0.02])
    none = errors_if_alike(np.array([-0.04, -0.01]), np.array([0.01, 0.02]), np.array([100, 300]))
    assert none**2 == pytest.approx([0.01, 0.02])


def test_the_others_of_a_study_are_all_but_itself() -> None:
    """Against Student's test of one value and a sample, where errors say less than the sample."""
    values = np.random.default_rng(2).normal(0, 1, 8)
    values[3] = 9.0
    found = odd_p_values(values, np.full(8, 1e-6), np.zeros(8))
    rest = np.delete(values, 3)
    t = (9.0 - rest.mean()) / (rest.std(ddof=1) * math.sqrt(1 + 1 / 7))
    assert found[3] == pytest.approx(2 * stats.t(6).sf(t), rel=1e-9)
    by_errors = odd_p_values(values, np.full(8, 5.0), np.zeros(8))
    z = (9.0 - rest.mean()) / (5.0 * math.sqrt(1 + 1 / 7))
    assert by_errors[3] == pytest.approx(2 * stats.norm.sf(z), rel=1e-9)
    assert np.isnan(odd_p_values(values[:2], np.ones(2), np.zeros(2))).all()


def test_one_of_few_studies_is_unlike_every_other_by_pairs() -> None:
    """Its largest p-value of two normal comparisons, for each of three studies; or nothing."""
    trials, sampling = np.array([100, 200, 400]), np.array([0.01, 0.004, 0.002])
    values = np.array([0.1, 0.2, 0.9])
    found = unlike_every_other(values, sampling, np.zeros(3), trials)
    p_values = []
    for other in (0, 1):
        per_trial = (sampling[other] * trials[other] + sampling[2] * trials[2]) / 2
        error = math.sqrt(per_trial / trials[other] + per_trial / trials[2])
        p_values.append(2 * stats.norm.sf((values[2] - values[other]) / error))
    assert np.isnan(found[:2]).all()
    assert found[2] == pytest.approx(3 * max(p_values), rel=1e-9)
    four = unlike_every_other(*(np.append(one, one[0]) for one in (
        values, sampling, np.zeros(3), trials)))  # fmt: skip
    assert four[2] == pytest.approx(max(p_values), rel=1e-9)
    between = unlike_every_other(np.array([0.0, 1.0, 2.1, 3.0]), np.zeros(4), np.full(4, 1e-4),
                                 np.full(4, 100))  # fmt: skip
    assert np.nanmin(between) == 1.0
    assert np.isnan(unlike_every_other(values[:2], sampling[:2], np.zeros(2), trials[:2])).all()


@pytest.mark.parametrize("studies", [3, 4, 6])
def test_any_of_few_alike_studies_is_rarely_unlike_every_other(studies: int) -> None:
    """One test per parameter is enough, though any study could be named; errors differ."""
    rng = np.random.default_rng(studies)
    trials = np.geomspace(50, 800, studies).astype(int)
    sampling = 4.0 / trials
    named = 0
    for _ in range(2_000):
        values = rng.normal(0, np.sqrt(sampling))
        p_values = unlike_every_other(values, sampling, np.zeros(studies), trials)
        named += bool(np.nanmin(p_values) <= 0.05)
    assert named / 2_000 <= 0.05


def test_what_chance_explains_is_skew() -> None:
    """The upper tail is a gamma distribution's, the lower one the normal's."""
    shape = 4 / 1.2**2
    wanted = 2 * stats.gamma(shape).sf(shape + 3 * math.sqrt(shape))
    assert skew_tail(0.3, 0.01, 0.01) == pytest.approx(wanted)
    assert skew_tail(-0.3, 0.01, 0.01) == pytest.approx(2 * stats.norm.sf(3))
    assert skew_tail(0.3, 0.01, 0.0) == pytest.approx(2 * stats.norm.sf(3))
    assert skew_tail(0.3, 0.0, 0.0) == 1.0


def test_holm_is_the_step_down_procedure() -> None:
    """By its definition; what was not tested does not count."""
    p_values = np.array([0.2, 0.001, np.nan, 0.03, 0.012])
    order = np.argsort(p_values[[0, 1, 3, 4]])
    wanted, highest = np.full(5, np.nan), 0.0
    for turn, place in enumerate(np.array([0, 1, 3, 4])[order]):
        highest = max(highest, min(1.0, (4 - turn) * p_values[place]))
        wanted[place] = highest
    np.testing.assert_allclose(holm(p_values), wanted)


@pytest.mark.parametrize("ordered", [True, False])
def test_the_variance_by_chance_is_that_of_random_hits(ordered: bool) -> None:
    """Of 4,000 draws of 20 hits among 120 trials in unequal cells."""
    rng = np.random.default_rng(3)
    region = np.array([30, 10, 20, 25, 5, 30]) if not ordered else np.full(30, 4)
    drawn = rng.multivariate_hypergeometric(region, 20, size=4_000)
    found = twiced_excess(region, drawn, 120, ordered=ordered)
    assert found.mean() == pytest.approx(0, abs=4 * found.std() / math.sqrt(4_000))
    wanted = chance_variance(region, 20, 120, ordered=ordered)
    assert wanted == pytest.approx(found.var(), rel=0.12)


def test_few_alarms_among_studies_that_are_alike_or_differ_smoothly() -> None:
    """Errors are right, half of the variance is chance; with and without a normal spread."""
    rng = np.random.default_rng(4)
    for deviation in (0.0, 0.15):
        tested, odd, draws = 0, 0, 400
        for _ in range(draws):
            shape = 4.0
            chance = (rng.gamma(shape, size=10) - shape) / math.sqrt(shape) * 0.1
            values = 0.3 + chance + rng.normal(0, 0.1, 10) + rng.normal(0, deviation, 10)
            errors = np.full(10, math.sqrt(0.02))
            tested += spread_of(values, errors).p_value <= 0.05
            odd += holm(odd_p_values(values, errors, np.full(10, 0.01))).min() <= 0.05
        assert odd / draws <= 0.05
        if deviation == 0:
            assert tested / draws <= 0.08
        else:
            assert tested / draws >= 0.4


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("errors", [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]])
def test_without_errors_nothing_is_said(errors: list[float]) -> None:
    """Neither that two studies agree nor that they differ, and without a warning."""
    found = spread_of(np.array([0.1, 0.9]), np.array(errors))
    assert math.isnan(found.p_value)
    assert (found.deviation, found.low) == (0.0, 0.0)
    explained = (ExplainedShare(0.1, -0.01, 0.0, 20), ExplainedShare(0.9, -0.01, 0.0, 20))
    _, _, p_values, adjusted = compare_pairs([explained], (100, 100))
    assert np.isnan([*p_values, *adjusted]).all()
