"""Names of studies stand for those studies, and answers for no others."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import optuna
import pytest

import condped
from condped.errors import DataError, NameNotFoundError, NoTrialsError
from condped.live.agents.desk import Desk
from condped.live.agents.server import make_server
from condped.live.agents.snapshots import Snapshots
from condped.live.agents.sources import Sources
from tests.live.agents.asking import asking, text_of
from tests.live.studies import run_trials, storage_in


@pytest.mark.parametrize("hidden", ["hidden-client", "public"])
@pytest.mark.parametrize("asked_before", [False, True])
def test_a_deleted_study_is_not_replaced_by_another(
    tmp_path: Path, hidden: str, asked_before: bool
) -> None:
    """Neither its trials nor its name are told, even if it is the only one left."""
    url = storage_in(tmp_path)
    run_trials(url, 5, study="pub*")
    snapshots = Snapshots(Sources([f"src={url}"], ["pub[*]"]))
    assert snapshots.sources.find("src:pub*").name == "src:pub*"
    if asked_before:
        assert snapshots.take("src:pub*").finished == 5
    optuna.delete_study(study_name="pub*", storage=url)
    run_trials(url, 7, study=hidden)

    for _ in range(2):
        with pytest.raises(NameNotFoundError, match=r"no study 'src:pub\*'") as refused:
            snapshots.take("src:pub*")
        assert hidden not in str(refused.value)
    snapshots.close()


def test_errors_list_only_the_studies_that_may_be_asked_about(tmp_path: Path) -> None:
    """A study is deleted while others are left, of which some are out of bounds."""
    url = storage_in(tmp_path)
    for study in ("pub-1", "pub-2", "hidden-client"):
        run_trials(url, 5, study=study)
    with asking(make_server(Desk([f"src={url}"], ["pub-*"]))) as client:
        assert client("importance", study="src:pub-1")["trials"]["total"] == 5
        optuna.delete_study(study_name="pub-1", storage=url)
        told = client.refusal("importance", study="src:pub-1")
    assert "There is no study 'src:pub-1'." in told
    assert "'src:pub-2'" in told
    assert "hidden" not in told


def test_files_of_a_pattern_are_told_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by the path of the pattern; and every file that cannot be read is told."""
    folder = tmp_path / "secretdir" / "runs"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    (folder / "fine.csv").write_text("x,loss\n1,2\n2,3\n3,4\n")
    for name in ("first", "second"):
        (folder / f"{name}.csv").write_bytes(b"x,loss\n1,2\n\x00\x00\n")
    for given in ("secretdir/runs/*.csv", f"{folder}/*.csv"):
        with asking(make_server(Desk([f"runs={given}"], objective="loss"))) as client:
            listed = client("list_studies")
            told = text_of(client.result("list_studies")) + client.refusal(
                "importance", study="runs:second"
            )
        assert [one["study"] for one in listed["studies"]] == ["runs:fine"]
        assert [one["source"] for one in listed["unreachable"]] == ["runs:first", "runs:second"]
        assert "secretdir" not in told


def test_a_file_out_of_bounds_is_not_named_in_problems(tmp_path: Path) -> None:
    """The pattern of --study holds for what cannot be read, too."""
    (tmp_path / "hidden-client.csv").write_bytes(b"x,loss\n1,2\n\x00\x00\n")
    (tmp_path / "pub.csv").write_text("x,loss\n1,2\n2,3\n3,4\n")
    _, problems = Sources([f"runs={tmp_path}/*.csv"], ["pub"], {"objective": "loss"}).listed()
    assert list(problems) == ["runs"]
    assert "hidden" not in problems["runs"]


def test_a_damaged_study_does_not_hide_the_others(tmp_path: Path) -> None:
    """It is not named to those who may not ask about it, and still listed to those who may."""
    url = storage_in(tmp_path)
    run_trials(url, 5, study="public")
    run_trials(url, 5, study="hidden-client")
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database, database:
        database.execute("UPDATE trial_params SET distribution_json = '{' WHERE trial_id > 5")
    for patterns, names in (
        (["public"], ["src:public"]),
        ([], ["src:hidden-client", "src:public"]),
    ):
        sources = Sources([f"src={url}"], patterns, {"objective": "value"})
        found, problems = sources.listed()
        assert sorted(one.name for one in found) == names
        assert {one.row["complete"] for one in found} == {5}
        assert problems == {}
    snapshots = Snapshots(sources)
    assert snapshots.take("src:public").finished == 5
    with pytest.raises(DataError, match="damaged"):
        snapshots.take("src:hidden-client")
    snapshots.close()


def test_several_objectives_are_compared_with_those_of_a_study(tmp_path: Path) -> None:
    """No note says that they are not used where they are."""
    (tmp_path / "two.csv").write_text("x,loss,size\n1,2,1\n2,3,1\n3,4,2\n")
    desk = Desk([f"{tmp_path}/two.csv"], objective=["loss", "size"])
    with asking(make_server(desk)) as client:
        listed = client("list_studies")
    assert listed["studies"][0]["objectives"] == ["loss", "size"]
    assert listed["notes"] == []


def test_sources_are_not_read_for_every_wrong_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is known, an alias included, needs no reading, and a wrong one only at times."""
    (tmp_path / "results.csv").write_text("x,loss\n1,2\n2,3\n3,4\n")
    (tmp_path / "other.csv").write_text("x,loss\n1,2\n2,3\n3,4\n")
    sources = Sources(
        [f"{tmp_path}/results.csv", f"alias={tmp_path}/o*.csv"], (), {"objective": "loss"}
    )
    read: list[str] = []
    original = condped.studies

    def counted(place: str, **reading: object) -> condped.Studies:
        read.append(place)
        return original(place, **reading)  # type: ignore[arg-type]

    monkeypatch.setattr("condped.studies", counted)
    for _ in range(5):
        assert sources.find("alias").study == "other"
        assert sources.find("results").study == "results"
    assert len(read) == 2
    for _ in range(5):
        with pytest.raises(NameNotFoundError):
            sources.find("wrong")
    assert len(read) == 2
    (tmp_path / "older.csv").write_text("x,loss\n1,2\n2,3\n3,4\n")
    time.sleep(1.1)
    assert sources.find("alias:older").study == "older"


def test_an_objective_that_no_trial_has_recorded_yet_is_waited_for(tmp_path: Path) -> None:
    """A study whose first trial is running is not explained by another objective."""
    url = storage_in(tmp_path)
    study = optuna.create_study(storage=url, study_name="tuning")
    trial = study.ask()
    x = trial.suggest_float("x", 0, 1)
    sources = Sources([f"src={url}"], (), {"objective": "acc", "direction": "maximize"})
    found, problems = sources.listed()
    assert (found[0].note, problems) == (None, {})
    snapshots = Snapshots(sources)
    with pytest.raises(NoTrialsError, match="No trial has recorded 'acc' yet"):
        snapshots.take("src:tuning")
    trial.set_user_attr("acc", x)
    study.tell(trial, 1.0)
    (objective,) = snapshots.take("src:tuning").table.objectives
    assert (objective.name, objective.direction) == ("acc", "maximize")
    snapshots.close()
