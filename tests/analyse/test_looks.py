"""p-values of studies that are looked at again and again, compared with an obvious loop."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.evidence import looks as kept_looks
from condped.errors import SettingsError
from condped.estimate.looks import look_weights, looks_until
from condped.trials.course.times import Times
from condped.trials.table import State, TrialTable


def _study(trials: int, seed: int = 0) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.suggest_float("idle", 0, 1)
        if trial.number >= 45:
            trial.suggest_float("late", 0, 1)
        if trial.suggest_categorical("kind", ["a", "b"]) == "a":
            return x + 0.3 * trial.suggest_float("y", 0, 1)
        return x + 0.3

    study.optimize(objective, n_trials=trials)
    return study


@pytest.fixture(scope="module")
def table() -> TrialTable:
    return condped.read(_study(115))


def _by_loop(table: TrialTable, name: str, **options: Any) -> float:
    """Analyse the trials of each look as a study of its own; the smallest p / w."""
    finished = int(np.count_nonzero(table.states != State.RUNNING))
    every = looks_until(finished)
    smallest = np.nan
    for look, weight in zip(every, look_weights(len(every)), strict=True):
        evidence = condped.importance(table.first(look), **options).evidence
        if any(one.name == name for one in evidence):
            smallest = np.fmin(smallest, evidence[name].p_value / weight)
    return float(np.minimum(smallest, 1.0))


@pytest.mark.parametrize("name", ["x", "idle", "late", "kind", "y"])
@pytest.mark.parametrize("quantile", [0.1, 0.3])
def test_p_values_are_the_smallest_over_looks(
    table: TrialTable, name: str, quantile: float
) -> None:
    """Each look analysed by itself gives the same, also for a parameter that came late."""
    found = condped.importance(table, target_quantile=quantile, looks="repeated").evidence
    assert found[name].p_value == pytest.approx(_by_loop(table, name, target_quantile=quantile))
    assert found.looks == (40, 50, 60, 80, 100)
    assert "As of trial 100 of 115" in found.sampling
    assert "tested as of trial 100" in found.message


def test_between_two_looks_nothing_changes(table: TrialTable) -> None:
    """p-values of 100 and of 115 trials are the same, and so they are after a restart."""
    now = condped.importance(table, looks="repeated").evidence
    then = condped.importance(table.first(100), looks="repeated").evidence
    assert [one.p_value for one in now] == [one.p_value for one in then]
    kept_looks._look_tests.clear()
    again = condped.importance(condped.read(_study(115)), looks="repeated").evidence
    assert again == now


def test_looks_of_the_past_are_not_tested_again(
    table: TrialTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A study that went on costs one new look."""
    tested = []
    real = kept_looks.look_test

    def counted(*given: Any) -> kept_looks.LookTest:
        tested.append(given)
        return real(*given)

    monkeypatch.setattr("condped.analyse.importance.set_counts.look_test", counted)
    kept_looks._look_tests.clear()
    _ = condped.importance(table.first(95), looks="repeated").evidence
    assert len(tested) == 4
    _ = condped.importance(table, looks="repeated").evidence
    assert len(tested) == 5


def test_selections_and_parameters_are_tested_as_they_were(table: TrialTable) -> None:
    """A condition selects among the trials of each look; fewer parameters change none of them."""
    where = "kind == 'a'"
    found = condped.importance(table, where=where, looks="repeated").evidence
    weights = look_weights(5)
    each = [
        condped.importance(table.first(look), where=where).evidence["y"].p_value
        for look in looks_until(115)
    ]
    assert found["y"].p_value == pytest.approx(min(1.0, np.nanmin(np.array(each) / weights)))
    whole = condped.importance(table, looks="repeated").evidence
    some = condped.importance(table, parameters=["x"], looks="repeated").evidence
    assert some["x"].p_value == pytest.approx(whole["x"].p_value)


def test_outcomes_are_looked_at_again_and_again(table: TrialTable) -> None:
    """A truth value for each trial is cut to the trials of a look."""
    given = np.arange(len(table)) % 3 == 0
    found = condped.importance(table, target=given, looks="repeated").evidence["x"].p_value
    each = [
        condped.importance(table.first(look), target=given[:look]).evidence["x"].p_value
        for look in looks_until(115)
    ]
    assert found == pytest.approx(min(1.0, np.nanmin(np.array(each) / look_weights(5))))
    failed = replace(table, states=np.where(given, State.FAILED, table.states).astype(np.int8))
    by_name = condped.importance(failed, target="failed", looks="repeated").evidence["x"].p_value
    assert by_name == pytest.approx(_by_loop(failed, "x", target="failed"))


