"""Values outside their recorded or given domains, and names that differ only by case."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import DataError, SettingsError
from tests.optuna_version import needs_optuna_5


@pytest.fixture(params=["memory", "sqlite", "journal", "table"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, dict[str, Any]]:
    """Return trials of which two lie outside the domain of x, and what to read them with."""
    storage: Any = None
    if request.param == "sqlite":
        storage = f"sqlite:///{tmp_path}/s.db"
    elif request.param == "journal":
        backend = JournalFileBackend(str(tmp_path / "s.log"))
        storage = optuna.storages.JournalStorage(backend)
    study = optuna.create_study(storage=storage, sampler=optuna.samplers.RandomSampler(seed=0))
    study.enqueue_trial({"x": 12.0})
    study.enqueue_trial({"x": -5.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna says that they are outside, and takes them
        study.optimize(
            lambda t: t.suggest_float("x", 0, 10) ** 2 + t.suggest_float("X", 0, 1), n_trials=60
        )
    if request.param == "table":
        rows = {name: [t.params[name] for t in study.trials] for name in ("x", "X")}
        space = {"x": condped.Float(0, 10), "X": condped.Float(0, 1)}
        return {"loss": [t.value for t in study.trials], **rows}, {
            "objective": "loss",
            "space": space,
        }
    paths = {"memory": study, "sqlite": f"{tmp_path}/s.db", "journal": f"{tmp_path}/s.log"}
    return paths[request.param], {}


def test_they_are_refused_unless_the_caller_decides(source: tuple[Any, dict[str, Any]]) -> None:
    """The message names the parameter, the value, the domain and both ways out."""
    given, options = source
    with pytest.raises(
        DataError, match=r"'x' has the value 12.0 outside its domain \[0, 10\]"
    ) as e:
        condped.read(given, **options)
    assert "row 0 and 1 more" in str(e.value)
    assert "the option outside to 'nearest'" in str(e.value)
    nearest = condped.read(given, outside="nearest", **options)
    assert len(nearest) == 60
    assert nearest.notes == (
        "x: 2 values outside the domain (first: 12.0 in row 0, outside [0, 10]); "
        "counted in the nearest cell.",
    )
    dropped = condped.read(given, outside="drop", **options)
    assert len(dropped) == len(dropped.parameters[0].values) == 58
    assert "these trials were left out" in dropped.notes[0]
    with pytest.raises(SettingsError, match="outside must be one of error, nearest, drop"):
        condped.read(given, outside="clip", **options)  # type: ignore[arg-type]


@needs_optuna_5
def test_optunas_evaluator_takes_them_as_optuna_does(source: tuple[Any, dict[str, Any]]) -> None:
    """The nearest cell is where Optuna counts them, too."""
    given, _ = source
    if not isinstance(given, optuna.Study):
        return
    theirs = optuna.importance.get_param_importances(given)
    ours = condped.importance(given, outside="nearest").to_dict()
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_names_that_differ_only_by_case_stay_two(source: tuple[Any, dict[str, Any]]) -> None:
    """Each has its own values, from every source."""
    given, options = source
    table = condped.read(given, outside="nearest", **options)
    assert set(table.names) == {"x", "X"}
    by_name = {parameter.name: parameter.values for parameter in table.parameters}
    assert by_name["x"].max() == 12.0
    assert by_name["X"].max() <= 1.0


def test_trials_with_choices_that_the_space_has_not_can_be_dropped() -> None:
    """As those with numbers outside are; otherwise the error says so."""
    table: dict[str, Any] = {"c": ["a", "b", "c"] * 20, "loss": [float(n) for n in range(60)]}
    options: dict[str, Any] = {"objective": "loss", "space": {"c": condped.Categorical(["a", "b"])}}
    with pytest.raises(DataError, match=r"unknown choice 'c'.*outside to 'drop'"):
        condped.read(table, **options)
    with pytest.raises(DataError, match="unknown choice 'c'"):
        condped.read(table, outside="nearest", **options)
    read = condped.read(table, outside="drop", **options)
    assert len(read) == 40
    assert read.notes == ("c: 20 choices not in {a, b}; these trials were left out.",)
    kept = {name: [v for v, c in zip(table[name], table["c"], strict=True) if c != "c"]
            for name in table}  # fmt: skip
    assert condped.importance(read).to_dict() == condped.importance(kept, **options).to_dict()


def test_the_highest_whole_number_is_read_from_storages(tmp_path: Path) -> None:
    """They hold floats, and give 2^63 - 1 back as 2^63, which 64 bits cannot hold."""
    journal = tmp_path / "s.log"
    sources: dict[str, Any] = {f"sqlite:///{tmp_path}/s.db": f"sqlite:///{tmp_path}/s.db"}
    sources[str(journal)] = optuna.storages.JournalStorage(JournalFileBackend(str(journal)))
    for source, storage in sources.items():
        study = optuna.create_study(storage=storage)
        drawn = [2**63 - 1, 5, 2**62]
        for value in drawn:
            study.enqueue_trial({"n": value})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Optuna finds 2^63 outside, and takes it
            study.optimize(lambda t: t.suggest_int("n", 0, 2**63 - 1) / 2**63, n_trials=3)
        for read in (source, study):
            assert condped.read(read).parameters[0].values.tolist() == drawn
