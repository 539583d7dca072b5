"""Access is limited to what was given at the start; no answer holds a secret or a path."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import optuna
import pytest

from condped.errors import NameNotFoundError, SettingsError
from condped.live.agents.desk import Desk
from condped.live.agents.server import make_server
from condped.live.agents.sources import Sources, without_places
from tests.live.agents.asking import asking, text_of
from tests.live.agents.traversal import ESCAPES, ONE, attempts
from tests.servers.postgresql import postgresql

SECRET = "corr3ct-horse"


def test_nothing_but_the_given_source_is_ever_opened(journal: Path) -> None:
    """Every attempt in every argument of every tool is refused, and no other file is opened."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.live.agents.traversal", str(journal)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["answered"] == []
    assert found["refused"] == sum(len(attempts("", escape)) for escape in ESCAPES)
    folder = str(journal.parent)
    # What else its own reading looks at, whatever an argument says; and Python its modules.
    usual = (str(journal), f"os.scandir ({folder!r},)", "os.listdir ('/dev/fd',)", ".pyc")
    others = [event for event in found["opened"] if not any(part in event for part in usual)]
    assert others == []
    assert not any(folder in text for text in found["told"])
    # What an error repeats of an argument may hold a path, but no message says which is right.
    assert not any("No such file" in text or "Permission" in text for text in found["told"])


def test_a_password_is_in_no_answer_and_in_no_error() -> None:
    """A database that cannot be reached shows up by its name, without login or address."""
    url = f"postgresql://me:{SECRET}@127.0.0.1:1/tuning?password={SECRET}"
    with asking(make_server(Desk([url]))) as client:
        told = [text_of(client.result("list_studies"))]
        told += [text_of(client.result(tool, study="tuning:any")) for tool in ONE]
        told += [text_of(client.result(tool, study="tuning")) for tool in ONE]
        told += [client.refusal("difference", before="tuning", after="tuning:b")]
    assert not [text for text in told if SECRET in text or "me@" in text or "postgresql" in text]
    assert all("tuning" in text for text in told)


