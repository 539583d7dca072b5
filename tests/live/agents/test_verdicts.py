"""Tools agree about the same trials, and lead no agent in a circle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import optuna
import pytest

from condped.live.agents.desk import Desk
from condped.live.agents.server import make_server
from tests.live.agents.asking import Asking, asking
from tests.optuna_version import needs_optuna_5

TOOLS = ("importance", "effects", "branches", "advise", "report")


def _objective(trial: optuna.Trial) -> float:
    """Choices only, so that a sampler that learns draws many configurations again."""
    noise = 0.3 * Random(trial.number).random()
    if trial.suggest_categorical("model", ["svm", "knn"]) == "svm":
        return noise + 0.2 * (trial.suggest_categorical("kernel", ["rbf", "poly"]) == "poly")
    return noise + 0.15 + 0.1 * trial.suggest_int("k", 1, 2)


@pytest.fixture(scope="module", params=(0, 1, 3))
def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asking]:
    """A client of a server with a study of few configurations, most of them drawn again."""
    url = f"sqlite:///{tmp_path_factory.mktemp('verdicts') / 'tpe.db'}"
    study = optuna.create_study(
        storage=url, study_name="tpe", sampler=optuna.samplers.TPESampler(seed=request.param)
    )
    memory = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=request.param))
    memory.optimize(_objective, n_trials=70)
    study.add_trials(memory.trials)
    with asking(make_server(Desk([f"tpe={url}"]))) as found:
        yield found


def verdicts(answer: dict[str, Any]) -> dict[str, str]:
    return {one["parameter"]: one["verdict"] for one in answer["parameters"]}


@needs_optuna_5
def test_tools_give_the_same_verdicts_for_the_same_trials(client: Asking) -> None:
    """What importance says, all others say; forecast looks repeatedly, and notes a difference."""
    found = {tool: client(tool, study="tpe") for tool in TOOLS}

    for tool in TOOLS:
        assert verdicts(found[tool]) == verdicts(found["importance"]), tool
        assert found[tool]["as_of"]["looks"] == "once"
    own = [
        note for note in found["advise"]["notes"] if "each configuration once, and finds" in note
    ]
    assert all("kernel no evidence" in note for note in own)
    forecast = client("forecast", study="tpe")
    assert forecast["as_of"]["looks"] == "repeated"
    differ = verdicts(forecast) != verdicts(found["importance"])
    assert differ == any("Other tools test for one look" in note for note in forecast["notes"])


def test_next_steps_end(client: Asking) -> None:
    """Whoever follows them comes to something to do, and tools never contradict the advice."""
    advice = client("advise", study="tpe")["next_step"]
    assert advice["action"] != "ask for advice"
    assert "call advise" not in advice["sentence"]
    branches = client("branches", study="tpe")["next_step"]
    if branches["action"] == "leave out a branch":
        assert advice["action"] == "narrow the space"
    elif branches["action"] != "ask for advice":
        assert branches["action"] == advice["action"]


def test_compared_studies_say_by_which_looks(tmp_path: Path, running: Path) -> None:
    """Beside a study that runs, verdicts of all are those of repeated looks, and are marked so."""
    ended = tmp_path / "ended.csv"
    lines = [f"{(0.37 * number) % 1},{number % 7}" for number in range(60)]
    ended.write_text("x,value\n" + "\n".join(lines))
    desk = Desk([f"now=sqlite:///{running}", str(ended)], objective="value")
    with asking(make_server(desk)) as client:
        found = client("across", studies=["now:running", "ended"])
        assert client("importance", study="ended")["as_of"]["looks"] == "once"
    assert {one["as_of"]["looks"] for one in found["studies"]} == {"repeated"}
    assert any("use a single look at ended" in note for note in found["notes"])


def _repeated(trial: optuna.Trial) -> float:
    """One of three models loses, but there are only five configurations to tell it by."""
    noise = 0.3 * Random(trial.number).random()
    model = trial.suggest_categorical("model", ["svm", "knn", "net"])
    if model == "svm":
        return noise + 0.1 * (trial.suggest_categorical("kernel", ["rbf", "poly"]) == "poly")
    return noise + (0.2 if model == "knn" else 0.12 + 0.05 * trial.suggest_int("k", 1, 2))


def test_a_branch_that_advice_keeps_is_not_to_be_left_out(tmp_path: Path) -> None:
    """The tool branches names a losing branch, and says what advise says of leaving it out."""
    url = f"sqlite:///{tmp_path / 'losing.db'}"
    memory = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    memory.optimize(_repeated, n_trials=120)
    optuna.create_study(storage=url, study_name="losing").add_trials(memory.trials)
    with asking(make_server(Desk([f"losing={url}"]))) as client:
        importance = client("importance", study="losing")
        branches = client("branches", study="losing")["next_step"]
        advice = client("advise", study="losing")
    assert verdicts(importance)["model"] == verdicts(advice)["model"] == "matters"
    assert any("each configuration once, and finds" in note for note in advice["notes"])
    assert "model == 'knn'" in branches["sentence"]
    assert "not enough to leave it out" in branches["sentence"]
    assert branches["action"] == advice["next_step"]["action"]
    assert "call advise" not in branches["sentence"] + advice["next_step"]["sentence"]
