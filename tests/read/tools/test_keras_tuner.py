"""Projects that Keras Tuner really wrote, told by its own oracles."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.errors import CondpedError, DataError, SettingsError
from condped.read.tools.keras_tuner.space import space_of
from condped.space.domain import Categorical, Domain, Float, Int
from condped.testing import Run, check_reader
from condped.trials.notes import Caution
from condped.trials.table import State
from tests.read.tools.other_tools import told_by

PROGRAM = """
import json, sys
import keras_tuner as kt

def build(hp):
    hp.Fixed("version", 3)
    if hp.Choice("model", ["svm", "net"]) == "svm":
        with hp.conditional_scope("model", ["svm"]):
            hp.Float("C", 1e-3, 1e3, sampling="log")
    else:
        with hp.conditional_scope("model", ["net"]):
            for layer in range(hp.Int("layers", 1, 3)):
                with hp.conditional_scope("layers", list(range(layer + 1, 9))):
                    hp.Int(f"units {layer}", 32, 128, step=32)
            hp.Boolean("warm")
        hp.Float("rate", 0, 1, step=0.25, parent_name="model", parent_values=["net"])
    hp.Int("width", 8, 64, step=2, sampling="log")

def value(trial):
    hp = trial.hyperparameters
    build(hp)
    if hp.get("model") == "svm":
        if hp.get("C") > 300:
            raise kt.errors.FailedTrialError("C is too large")
        return abs(hp.get("C") - 1) ** 0.1
    return 1 / hp.get("layers")

class Random(kt.RandomSearch):
    def run_trial(self, trial, *args, **kwargs):  # two executions, of which the mean counts
        loss = value(trial)
        return [{"val_loss": loss, "accuracy": 1 - loss}, {"val_loss": loss + 0.5, "accuracy": 0}]

class Bayesian(kt.BayesianOptimization):
    def run_trial(self, trial, *args, **kwargs):  # one of them diverges
        return {"reward": float("nan") if trial.trial_id == "3" else -value(trial)}

class Hyperband(kt.Hyperband):
    def run_trial(self, trial, *args, **kwargs):
        return {"val_loss": value(trial) + 1 / trial.hyperparameters.values["tuner/epochs"]}

class Several(kt.RandomSearch):
    def run_trial(self, trial, *args, **kwargs):
        loss, size = value(trial), len(trial.hyperparameters.values)
        return {"val_loss": loss, "size": size, "multi_objective": loss + size}

down = kt.Objective("val_loss", "min")
options = dict(seed=4, directory=sys.argv[1], max_consecutive_failed_trials=99)
tuners = {
    "random": Random(build, objective=down, max_trials=40, project_name="random", **options),
    "bayesian": Bayesian(build, objective=kt.Objective("reward", "max"), max_trials=9,
        num_initial_points=8, project_name="bayesian", **options),
    "hyperband": Hyperband(build, objective=down, max_epochs=9, factor=3,
        project_name="hyperband", **options),
    "several": Several(build, objective=[down, kt.Objective("size", "min")], max_trials=8,
        project_name="several", **options),
}
told = {}
for name, tuner in tuners.items():
    tuner.search()
    told[name] = [
        dict(id=one, values=trial.hyperparameters.values, score=trial.score, status=trial.status)
        for one, trial in ((one, tuner.oracle.trials[one]) for one in tuner.oracle.start_order)
    ]
print()
print(json.dumps(told))
"""
DOMAINS: dict[str, Domain] = {
    "model": Categorical(["svm", "net"]),
    "C": Float(1e-3, 1e3, log=True),
    "layers": Int(1, 3),
    **{f"units {layer}": Int(32, 128, step=32) for layer in range(3)},
    "warm": Categorical([False, True]),
    "rate": Float(0, 1, step=0.25),
    "width": Int(8, 64, log=True),
}
WIDTH = "width: its steps are left out, as it is on a log scale."


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return where four tuners wrote, and what they say of their trials."""
    folder = tmp_path_factory.mktemp("keras-tuner")
    return folder, told_by(PROGRAM, folder, KERAS_BACKEND="numpy")


def runs_of(trials: list[dict[str, Any]]) -> list[Run]:
    """Return trials as their tuner tells them."""
    found = []
    for trial in trials:
        values = {n: v for n, v in trial["values"].items() if n in DOMAINS}
        done = trial["status"] == "COMPLETED"
        state = State.COMPLETE if done else State.FAILED
        domains = {name: DOMAINS[name] for name in values}
        found.append(Run([trial["score"]], values, domains, state))
    return found


