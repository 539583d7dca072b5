"""Studies of one storage, chosen by names and patterns."""

from __future__ import annotations

from pathlib import Path

import optuna
import pytest

import condped
from condped.errors import NameNotFoundError, SettingsError


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
