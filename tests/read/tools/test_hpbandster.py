"""Logs that hpbandster really wrote while it ran, told by its own result object."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ConfigSpace import Categorical as ConfigCategorical
from ConfigSpace import ConfigurationSpace, EqualsCondition
from ConfigSpace import Float as ConfigFloat
from ConfigSpace import Integer as ConfigInteger

import condped
from condped.errors import CondpedError, DataError, NoTrialsError, SettingsError
from condped.read.registry import reader_for
from condped.space.domain import Categorical, Domain, Float, Int
from condped.testing import Run, check_reader
from condped.trials.notes import Caution
from condped.trials.table import State
from tests.read.tools.other_tools import told_by

PROGRAM = """
import json, logging, sys
logging.disable(logging.CRITICAL)
import Pyro4
# ConfigSpace 1 gives texts of numpy, which Pyro's own format does not know.
Pyro4.config.SERIALIZER = "pickle"
Pyro4.config.SERIALIZERS_ACCEPTED.add("pickle")
import ConfigSpace as CS
from hpbandster.core.nameserver import NameServer
from hpbandster.core.result import json_result_logger, logged_results_to_HBS_result
from hpbandster.core.worker import Worker
from hpbandster.optimizers import BOHB, HyperBand, RandomSearch

class Formula(Worker):
    def compute(self, config, budget, **others):
        if config["model"] == "svm":
            if config["C"] > 100:
                raise RuntimeError("C is too large")
            loss = abs(config["C"] - 1) ** 0.1
        else:
            loss = 1 / config["layers"]
        return {"loss": loss + 1 / budget, "info": {"accuracy": 1 - loss, "more": {"n": 3}}}

def space():
    made = CS.ConfigurationSpace(seed=3)
    model = CS.Categorical("model", ["svm", "net"])
    c, layers = CS.Float("C", (1e-3, 1e3), log=True), CS.Integer("layers", (1, 5))
    made.add(model, c, layers)
    made.add(CS.EqualsCondition(c, model, "svm"), CS.EqualsCondition(layers, model, "net"))
    return made

told = {}
for name, optimizer in dict(bohb=BOHB, hyperband=HyperBand, random=RandomSearch).items():
    folder = sys.argv[1] + "/" + name
    server = NameServer(run_id=name, host="127.0.0.1", port=0)
    host, port = server.start()
    worker = Formula(nameserver=host, nameserver_port=port, run_id=name)
    worker.run(background=True)
    run = optimizer(configspace=space(), run_id=name, nameserver=host, nameserver_port=port,
        min_budget=1, max_budget=9, result_logger=json_result_logger(folder))
    run.run(n_iterations=8)
    run.shutdown(shutdown_workers=True)
    server.shutdown()
    if name != "random":
        space().to_json(folder + "/configspace.json")
    result = logged_results_to_HBS_result(folder)
    configs = result.get_id2config_mapping()
    told[name] = [
        dict(id=one.config_id, config=configs[one.config_id]["config"], budget=one.budget,
            by_model=configs[one.config_id]["config_info"].get("model_based_pick"),
            loss=one.loss, info=one.info)
        for one in result.get_all_runs(only_largest_budget=False)
    ]
print()
print(json.dumps(told))
"""
DOMAINS: dict[str, Domain] = {
    "model": Categorical(["svm", "net"]),
    "C": Float(1e-3, 1e3, log=True),
    "layers": Int(1, 5),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return where three optimizers wrote, and what hpbandster reads there."""
    folder = tmp_path_factory.mktemp("hpbandster")
    return folder, told_by(PROGRAM, folder)


def runs_of(told: list[dict[str, Any]], budget: float, *, domains: bool = True) -> list[Run]:
    """Return the evaluations at a budget, in the order of their configurations."""
    return [
        Run(
            [one["loss"]],
            one["config"],
            {name: DOMAINS[name] for name in one["config"]} if domains else {},
            State.FAILED if one["loss"] is None else State.COMPLETE,
        )
        for one in sorted(told, key=lambda one: one["id"])
        if one["budget"] == budget
    ]


