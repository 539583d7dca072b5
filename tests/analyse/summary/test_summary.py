"""The study at a glance against plain loops."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.summary.outlook import outlook_sentence
from condped.analyse.summary.result import Progress
from condped.errors import SettingsError
from condped.trials.course.times import Times
from condped.trials.table import State, TrialTable
from tests.analyse.effects.studies import SPACE, mixed, tuned


def timed() -> TrialTable:
    """Return trials that ran side by side; some failed, one still runs, one is not timed."""
    loss = [3.0, np.nan, 2.0, 2.5, 1.0, np.nan, 1.0]
    table = condped.read({"x": np.arange(7) / 10, "loss": loss}, objective="loss")
    states = np.array([0, State.FAILED, 0, State.PRUNED, 0, State.RUNNING, 0], dtype=np.int8)
    started = np.array([100.0, 100, 110, 120, 130, 150, np.nan])
    ended = np.array([110.0, 140, 125, 124, 160, np.nan, np.nan])
    return replace(table, states=states, times=Times.between(started, ended))


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_history_equals_a_loop(direction: Any) -> None:
    """Best so far, improvements, and how many trials came since."""
    frame = mixed(150)
    found = condped.summary(frame, objective="loss", direction=direction, space=SPACE)
    better = min if direction == "minimize" else max
    best: float | None = None
    improved: list[int] = []
    for number, entry in enumerate(found.history):
        value = frame["loss"][number]
        before, best = best, value if best is None else better(best, value)
        assert (entry.number, entry.value, entry.best) == (number, value, best)
        assert entry.improved == (best != before)
        improved += [number] if entry.improved else []
    (progress,), (trial,) = found.progress, found.best
    assert (progress.improved, progress.since) == (len(improved) - 1, 149 - improved[-1])
    assert [entry.number for entry in progress.improvements] == improved[-5:]
    gains = [None, *np.abs(np.diff([frame["loss"][number] for number in improved])).tolist()]
    assert [entry.gain for entry in progress.improvements] == gains[-5:]
    assert (trial.number, trial.value) == (improved[-1], best)
    own = frame.iloc[trial.number][["model", "rate", "depth", "idle"]].dropna().to_dict()
    assert trial.parameters == own


def test_ties_and_plateaus_are_said() -> None:
    """In the words of the issue at hand."""
    loss = [0.5, 0.4, *[0.3, 0.4] * 20]
    found = condped.summary({"x": np.linspace(0, 1, 42), "loss": loss}, objective="loss")
    assert found.plateau == (
        "No improvement in the last 39 trials; 20 trials share the best value.",
        "The objective cannot separate them: a finer metric would, such as log loss instead of "
        "accuracy, or more data to validate on.",
    )
    assert found.best[0].shared == 20
    found = condped.summary({"x": [1.0, 2.0], "loss": [2.0, 1.0]}, objective="loss")
    assert found.plateau == ("The last trial improved the best value.",)


def test_random_draws_have_a_chance_and_others_only_a_past() -> None:
    """100 / (n + 100) for random draws, which TPE's are not; nothing for grids and few trials."""
    found = condped.summary(mixed(300), objective="loss", space=SPACE)
    assert found.adaptive is False
    assert found.outlook is not None
    assert "a chance of at most 25 % (100 / 400)" in found.outlook
    learnt = condped.summary(tuned())
    assert learnt.adaptive is True
    assert learnt.outlook is not None
    assert "a chance of at most" not in learnt.outlook
    assert "in 80 trials the best value improved " in learnt.outlook
    grid = {"x": np.repeat(np.arange(10.0), 5), "y": np.tile(np.arange(5.0), 10)}
    grid["loss"] = (grid["x"] - 3.2) ** 2 + grid["y"]
    few = condped.summary({"x": [1.0, 2.0], "loss": [2.0, 1.0]}, objective="loss")
    assert condped.summary(grid, objective="loss").outlook is few.outlook is None


def test_the_chance_is_that_of_all_orders() -> None:
    """Of all orders of seven values the best is among the last three in 3 / 7."""
    orders = list(permutations(range(7)))
    assert sum(min(order[4:]) < min(order[:4]) for order in orders) / len(orders) == 3 / 7


def test_several_objectives_have_a_front() -> None:
    """By comparing all pairs; the extremes are the best by each objective."""
    rng = np.random.default_rng(0)
    columns = {"x": rng.random(120), "a": rng.random(120), "b": rng.random(120)}
    found = condped.summary(columns, objective=["a", "b"], direction=["minimize", "maximize"])
    points = np.column_stack([columns["a"], -columns["b"]])

    def beaten(one: int, others: range) -> bool:
        return any((points[other] <= points[one]).all() and other != one for other in others)

    front = [one for one in range(120) if not beaten(one, range(120))]
    joined = [one for one in range(120) if not beaten(one, range(one))]
    assert found.front is not None
    assert found.front.numbers == tuple(front)
    assert (found.front.size, found.front.last) == (len(front), joined[-1])
    assert found.front.since == 119 - joined[-1]
    assert [trial.number for trial in found.best] == [columns["a"].argmin(), columns["b"].argmax()]
    assert [len(trial.values) for trial in found.best] == [2, 2]
    assert len(found.rows()) == 240
    assert found.outlook is None
    assert "on the Pareto front" in str(found)


