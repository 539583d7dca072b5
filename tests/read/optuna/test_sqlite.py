"""Optuna's SQLite storages, read directly and through Optuna itself."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.optuna.records import domain_of
from tests.read.optuna.studies import (
    assert_same_importances,
    assert_same_table,
    check_optuna,
    run,
)

# Optuna warns that naming metrics is experimental.
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Let Optuna write three studies into one file."""
    url = f"sqlite:///{tmp_path_factory.mktemp('optuna')}/a study's #1.db"
    run(
        optuna.create_study(
            study_name="random", storage=url, sampler=optuna.samplers.RandomSampler(seed=0)
        ),
        70,
    )
    run(
        optuna.create_study(
            study_name="tpe's",
            storage=url,
            direction="maximize",
            sampler=optuna.samplers.TPESampler(seed=1),
        ),
        50,
    )
    two = optuna.create_study(
        study_name="two; --",
        storage=url,
        directions=["minimize", "maximize"],
        sampler=optuna.samplers.RandomSampler(seed=2),
    )
    two.set_metric_names(["error", "speed"])
    run(two, 40)
    return url


@pytest.mark.parametrize("study", ["random", "tpe's", "two; --"])
def test_table_is_what_optuna_reads(storage: str, study: str) -> None:
    """Values, domains, states, objectives and constraints agree with Optuna's own API."""
    ours = condped.read(storage, study=study)
    loaded = optuna.load_study(study_name=study, storage=storage)
    check_optuna("optuna-sqlite", storage, loaded)
    theirs = condped.read(loaded)
    assert_same_table(ours, theirs)
    assert_same_importances(ours, theirs)
    assert_same_table(condped.read(storage.removeprefix("sqlite:///"), study=study), theirs)


def test_importances_are_optunas(storage: str) -> None:
    """From the URL to the numbers of Optuna's own evaluator."""
    study = optuna.load_study(study_name="random", storage=storage)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of small regimes
        theirs = optuna.importance.PedAnovaImportanceEvaluator().evaluate(study)
    ours = condped.importance(storage, study="random").to_dict(normalize=False)
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs, rel=1e-9, abs=1e-15)


def test_one_of_two_objectives_is_chosen_by_name(storage: str) -> None:
    """Metric names that Optuna recorded name the objectives."""
    found = condped.importance(storage, study="two; --", objective="speed")
    assert [(o.name, o.direction) for o in found.account.objectives] == [("speed", "maximize")]


def test_options_in_the_url_are_no_part_of_the_path(storage: str) -> None:
    """SQLAlchemy's options may stand behind the file, as Optuna takes them too."""
    assert len(condped.read(f"{storage}?timeout=5", study="random")) == 70


def test_reading_changes_nothing(storage: str) -> None:
    """The file's bytes are the same, and nothing is left beside it."""
    path = Path(storage.removeprefix("sqlite:///"))
    before = hashlib.sha256(path.read_bytes()).hexdigest(), sorted(path.parent.iterdir())
    condped.importance(storage, study="random")
    assert (hashlib.sha256(path.read_bytes()).hexdigest(), sorted(path.parent.iterdir())) == before