@pytest.mark.parametrize("name", ["bohb", "hyperband"])
def test_evaluations_at_one_budget_are_compared(
    name: str, written: tuple[Path, dict[str, Any]]
) -> None:
    """At the one that most have, or that is named; crashes failed, conditions are kept."""
    folder, told = written
    budgets = [one["budget"] for one in told[name]]
    most = max(sorted(set(budgets), reverse=True), key=budgets.count)
    if name == "hyperband":  # BOHB's draws differ from run to run
        assert None in [one["loss"] for one in told[name]]
    for budget in (None, 1, 3, 9):
        runs = runs_of(told[name], most if budget is None else budget)
        table = check_reader("hpbandster", folder / name, runs, budget=budget)
        assert table.space is not None
        assert table.space["C"][0].when is not None
        note, *others = table.notes
        tried = {
            n for one in told[name] if one["budget"] == (budget or most) for n in one["config"]
        }
        # BOHB may have settled on one model there.
        assert others == [f"No trial has {n}." for n in ("C", "layers") if n not in tried]
        assert isinstance(note, Caution) == (budget is None)
        assert f"{len(budgets) - len(runs)} of {len(budgets)} measurements do not count" in note
    took = condped.read(folder / name, objective="duration").objectives[0].values
    assert (took >= 0).all()
    with pytest.raises(SettingsError, match="no measurements at budget 2"):
        condped.read(folder / name, budget=2)
    compared = condped.budgets(folder / name)
    rows = [
        {**one["config"], "id": str(one["id"]), "budget": one["budget"], "loss": one["loss"]}
        for one in told[name]
    ]
    expected = condped.budgets(
        rows, objective="loss", budget_column="budget", parameters=["id", "budget"]
    )
    for one, other in zip(compared.rows(), expected.rows(), strict=True):
        assert one == pytest.approx(other)


def test_what_the_model_picked_is_known(written: tuple[Path, dict[str, Any]]) -> None:
    """So that only those drawn at random are compared, where there are enough."""
    folder, told = written
    table = condped.read(folder / "bohb")
    at = [o for o in sorted(told["bohb"], key=lambda o: o["id"]) if o["budget"] == 1.0]
    assert table.drawing is not None
    assert table.drawing.independent is not None
    assert table.drawing.independent.tolist() == [one["by_model"] is False for one in at]
    assert "BOHB" in condped.importance(folder / "bohb").evidence.sampling


def test_without_a_space_domains_are_inferred(written: tuple[Path, dict[str, Any]]) -> None:
    """Information beside the loss can be an objective; a space can be given."""
    folder, told = written
    check_reader("hpbandster", folder / "random", runs_of(told["random"], 9, domains=False))
    (accuracy,) = condped.read(
        folder / "random", objective="accuracy", direction="maximize"
    ).objectives
    expected = [
        np.nan if one["loss"] is None else one["info"]["accuracy"]
        for one in sorted(told["random"], key=lambda one: one["id"])
    ]
    assert accuracy.values == pytest.approx(expected, nan_ok=True)
    space = ConfigurationSpace()
    model = ConfigCategorical("model", ["svm", "net"])
    c, layers = ConfigFloat("C", (1e-3, 1e3), log=True), ConfigInteger("layers", (1, 5))
    space.add(model, c, layers)
    space.add(EqualsCondition(c, model, "svm"), EqualsCondition(layers, model, "net"))
    check_reader("hpbandster", folder / "random", runs_of(told["random"], 9), space=space)


def test_directories_are_several_studies(written: tuple[Path, dict[str, Any]]) -> None:
    """One for each pair of files."""
    folder, told = written
    assert [row["study"] for row in condped.studies(folder).rows()] == sorted(told)


