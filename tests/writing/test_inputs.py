"""What is read is never written to, however it is named."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import ibis
import numpy as np
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import SettingsError
from condped.writing.inputs import check_output
from tests.cli.command import condped_command

ROWS = "loss,x,y\n" + "".join(f"{n * 7 % 31},{n * 3 % 17},{n * 5 % 13}\n" for n in range(60))
SPACE = '{"x": {"type": "int", "low": 0, "high": 16}, "y": {"type": "int", "low": 0, "high": 12}}'


def study_in(storage: str | optuna.storages.BaseStorage) -> optuna.Study:
    """Return a study of some trials."""
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(storage=storage, study_name="s", sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=20)
    return study


@pytest.fixture(scope="module", name="sources")
def _sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a directory with a source of each kind."""
    folder = tmp_path_factory.mktemp("sources")
    for name in ("runs.csv", "runs/a.csv", "runs/deep/b.csv", "a b.csv", "elsewhere.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(ROWS)
    (folder / "runs.space.json").write_text(SPACE)
    (folder / "space.json").write_text(SPACE)
    (folder / "linked").mkdir()
    (folder / "linked/c.csv").symlink_to("../elsewhere.csv")
    study_in(f"sqlite:///{folder}/p.json")
    study_in(JournalStorage(JournalFileBackend(f"{folder}/journal.json")))
    with duckdb.connect(folder / "duck.json") as connection:
        connection.execute("CREATE TABLE trials (loss DOUBLE, x DOUBLE)")
    (folder / "store/0/run").mkdir(parents=True)
    (folder / "store/0/meta.yaml").write_text("name: x")
    (folder / "store/0/run/loss.txt").write_text("1 2 3")
    return folder


@pytest.fixture(name="here")
def _here(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Change to a directory with such sources; none of them may have changed."""
    folder = tmp_path / "here"
    shutil.copytree(sources, folder, symlinks=True)
    monkeypatch.chdir(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    yield folder
    assert {path: path.read_bytes() for path in before} == before


CSV = ("--objective", "loss")
CASES = [
    # A URL's options are no part of the file's name.
    ("p.json", "sqlite:///p.json?timeout=5"),
    ("p.json", "sqlite:///{}/p.json"),
    ("p.json", "sqlite+pysqlite:///p.json?timeout=5&check_same_thread=0"),
    ("p.json", "SQLite:///p.json"),
    ("p.json", "p.json"),
    ("journal.json", "journal.json"),
    ("duck.json", "trials", "--backend", "duckdb://duck.json", *CSV),
    ("duck.json", "trials", "--backend", "duckdb://{}/duck.json", *CSV),
    ("store/0/run/loss.txt", "file:store"),
    ("store/0/run/loss.txt", "file://{}/store"),
    ("store/0/run/loss.txt", "{}/store"),
    ("runs.csv", "runs.csv", *CSV),
    ("runs.csv", "./runs/../runs.csv", *CSV),
    ("runs.csv", "run*.csv", *CSV),
    ("runs/deep/b.csv", "runs/**/*.csv", *CSV),
    ("runs/deep/b.csv", "runs", *CSV),
    ("runs/deep/b.csv", "r*s", *CSV),
    ("elsewhere.csv", "linked", *CSV),
    ("a b.csv", "a b.csv", *CSV),
    # Spaces, given or found beside the trials.
    ("space.json", "runs.csv", "--space", "space.json", *CSV),
    ("runs.space.json", "runs.csv", *CSV),
    ("runs.space.json", "runs.*v", *CSV),
]


@pytest.mark.parametrize(("output", "arguments"), [(case[0], case[1:]) for case in CASES])
def test_no_output_is_an_input(output: str, arguments: tuple[str, ...], here: Path) -> None:
    """With exit code 2 and one line, before anything is read; under other names as well."""
    read = [argument.format(here) for argument in arguments]
    done = condped_command("importance", *read, "-o", output)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{output}' " in done.stderr
    assert "Choose another output file." in done.stderr
    assert done.stderr.count("\n") == 1
    Path("link.json").symlink_to(output)
    Path("further.csv").symlink_to(here / "link.json")
    for link in ("link.json", "further.csv"):
        with pytest.raises(SettingsError, match=f"'{link}' .* Choose another"):
            check_output(link, *read)


@pytest.mark.parametrize(
    ("output", "source"),
    [
        ("p.json", "sqlite:///p.json?timeout=5"),
        ("duck.json", "duckdb://duck.json"),
        ("journal.json", "journal.json"),
        ("runs.csv", "run*.csv"),
        ("space.json", "space.json"),
    ],
)
def test_another_name_of_an_input_is_the_input(output: str, source: str, here: Path) -> None:
    """As on file systems to which A.csv and a.csv are the same."""
    Path("OUT.JSON").hardlink_to(output)
    with pytest.raises(SettingsError, match="is an input and would be overwritten"):
        check_output("OUT.JSON", source)


@pytest.mark.parametrize(
    "arguments",
    [
        ("across", "runs.csv", "elsewhere.csv", *CSV, "--report", "out.html"),
        ("across", "a=runs.csv", "b=elsewhere.csv", *CSV, "-o", "out.json"),
        ("diff", "elsewhere.csv", "runs.csv", *CSV, "-o", "out.json"),
        ("start", "elsewhere.csv", "runs.csv", *CSV, "-o", "out.json"),
        ("studies", "sqlite:///p.json?timeout=5", "-o", "out.db.json"),
        ("report", "runs.csv", *CSV, "-o", "out.html"),
        ("importance", "runs.csv", *CSV, "--github-summary"),
        ("importance", "elsewhere.csv", *CSV, "--space", "space.json", "--github-summary"),
    ],
)
def test_every_command_looks(
    arguments: tuple[str, ...], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages, several sources, and the summary of a job as well."""
    for link in ("out.html", "out.json"):
        Path(link).symlink_to("runs.csv")
    Path("out.db.json").symlink_to("p.json")
    summary = "space.json" if "space.json" in arguments else "runs.csv"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(here / summary))
    done = condped_command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is an input and would be overwritten" in done.stderr


def test_reports_of_studies_replace_no_input(here: Path) -> None:
    """The folder for them may be one that is read."""
    Path("runs/1-a.html").symlink_to("a.csv")
    given = ["a=runs/a.csv", "b=runs/deep/b.csv", *CSV]
    done = condped_command("across", *given, "--report", "page.html", "--reports", "runs")
    assert done.returncode == 2
    assert "'runs/1-a.html' is an input and would be overwritten" in done.stderr


@pytest.mark.parametrize(
    ("output", "source"),
    [
        ("runs/new.csv", "runs"),
        ("runs/new.parquet", "runs"),
        ("runs/space.json", "runs"),
        ("runs/new.csv", "runs/*.csv"),
        ("runs/deep/new.csv", "runs/**"),
        ("new.csv", "*.csv"),
        ("elsewhere.space.json", "elsewhere.csv"),
    ],
)
def test_what_would_be_read_next_time_is_refused(output: str, source: str, here: Path) -> None:
    """Among the trials it would be some more of them, or their space."""
    done = condped_command("importance", source, *CSV, "-o", output)
    assert done.returncode == 2
    assert "Choose another output file." in done.stderr
    assert not Path(output).exists()


@pytest.mark.parametrize("output", ["p.json-wal", "p.json-shm", "p.json-journal", "P.JSON-WAL"])
def test_what_databases_keep_beside_their_files_is_theirs(output: str, here: Path) -> None:
    """Also if it does not exist yet; a link can end in .json."""
    Path("link.json").symlink_to(output)
    with pytest.raises(SettingsError, match=r"belongs to the input 'p\.json'"):
        check_output("link.json", "sqlite:///p.json?timeout=5")


def test_percent_encoded_names_are_understood(here: Path) -> None:
    """As MLflow writes them."""
    os.rename("store", "my store")  # noqa: PTH104
    with pytest.raises(SettingsError, match="inside the input"):
        check_output("my store/0/run/loss.txt", f"file://{here}/my%20store")
    os.rename("my store", "store")  # noqa: PTH104


def test_results_do_not_overwrite_what_they_come_from(here: Path) -> None:
    """In Python, too, where the source is whatever was read before; the space counts."""
    result = condped.importance("runs.csv", objective="loss", space=Path("space.json"))
    curve = condped.sweep("sqlite:///p.json?timeout=5")
    page = condped.report("elsewhere.csv", objective="loss")
    for path in ("runs.csv", "space.json", "p.json", "runs.space.json", "elsewhere.csv"):
        for one in (result, curve, page):
            with pytest.raises(SettingsError, match=r"is an input|belongs to the input"):
                one.save(path)
    with pytest.raises(SettingsError, match="is an input"):
        condped.report("runs.csv", "page.html", objective="loss", space="space.json").save(
            "runs.csv"
        )
    with pytest.raises(SettingsError, match="is an input"):
        condped.importance({"loss": [0.0, 1], "x": [0, 1]}, objective="loss").save("runs.csv")


def test_objects_know_their_files(here: Path) -> None:
    """Studies and storages of Optuna, tables of DuckDB and SQLite through Ibis."""
    study = optuna.load_study(study_name="s", storage=f"sqlite:///{here}/p.json?timeout=9")
    journal = optuna.load_study(
        study_name="s", storage=JournalStorage(JournalFileBackend(str(here / "journal.json")))
    )
    for source, output in ((study, "p.json"), (journal, "journal.json")):
        with pytest.raises(SettingsError, match="is an input"):
            condped.report(source, f"{output}")
        with pytest.raises(SettingsError, match="is an input"):
            condped.importance(source).save(output)
    database = ibis.duckdb.connect("duck.json", read_only=True)
    with pytest.raises(SettingsError, match="is an input"):
        check_output("duck.json", database.table("trials"))
    database.disconnect()
    with closing(sqlite3.connect("rows.json")) as connection:
        connection.execute("CREATE TABLE trials (loss REAL)")
        connection.commit()
    lite = ibis.sqlite.connect("rows.json")
    with pytest.raises(SettingsError, match="is an input"):
        check_output("rows.json", condped.LongTable(lite.table("trials")))
    lite.disconnect()


def test_what_is_no_input_can_be_written(here: Path) -> None:
    """Beside the sources, with names that only resemble theirs, and again and again."""
    for output in ("p.db.json", "runs.json", "run.csv", "p.space.txt", "store.txt"):
        check_output(output, "sqlite:///p.json?timeout=5", "runs", "run?.csv", "file:store")
    result = condped.importance("runs", objective="loss")
    page = condped.report("runs", objective="loss", verdicts=False)
    for _ in range(2):  # in a directory, results and pages of condped are no trials
        result.save("runs/r.json")
        page.save("runs/page.html")
    for source in ("postgresql://user@host/tmp", "mysql:///", "redis://", "trials", "~", "a\0b"):
        check_output("runs/page.txt", source, {"x": np.zeros(3)}, None)
