"""Files, folders and objects in memory, which are read as a whole when they have changed."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import optuna
import pytest

import condped
from condped.errors import CondpedError, SettingsError
from tests.read.follow.same import assert_same_as_read

LINES = ["x,loss", "0.1,3.0", "0.7,1.0", "0.4,2.0"]


def test_a_file_is_read_again_once_it_has_changed(tmp_path: Path) -> None:
    """Appended to, replaced, touched, damaged and gone."""
    file = tmp_path / "trials.csv"
    file.write_text("\n".join(LINES))
    os.utime(file, (1e9, 1e9))
    followed = condped.follow(file, objective="loss")
    assert not followed.update()
    assert followed.fetched == 0
    os.utime(file, (1e9 + 1, 1e9 + 1))
    assert not followed.update()  # read, and found to be the same
    assert followed.fetched == 3
    file.write_text("\n".join([*LINES, "0.5,0.5"]))
    assert followed.update()
    assert len(followed.table) == followed.finished == 4
    file.write_text("\n".join([*LINES, "0.5,0.6"]))  # of the same size, and at once
    assert followed.update()
    file.write_text("x,error\n1,2")
    with pytest.raises(CondpedError, match="loss"):
        followed.update()
    file.unlink()
    with pytest.raises(CondpedError, match=r"cannot be read|no file"):
        followed.update()
    assert followed.table.objectives[0].values.tolist() == [3.0, 1.0, 2.0, 0.6]
    file.write_text("\n".join(LINES))
    assert followed.update()
    assert len(followed.table) == 3


@pytest.mark.parametrize("name", ["trials.csv", "trials.csv.gz", "trials[1].csv"])
def test_the_space_beside_a_file_is_followed_as_well(tmp_path: Path, name: str) -> None:
    """Its domains are part of the table."""
    text = "\n".join(LINES).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    space = tmp_path / f"{name.partition('.')[0]}.space.json"
    space.write_text('{"x": {"type": "float", "low": 0, "high": 1}}')
    for file in tmp_path.iterdir():
        os.utime(file, (1e9, 1e9))
    followed = condped.follow(tmp_path / name, objective="loss")
    assert not followed.update()
    space.write_text('{"x": {"type": "float", "low": 0, "high": 2}}')
    assert followed.update()
    assert followed.table.parameters[0].domains == (condped.Float(0, 2),)


def test_a_folder_gets_more_files(tmp_path: Path) -> None:
    """Each of them a part of one table."""
    (tmp_path / "a.csv").write_text("\n".join(LINES))
    followed = condped.follow(tmp_path, objective="loss")
    (tmp_path / "b.csv").write_text("\n".join(LINES))
    assert followed.update()
    assert len(followed.table) == 6


def test_a_study_in_memory_is_read_at_every_update() -> None:
    """It cannot tell what is new."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    with condped.follow(study) as followed:
        assert followed.finished == 0
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=4)
        study.ask()
        assert followed.update()
        assert not followed.update()
        assert_same_as_read(followed, study)
        assert repr(followed) == "<Followed: 4 finished trials, 1 running>"
    with pytest.raises(SettingsError, match="closed"):
        followed.update()
    assert len(followed.table) == 5


def test_an_update_that_cannot_be_selected_from_fails_until_it_can(tmp_path: Path) -> None:
    """The old table is not given out as current by the next update."""
    file = tmp_path / "trials.csv"
    file.write_text("\n".join(LINES))
    os.utime(file, (1e9, 1e9))
    followed = condped.follow(file, objective="loss", where="x > 0")
    file.write_text("y,loss\n1,2\n2,1\n")
    os.utime(file, (1e9 + 1, 1e9 + 1))
    for _ in range(3):
        with pytest.raises(CondpedError, match="'x'"):
            followed.update()
    file.write_text("\n".join([*LINES, "0.5,0.5"]))
    assert followed.update()
    assert len(followed.table) == 4


def test_a_selection_counts_the_trials_of_the_whole_study() -> None:
    """Looks are scheduled in trials of the study, whichever of them are selected."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=30)
    study.ask({"x": optuna.distributions.FloatDistribution(0, 1)})
    followed = condped.follow(study, where="x < 0.5")
    assert (followed.finished, followed.running) == (30, 1)
    assert len(followed.table) < 25


def test_options_are_checked() -> None:
    """Those of read; a stream has no table."""
    with pytest.raises(TypeError, match=r"follow\(\) does not take 'objectiv'"):
        condped.follow({"x": [1]}, objectiv="x")  # type: ignore[call-arg]
    with pytest.raises(SettingsError, match="held in memory"):
        condped.follow({"x": [1]}, engine="stream")
