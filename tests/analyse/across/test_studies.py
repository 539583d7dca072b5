"""Several studies may be given in many ways, and bad ones are named."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import (
    CondpedError,
    DataError,
    NameNotFoundError,
    NoTrialsError,
    SettingsError,
)
from condped.trials.table import Direction
from tests.analyse.across.archives import (
    READING,
    SPACE,
    across_numbers,
    archive,
    single_numbers,
)

ARCHIVE = archive()
GIVEN: dict[str, Any] = {**READING, "space": SPACE}
optuna.logging.set_verbosity(optuna.logging.ERROR)


def _objective(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("model", ["svm", "tree"]) == "svm":
        return abs(math.log(trial.suggest_float("cost", 1e-3, 10, log=True)))
    return 0.1 * trial.suggest_int("depth", 1, 9)


def _write(storage: Any) -> list[optuna.Study]:
    """Run three studies, taking turns, so that their trials are mixed in the storage."""
    studies = [
        optuna.create_study(
            storage=storage, study_name=name, sampler=optuna.samplers.RandomSampler(seed=number)
        )
        for number, name in enumerate(("xgb-adult", "xgb-wine", "net 'wine'"))
    ]
    for _ in range(3):
        for study in studies:
            study.optimize(_objective, n_trials=12)
    return studies


@pytest.fixture(scope="module", params=["sqlite", "journal", "object"])
def storage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a storage with three studies, and the studies as Optuna loads them."""
    folder = tmp_path_factory.mktemp("storage")
    if request.param == "sqlite":
        url = f"sqlite:///{folder / 'all.db'}"
        return url, _write(url)
    if request.param == "object":
        held = optuna.storages.InMemoryStorage()
        return held, _write(held)
    path = folder / "journal.log"
    backend = JournalFileBackend(str(path))
    return path, _write(optuna.storages.JournalStorage(backend))


def test_a_storage_gives_all_of_its_studies(storage: Any) -> None:
    """Named as in the storage, with the numbers that each has by itself."""
    source, studies = storage
    named = {study.study_name: study for study in studies}
    expected = single_numbers(named, sampling="random")
    found = condped.across(source, sampling="random")
    assert [one.name for one in found.studies] == [study.study_name for study in studies]
    assert across_numbers(found) == expected
    assert across_numbers(condped.across(studies, sampling="random")) == expected


def test_a_pattern_chooses_studies_of_a_storage(storage: Any) -> None:
    """As for files; one that matches nothing is an error with the known names."""
    source, _ = storage
    found = condped.across(source, study="xgb-*")
    assert [one.name for one in found.studies] == ["xgb-adult", "xgb-wine"]
    with pytest.raises(NameNotFoundError, match=r"no study 'lgbm-\*'.*xgb-adult"):
        condped.across(source, study="lgbm-*")