def test_a_password_of_a_database_that_answers_stays_inside(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Tools read a database by a URL with a password, and neither answers nor the log hold it."""
    with postgresql() as given:
        # Its own user needs no password, so any will do.
        url = given.replace("postgres:@", f"postgres:{SECRET}@")
        assert SECRET in url
        storage = optuna.storages.RDBStorage(
            given.replace("postgresql://", "postgresql+psycopg://")
        )
        study = optuna.create_study(
            storage=storage,
            study_name="secret",
            sampler=optuna.samplers.RandomSampler(seed=0),
        )
        study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=35)
        with asking(make_server(Desk([f"safe={url}"]))) as client:
            told = [text_of(client.result("list_studies"))]
            told += [text_of(client.result(tool, study="safe:secret")) for tool in ONE]
            told += [client.refusal("importance", study="safe:other")]
        storage.remove_session()
        storage.engine.dispose()
    assert "safe:secret" in told[0]
    captured = capfd.readouterr()
    assert not [text for text in (*told, captured.out, captured.err) if SECRET in text]


def test_a_file_that_is_gone_is_told_by_its_name(tmp_path: Path) -> None:
    """A path of the machine is no part of an error."""
    file = tmp_path / "results.csv"
    file.write_text("x,loss\n1,2\n2,3\n3,4\n")
    with asking(make_server(Desk([str(file)], objective="loss"))) as client:
        client("importance", study="results")
        file.unlink()
        told = [client.refusal("importance", study="results")]
        told += [text_of(client.result("list_studies"))]
        assert not [text for text in told if str(tmp_path) in text]
        assert all("results" in text for text in told)
        file.write_text("x,loss\n1,2\n2,3\n3,4\n5,1\n")
        assert client("importance", study="results")["trials"]["total"] == 4


def test_an_unexpected_error_says_nothing_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What went wrong is logged by its kind and place; its text, which may hold secrets, is not."""
    file = tmp_path / "results.csv"
    file.write_text("x,loss\n1,2\n2,3\n3,4\n")

    def broken(*_: object) -> None:
        raise RuntimeError(f"cannot use {SECRET} at {tmp_path}")

    monkeypatch.setattr("condped.live.agents.desk.Desk._made", broken)
    with asking(make_server(Desk([str(file)], objective="loss"))) as client:
        told = client.refusal("importance", study="results")
    assert SECRET not in told + caplog.text
    assert str(tmp_path) not in told
    assert "RuntimeError in the tool importance" in caplog.text


def test_studies_can_be_limited_by_patterns(journal: Path) -> None:
    """Studies that match no pattern of the start are not listed and cannot be asked about."""
    with asking(make_server(Desk([str(journal)], ["ma*"]))) as client:
        assert [one["study"] for one in client("list_studies")["studies"]] == ["tuning:maximised"]
        assert "There is no study" in client.refusal("importance", study="tuning:tied")
        assert client("importance", study="tuning")["study"] == "tuning:maximised"


def test_unknown_names_are_met_with_those_that_there_are(journal: Path) -> None:
    """A slip of the pen gets the nearest name."""
    with pytest.raises(NameNotFoundError, match="Did you mean 'tuning:maximised'"):
        Sources([str(journal)]).find("tuning:maximized")


def test_files_of_a_pattern_are_studies_of_one_source(tmp_path: Path) -> None:
    """New files of a pattern are found; a directory with several has to be given as a pattern."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("x,loss\n1,2\n2,3\n3,4\n")
    with asking(make_server(Desk([f"runs={tmp_path}/*.csv"], objective="loss"))) as client:
        assert [one["study"] for one in client("list_studies")["studies"]] == ["runs:a", "runs:b"]
        assert client("importance", study="runs:b")["trials"]["total"] == 3
        (tmp_path / "c.csv").write_text("x,loss\n1,2\n")
        assert client("importance", study="runs:c")["status"] == "undetermined"
    with asking(make_server(Desk([f"runs={tmp_path}"], objective="loss"))) as client:
        assert "pattern" in client.refusal("importance", study="runs:a")


def test_sources_have_names_of_their_own() -> None:
    """Names come from the last part of a path or URL, and never twice."""
    given = ["a/runs.csv", "b/runs.csv", "mine=c.db", f"mysql://me:{SECRET}@host/opt?ssl=1", "/"]
    names = [source.name for source in Sources(given).every]
    assert names == ["runs", "runs-2", "mine", "opt", "source"]
    with pytest.raises(SettingsError, match="is given to two sources"):
        Sources(["a=x.csv", "a=y.csv"])


@pytest.mark.parametrize(
    "text",
    [
        "sqlite:////home/me/study.db is locked",
        "open('/home/me/x y.csv')",
        "No file /home/me/a.csv, or ~/b.csv.",
        f"redis://:{SECRET}@host:1/0: refused",
    ],
)
def test_places_are_taken_out_of_texts(text: str) -> None:
    """Paths and addresses are hidden, whether they are right or guessed."""
    hidden = without_places(text)
    assert "/home" not in hidden
    assert "b.csv" not in hidden
    assert SECRET not in hidden


def test_an_objective_is_used_where_a_source_needs_one(tmp_path: Path, journal: Path) -> None:
    """A table needs to be told its objective; studies that record theirs keep it and say so."""
    (tmp_path / "table.csv").write_text("x,loss\n1,2\n2,3\n3,4\n")
    with asking(
        make_server(Desk([str(journal), f"{tmp_path}/table.csv"], objective="loss"))
    ) as client:
        listed = client("list_studies")
        assert listed["unreachable"] == []
        own = {one["study"]: one["objectives"] for one in listed["studies"]}
        assert (own["tuning:maximised"], own["table"]) == (["value"], ["loss"])
        assert any("--objective loss" in note for note in listed["notes"])
        found = client("importance", study="tuning:maximised")
        assert found["status"] == "ok"
        assert any("--objective loss" in note for note in found["notes"])
        assert not client("importance", study="table")["notes"]
    with asking(make_server(Desk([f"{tmp_path}/table.csv"], objective="los"))) as client:
        (problem,) = client("list_studies")["unreachable"]
        assert "There is no objective 'los'" in problem["message"]