def test_a_writer_in_the_middle_of_a_transaction_is_not_seen(storage: str, tmp_path: Path) -> None:
    """What is not committed yet is not part of the snapshot."""
    copy = tmp_path / "busy.db"
    copy.write_bytes(Path(storage.removeprefix("sqlite:///")).read_bytes())
    writer = sqlite3.connect(copy, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO trials (number, study_id, state) VALUES (70, 1, 'COMPLETE')")
    assert len(condped.read(str(copy), study="random")) == 70
    writer.execute("COMMIT")
    assert len(condped.read(str(copy), study="random")) == 71
    writer.close()


def test_the_study_must_be_clear(storage: str) -> None:
    """Several studies are listed, a near match is offered."""
    with pytest.raises(SettingsError, match=r"holds 3 studies.*'random', \"tpe's\", 'two; --'"):
        condped.read(storage)
    with pytest.raises(NameNotFoundError, match="Did you mean 'random'"):
        condped.read(storage, study="radnom")
    with pytest.raises(SettingsError, match="direction cannot be set"):
        condped.read(storage, study="random", direction="maximize")


def test_files_that_are_no_storage_are_refused(tmp_path: Path) -> None:
    """Missing, not SQLite, not Optuna's, of an unknown schema."""
    with pytest.raises(DataError, match="There is no file"):
        condped.read(f"sqlite:///{tmp_path}/none.db")
    (tmp_path / "text.db").write_text("this is not a database, whatever its name says " * 40)
    with pytest.raises(DataError, match="not a database"):
        condped.read(str(tmp_path / "text.db"))
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE runs (loss REAL)")
    other.close()
    with pytest.raises(DataError, match="holds no Optuna studies"):
        condped.read(str(tmp_path / "other.db"))
    url = f"sqlite:///{tmp_path}/later.db"
    optuna.create_study(storage=url)
    later = sqlite3.connect(tmp_path / "later.db")
    later.execute("UPDATE version_info SET schema_version = 99")
    later.commit()
    later.close()
    with pytest.raises(DataError, match="schema version 99; only 12 can be read"):
        condped.read(url)


def test_an_empty_study_is_undetermined(tmp_path: Path) -> None:
    """No trials, no parameters, no error."""
    url = f"sqlite:///{tmp_path}/empty.db"
    optuna.create_study(storage=url)
    assert condped.importance(url).status == "undetermined"


@pytest.mark.parametrize(
    "distribution",
    [
        optuna.distributions.FloatDistribution(-1, 2),
        optuna.distributions.FloatDistribution(1e-5, 1, log=True),
        optuna.distributions.FloatDistribution(0, 1, step=0.25),
        optuna.distributions.IntDistribution(1, 10, step=3),
        optuna.distributions.IntDistribution(1, 100, log=True),
        optuna.distributions.CategoricalDistribution([None, True, 1.5, "ü"]),
    ],
    ids=repr,
)
def test_distributions_are_read_as_optuna_writes_them(
    distribution: optuna.distributions.BaseDistribution,
) -> None:
    """The domain from JSON is the domain from the object."""
    study = optuna.create_study()
    value = distribution.to_external_repr(1.0)
    study.add_trial(
        optuna.trial.create_trial(value=0.0, params={"p": value}, distributions={"p": distribution})
    )
    (expected,) = condped.read(study).parameters[0].domains
    assert domain_of(optuna.distributions.distribution_to_json(distribution)) == expected


@pytest.mark.parametrize(
    ("name", "fields", "domain"),
    [
        ("UniformDistribution", {"low": 0.0, "high": 1.0}, condped.Float(0, 1)),
        ("LogUniformDistribution", {"low": 0.1, "high": 1.0}, condped.Float(0.1, 1, log=True)),
        (
            "DiscreteUniformDistribution",
            {"low": 0.0, "high": 1.0, "q": 0.5},
            condped.Float(0, 1, step=0.5),
        ),
        ("IntUniformDistribution", {"low": 0, "high": 8, "step": 2}, condped.Int(0, 8, step=2)),
        (
            "IntLogUniformDistribution",
            {"low": 1, "high": 8, "step": 1},
            condped.Int(1, 8, log=True),
        ),
    ],
)
def test_distributions_of_earlier_versions_are_understood(
    name: str, fields: dict[str, float], domain: object
) -> None:
    """Names from before Optuna 3 mean what they meant."""
    assert domain_of(json.dumps({"name": name, "attributes": fields})) == domain


def test_a_loss_of_ones_own_takes_the_objectives_place(storage: str) -> None:
    """One number per trial, or an error that says why a function will not do."""
    table = condped.read(storage, study="random", loss=np.arange(70.0))
    assert table.objectives[0].values[-1] == 69
    with pytest.raises(SettingsError, match="load an Optuna study with Optuna"):
        condped.read(storage, study="random", loss=lambda trial: 0.0)


def test_a_file_with_a_write_ahead_log_is_left_as_it_was(tmp_path: Path) -> None:
    """No file is left beside it, and what stands in the log of a writer is read."""
    path = tmp_path / "wal.db"
    study = optuna.create_study(storage=f"sqlite:///{path}", study_name="wal")
    run(study, 20)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = wal")
    assert [entry.name for entry in tmp_path.iterdir()] == ["wal.db"]
    check_optuna("optuna-sqlite", str(path), optuna.load_study(
        study_name="wal", storage=optuna.storages.RDBStorage(f"sqlite:///{path}")))  # fmt: skip
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("UPDATE trial_values SET value = 77 WHERE trial_id = 1")
        writer.commit()
        assert condped.read(path).objectives[0].values[0] == 77


@pytest.mark.parametrize("choices", [
    [[64], [64, 64]], [(1,), (1, 2)], [{"a": 1}, {"a": 2}], [float("nan"), 1.0], [None, "x"],
], ids=repr)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Choices for a categorical distribution")
def test_choices_of_any_kind_are_one_domain(choices: list[Any], tmp_path: Path) -> None:
    """Lists, tuples, dicts, NaN: the same from memory, SQLite and a journal."""
    journal = JournalStorage(JournalFileBackend(str(tmp_path / "s.log")))
    tables = []
    for storage in (None, f"sqlite:///{tmp_path}/s.db", journal):
        study = optuna.create_study(storage=storage, sampler=optuna.samplers.RandomSampler(seed=0))
        # Written anew in each trial, as people do.
        made = repr(choices).replace("nan", "float('nan')")

        def objective(trial: optuna.Trial, made: str = made) -> float:
            return trial.number + len(str(trial.suggest_categorical("c", eval(made))))

        study.optimize(objective, n_trials=20)
        tables.append(condped.read(study))
    tables += [condped.read(f"{tmp_path}/s.db"), condped.read(f"{tmp_path}/s.log")]
    for table in tables:
        (parameter,) = table.parameters
        assert len(parameter.domains) == 1
        assert np.array_equal(parameter.values, tables[0].parameters[0].values)
        assert repr(parameter.domains) == repr(tables[0].parameters[0].domains)


@pytest.mark.parametrize("damage", [
    "UPDATE trial_params SET distribution_json = 'x'",
    "UPDATE trials SET state = 'WEIRD'",
    "UPDATE trial_values SET objective = 7",
    "DELETE FROM study_directions",
    "UPDATE trial_system_attributes SET value_json = '{{'",
])  # fmt: skip
def test_damaged_records_are_an_error_of_ours(damage: str, tmp_path: Path) -> None:
    """One line that names the file."""
    path = tmp_path / "damaged.db"
    run(optuna.create_study(storage=f"sqlite:///{path}"), 12)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute(damage)
        writer.commit()
    with pytest.raises(DataError, match=r"damaged\.db") as caught:
        condped.read(path)
    assert "\n" not in str(caught.value)
