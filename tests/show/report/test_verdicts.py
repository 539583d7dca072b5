"""Fresh numbers beside the verdicts of an earlier report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.analyse.evidence.sampling import decided
from condped.errors import SettingsError
from condped.estimate.settings import Settings
from condped.trials.course.times import Times
from tests.show.report.studies import conditional, failing


def without_time(report: condped.Report) -> dict[str, Any]:
    """Return the data of a report as JSON has them, without when it was made."""
    data: dict[str, Any] = json.loads(json.dumps(report.data))
    del data["versions"]
    return data


def learnt() -> condped.TrialTable:
    """Return trials that TPE drew, some still running."""
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", -1, 1)
        if trial.suggest_categorical("kind", ["a", "b"]) == "a":
            return float(x**2 + trial.suggest_float("y", 0, 1))
        return float(x**2 + 1)

    study.optimize(objective, n_trials=80)
    study.ask()
    return condped.read(study)


def timed(table: condped.TrialTable) -> condped.TrialTable:
    """Return trials that took one second each, one after another."""
    start = np.arange(len(table), dtype=np.float64)
    return replace(table, times=Times.between(start, start + 1))


@pytest.mark.parametrize("table", [conditional, failing, learnt])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "calibrated", "intervals": "jackknife"},
        {"target": "failed"},
        {"measure": "unconditional"},
    ],
    ids=["plain", "calibrated", "outcome", "unconditional"],
)
def test_verdicts_of_the_same_trials_make_the_full_report(table: Any, options: Any) -> None:
    """All that is left out is what is taken from the other: together nothing differs."""
    trials = table()
    full = condped.report(trials, **options)
    quick = condped.report(trials, verdicts=False, **options)
    assert quick.data["tested"] is None
    counts = full.data["account"]["trials"]
    assert full.data["tested"] == {"trials": counts["total"] - counts["running"]}
    assert without_time(quick.with_verdicts_of(full)) == without_time(full)


def test_numbers_are_fresh_and_verdicts_are_old() -> None:
    """Each as in a full report of its own trials."""
    earlier = condped.report(conditional().first(250))
    now = condped.report(conditional(), verdicts=False).with_verdicts_of(earlier)
    whole = condped.report(conditional())
    assert now.data["tested"] == {"trials": 250}
    for one, old, new in zip(*(r.data["parameters"] for r in (now, earlier, whole)), strict=True):
        assert one["importance"]["paper"] == new["importance"]["paper"]
        assert one["importance"]["calibrated"] == old["importance"]["calibrated"]
        assert (one["verdict"], one["p"]) == (old["verdict"], old["p"])
        for regime, before, after in zip(
            *(found["regimes"] for found in (one, old, new)), strict=True
        ):
            assert regime["target"] == after["target"]
            assert regime.get("good") == before.get("good")
            assert regime["effect"]["bins"] == after["effect"]["bins"]
            if regime["domain"] is not None:
                assert regime["effect"]["contrast"] == before["effect"]["contrast"]
    for name in ("sizes", "summary", "sample", "account", "used"):
        assert now.data[name] == whole.data[name]
    for name in ("advice", "pairs", "endings", "cost", "sampling", "remedy"):
        assert now.data[name] == earlier.data[name]
    assert now.rows()[0]["verdict"] == earlier.rows()[0]["verdict"]


def test_verdicts_come_with_their_setting() -> None:
    """How often they allow the study to be looked at, whatever the fresh numbers were asked."""
    earlier = condped.report(conditional().first(100), looks="repeated")
    now = condped.report(conditional(), verdicts=False).with_verdicts_of(earlier)
    assert now.data["settings"]["looks"] == "repeated"
    same = condped.report(conditional(), verdicts=False).data["settings"]
    assert now.data["settings"] == same | {"looks": "repeated"}


def test_endings_are_of_one_time() -> None:
    """Counts and seconds both of the trials that were tested."""
    table = timed(failing())
    earlier = condped.report(table.first(100))
    now = condped.report(table, verdicts=False).with_verdicts_of(earlier)
    (ending,) = now.data["endings"]
    then = earlier.data["summary"]["durations"]
    assert ending["seconds"] == [then["failed"], then["total"]]
    assert then["failed"] < now.data["summary"]["durations"]["failed"]


def test_nothing_is_tested_without_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for the page nor for its text, its rows and its files."""
    made = []

    def refused(*_: Any, **__: Any) -> None:
        made.append("a test")
        raise AssertionError

    for name in ("_replay_test", "_closed_form_test", "_not_testable"):
        monkeypatch.setattr(f"condped.analyse.evidence.significance.{name}", refused)
    report = condped.report(learnt(), verdicts=False)
    assert "verdict" not in str(report)
    assert {row["verdict"] for row in report.rows()} == {"not tested yet"}
    assert "?" in report.html
    assert not made


def test_what_is_new_has_not_been_tested() -> None:
    """A parameter, a choice of it or a branch that came after the verdicts."""
    table = conditional()
    early = replace(table, parameters=tuple(p for p in table.parameters if p.name != "idle"))
    earlier = condped.report(early.first(200))
    now = condped.report(table, verdicts=False).with_verdicts_of(earlier)
    (new,) = [one for one in now.data["parameters"] if one["name"] == "idle"]
    assert set(new["verdict"]) == {"?"}
    assert set(new["importance"]) == {"paper", "calibrated"}
    assert now.rows()
    assert now.html


def test_a_report_without_verdicts_can_be_saved(tmp_path: Path) -> None:
    """And one with those of an earlier one; both come back as they were."""
    quick = condped.report(conditional(), verdicts=False)
    merged = quick.with_verdicts_of(condped.report(conditional().first(200)))
    for place, report in enumerate((quick, merged)):
        path = tmp_path / f"{place}.json"
        report.save(path)
        loaded = condped.load(path)
        assert isinstance(loaded, condped.Report)
        assert without_time(loaded) == without_time(report)
        assert loaded.html == report.html


def test_other_questions_do_not_fit() -> None:
    """An earlier report with other steps is refused."""
    earlier = condped.report(conditional().first(200), target_quantile=0.12)
    quick = condped.report(conditional(), verdicts=False)
    with pytest.raises(SettingsError, match="the same study and question: steps"):
        quick.with_verdicts_of(earlier)
    assert quick.with_verdicts_of(quick) is not None
    assert quick.with_verdicts_of(quick).data["tested"] is None


def test_pooled_domains_are_tested_quickly() -> None:
    """Their importances come from a test, which needs no replays of the sampler."""
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))

    def objective(trial: Any) -> float:
        high = trial.suggest_float("width", 1, 10)
        return float(trial.suggest_float("x", 0, high) / high)

    study.optimize(objective, n_trials=100)
    table = condped.read(study)
    quick = condped.report(table, verdicts=False)
    assert decided(table, Settings(), by_loss=False).test == "replay"
    assert quick.importance.account.pooled
    assert isinstance(quick.importance.settings, Settings)
    assert quick.importance.settings.sampling == "ordered"
    assert set(quick.data["parameters"][1]["verdict"]) == {"?"}


def test_a_forecast_is_shown_with_it() -> None:
    """As plain data, under a name of its own."""
    table = conditional().first(100)
    forecast = condped.forecast(table)
    made = condped.report(table, verdicts=False).with_forecast(forecast)
    assert made.page_data["forecast"] == forecast.to_data()