def test_states_and_durations_are_counted() -> None:
    """Of a table with times: what failed took its share, and a span is no sum."""
    found = condped.summary(timed())
    states = found.states
    assert (states.total, states.complete, states.failed) == (7, 4, 1)
    assert (states.pruned, states.running, states.infeasible, states.nonfinite) == (1, 1, 0, 0)
    taken = [10.0, 40.0, 15.0, 4.0, 30.0]
    durations = found.durations
    assert durations is not None
    assert (durations.recorded, durations.total) == (5, sum(taken))
    assert (durations.median, durations.longest, durations.longest_number) == (15.0, 40.0, 1)
    assert (durations.failed, durations.pruned, durations.span) == (40.0, 4.0, 60.0)
    assert [entry.elapsed for entry in found.history] == [10, 40, 25, 24, 60, None, None]
    assert found.best[0].elapsed == 60
    assert [entry.elapsed for entry in found.progress[0].improvements] == [10, 25, 60]
    # A pruned trial has a value, and cannot be best; a failed one has none.
    assert [entry.best for entry in found.history] == [3, 3, 2, 2, 1, 1, 1]
    text = " ".join(str(found).split())
    assert "7 trials: 4 complete, 1 pruned, 1 failed, 1 still running." in text
    assert "5 trials took 1 min 39 s in all within 1 min; median 15 s" in text
    assert "Of this time, failed trials 40 s (40.4 %) and pruned trials 4 s (4.04 %)." in text


def test_a_share_of_everything_is_written_out() -> None:
    """When all time went into failed trials."""
    assert "Of this time, failed trials 40 s (100 %)." in str(
        condped.summary(timed().only(np.array([1])))
    )


def test_infeasible_trials_are_not_best() -> None:
    """Though their values are in the history."""
    columns = {"x": [0.1, 0.2, 0.3], "loss": [3.0, 1.0, 2.0], "g": [-1.0, 1.0, 0.0]}
    found = condped.summary(columns, objective="loss", constraints=["g"])
    assert (found.best[0].number, found.states.infeasible) == (2, 1)
    assert [entry.best for entry in found.history] == [3.0, 3.0, 2.0]


def test_values_that_stand_for_failures_are_none() -> None:
    """Some tools record a huge number."""
    columns = {"x": [0.1, 0.2, 0.3], "loss": [3.0, 2147483647.0, 2.0]}
    found = condped.summary(columns, objective="loss", failure_values=[2147483647])
    assert [entry.value for entry in found.history] == [3.0, None, 2.0]


def test_rows_sorted_by_the_objective_have_no_plateau() -> None:
    """Their order is not that of time, which is said."""
    rng = np.random.default_rng(0)
    found = condped.summary(
        {"x": rng.random(50), "loss": np.sort(rng.random(50))}, objective="loss"
    )
    assert (found.plateau, found.outlook, found.adaptive) == ((), None, None)
    assert "sorted by the objective" in found.notes[0]


def test_nothing_complete_is_an_answer() -> None:
    """No best trial, and the states say why."""
    study = optuna.create_study()
    for _ in range(3):
        study.tell(study.ask(), state=optuna.trial.TrialState.FAIL)
    found = condped.summary(study)
    assert (found.best, found.progress, found.plateau) == ((), (), ())
    assert found.states.failed == 3
    assert "No complete and feasible trial" in str(found)


def test_long_histories_are_thinned_but_for_improvements() -> None:
    """And how many trials are left out is said."""
    rng = np.random.default_rng(0)
    loss = rng.random(9_000)
    found = condped.summary({"x": rng.random(9_000), "loss": loss}, objective="loss")
    lowest = np.minimum.accumulate(loss)
    improved = np.flatnonzero(np.diff(lowest, prepend=np.inf) < 0).tolist()
    assert [entry.number for entry in found.history if entry.improved] == improved
    assert len(found.history) + found.history_left_out == 9_000
    assert f"{found.history_left_out:,} other trials are left out" in " ".join(str(found).split())


def test_streams_are_refused(tmp_path: Any) -> None:
    """With what to do."""
    mixed(50).to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(SettingsError, match="A summary needs the trials themselves, in memory"):
        condped.summary(tmp_path / "runs.csv", objective="loss", engine="stream")


@pytest.mark.parametrize("losses", [[1.7e308, 0.0, -1.7e308], [5e-324, 0.0, -5e-324]])
def test_values_at_the_ends_of_all_floats_have_a_course(losses: list[float]) -> None:
    """Their distance is beyond all floats, or the smallest there is; the line falls."""
    text = str(condped.summary({"loss": losses, "x": [1.0, 2.0, 3.0]}, objective="loss"))
    (line,) = [line for line in text.splitlines() if "█" in line]
    blocks = [sign for sign in line if sign in "▁▂▃▄▅▆▇█"]
    assert (blocks[0], blocks[-1]) == ("█", "▁")
    assert blocks == sorted(blocks, reverse=True)


@pytest.mark.parametrize(
    ("improved", "words"),
    [
        (0, "in 30 trials the best value never improved on the first."),
        (1, "in 30 trials the best value improved once."),
        (7, "in 30 trials the best value improved 7 times."),
    ],
)
def test_how_often_the_best_value_improved(improved: int, words: str) -> None:
    """Also never, in plain words, where the sampler learns from results."""
    course = Progress("loss", (), improved, trials=30, since=30, ago=30)
    sentence = outlook_sentence([course], None, adaptive=True)
    assert sentence is not None
    assert sentence.endswith(words)
