"""The page on advice says what was measured, and the benchmark counts rightly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import benchmarks.advice as benchmark
import condped
from benchmarks.advice_page import FLOOR, page, ratio, summary
from benchmarks.advice_tasks import LookUp, Task, synthetic
from condped.analyse.advice.result import OPTIMUM_LOST, measured_risk

ROOT = Path(__file__).parents[1]
MEASURED = json.loads((ROOT / "benchmarks" / "advice.json").read_text(encoding="utf-8"))


def test_the_page_has_the_numbers_that_were_written_down() -> None:
    """Filling it in again changes nothing."""
    assert page(MEASURED) == (ROOT / "docs" / "trust" / "advice.md").read_text(encoding="utf-8")


def test_the_stated_risk_is_the_measured_one() -> None:
    """Whoever measures again has to change it."""
    assert pytest.approx(MEASURED["optimum lost"], abs=0.005) == OPTIMUM_LOST
    assert f"{100 * OPTIMUM_LOST:.0f} %" in measured_risk()


def row(seed: int, old: float, new: float, advised: bool = True, cut: bool = False) -> Any:
    """Return a run whose typical regret is 1."""
    return {
        "task": "t", "sampler": "random", "seed": seed, "first": 50, "lowest": 2.0, "typical": 3.0,
        "unchanged": 2.0 + old, "started": 2.0 + new, "advised": advised, "cut": cut,
    }  # fmt: skip


def test_ratios_are_geometric_means_of_regrets() -> None:
    """Of advised runs only; what is nearly nothing counts as equal."""
    rows = [row(0, 0.2, 0.1), row(1, 0.4, 0.1, cut=True), row(2, 0.1, 0.2), row(3, 1e-9, 1e-7)]
    found = summary([*rows, row(4, 0.5, 0.5, advised=False)], "advice.start")
    assert (found["runs"], found["advised"]) == (5, 4)
    assert (found["win"], found["tie"], found["loss"]) == (2, 1, 1)
    assert found["ratio"] == pytest.approx((0.5 * 0.25 * 2 * 1) ** 0.25, abs=1e-3)
    assert found["cut"] == 0.25
    assert summary([row(0, 1, 1, advised=False)], "advice.start")["verdict"] == "silent"
    assert FLOOR == 1e-4


def test_an_interval_that_excludes_one_is_a_verdict() -> None:
    """Better where all regrets are halved, worse where all are doubled."""
    better = [row(seed, 0.4, 0.2 + seed / 1000) for seed in range(10)]
    mean, low, high = ratio(better, "started")
    assert low <= mean <= high < 1
    assert summary(better, "advice.start")["verdict"] == "better"
    worse = [row(seed, 0.2 + seed / 1000, 0.4) for seed in range(10)]
    assert summary(worse, "advice.start")["verdict"] == "worse"


def test_an_optimum_is_cut_away_if_none_is_left() -> None:
    """Of several optima one is enough."""
    branin = next(task for task in synthetic() if task.name == "branin")
    table = condped.problems.get("nested").sample(10, seed=0)
    step = condped.advise(table).steps[0]

    def narrow(low: float, high: float) -> Any:
        made: dict[str, Any] = {
            "parameter": "x",
            "domain": condped.Float(-5, 10),
            "proposal": condped.Float(low, high),
        }
        return type(step)(
            kind="narrow", regime=None, kept=1, of=1, covered=0.5, reason="", risk="", **made
        )

    assert not benchmark.cut_away(branin, [narrow(-5, 0)])
    assert not benchmark.cut_away(branin, [narrow(9, 10)])
    assert benchmark.cut_away(branin, [narrow(-2, 2)])


def test_tables_are_looked_up_at_the_nearest_configuration() -> None:
    """A choice counts more than any number; an absent parameter is far from any value."""
    kinds = optuna.distributions.CategoricalDistribution(["a", "b"])
    unit = optuna.distributions.FloatDistribution(0.0, 1.0)
    rows: list[dict[str, Any]] = [{"k": "a", "x": 0.1}, {"k": "a", "x": 0.9}, {"k": "b"}]
    table = LookUp(
        [("k", kinds), ("x", unit)],
        lambda name, params: name == "k" or params["k"] == "a",
        rows,
        np.array([1.0, 2.0, 3.0]),
    )

    def at(**params: Any) -> float:
        study = optuna.create_study()
        study.enqueue_trial(params)
        return table(study.ask())

    assert [at(k="a", x=0.3), at(k="a", x=0.6), at(k="b")] == [1.0, 2.0, 3.0]


def test_runs_share_their_first_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small run of one task has a row per N0; without advice all ways are the same."""
    monkeypatch.setattr(benchmark, "FIRST", (10, 20))

    def objective(trial: optuna.Trial) -> float:
        return trial.suggest_float("x", 0.0, 1.0) * 0.0 + float(trial.number % 7)

    task = Task("t", "noise", objective, 0.0, ({},))
    rows = list(benchmark.measure(task, "random", 0))
    assert [one["first"] for one in rows] == [10, 20]
    for one in rows:
        assert not one["advised"]
        assert one["unchanged"] == one["started"] == one["sampled"]
