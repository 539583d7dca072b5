"""Times: who is compared with whom, and what is left out."""

from __future__ import annotations

import pytest

import condped
from experiments.synthetic import runtime
from experiments.synthetic.runtime import ratios
from tests.optuna_version import needs_optuna_5


def test_ratios_are_taken_within_a_seed_and_source() -> None:
    """Baselines against condped's table, Optuna against condped's study; missing times drop out."""
    rows = [
        {"seed": seed, "method": method, "trials": 512, "seconds": seconds}
        for seed, times in ((42, (1.0, 2.0, 8.0, 3.0, None)), (43, (2.0, 2.0, 4.0, 10.0, None)))
        for method, seconds in zip(
            ("condped", "condped-study", "optuna", "mdi/imputation", "shap/filtering"),
            times,
            strict=True,
        )
    ]
    assert ratios(rows) == {"optuna": {512: 3.0}, "mdi/imputation": {512: 4.0}}


def test_a_method_gets_no_larger_size_beyond_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its row says that it was left out instead of vanishing."""
    monkeypatch.setattr(runtime, "QUICK_POWERS", (9, 10, 11))
    monkeypatch.setattr(runtime, "QUICK_BUDGET", 1.0)
    monkeypatch.setattr(
        runtime, "_calls", lambda trials, seed: iter([("slow", trials), ("quick", trials)])
    )
    times = iter([0.4, 0.01, 0.9, 0.01, 0.01])
    monkeypatch.setattr(runtime, "fastest", lambda call: next(times))
    rows = runtime.compute(42, True)
    slow = [row["seconds"] for row in rows if row["method"] == "slow"]
    assert slow == [0.4, 0.9, None]
    assert [row["seconds"] for row in rows if row["method"] == "quick"] == [0.01, 0.01, 0.01]


@needs_optuna_5
@pytest.mark.filterwarnings("ignore")  # of Optuna: experimental parts
def test_all_methods_are_timed_on_the_same_trials() -> None:
    """The study holds what the table holds: both give the same importances."""
    calls = dict(runtime._calls(64, 42))
    assert set(calls) == set(runtime.METHODS)
    table, study = calls["condped"](), calls["condped-study"]()
    assert isinstance(table, condped.ImportanceResult)
    assert isinstance(study, condped.ImportanceResult)
    assert table.to_dict() == pytest.approx(study.to_dict())
    assert calls["optuna"]() == pytest.approx(table.to_dict())