def test_too_few_trials_are_not_testable(table: TrialTable) -> None:
    """Before the first look there is no p-value, and the reason says so."""
    found = condped.importance(table.first(39), looks="repeated").evidence
    assert found.looks == ()
    assert {one.verdict for one in found} == {"not testable"}
    assert "fewer than 40 trials have finished" in found["x"].reason


def test_first_trials_are_those_that_finished_first(table: TrialTable) -> None:
    """By the recorded end; trials that run are left out, and so is what nobody had drawn yet."""
    ended = np.arange(115.0)
    ended[3], ended[80] = 200.0, 2.5
    states = np.array(table.states)
    states[10] = State.RUNNING
    ended[10] = np.nan
    changed = replace(table, states=states, times=Times.between(ended - 0.5, ended))
    early = changed.first(50)
    expected = sorted({*range(52), 80} - {3, 10} - {51})
    assert early.objectives[0].values.tolist() == table.objectives[0].values[expected].tolist()
    assert "late" in early.names
    assert "late" not in table.first(45).names
    assert changed.finished == 114
    assert len(changed.first(10_000)) == 114


def test_first_trials_are_the_study_as_it_was() -> None:
    """Reading a study when it had fewer trials gives the same columns."""
    study = _study(60)
    early = condped.read(study).first(40)
    shorter = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    shorter.add_trials(study.trials[:40])
    then = condped.read(shorter)
    assert early.names == then.names
    for one, other in zip(early.parameters, then.parameters, strict=True):
        assert one.domains == other.domains
        assert one.domain_ids.tolist() == other.domain_ids.tolist()
        active = one.domain_ids >= 0
        assert one.values[active].tolist() == other.values[active].tolist()


def test_saved_results_are_equal(table: TrialTable, tmp_path: Path) -> None:
    """p-values, looks and the sentence come back from a file."""
    for method in ("paper", "calibrated"):
        result = condped.importance(table, looks="repeated", method=method)
        result.save(tmp_path / "result.json")
        again = condped.load(tmp_path / "result.json")
        assert isinstance(again, condped.ImportanceResult)
        assert again == result
        assert again.evidence == result.evidence
        assert again.evidence.looks == result.evidence.looks


def test_sweeps_and_branches_look_again_and_again() -> None:
    """A target quantile of a sweep has the p-values of an importance; branches have verdicts."""
    drawn = condped.problems.get("nested").sample(100, seed=1)
    sweep = condped.sweep(drawn, target_quantiles=[0.1, 0.3], looks="repeated")
    one = condped.importance(drawn, target_quantile=0.3, looks="repeated").evidence
    expected = [one[name].p_value for name in sweep.names]
    np.testing.assert_allclose(sweep.p_values[1], expected)
    # Between two looks nothing changes, in a branch neither.
    later = condped.problems.get("nested").sample(115, seed=1)
    found, again = (
        {(row["branch"], row["parameter"]): row["verdict"] for row in branches.rows()}
        for branches in (
            condped.branches(later, looks="repeated"),
            condped.branches(later.first(100), looks="repeated"),
        )
    )
    assert found == again
    assert "matters" in found.values()


def test_rows_sorted_by_the_objective_are_not_testable(table: TrialTable) -> None:
    """Which trials came first is not known, so each number of trials would be another look."""
    order = np.argsort(table.objectives[0].values)
    moved = replace(table.only(order), times=None, drawing=None)
    found = condped.importance(moved, looks="repeated").evidence
    assert found.looks == ()
    assert found["x"].verdict == "not testable"
    assert "Set order to a column" in found["x"].reason
    assert condped.forecast(moved).looks == ()


def test_trials_that_are_only_counted_are_refused(tmp_path: Path) -> None:
    """They cannot be tested as they were at earlier times, and the message says what to do."""
    path = tmp_path / "trials.csv"
    rows = [f"{x},{x}" for x in np.linspace(0, 1, 40)]
    path.write_text("\n".join(["x,loss", *rows]), encoding="utf-8")
    space = condped.Space({"x": condped.Float(0, 1)})
    result = condped.importance(
        path, objective="loss", space=space, engine="stream", looks="repeated"
    )
    with pytest.raises(SettingsError, match=r"Set engine to 'memory' .* or looks to 'once'"):
        _ = result.evidence


def test_all_trials_of_a_study_in_memory_are_used_as_they_are(table: TrialTable) -> None:
    """At a scheduled look, replays are those of the table itself, and are drawn once."""
    assert kept_looks.prefix_of(table.first(100), 100).finished == 100
    early = table.first(100)
    assert kept_looks.prefix_of(early, 100) is early