def test_a_project_is_read_with_its_conditions(written: tuple[Path, dict[str, Any]]) -> None:
    """Scopes become conditions, the mean over executions is the score, failures stay."""
    folder, told = written
    runs = runs_of(told["random"])
    assert {run.state for run in runs} == {State.COMPLETE, State.FAILED}
    table = check_reader("keras-tuner", folder / "random", runs)
    assert table.objectives[0].name == "val_loss"
    assert table.notes == (WIDTH,)
    assert table.space is not None
    texts = {name: table.space[name][0].when for name in table.space}
    assert {name: when and when.text for name, when in texts.items()} == {
        "model": None,
        "C": "model == 'svm'",
        "layers": "model == 'net'",
        "units 0": "model == 'net' and layers in [1, 2, 3]",
        "units 1": "model == 'net' and layers in [2, 3]",
        "units 2": "model == 'net' and layers == 3",
        "warm": "model == 'net'",
        "rate": "model == 'net'",
        "width": None,
    }
    done = [entry for entry in told["random"] if entry["status"] == "COMPLETED"]
    other = condped.read(folder / "random", objective="accuracy").objectives[0]
    assert other.direction == "maximize"
    recorded = other.values[np.isfinite(other.values)]
    assert recorded == pytest.approx([(1.25 - entry["score"]) / 2 for entry in done])
    result = condped.importance(folder / "random", target_quantile=0.2)
    assert set(result.names) == set(DOMAINS)


def test_directions_and_samplers_are_as_recorded(written: tuple[Path, dict[str, Any]]) -> None:
    """A reward is maximised; the first points of Bayesian optimization are known to be random."""
    folder, told = written
    table = check_reader(
        "keras-tuner", folder / "bayesian", runs_of(told["bayesian"]), directions=("maximize",)
    )
    assert table.objectives[0].name == "reward"
    assert table.drawing is not None
    assert [sampler.name for sampler in table.drawing.samplers] == ["BayesianOptimization"]
    assert table.drawing.independent is not None
    assert table.drawing.independent.tolist() == [True] * 8 + [False]


def test_hyperband_compares_at_one_number_of_epochs(written: tuple[Path, dict[str, Any]]) -> None:
    """Configurations that go on are the same ones; the others are counted."""
    folder, told = written
    at = {
        epochs: [one for one in told["hyperband"] if one["values"]["tuner/epochs"] == epochs]
        for epochs in (1, 3, 9)
    }
    most = max(at, key=lambda epochs: len({str(one["values"]) for one in at[epochs]}))
    for budget in (None, 3, 9):
        trials = at[most if budget is None else budget]
        table = check_reader("keras-tuner", folder / "hyperband", runs_of(trials), budget=budget)
        assert not any(name.startswith("tuner/") for name in table.names)
        noted = [note for note in table.notes if "measured at several budgets" in note]
        assert len(noted) == 1
        assert isinstance(noted[0], Caution) == (budget is None)
    with pytest.raises(SettingsError, match="no measurements at budget 5"):
        condped.read(folder / "hyperband", budget=5)
    # Eight are needed at two budgets; whoever goes on is one configuration, not two.
    roots: dict[str, str] = {}
    for one in told["hyperband"]:
        before = one["values"].get("tuner/trial_id")
        roots[one["id"]] = roots.get(before, one["id"]) if before else one["id"]
    compared = condped.budgets(folder / "hyperband")
    both = {roots[one["id"]] for one in at[3]} & {roots[one["id"]] for one in at[1]}
    if compared.highest == 3:
        assert compared[0].configurations == len(both)


def test_a_sum_of_objectives_is_read(written: tuple[Path, dict[str, Any]]) -> None:
    """Which Keras Tuner minimises; the metrics are there by name."""
    folder, told = written
    table = check_reader("keras-tuner", folder / "several", runs_of(told["several"]))
    assert table.objectives[0].name == "multi_objective"
    assert condped.read(folder / "several", objective="size").objectives[0].name == "size"


def test_scores_of_no_metric_are_told(tmp_path: Path) -> None:
    """They are taken as a sum, and the note says how to explain one metric."""
    path = project(tmp_path) / "trial_1" / "trial.json"
    path.write_text(path.read_text().replace('"score": 0.5', '"score": 0.75'))
    table = condped.read(tmp_path)
    assert (table.objectives[0].name, table.objectives[0].direction) == ("score", "minimize")
    assert any("not those of one metric" in note for note in table.notes)


def test_projects_of_one_directory_are_several_studies(
    written: tuple[Path, dict[str, Any]],
) -> None:
    """Each is listed and compared; the directory itself is no single study."""
    folder, told = written
    assert [row["study"] for row in condped.studies(folder).rows()] == sorted(told)
    with pytest.raises(DataError, match=r"holds 4 projects of Keras Tuner .*Give the directory"):
        condped.read(folder)
    across = condped.across([folder / "random", folder / "hyperband"])
    assert {row["study"] for row in across.rows()} == {"random", "hyperband"}


