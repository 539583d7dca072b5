"""The trials that pictures are drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest

import condped
from tests.analyse.effects.studies import SPACE, mixed


def ended(number: int) -> optuna.trial.FrozenTrial:
    """Return a trial that ended well, was pruned, failed or runs."""
    state = optuna.trial.TrialState
    states = (state.COMPLETE, state.PRUNED, state.FAIL, state.RUNNING)
    own = states[0 if number < 30 else number % 4]
    return optuna.trial.create_trial(
        params={"x": number / 100},
        distributions={"x": optuna.distributions.FloatDistribution(0, 1)},
        value=None if own == state.FAIL else float(number),
        state=own,
        intermediate_values={0: float(number)} if own == state.PRUNED else None,
    )


def test_all_states_are_there_but_running_ones() -> None:
    """Pruned trials with the value that they had reached, failed ones without any."""
    study = optuna.create_study()
    trials = [ended(number) for number in range(60)]
    for trial in trials:
        study.add_trial(trial)
    shown = condped.effects(study, sampling="random").trials
    running = [t for t in trials if t.state.name == "RUNNING"]
    assert (len(shown), shown.running, shown.left_out) == (60 - len(running), len(running), 0)
    names = {"COMPLETE": "complete", "PRUNED": "pruned", "FAIL": "failed"}
    for place, number in enumerate(shown.numbers):
        assert shown.states[place] == names[trials[number].state.name]
        expected = None if shown.states[place] == "failed" else float(number)
        assert shown.objectives[0].values[place] == expected
        assert shown.parameters[0].value(place) == number / 100
    assert [n for n, hit in zip(shown.numbers, shown.target, strict=True) if hit] == [0, 1, 2, 3]
    assert shown.message == f"{len(running)} still running, not shown."


def test_many_trials_are_thinned_evenly_with_the_whole_target_set() -> None:
    """And how many are left out is said."""
    frame = mixed(6_000)
    shown = condped.effects(frame, objective="loss", space=SPACE, sampling="random").trials
    assert (len(shown), sum(shown.target), shown.total_target) == (2_000, 600, 600)
    assert shown.left_out == 4_000
    assert shown.message == (
        "2,000 of 6,000 trials shown: all 600 of the target set, the others evenly thinned."
    )
    halves = np.histogram(shown.numbers, bins=4, range=(0, 6_000))[0]
    assert halves.min() > 450
    model, rate = (next(p for p in shown.parameters if p.name == n) for n in ("model", "rate"))
    for place, number in enumerate(shown.numbers[:50]):
        row: dict[str, Any] = frame.iloc[number].to_dict()
        assert model.value(place) == row["model"]
        assert (rate.value(place) is None) == np.isnan(row["rate"])


def test_selected_trials_keep_their_numbers() -> None:
    """With ``where``, they are those of the whole study."""
    frame = mixed(200)
    effects = condped.effects(
        frame, objective="loss", space=SPACE, sampling="random", where="model == 'svm'"
    )
    assert list(effects.trials.numbers) == np.flatnonzero(frame["model"] == "svm").tolist()


def test_infeasible_and_nonfinite_trials_are_told_apart() -> None:
    """By their states; what is not finite has no value."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {"x": rng.random(60), "loss": rng.random(60), "g": [-1.0, 1.0] * 30}
    columns["loss"][:3] = [np.nan, np.inf, 1.0]
    shown = condped.effects(columns, objective="loss", constraints=["g"], sampling="random").trials
    assert shown.states[:4] == ("nonfinite", "nonfinite", "complete", "infeasible")
    assert shown.objectives[0].values[:2] == (None, None)
    with pytest.raises(AttributeError):
        shown.total = 3  # type: ignore[misc]
