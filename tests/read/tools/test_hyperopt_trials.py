"""Hyperopt's Trials, against what Hyperopt itself makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hyperopt import STATUS_FAIL, STATUS_OK, Trials, fmin, hp, rand, space_eval, tpe
from hyperopt.base import (
    JOB_STATE_CANCEL,
    JOB_STATE_DONE,
    JOB_STATE_ERROR,
    JOB_STATE_NEW,
    JOB_STATE_RUNNING,
)
from hyperopt.pyll import scope

import condped
from condped import Categorical, Float, Int
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.table.state_words import checked_state
from condped.testing.reader_kit import Run, check_reader
from condped.trials.table import State
from tests.read.tables import plain

HOSTILE = "q\"'<b>;ü"
SPACE = {
    "learner": hp.choice(
        "learner",
        [
            {"kind": "svm", "C": hp.loguniform("svm C", -3, 3)},
            {
                "kind": "net",
                "units": scope.int(hp.quniform("units", 8, 64, 8)),
                "warm": hp.choice("warm", ["yes", None]),
                "noise": hp.normal("noise", 0, 1),
            },
        ],
    ),
    "batch": hp.choice(HOSTILE, [32, 16, 64]),
    "depth": hp.uniformint("depth", 1, 9),
}
DOMAINS: dict[str, Any] = {
    "learner": Categorical([0, 1]),
    "svm C": Float(np.exp(-3), np.exp(3), log=True),
    "units": Int(8, 64, step=8),
    "warm": Categorical(["yes", None]),
    HOSTILE: Categorical([32, 16, 64]),
    "depth": Int(1, 9),
}


def objective(config: dict[str, Any]) -> dict[str, Any]:
    """Return a loss and an accuracy; say that it failed, or raise an error, now and then."""
    if config["depth"] == 2:
        return {"status": STATUS_FAIL, "why": "too shallow"}
    if config["depth"] == 3:
        raise ArithmeticError("the model did not converge")
    loss = config["depth"] / config["batch"] + config["learner"].get("C", 1.0)
    return {"status": STATUS_OK, "loss": loss, "scores": {"accuracy": 1 - loss}, "model": [1]}


def run(algorithm: Any, seed: int) -> Trials:
    """Let Hyperopt run."""
    trials = Trials()
    fmin(
        objective,
        SPACE,
        algo=algorithm,
        max_evals=45,
        trials=trials,
        rstate=np.random.default_rng(seed),
        show_progressbar=False,
        catch_eval_exceptions=True,
    )
    return trials


@pytest.fixture(scope="module", params=[rand.suggest, tpe.suggest], ids=["rand", "tpe"])
def trials(request: pytest.FixtureRequest) -> Trials:
    """Return trials of random search and of TPE."""
    found = run(request.param, 5)
    assert len(found) < len(found._dynamic_trials)  # some raised an error
    return found


def told(trials: Trials) -> list[Run]:
    """Return the runs with the values that Hyperopt evaluates the space to."""
    runs = []
    for document in trials._dynamic_trials:
        values = {label: value[0] for label, value in document["misc"]["vals"].items() if value}
        config = space_eval(SPACE, values)
        learner = config["learner"]
        named = {"svm": {"svm C": "C"}, "net": {n: n for n in ("units", "warm", "noise")}}
        inner = {label: learner[name] for label, name in named[learner["kind"]].items()}
        done = document["state"] == JOB_STATE_DONE and document["result"]["status"] == STATUS_OK
        parameters = {
            "learner": values["learner"],
            HOSTILE: config["batch"],
            "depth": config["depth"],
            **inner,
        }
        runs.append(
            Run(
                [document["result"].get("loss")],
                parameters,
                {name: DOMAINS[name] for name in parameters if name in DOMAINS},
                State.COMPLETE if done else State.FAILED,
            )
        )
    return runs


def test_trials_with_their_space_are_what_hyperopt_tells(trials: Trials) -> None:
    """Choices in place of positions, inactive parameters, failures of both kinds."""
    runs = told(trials)
    assert {run.state for run in runs} == {State.COMPLETE, State.FAILED}
    table = check_reader("hyperopt", trials, runs, space=SPACE)
    assert table.objectives[0].name == "loss"
    values = trials.vals["noise"]
    (noise,) = table.parameters[table.names.index("noise")].domains
    assert isinstance(noise, Float)
    assert (noise.low <= min(values), noise.high >= max(values)) == (True, True)
    assert any("noise: its domain was taken from the values seen" in n for n in table.notes)


def test_importances_are_those_of_a_table_made_with_hyperopt(trials: Trials) -> None:
    """To the last digits."""
    rows = [
        {"loss": run.values[0], **run.parameters, "end": checked_state(run.state).name.lower()}
        for run in told(trials)
    ]
    expected = condped.importance(rows, objective="loss", state="end", space=SPACE)
    ours = condped.importance(trials, space=SPACE).to_dict(normalize=False)
    assert ours == pytest.approx(expected.to_dict(normalize=False), abs=1e-12)


def test_without_a_space_choices_are_numbers(trials: Trials) -> None:
    """Nothing says what they stand for, which is noted."""
    table = condped.read(trials)
    assert table.space_inferred
    assert table.parameters[table.names.index("learner")].domains == (Int(0, 1),)
    assert any("known by their positions only" in note for note in table.notes)
    vals = [document["misc"]["vals"]["units"] for document in trials._dynamic_trials]
    absent = table.parameters[table.names.index("units")].domain_ids < 0
    assert absent.tolist() == [not value for value in vals]


def test_another_entry_of_the_result_can_be_the_objective(trials: Trials) -> None:
    """Nested entries are named with dots."""
    table = condped.read(trials, objective="scores.accuracy", direction="maximize")
    expected = [
        document["result"].get("scores", {}).get("accuracy", np.nan)
        for document in trials._dynamic_trials
    ]
    np.testing.assert_array_equal(table.objectives[0].values, expected)
    with pytest.raises(NameNotFoundError, match=r"Did you mean 'scores\.accuracy'"):
        condped.read(trials, objective="scores.acuracy")
    with pytest.raises(DataError, match="objective 'model' must be numeric"):
        condped.read(trials, objective="model")


def document(tid: int, state: int, result: dict[str, Any], **vals: list[Any]) -> dict[str, Any]:
    """Return a document as Hyperopt stores them."""
    misc = {"tid": tid, "cmd": None, "vals": vals, "idxs": {name: [tid] for name in vals}}
    return {
        "tid": tid, "state": state, "result": result, "misc": misc, "spec": None,
        "exp_key": None, "owner": None, "version": 0, "book_time": None, "refresh_time": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("job", "result", "state"),
    [
        (JOB_STATE_NEW, {"status": "new"}, State.RUNNING),
        (JOB_STATE_RUNNING, {"status": "running"}, State.RUNNING),
        (JOB_STATE_DONE, {"status": "ok", "loss": 1.0}, State.COMPLETE),
        (JOB_STATE_DONE, {"status": "ok", "loss": float("nan")}, State.COMPLETE),
        (JOB_STATE_DONE, {"status": "fail"}, State.FAILED),
        (JOB_STATE_DONE, {"status": "suspended"}, State.RUNNING),
        (JOB_STATE_DONE, {}, State.RUNNING),
        (JOB_STATE_ERROR, {"status": "new"}, State.FAILED),
        (JOB_STATE_CANCEL, {"status": "new"}, State.FAILED),
    ],
)
def test_every_state_of_a_job_has_its_state(job: int, result: dict[str, Any], state: State) -> None:
    """The state of the job first, then the status of its result."""
    trials = Trials()
    trials.insert_trial_docs(
        [
            document(0, JOB_STATE_DONE, {"status": "ok", "loss": 0.5}, x=[1.0]),
            document(1, job, result, x=[2.0]),
        ]
    )
    table = condped.read(trials)
    assert table.states.tolist() == [State.COMPLETE, state]
    assert table.objectives[0].values[0] == 0.5


def test_only_the_experiment_of_the_view_is_read() -> None:
    """One store may hold several experiments, told apart by a key."""
    trials = Trials()
    trials.insert_trial_docs([document(0, JOB_STATE_DONE, {"status": "ok", "loss": 1}, x=[1.0])])
    with pytest.raises(DataError, match="There are no trials in a Trials of Hyperopt"):
        condped.read(trials.view(exp_key="other"))
    assert len(condped.read(trials)) == 1


def test_a_choice_that_is_no_position_is_refused(trials: Trials) -> None:
    """A space of other choices does not fit."""
    with pytest.raises(DataError, match=f"The choice '{HOSTILE[:1]}.*from 0 to 1") as caught:
        condped.read(trials, space={HOSTILE: Categorical([32, 16])})
    assert caught.value.column == HOSTILE
    with pytest.raises(DataError, match="The choice 'depth' has the position"):
        condped.read(trials, space={"depth": Categorical(list(range(12)))})


def test_trials_that_are_damaged_are_refused_by_number() -> None:
    """With what is missing."""
    trials = Trials()
    trials.insert_trial_docs([document(7, JOB_STATE_DONE, {"status": "ok", "loss": 1}, x=[1.0])])
    del trials._dynamic_trials[0]["misc"]["vals"]
    with pytest.raises(DataError, match="Trial 7 of the Trials lacks the values"):
        condped.read(trials)


@pytest.mark.parametrize("option", ["study", "state", "budget"])
def test_options_that_make_no_sense_are_refused(trials: Trials, option: str) -> None:
    """Rather than ignored."""
    options: dict[str, Any] = {option: "3"}
    with pytest.raises(SettingsError, match=f"{option} cannot be set"):
        condped.read(trials, **options)


def test_documents_are_read_where_only_they_are_to_be_had(trials: Trials) -> None:
    """A store behind a server has no list of its own; its view of valid trials counts."""

    class Served:
        trials: list[Any]

    served = Served()
    served.trials = trials.trials
    table = condped.read(served, reader="hyperopt", space=SPACE)
    states = np.array([run.state for run in told(trials)])
    kept = [d["state"] == JOB_STATE_DONE for d in trials._dynamic_trials]
    assert table.states.tolist() == states[kept].tolist()
    assert len(table) == len(trials)
    assert plain(condped.read(trials, space=SPACE)) != plain(table)


def test_times_are_hyperopts_and_no_sampler_is_guessed(trials: Trials) -> None:
    """Trials do not tell the algorithm that suggested them."""
    table = condped.read(trials, space=SPACE)
    assert table.drawing is None
    assert table.times is not None
    documents = trials._dynamic_trials
    took = [(d["refresh_time"] - d["book_time"]).total_seconds() for d in documents]
    assert table.times.durations == pytest.approx(took, abs=1e-6)
