"""Damaged journals and databases: the error names the line, the trial or the table."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import CondpedError, DataError

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")

DEEP = "[" * 100_000 + "]" * 100_000
DIGITS = "1" + "0" * 5000  # more than Python reads
DISTRIBUTIONS = [
    "{}", "[]", "5", "null", "x", DEEP, '{"name": 5}', '{"name": "Weird", "attributes": {}}',
    '{"name": "FloatDistribution", "attributes": 5}',
    '{"name": "FloatDistribution", "attributes": {"low": 0.1, "high": 1.0, "log": 0.1}}',
    '{"name": "FloatDistribution", "attributes": {"low": 0.0, "high": "x", "step": null}}',
    '{"name": "FloatDistribution", "attributes": {"low": 0.0, "high": NaN, "step": null}}',
    '{"name": "FloatDistribution", "attributes": {"low": -1e308, "high": 1e308, "step": 0}}',
    f'{{"name": "IntDistribution", "attributes": {{"low": 0, "high": {DIGITS}, "step": 1}}}}',
    '{"name": "CategoricalDistribution", "attributes": {"choices": "abc"}}',
    '{"name": "CategoricalDistribution", "attributes": {"choices": []}}',
    f'{{"name": "CategoricalDistribution", "attributes": {{"choices": {"[" * 500}1{"]" * 500}}}}}',
]  # fmt: skip


def fill(storage: optuna.storages.BaseStorage) -> None:
    """Run two studies with everything that is read."""
    study = optuna.create_study(
        study_name="a", storage=storage, sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.set_metric_names(["loss"])

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if trial.suggest_categorical("k", ["u", "v", None, True]) == "u":
            trial.suggest_float("y", 0, 1, step=0.25)
        trial.report(x, 0)
        trial.set_user_attr("score", x)
        trial.storage.set_trial_system_attr(trial._trial_id, "constraints", [x - 0.5])
        return x + trial.suggest_int("n", 1, 100, log=True)

    study.optimize(objective, n_trials=12)
    study.enqueue_trial({"x": 0.5})
    study.add_trial(study.trials[0])
    two = optuna.create_study(study_name="b", storage=storage, directions=["minimize", "maximize"])
    two.optimize(lambda trial: (trial.suggest_float("z", 0, 1), trial.number), n_trials=4)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the operations of a journal that Optuna wrote."""
    path = tmp_path_factory.mktemp("journal") / "whole.log"
    fill(JournalStorage(JournalFileBackend(str(path))))
    return list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a database that Optuna wrote."""
    path = tmp_path_factory.mktemp("database") / "whole.db"
    fill(RDBStorage(f"sqlite:///{path}"))
    return path.read_bytes()


def look(path: Path, study: str = "a") -> None:
    """Use a source in all ways that read different parts of it."""
    table = condped.read(path, study=study)
    assert table.drawing is not None
    assert table.times is not None
    str((table.times.started, table.drawing.samplers, table.drawing.last_losses))
    str(condped.studies(path))
    condped.follow(path, study=study)


def write(path: Path, operations: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in operations), encoding="utf-8")


def place_of(operations: list[dict[str, Any]], code: int, **holds: Any) -> int:
    """Return the place of the last operation of a kind."""
    return max(
        place
        for place, entry in enumerate(operations)
        if entry["op_code"] == code and holds.items() <= entry.items()
    )


@pytest.mark.parametrize(("code", "field", "value", "says"), [
    (0, "study_name", 5, "its 'study_name' must be a string (got 5)"),
    (0, "directions", "x", "must be a list of numbers from 0 to 2"),
    (0, "directions", [7], "must be a list of numbers from 0 to 2"),
    (3, "study_id", "x", "must be the number of a study (got 'x')"),
    (3, "system_attr", {"study:metric_names": 5}, "an object with metric names"),
    (4, "study_id", -1, "must be the number of a study (got -1)"),
    (4, "params", {"x": "a"}, "its 'params' must be an object of numbers"),
    (4, "distributions", {}, "its 'distributions' lack 'x'"),
    (5, "trial_id", "7", "must be the number of a trial (got '7')"),
    (5, "trial_id", -1, "must be the number of a trial (got -1)"),
    (5, "trial_id", 10**400, "must be the number of a trial (got an integer of 401 digits)"),
    (5, "param_name", None, "must be a string (got None)"),
    (5, "param_value_internal", [1], "must be a number (got [1])"),
    (5, "param_value_internal", float("nan"), "must be a number (got nan)"),
    (5, "param_value_internal", 10**400, "must be a number (got an integer of 401 digits)"),
    (6, "state", 9, "must be the number of a state, from 0 to 4 (got 9)"),
    (6, "values", ["a"], "must be a list of numbers (got ['a'])"),
    (7, "step", 0.5, "must be a whole number (got 0.5)"),
    (7, "intermediate_value", "low", "must be a number (got 'low')"),
    (8, "user_attr", 5, "must be an object (got 5)"),
    (9, "system_attr", {"constraints": ["x"]}, "numbers as constraints"),
    (9, "system_attr", {"constraints": [10**400]}, "numbers as constraints"),
    *((5, "distribution", text, "is not one of Optuna's") for text in DISTRIBUTIONS),
])  # fmt: skip
def test_a_damaged_operation_is_told_with_its_line(  # noqa: PLR0917
    journal: list[dict[str, Any]], code: int, field: str, value: Any, says: str, tmp_path: Path
) -> None:
    """Whatever it holds; without the field it is told, too."""
    path, operations = tmp_path / "damaged.log", list(journal)
    place = place_of(operations, code)
    if field in ("params", "distributions"):
        place = max(p for p, entry in enumerate(operations) if entry.get("params"))
    operations[place] = {**operations[place], field: value}
    write(path, operations)
    with pytest.raises(DataError) as caught:
        look(path)
    message = str(caught.value)
    assert message.startswith(f"Line {place + 1} of {str(path)!r} is not an operation")
    assert says in message
    assert len(message) < 1000
    if field not in ("params", "distributions"):
        del operations[place][field]
        write(path, operations)
        with pytest.raises(DataError, match=rf"^Line {place + 1} of .*it lacks '{field}'"):
            look(path)


def test_damaged_operations_are_left_out_by_the_flag(
    journal: list[dict[str, Any]], tmp_path: Path
) -> None:
    """As lines that are no JSON are; the others stay what they were."""
    path, operations = tmp_path / "damaged.log", list(journal)
    write(path, operations)
    whole = condped.read(path, study="b")
    odd: list[dict[str, Any]] = [{"op_code": 8, "trial_id": 0, "user_attr": 5}] * 2
    write(path, [*operations[:40], *odd, *operations[40:]])
    table = condped.read(path, study="b", skip_corrupt=True)
    assert table.notes[-1].startswith(f"2 of {len(operations) + 2} lines of ")
    assert (table.parameters[0].values == whole.parameters[0].values).all()


@pytest.mark.parametrize(("change", "says"), [
    ({"values": [1.0, 2.0]}, "trial 11 of the study 'a' has 2 values for 1 objectives"),
    ({"param_value_internal": 4}, "in trial 11 the parameter 'k' cannot be read: a choice is"),
    ({"param_value_internal": 0.5}, "its position from 0 to 3 (got 0.5)"),
])  # fmt: skip
def test_what_only_the_study_tells_is_told_with_the_trial(
    journal: list[dict[str, Any]], change: dict[str, Any], says: str, tmp_path: Path
) -> None:
    """Each operation may be right by itself."""
    operations = list(journal)
    if "values" in change:
        place = place_of(operations, 6, trial_id=11)
    else:
        place = place_of(operations, 5, trial_id=11, param_name="k")
    operations[place] = {**operations[place], **change}
    path = tmp_path / "damaged.log"
    write(path, operations)
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        look(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(("damage", "says"), [
    ("UPDATE trials SET state = 'WEIRD' WHERE trial_id = 3", "'trials' 'state' of trial_id 3 must"),
    ("UPDATE trials SET number = 'x' WHERE trial_id = 3", "'trials' 'number' of trial_id 3 must"),
    ("UPDATE trial_values SET objective = 7 WHERE trial_id = 1", "'objective' of trial_id 1"),
    ("UPDATE trial_values SET value = 'low'", "'trial_values' 'value' of trial_id 1 must be"),
    ("UPDATE trial_params SET param_value = NULL", "'trial_params' 'param_value' of trial_id 1 "),
    ("UPDATE trial_params SET param_value = 7 WHERE param_name = 'k'", "in trial 0 the parameter"),
    ("UPDATE trial_params SET param_name = x'ff00' WHERE param_id = 1", "'param_name' of trial_id"),
    ("UPDATE trial_intermediate_values SET step = 'x'", "'trial_intermediate_values' 'step' of "),
    ("UPDATE trial_intermediate_values SET intermediate_value = 'x'", "'intermediate_value' of "),
    ("UPDATE trial_system_attributes SET value_json = '{{'", "'trial_system_attributes' the attri"),
    ("UPDATE trial_system_attributes SET value_json = '[\"x\"]'", "must hold numbers"),
    ("UPDATE trial_system_attributes SET key = x'ff' WHERE trial_id = 3", "'key' of trial_id"),
    ("UPDATE study_system_attributes SET value_json = '5'", "'study_system_attributes' the attrib"),
    (f"UPDATE study_system_attributes SET value_json = '{DEEP}'", "'study_system_attributes' the "),
    ("UPDATE study_system_attributes SET value_json = '[\"a\", \"b\"]'", "names 2 metrics"),
    ("UPDATE studies SET study_name = x'ff' WHERE study_id = 2", "'studies' 'study_name' must be"),
    ("UPDATE study_directions SET direction = 'UP'", "'study_directions' the study_id 1 must"),
    ("DELETE FROM study_directions", "'study_directions' the study_id 1 must have"),
    ("DROP TABLE trial_params", "it has no table 'trial_params'"),
    ("DROP TABLE trial_values", "no such table: trial_values"),
    ("ALTER TABLE trials RENAME COLUMN state TO other", "no such column: t.state"),
    (f"UPDATE version_info SET schema_version = '{'9' * 100_000}'", "has Optuna's schema version"),
    *((f"UPDATE trial_params SET distribution_json = '{text}'", "in trial 0 the parameter 'x'")
      for text in DISTRIBUTIONS),
])  # fmt: skip
def test_a_damaged_row_is_told_with_its_table(
    database: bytes, damage: str, says: str, tmp_path: Path
) -> None:
    """And with the trial or the study that it is of, in one short line."""
    path = tmp_path / "damaged.db"
    path.write_bytes(database)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute(damage)
        writer.commit()
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        look(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert len(message) < 1000


VALUES = [
    None, True, -1, 7, 10**20, 10**400, 0.5, float("nan"), "", "x", "\ud800", [], ["a"], {},
    {"a": 1}, {"constraints": 5}, {"study:metric_names": [1]}, {"fixed_params": {"x": [1]}},
    {"fixed_params": {"x": 10**400}}, {"auto:sampler": [1]}, *DISTRIBUTIONS,
]  # fmt: skip


def damaged_journal(journal: list[dict[str, Any]], path: Path, rng: random.Random) -> None:
    """Change, drop, repeat or move an operation."""
    operations = list(journal)
    place = rng.randrange(len(operations))
    entry = dict(operations[place])
    name = rng.choice(list(entry))
    action = rng.random()
    if action < 0.7:
        operations[place] = {**entry, name: rng.choice(VALUES)}
    elif action < 0.85:
        del entry[name]
        operations[place] = entry
    else:
        operations.insert(rng.randrange(len(operations)), operations.pop(place))
    write(path, operations)


def damaged_database(database: bytes, path: Path, rng: random.Random) -> None:
    """Write something into a column that has lost its type and its constraints."""
    path.write_bytes(database)
    with closing(sqlite3.connect(path)) as writer:
        tables = [name for (name,) in writer.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'trial_heartbeats'"
        )]  # fmt: skip
        table = rng.choice(tables)
        columns = [row[1] for row in writer.execute(f"PRAGMA table_info({table})")]
        plain = [value for value in VALUES if isinstance(value, str | float | None)]
        plain = [value for value in plain if value != "\ud800"]
        writer.execute(f"CREATE TABLE bare AS SELECT * FROM {table}")
        writer.execute(f"DROP TABLE {table}")
        writer.execute(f"ALTER TABLE bare RENAME TO {table}")
        writer.execute(
            f'UPDATE {table} SET "{rng.choice(columns)}" = ?'
            + rng.choice(["", " WHERE rowid = 1", " WHERE rowid % 3 = 0"]),
            (rng.choice([*plain, 2**62, -1, b"\xff", float("inf")]),),
        )
        writer.commit()


@pytest.mark.parametrize(("ending", "damage"), [
    ("log", damaged_journal), ("db", damaged_database),
])  # fmt: skip
def test_no_damage_ends_in_an_error_without_a_place(
    ending: str,
    damage: Callable[[Any, Path, random.Random], None],
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    """A few hundred damages, drawn at random: an answer, or an error of ours that says where."""
    whole = request.getfixturevalue({"log": "journal", "db": "database"}[ending])
    path, rng = tmp_path / f"damaged.{ending}", random.Random(19)
    told = 0
    for _ in range(200):
        damage(whole, path, rng)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                look(path, rng.choice("ab"))
        except CondpedError as error:
            message = str(error)
            told += 1
            assert "report this" not in message
            assert re.search(
                r"[Ll]ine \d|row \d|trial |table|column|stud|schema|no such", message
            ), message
            assert len(message) <= 2000
    assert told > 50