def test_a_project_is_followed(written: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """Trials that were added since are there after the update."""
    folder, told = written
    project = tmp_path / "project"
    shutil.copytree(folder / "random", project)
    last = sorted(project.glob("trial_*"))[-1]
    kept = last.rename(tmp_path / "later")
    followed = condped.follow(str(project))
    before = len(followed.table)
    kept.rename(last)
    assert followed.update()
    assert len(followed.table) == before + 1 == len(told["random"])


def project(folder: Path) -> Path:
    """Write a small project in Keras Tuner's form."""
    space = [{"class_name": "Float", "config": {"name": "x", "min_value": 0, "max_value": 1}}]
    (folder / "oracle.json").write_text(
        json.dumps({"hyperparameters": {"space": space, "values": {}}, "start_order": ["0", "1"]})
    )
    for number in range(2):
        place = folder / f"trial_{number}"
        place.mkdir()
        observed = {"direction": "min", "observations": [{"value": [0.5], "step": 0}]}
        trial = {
            "hyperparameters": {"values": {"x": number / 2}},
            "metrics": {"metrics": {"loss": observed}},
            "score": 0.5,
            "status": "COMPLETED",
        }
        (place / "trial.json").write_text(json.dumps(trial))
    return folder


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("oracle.json", lambda text: text[:-9], r"oracle.json' is not valid JSON.*restore"),
        ("oracle.json", lambda text: "[]", "must hold a JSON object"),
        ("oracle.json", lambda text: "{}", r"lacks the hyperparameters.*give a space"),
        ("oracle.json", lambda text: text.replace("Float", "Triple"), "unknown kind 'Triple'"),
        ("oracle.json", lambda text: text.replace('"min_value"', '"low"'), "cannot be read"),
        (
            "oracle.json",
            lambda text: text.replace('"name"', '"conditions": 3, "name"'),
            "its conditions are not a list",
        ),
        ("trial_1/trial.json", lambda text: text[:40], r"trial.json' is not valid JSON"),
        ("trial_1/trial.json", lambda text: "{}", "lacks the values of its hyperparameters"),
        ("trial_1/trial.json", lambda text: text.replace("0.5}", "7}"), "outside"),
    ],
)
def test_damaged_files_are_told(
    file: str, change: Callable[[str], str], message: str, tmp_path: Path
) -> None:
    """The error names the file, and what to do."""
    path = project(tmp_path) / file
    assert len(condped.read(tmp_path)) == 2
    path.write_text(change(path.read_text()))
    with pytest.raises(CondpedError, match=message):
        condped.read(tmp_path)


@pytest.mark.parametrize("file", ["oracle.json", "trial_0/trial.json"])
def test_whatever_stands_in_a_file_there_is_a_message(file: str, tmp_path: Path) -> None:
    """Entries of other types, one by one; reading may work, or it fails in our words."""
    path = project(tmp_path) / file
    plain = json.loads(path.read_text())

    def places(entry: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        inner = entry.items() if isinstance(entry, dict) else ()
        listed = enumerate(entry) if isinstance(entry, list) else inner
        return [way, *(place for key, one in listed for place in places(one, (*way, key)))]

    for way in places(plain)[1:]:
        wrong: tuple[Any, ...] = (None, "text", 3, [], {}, [None], math.nan)
        for other in wrong:
            damaged = json.loads(json.dumps(plain))
            inside = damaged
            for key in way[:-1]:
                inside = inside[key]
            inside[way[-1]] = other
            path.write_text(json.dumps(damaged))
            with suppress(CondpedError):
                condped.read(tmp_path)


def test_hyperparameters_in_several_scopes_have_a_domain_in_each() -> None:
    """As Keras Tuner's JSON has them; parents that are fixed decide at once."""

    def entry(kind: str, name: str, *parents: tuple[str, list[Any]], **fields: Any) -> Any:
        conditions = [
            {"class_name": "Parent", "config": {"name": one, "values": values}}
            for one, values in parents
        ]
        return {"class_name": kind, "config": {"name": name, "conditions": conditions, **fields}}

    space = space_of(
        {
            "space": [
                entry("Fixed", "mode", value="fast"),
                entry("Choice", "k", values=["a", "b", "c"]),
                entry("Float", "x", ("k", ["a"]), min_value=0, max_value=1),
                entry("Float", "x", ("k", ["b", "c"]), min_value=5, max_value=9),
                entry("Int", "n", ("mode", ["fast"]), min_value=1, max_value=4),
                entry("Int", "never", ("mode", ["slow"]), min_value=1, max_value=4),
                entry("Int", "one", min_value=2, max_value=2),
                entry("Float", "r", min_value=0, max_value=1, sampling="reverse_log"),
            ]
        }
    )
    assert [(a.domain, a.when and a.when.text) for a in space["x"]] == [
        (Float(0, 1), "k == 'a'"),
        (Float(5, 9), "k in ['b', 'c']"),
    ]
    assert list(space) == ["k", "x", "n", "r"]
    assert space["n"][0].when is None
    assert [note.split(":")[0] for note in space.notes] == ["one", "r", "never"]