def _write_csv(table: pa.Table, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pa.csv.write_csv(table, path)
    return path


@pytest.mark.parametrize("way", ["mapping", "list", "folder", "pattern"])
def test_files_are_studies(tmp_path: Path, way: str) -> None:
    """Each by the name of its file, however they are given."""
    paths = [_write_csv(t, tmp_path / f"{name}.csv") for name, t in ARCHIVE.studies().items()]
    ways = {
        "mapping": {path.stem: path for path in paths},
        "list": paths,
        "folder": tmp_path,
        "pattern": f"{tmp_path}/data-*.csv",
    }
    found = condped.across(ways[way], **GIVEN)
    assert sorted(one.name for one in found.studies) == sorted(ARCHIVE.names)
    assert across_numbers(found) == single_numbers(ARCHIVE.studies(), **GIVEN)


def test_what_is_no_study_is_left_out_and_said(tmp_path: Path) -> None:
    """Hidden files and spaces belong there; other files and empty folders are counted."""
    for name, table in ARCHIVE.studies().items():
        folder = tmp_path / name  # several files of one kind make a study
        _write_csv(table.slice(0, 40), folder / "1.csv")
        _write_csv(table.slice(40), folder / "2.csv")
    (tmp_path / "space.json").write_text(json.dumps(SPACE.to_dict()), encoding="utf-8")
    (tmp_path / "readme.md").write_text("Runs of May.", encoding="utf-8")
    (tmp_path / ".hidden.csv").write_text("x", encoding="utf-8")
    (tmp_path / "plots").mkdir()
    found = condped.across(tmp_path, **GIVEN)
    assert across_numbers(found) == single_numbers(ARCHIVE.studies(), **GIVEN)
    assert found.notes[0] == "Not read, since they are not studies: 2 (plots, readme.md)."
    with pytest.raises(DataError, match=r"holds or names no study \(found: nothing\)"):
        condped.across(tmp_path / "plots", **GIVEN)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Nothing is dropped because it is damaged."""
    pq.write_table(ARCHIVE.study("data-00"), tmp_path / "good.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(DataError, match=r"In the study 'bad'.*bad\.parquet"):
        condped.across(tmp_path, **GIVEN)


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    """And what has no name of its own has its number; seeds go with the folder above them."""
    table = ARCHIVE.study("data-00")
    paths = [_write_csv(table, tmp_path / name / "trials.csv") for name in ("adult", "wine")]
    other = ARCHIVE.study("data-01")
    found = condped.across([*paths, {n: other[n].to_pylist() for n in other.column_names}], **GIVEN)
    assert [one.name for one in found.studies] == ["adult/trials", "wine/trials", "study 3"]


def test_runs_of_smac_below_a_folder_are_studies(tmp_path: Path) -> None:
    """Each seed is one, named with the run above it."""
    smac = pytest.importorskip("smac")
    from tests.read.tools.smac.runs import cost_of_seed, optimised, scenario  # noqa: PLC0415

    for seed in (0, 17):
        described = scenario(
            tmp_path, "tuned", n_trials=30, seed=seed, crash_cost=20.0, deterministic=True
        )
        optimised(smac.RandomFacade, described, cost_of_seed)
    found = condped.across(tmp_path)
    assert [one.name for one in found.studies] == ["tuned/0", "tuned/17"]
    singles = {f"tuned/{seed}": str(tmp_path / "tuned" / str(seed)) for seed in (0, 17)}
    assert across_numbers(found) == single_numbers(singles)


FIRST, SECOND = ARCHIVE.study("data-00"), ARCHIVE.study("data-01")


@pytest.mark.parametrize(
    ("studies", "said"),
    [
        ({"a": FIRST, "b": FIRST}, "'a' and 'b' are the same"),
        ([FIRST, SECOND, FIRST], "'1' and '3' are the same"),
        ({}, "no studies"),
        ([], "no studies"),
        (FIRST, "Several studies are expected.*study_column"),
        (FIRST.to_pylist(), "Several studies are expected.*study_column"),
        (3, "Several studies are expected"),
        ({"a": FIRST, "b": FIRST.drop_columns(["loss"])}, "In the study 'b'.*'loss'"),
        ({"a": FIRST, "b": "/nowhere.csv"}, "In the study 'b'.*nowhere.csv"),
        ({1: FIRST, "1": SECOND}, "same name"),
    ],
)
def test_bad_studies_are_refused_by_name(studies: Any, said: str) -> None:
    """One listed twice, none at all, one table, one that cannot be read."""
    with pytest.raises(CondpedError, match=said):
        condped.across(studies, objective="loss")


def test_one_file_listed_twice_is_refused(tmp_path: Path) -> None:
    """Whatever way its path is written."""
    path = _write_csv(FIRST, tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"are the same.*a\.csv"):
        condped.across({"a": path, "b": f"{tmp_path}/./a.csv"}, **GIVEN)


def test_two_studies_with_the_same_trials_are_noted() -> None:
    """They may be copies on purpose, so they count; but the user should know."""
    copy = pa.table({name: FIRST[name].to_pylist() for name in FIRST.column_names})
    found = condped.across({"a": FIRST, "b": SECOND, "c": copy}, **GIVEN)
    assert [one.same_as for one in found.studies] == [None, None, "a"]
    assert "a and c have the same trials, which count twice" in " ".join(str(found).split())
    assert "same trials" not in str(condped.across([FIRST, SECOND], **GIVEN))


def test_an_empty_study_is_noted_and_the_others_are_compared() -> None:
    """It stays in the list of studies, with the reason why nothing can be told of it."""
    found = condped.across({"a": FIRST, "none": FIRST.slice(0, 0), "b": SECOND}, **GIVEN)
    assert [(one.name, one.trials) for one in found.studies] == [("a", 60), ("none", 0), ("b", 67)]
    assert found.studies[1].reason is not None
    assert any("No conclusion is possible for the study none" in note for note in found.notes)
    assert across_numbers(found) == single_numbers({"a": FIRST, "b": SECOND}, **GIVEN)


def _study(name: str, direction: Direction, metric: str | None = None) -> optuna.Study:
    study = optuna.create_study(
        study_name=name, direction=direction, sampler=optuna.samplers.RandomSampler(seed=0)
    )
    if metric is not None:
        study.set_metric_names([metric])
    study.optimize(_objective, n_trials=10)
    return study


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_other_directions_and_objectives_are_refused() -> None:
    """With the names of both studies; an objective that is named counts as told."""
    plain = _study("plain", "minimize")
    with pytest.raises(DataError, match=r"'plain' \(min.*'up' \(max.*different directions"):
        condped.across([plain, _study("up", "maximize")])
    named = _study("named", "minimize", "error")
    with pytest.raises(DataError, match=r"'plain'.*'named' \(error\) have different objectives"):
        condped.across([plain, named])
    assert len(condped.across([plain, named], objective=0).studies) == 2


def test_a_study_without_a_common_parameter_is_refused() -> None:
    """It is named, with what it has and what the others have."""
    other = {"q": np.linspace(0, 1, 30), "loss": np.linspace(1, 0, 30)}
    with pytest.raises(DataError, match=r"'odd' has no parameter in common.*has q.*have cost"):
        condped.across({"a": FIRST, "b": SECOND, "odd": other}, **READING)


def test_a_study_column_is_for_tables() -> None:
    """An Optuna study has no columns."""
    with pytest.raises(SettingsError, match=r"study_column is for tables"):
        condped.across(_study("plain", "minimize"), study_column="study")


def test_no_study_is_lost_because_of_its_name(tmp_path: Path) -> None:
    """Names that are made up do not collide with those that studies have."""
    for name, table in zip(("a.csv", "a 1.csv"), (FIRST, SECOND), strict=True):
        _write_csv(table, tmp_path / name)
    pq.write_table(ARCHIVE.study("data-02"), tmp_path / "a.parquet")
    paths = ["a.csv", "a.parquet", "a 1.csv"]
    with contextlib.chdir(tmp_path):
        found = condped.across(paths, **GIVEN)
    assert [(one.name, one.trials) for one in found.studies] == [
        ("a 1.1", 60), ("a 2", 74), ("a 1", 67)
    ]  # fmt: skip


def test_empty_studies_of_a_storage_stand_in_nobodys_way(tmp_path: Path) -> None:
    """Whatever is asked of parameters that they do not have; errors name the study."""
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    for name, trials in (("some", 30), ("none", 0)):
        study = optuna.create_study(
            study_name=name, storage=url, sampler=optuna.samplers.RandomSampler(seed=0)
        )
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=trials)
    found = condped.across(url, where="x < 0.5")
    assert [one.name for one in found.studies] == ["some", "none"]
    assert 0 < found.studies[0].trials < 30
    assert any("No conclusion is possible for the study none" in note for note in found.notes)
    with pytest.raises(DataError, match=r"In the study 'some'.*'accuracy'"):
        condped.across(url, objective="accuracy")


@pytest.mark.parametrize("measure", ["standard", "unweighted", "unconditional"])
def test_other_measures_are_compared_by_the_same_unbiased_shares(measure: Any) -> None:
    """Importances are by the measure; what studies are compared by is about values alone."""
    studies = {"a": FIRST, "b": SECOND}
    found = condped.across(studies, measure=measure, **GIVEN)
    assert across_numbers(found) == single_numbers(studies, measure=measure, **GIVEN)
    if measure != "unconditional":
        plain = {
            (c.study, c.parameter): c.explained for c in condped.across(studies, **GIVEN).cells
        }
        assert {(c.study, c.parameter): c.explained for c in found.cells} == plain


def test_what_two_studies_cannot_tell_is_said_with_their_names() -> None:
    """One without rows or without results, and the same trials under two names."""
    empty = FIRST.slice(0, 0)
    with pytest.raises(NoTrialsError, match="In the study 'after'"):
        condped.difference(FIRST, empty, **GIVEN)
    failed = FIRST.set_column(
        FIRST.column_names.index("loss"), "loss", pa.array([float("nan")] * len(FIRST))
    )
    (said,) = condped.difference(FIRST, failed, **GIVEN).comparable
    assert said.startswith("No conclusion is possible for the study after: there is no trial")
    same = condped.difference(FIRST, FIRST, **GIVEN)
    assert same.same_trials
    assert "same trials" in str(same).splitlines()[0]
    assert not condped.difference(FIRST, SECOND, **GIVEN).same_trials
