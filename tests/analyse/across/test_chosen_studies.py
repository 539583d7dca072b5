"""Studies of one storage, chosen by names and patterns."""

from __future__ import annotations

from pathlib import Path

import optuna
import pytest

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a storage with three random studies."""
    url = f"sqlite:///{tmp_path_factory.mktemp('storage') / 'team.db'}"
    for seed, name in enumerate(("run-a", "run-b", "old")):
        sampler = optuna.samplers.RandomSampler(seed=seed)
        study = optuna.create_study(storage=url, study_name=name, sampler=sampler)
        study.optimize(lambda t: t.suggest_float("x", 0, 1) + t.suggest_float("y", 0, 1), 30)
    return url


def test_two_studies_of_one_storage_are_named(storage: str) -> None:
    """The first name is that of the study before; a pattern is not a name."""
    found = condped.difference(storage, storage, study=("old", "run-a"))
    assert [study.name for study in found.studies] == ["old", "run-a"]
    for place, name in enumerate(("old", "run-a")):
        alone = condped.importance(storage, study=name)
        shown = {one.name: (one.before, one.after)[place] for one in found}
        assert shown == {one.name: one.importance for one in alone}
    with pytest.raises(SettingsError, match=r"one name here, not a pattern.*'run-a', 'run-b'"):
        condped.difference(storage, storage, study=("run-*", "old"))
    with pytest.raises(SettingsError, match="one name, or two"):
        condped.difference(storage, storage, study=("old", "run-a", "run-b"))
    with pytest.raises(SettingsError, match="one name here"):
        condped.importance(storage, study=["old", "run-a"])


def test_several_names_and_patterns_choose_studies(storage: str) -> None:
    """In the order of the storage, each once; one that matches nothing is named."""
    chosen = condped.across(storage, study=["run-*", "old", "run-a"])
    assert [study.name for study in chosen.studies] == ["run-a", "run-b", "old"]
    assert len(condped.across(storage, study=["run-a", "old"]).studies) == 2
    with pytest.raises(NameNotFoundError, match="no study 'new'"):
        condped.across(storage, study=["run-a", "new"])
    with pytest.raises(SettingsError, match="study must be a name or a pattern"):
        condped.across(storage, study=3)  # type: ignore[arg-type]


def test_a_list_of_names_does_not_choose_among_files(tmp_path: Path) -> None:
    """The error says what does."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("x,loss\n0,1\n1,0\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"one storage.*for 2 sources.*'runs/xgb-\*\.csv'"):
        condped.across(tmp_path, study=["a"], objective="loss")


def test_two_studies_of_one_source_need_no_second_source(storage: str) -> None:
    """Two names are enough; without them, the error says what is missing."""
    found = condped.difference(storage, study=("old", "run-a"))
    assert found.rows() == condped.difference(storage, storage, study=("old", "run-a")).rows()
    for study in (None, "old"):
        with pytest.raises(SettingsError, match=r"got one source, with study=.*two names as study"):
            condped.difference(storage, study=study)


def test_a_study_listed_twice_is_refused(storage: str, tmp_path: Path) -> None:
    """By its name or as a source, since there is nothing to compare, or it would count twice."""
    same = "Before and after are the same study"
    for sources in ((storage,), (storage, storage)):
        with pytest.raises(DataError, match=f"{same}: 'old' of .*team.db"):
            condped.difference(*sources, study=("old", "old"))
    with pytest.raises(DataError, match=f"{same}: 'old' of"):
        condped.difference(storage, storage, study="old")
    (tmp_path / "a.csv").write_text("x,loss\n0,1\n1,0\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"{same}: .*a.csv"):
        condped.difference(tmp_path / "a.csv", f"{tmp_path}/./a.csv", objective="loss")
    for study in (["old", "old"], ["run-*", "old", "run-*"]):
        with pytest.raises(SettingsError, match=r"study lists '(old|run-\*)' twice"):
            condped.across(storage, study=study)


def test_studies_can_be_labelled(storage: str) -> None:
    """In all sentences, instead of before and after."""
    tables = [condped.read(storage, study=name) for name in ("old", "run-a")]
    found = condped.difference(*tables, labels=("first", "second"))
    assert [study.name for study in found.studies] == ["first", "second"]
    assert str(found).startswith("first (30 trials) → second (30)")
    for labels in (("a",), ("a", "a"), "ab", ("a", 1)):
        with pytest.raises(SettingsError, match="labels must be two different names"):
            condped.difference(*tables, labels=labels)  # type: ignore[arg-type]
