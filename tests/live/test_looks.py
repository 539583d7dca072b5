"""When verdicts of a running study are due, and which of them are still about its trials."""

from __future__ import annotations

import numpy as np
import pytest

import condped
from condped.live.background import Outcome
from condped.live.looks import Look, Looks, Verdicts

_PROBLEM = condped.problems.get("nested")


@pytest.fixture(scope="module")
def table() -> condped.TrialTable:
    return _PROBLEM.sample(70, seed=0)


def _verdicts(look: Look) -> Verdicts:
    return Verdicts(look.trials, condped.importance(look.table), None)


def _taken(looks: Looks, table: condped.TrialTable) -> Verdicts:
    """Compute the look that is due."""
    look = looks.due(table)
    assert look is not None
    assert looks.pending is look
    found = _verdicts(look)
    assert looks.take(look, Outcome(found, None))
    assert looks.pending is None
    return found


def test_looks_are_due_as_scheduled(table: condped.TrialTable) -> None:
    """None before the first, each once, and verdicts stay until the next ones are there."""
    looks = Looks()
    due = {}
    for finished in range(71):
        now = table.first(finished)
        look = looks.due(now)
        if look is not None:
            due[finished] = look.trials
            assert look.table.finished == look.trials
            looks.take(look, Outcome(_verdicts(look), None))
        assert (looks.verdicts.trials if looks.verdicts else 0) == condped.last_look(finished)
    assert due == {40: 40, 50: 50, 60: 60}


@pytest.mark.parametrize("trials", [45, 70, 200])
def test_verdicts_of_other_trials_are_dropped(table: condped.TrialTable, trials: int) -> None:
    """Of a study that was run again, with fewer, as many or more trials."""
    looks = Looks()
    _taken(looks, table)
    look = looks.due(_PROBLEM.sample(trials, seed=1))
    assert looks.verdicts is None
    assert look is not None
    assert look.trials == condped.last_look(trials)


def test_an_outcome_for_other_trials_comes_too_late(table: condped.TrialTable) -> None:
    """It was under way when the study began again; one of this study is of use at any time."""
    looks = Looks()
    old = looks.due(table)
    assert old is not None
    other = _PROBLEM.sample(55, seed=1)
    new = looks.due(other.first(45))
    assert new is not None
    assert not looks.take(old, Outcome(_verdicts(old), None))
    assert looks.verdicts is None
    looks.due(other)
    later = looks.pending
    assert looks.take(new, Outcome(_verdicts(new), None))  # while the next one is under way
    assert looks.verdicts is not None
    assert looks.pending is later


def test_growing_guesses_and_another_order_are_the_same_study() -> None:
    """New choices, wider ranges and sorted rows leave verdicts where they are."""
    rng = np.random.default_rng(0)
    columns = {
        "x": rng.random(60).tolist(),
        "kind": rng.choice(["b", "c"], 60).tolist(),
        "loss": rng.random(60).tolist(),
    }
    looks = Looks()
    _taken(looks, condped.read({n: v[:42] for n, v in columns.items()}, objective="loss"))
    columns["kind"][45] = "a"
    columns["x"][46] = 7.5
    more = condped.read({n: v[:48] for n, v in columns.items()}, objective="loss")
    assert looks.due(more) is None
    assert looks.verdicts is not None
    order = np.argsort(columns["loss"][:48])
    turned = {n: [v[place] for place in order] for n, v in columns.items()}
    assert looks.due(condped.read(turned, objective="loss")) is None
    assert looks.verdicts is not None


def test_a_selection_is_looked_at_in_trials_of_the_study() -> None:
    """Verdicts are as of a trial of the whole study, about those that are selected."""
    rng = np.random.default_rng(0)
    columns = {"x": rng.random(90), "y": rng.random(90), "loss": rng.random(90)}
    table = condped.read(columns, objective="loss", where="x < 0.5")
    looks = Looks()
    look = looks.due(table)
    assert look is not None
    assert look.trials == 80
    assert len(look.table) == np.count_nonzero(columns["x"][:80] < 0.5)
    assert looks.due(table) is None
    columns["x"] = columns["x"][::-1]
    assert looks.due(condped.read(columns, objective="loss", where="x < 0.5")) is not None


def test_a_look_whose_process_was_ended_is_tried_again_a_few_times(
    table: condped.TrialTable,
) -> None:
    """But not for ever, and not at all if it would fail again."""
    looks, tries = Looks(), 0
    while (look := looks.due(table)) is not None:
        tries += 1
        looks.take(look, Outcome(None, "ended", again=True))
        assert looks.problem == "ended"
    assert tries == 3
    assert looks.problem == "ended"
    assert looks.pending is None

    sure = Looks()
    look = sure.due(table.first(45))
    assert look is not None
    sure.take(look, Outcome(None, "no trials"))
    assert sure.due(table.first(45)) is None
    assert sure.problem == "no trials"
    assert sure.due(table) is not None  # the next look has another chance
