"""Intervals: each part of the trials against its own analysis, seeds, coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import condped
from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.intervals import _joint_reach
from condped.analyse.options import Question
from condped.arrays import BoolArray
from condped.count.order_statistics.keys import group_of
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.estimate.settings import Settings
from condped.estimate.subsample_variances import subset_variances
from condped.trials.used_trials import Handling

QUANTILES = (0.1, 0.4)


def part_of(intervals: str, part: int, trials: int, seed: int) -> BoolArray:
    """Return (trials,) which are in a part, by the definition."""
    numbers = np.arange(trials)
    if intervals == "jackknife":  # all but one of 20 groups
        return np.asarray(group_of(numbers, 20, seed) != part)
    rng = np.random.default_rng(seed)
    halves = [rng.permutation(64)[:32] for _ in range(part + 1)]
    return np.isin(group_of(numbers, 64, seed), halves[part])


@pytest.mark.parametrize("measure", ["within", "standard", "unweighted"])
@pytest.mark.parametrize("region_quantile", [1.0, 0.7])
@pytest.mark.parametrize("intervals", ["half-sampling", "jackknife"])
@pytest.mark.parametrize("name", ["nested", "regime-dependent"])
def test_a_part_has_the_variances_of_its_own_analysis(
    name: str, intervals: Any, region_quantile: float, measure: Any
) -> None:
    """Cut-offs, regimes and densities are found anew; bandwidths are rounded to 0.5 %."""
    table = condped.problems.get(name).sample(300, seed=1)
    settings = Settings(region_quantile=region_quantile, measure=measure)
    trials = Trials.of(table)
    sets = trials.top_sets(QUANTILES, region_quantile, Handling())
    found = trials.subsets(
        sets, QUANTILES, region_quantile, intervals=intervals, seed=7, by_rank=False
    )
    assert found is not None
    together = np.concatenate(
        [subset_variances(c, found.ranges, len(table.names), settings) for c in found.counts]
    )
    assert len(together) == (20 if intervals == "jackknife" else 200)
    for part in (0, 3, 7, 12, 19):
        alone = table.only(part_of(intervals, part, 300, seed=7))
        expected = analyse(alone, Question(QUANTILES, settings)).estimate
        if measure == "standard":  # regimes too small to estimate add to the inter part there
            # What they add is at most their share, and never negative.
            assert (expected.variance > together[part] - 2e-2 * expected.variance - 1e-9).all()
            continue
        assert np.allclose(together[part], expected.variance, rtol=2e-2, atol=1e-9)


@pytest.mark.parametrize("intervals", ["half-sampling", "jackknife"])
def test_standard_errors_are_those_of_the_parts(intervals: Any) -> None:
    """The spread of the importances of parts that are analysed one by one."""
    table = condped.problems.get("nested").sample(400, seed=2)
    result = condped.importance(table, target_quantile=0.2, intervals=intervals, seed=4)
    parts = 20 if intervals == "jackknife" else 200
    found = [
        condped.importance(
            table.only(part_of(intervals, part, 400, seed=4)), target_quantile=0.2
        ).to_dict()
        for part in range(parts)
    ]
    alone = np.array([[own[name] for name in table.names] for own in found])
    deviations = alone - alone.mean(axis=0)
    scale = (parts - 1) / parts if intervals == "jackknife" else 1 / (parts - 1)
    expected = np.sqrt(scale * (deviations**2).sum(axis=0))
    for name, error in zip(table.names, expected, strict=True):
        interval = result[name].intervals
        assert interval is not None
        assert interval.importance.standard_error == pytest.approx(error, rel=0.1, abs=2e-3)


def test_the_same_seed_gives_the_same_intervals_whatever_the_threads() -> None:
    """Also in another process with another number of threads."""
    program = (
        "import condped; t = condped.problems.get('nested').sample(200, seed=0); "
        "r = condped.importance(t, intervals='half-sampling', seed=3); "
        "print([p.intervals.importance.standard_error.hex() for p in r])"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    table = condped.problems.get("nested").sample(200, seed=0)
    here = condped.importance(table, intervals="half-sampling", seed=3)
    errors = [p.intervals.importance.standard_error for p in here if p.intervals]
    assert outputs[0] == outputs[1] == f"{[error.hex() for error in errors]}\n"
    other = condped.importance(table, intervals="half-sampling", seed=4)
    assert here["x"].intervals != other["x"].intervals


@pytest.mark.parametrize("method", ["paper", "calibrated"])
@pytest.mark.parametrize("intervals", ["half-sampling", "jackknife"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(method: Any, intervals: Any) -> None:
    """On one problem and 40 samples: nine in ten, give or take what 120 draws allow."""
    problem = condped.problems.get("activation-disjoint")
    truth = problem.truth(target_quantile=0.25, region_quantile=1.0).to_dict()
    held = []
    for seed in range(40):
        result = condped.importance(
            problem.sample(300, seed=seed),
            target_quantile=0.25,
            method=method,
            intervals=intervals,
            sampling="random",
        )
        for parameter in result:
            assert parameter.intervals is not None
            interval = parameter.intervals.importance
            assert interval.low <= parameter.importance <= interval.high
            held.append(interval.low - 1e-9 <= truth[parameter.name] <= interval.high + 1e-9)
    assert 0.8 <= np.mean(held) <= 1.0


def test_a_sweep_has_the_same_bands_as_its_points() -> None:
    """One point of a sweep and the result at its target quantile agree."""
    table = condped.problems.get("three-way").sample(250, seed=0)
    curve = condped.sweep(table, target_quantiles=[0.1, 0.3], intervals="half-sampling", seed=5)
    assert curve.intervals is not None
    point = condped.importance(table, target_quantile=0.3, intervals="half-sampling", seed=5)
    for place, name in enumerate(curve.names):
        interval = point[name].intervals
        assert interval is not None
        assert curve.intervals.importance.error[1, place] == pytest.approx(
            interval.importance.standard_error, rel=1e-6, abs=1e-12
        )
    assert "importance_low" in curve.rows()[0]


def test_what_cannot_be_asked_is_refused() -> None:
    """Kinds of intervals, levels; with a handful of trials there are none."""
    table = condped.problems.get("nested").sample(50, seed=0)
    wrong: Any
    for wrong in ({"intervals": "bootstrap"}, {"level": 1.0}, {"level": True}, {"level": "90%"}):
        with pytest.raises(SettingsError, match=r"intervals must be|level must be"):
            condped.importance(table, **wrong)
    for seed in (-1, "a", 1.5):
        with pytest.raises(SettingsError, match="seed must be a whole number"):
            condped.importance(table, seed=seed)  # type: ignore[arg-type]
    two = {"x": np.arange(50.0), "a": np.arange(50.0) % 7, "b": np.arange(50.0) % 11}
    with pytest.raises(SettingsError, match="Intervals need one objective"):
        condped.importance(two, objective=["a", "b"], intervals="jackknife")
    few = condped.problems.get("nested").sample(6, seed=0)
    result = condped.importance(few, intervals="jackknife")
    assert result.level is None
    assert "Too few trials for intervals." in result.account.notes


@pytest.mark.parametrize("intervals", ["half-sampling", "jackknife"])
@pytest.mark.parametrize("method", ["paper", "calibrated"])
def test_joint_intervals_contain_those_of_each_number(method: Any, intervals: Any) -> None:
    """And those of many target quantiles together contain those of one."""
    table = condped.problems.get("nested").sample(200, seed=3)
    options: Any = {"method": method, "intervals": intervals, "seed": 1}
    curve = condped.sweep(table, target_quantiles=[0.05, 0.1, 0.2, 0.4], **options)
    assert curve.intervals is not None
    for band in (curve.intervals.importance, curve.intervals.eta_squared):
        assert (band.joint_low <= band.low).all()
        assert (band.joint_high >= band.high).all()
        assert (band.joint_high - band.joint_low > band.high - band.low).any()
    again = condped.sweep(table, target_quantiles=[0.05, 0.1, 0.2, 0.4], **options)
    assert again == curve


def test_joint_intervals_hold_all_importances_at_once() -> None:
    """Nine times in ten, as the level says; those of each number do so much more seldom."""
    together, alone = [], []
    problem = condped.problems.get("nested")
    quantiles = (0.1, 0.25)
    truth = np.array([list(problem.truth(target_quantile=q).to_dict().values()) for q in quantiles])
    for seed in range(60):
        curve = condped.sweep(
            problem.sample(200, seed=seed),
            target_quantiles=quantiles,
            method="calibrated",
            intervals="half-sampling",
            sampling="random",
        )
        assert curve.intervals is not None
        band = curve.intervals.importance
        together.append(((band.joint_low <= truth) & (truth <= band.joint_high)).all())
        alone.append(((band.low <= truth) & (truth <= band.high)).all())
    assert 0.8 <= np.mean(together) <= 1.0
    assert np.mean(alone) < np.mean(together)


def test_the_joint_reach_is_the_quantile_of_the_largest_deviation() -> None:
    """With equal errors: a share of all rows, as large as the level, has no larger entry."""
    rng = np.random.default_rng(0)
    deviations = rng.standard_normal((2000, 3, 4))
    reach = _joint_reach(deviations, np.ones((3, 4)), 0.9)
    assert np.ptp(reach) == 0
    assert np.mean((np.abs(deviations) <= reach).all(axis=(1, 2))) == pytest.approx(0.9, abs=1e-3)
    steady = np.ones((3, 4))
    steady[0, 0] = 0.0  # what never moves has no band
    assert _joint_reach(deviations * steady, steady, 0.9)[0, 0] == 0