def test_a_log_is_followed(written: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """A line that is still being written is left for the next time."""
    folder, _ = written
    shutil.copytree(folder / "random", tmp_path / "run")
    results = tmp_path / "run" / "results.json"
    whole = results.read_bytes()
    lines = whole.splitlines(keepends=True)
    results.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    followed = condped.follow(str(tmp_path / "run"))
    assert len(followed.table) == len(lines) - 1
    assert any("cut off" in note for note in followed.table.notes)
    assert any("without any result" in note for note in followed.table.notes)
    results.write_bytes(whole)
    assert followed.update()
    assert len(followed.table) == len(lines)


TIMES = {"submitted": 1.0, "started": 2.0, "finished": 3.0}


def log(folder: Path) -> Path:
    """Write a small log in hpbandster's form."""
    configs = [[[0, 0, n], {"x": n / 4}, {"model_based_pick": False}] for n in range(4)]
    results = [[[0, 0, n], 1.0, TIMES, {"loss": n, "info": {}}, None] for n in range(4)]
    for name, entries in (("configs.json", configs), ("results.json", results)):
        (folder / name).write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return folder


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("results.json", lambda text: text.replace("1.0", "[", 1), "is not a JSON array"),
        ("results.json", lambda text: text.replace("[0, 0, 1]", "1"), r"Entry 2 .*must hold an id"),
        ("results.json", lambda text: text.replace("0, 3]", "0, 9]"), "does not list"),
        ("results.json", lambda text: text.replace('{"loss": 0, "info": {}}', "7"), "must have a"),
        ("results.json", lambda text: "", "no trials"),
        ("configs.json", lambda text: text.replace('{"x": 0.25}', "3"), r"Entry 2 .*must hold"),
    ],
)
def test_damaged_files_are_told(
    file: str, change: Callable[[str], str], message: str, tmp_path: Path
) -> None:
    """The error names the file and the entry, and what to do."""
    path = log(tmp_path) / file
    assert len(condped.read(tmp_path)) == 4
    path.write_text(change(path.read_text()))
    with pytest.raises((DataError, NoTrialsError), match=message):
        condped.read(tmp_path)


@pytest.mark.parametrize("finished", [1e300, 1e12])
def test_times_after_all_calendars_are_listed_without_a_date(
    finished: float, tmp_path: Path
) -> None:
    """A damaged time does not keep a folder from being listed."""
    results = log(tmp_path) / "results.json"
    damaged = json.dumps({**TIMES, "finished": finished})
    results.write_text(results.read_text().replace(json.dumps(TIMES), damaged))
    (row,) = condped.studies(tmp_path).rows()
    assert (row["trials"], row["last_finished"]) == (4, None)


def test_a_log_without_results_has_no_budgets(tmp_path: Path) -> None:
    """As it has no trials."""
    (log(tmp_path) / "results.json").write_text("")
    with pytest.raises(NoTrialsError, match="no trials"):
        condped.budgets(tmp_path)


def test_whatever_stands_in_a_file_there_is_a_message(tmp_path: Path) -> None:
    """Entries of other types, one by one; reading may work, or it fails in our words."""
    log(tmp_path)
    for file in ("configs.json", "results.json"):
        path = tmp_path / file
        first, *others = path.read_text().splitlines()
        whole = json.loads(first)
        for place in range(len(whole)):
            for other in (None, "text", 3, [], {}, [None], {"a": [1]}):
                damaged = [*whole[:place], other, *whole[place + 1 :]]
                path.write_text("\n".join([json.dumps(damaged), *others]))
                with suppress(CondpedError):
                    condped.read(tmp_path)
        path.write_text("\n".join([first, *others]))


def test_other_files_of_these_names_are_not_taken(tmp_path: Path) -> None:
    """A table of configurations beside results is a table."""
    for name in ("configs.json", "results.json"):
        (tmp_path / name).write_text('[{"x": 0.5, "loss": 1.0}, {"x": 0.75, "loss": 2.0}]')
    assert reader_for(str(tmp_path)).name == "files"
