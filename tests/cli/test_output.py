"""Forms of output: what fits a terminal, files, schemas, completion."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import condped
from tests.cli.command import CONDPED, condped_command, condped_process
from tests.cli.terminal import on_a_terminal
from tests.cli.test_commands import folder

__all__ = ["folder"]  # a fixture

ANALYSES = ("importance", "sweep", "branches", "effects", "summary", "advise", "compare")
ESCAPE = re.compile(r"\x1b\[[0-9;]*[mK]")


def source_of(folder: Path) -> list[str]:
    """Return the arguments that name the trials."""
    return [str(folder / "results.csv"), "--objective", "loss", "-s", str(folder / "space.json")]


def asked(command: str, folder: Path) -> list[str]:
    """Return a command with its trials, and without forests, which take their time."""
    few = ["-m", "paper", "-m", "ped-anova"] if command == "compare" else []
    return [command, *source_of(folder), *few]


@pytest.mark.parametrize(
    ("command", "columns"), [*((c, w) for c in ANALYSES for w in (80, 132)), ("importance", 60)]
)
def test_texts_fit_the_terminal(folder: Path, command: str, columns: int) -> None:
    """Every line but those of code, which must stay whole."""
    text = ESCAPE.sub("", condped_command(*asked(command, folder), columns=columns).stdout)
    lines = [line for line in text.splitlines() if "trial.suggest" not in line]
    assert len(lines) > 5
    assert max(map(len, lines)) <= columns


def test_colours_are_for_terminals_only(folder: Path) -> None:
    """Not for files and pipes, and not where NO_COLOR says so."""
    arguments = asked("importance", folder)
    assert "\x1b[34m█" in on_a_terminal([CONDPED, *arguments])
    assert "\x1b[34m" not in on_a_terminal([CONDPED, *arguments], NO_COLOR="1")
    assert "\x1b[" not in condped_command(*arguments).stdout


@pytest.mark.parametrize("command", ANALYSES)
def test_all_forms_hold_the_same_rows(folder: Path, command: str, tmp_path: Path) -> None:
    """CSV and Parquet have the same columns and numbers; JSON and Parquet name a schema."""
    arguments, file = asked(command, folder), tmp_path / "rows.parquet"
    rows = list(csv.DictReader(io.StringIO(condped_command(*arguments, "--csv").stdout)))
    data = json.loads(condped_command(*arguments, "--json").stdout)
    done = condped_command(*arguments, "-o", file)
    assert (done.returncode, done.stderr) == (0, f"Written to {file}.\n")
    table = pq.read_table(file)
    assert table.schema.metadata[b"condped.schema"].decode() == data["schema"]
    assert re.fullmatch(r"condped\.\w+/\d+", data["schema"])
    assert table.column_names == list(rows[0])
    assert table.num_rows == len(rows)
    for name in table.column_names:
        for here, there in zip(table[name].to_pylist(), rows, strict=True):
            if isinstance(here, float):
                assert np.isclose(here, float(there[name]))
            else:
                assert there[name] == ("" if here is None else str(here))


def test_sources_come_in_all_forms(tmp_path: Path) -> None:
    """What can be read, for programs."""
    listed = json.loads(condped_command("sources", "--json").stdout)
    assert listed["schema"] == "condped.sources/1"
    assert any(entry["extra"] == "postgresql" for entry in listed["sources"])
    # Databases and clusters are named, though no reader reads them.
    extras = {entry["extra"] for entry in listed["sources"] if entry["reader"] is None}
    assert extras == {"ibis", "spark", "ray"}
    condped_command("sources", "-o", tmp_path / "s.parquet")
    assert pq.read_table(tmp_path / "s.parquet").num_rows == len(listed["sources"])


def test_two_forms_at_once_are_refused(folder: Path, tmp_path: Path) -> None:
    """Before anything is read or written."""
    file = tmp_path / "rows.parquet"
    for command in (*ANALYSES, "sources"):
        arguments = ["sources"] if command == "sources" else asked(command, folder)
        done = condped_command(*arguments, "--json", "--csv", "-o", file)
        assert (done.returncode, done.stdout) == (2, "")
        assert "only one of --json, --csv" in done.stderr
        assert not file.exists()


def test_a_file_that_cannot_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    """With exit code 2 and one line."""
    done = condped_command(*asked("importance", folder), "-o", tmp_path / "no" / "r.parquet")
    assert done.returncode == 2
    assert "r.parquet" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_their_completion(shell: str) -> None:
    """The script asks condped itself, which then completes commands and options."""
    script = condped_command("completion", shell).stdout
    assert "_CONDPED_COMPLETE" in script
    words = {"COMP_WORDS": "condped imp", "COMP_CWORD": "1", "_CONDPED_COMPLETE": "bash_complete"}
    done = condped_process(environment=words)
    assert done.stdout == "plain,importance\n"
    assert condped_command("completion", "tcsh").returncode == 2


@pytest.mark.parametrize("command", [*ANALYSES, "report", "sources", "demo", "completion"])
def test_help_shows_examples(command: str) -> None:
    """Of the command itself; the list of all commands names it."""
    text = condped_command(command, "--help").stdout
    if command not in ("sources", "demo"):
        assert f"condped {command} " in text.partition("Options:")[0].replace("Usage: ", "", 1)
    assert f"  {command} " in condped_command("--help").stdout


def test_the_page_of_schemas_names_every_field(folder: Path) -> None:
    """docs/reference/output.md against what the commands print."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "output.md").read_text(
        encoding="utf-8"
    )
    for command in ANALYSES:
        arguments = asked(command, folder)
        data = json.loads(condped_command(*arguments, "--json").stdout)
        section = page.partition(f"## `{data['schema']}`")[2].partition("\n## ")[0]
        assert section, data["schema"]
        header = condped_command(*arguments, "--csv").stdout.partition("\n")[0].split(",")
        methods = {"paper", "ped-anova/filtering", "ped-anova/imputation"}
        for field in {*data, *header} - methods:
            assert f"`{field}`" in section, (command, field)


def test_python_runs_the_same_commands(folder: Path) -> None:
    """``python -m condped`` is ``condped``."""
    done = subprocess.run(
        [sys.executable, "-m", "condped", *asked("importance", folder), "--csv"],
        capture_output=True, check=True, encoding="utf-8",
    )  # fmt: skip
    assert done.stdout == condped_command(*asked("importance", folder), "--csv").stdout


def test_what_is_read_is_never_overwritten(folder: Path, tmp_path: Path) -> None:
    """Not the trials, not the space, not a file of a directory or pattern of them."""
    for name in ("results.csv", "space.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    trials, space = tmp_path / "results.csv", tmp_path / "space.json"
    page = tmp_path / "page.html"
    page.write_bytes(trials.read_bytes())
    before = {path: path.read_bytes() for path in (trials, space, page)}
    named: list[str | Path] = ["--objective", "loss", "--space", space]
    wrong: list[list[str | Path]] = [
        ["importance", trials, *named, "-o", trials],
        ["importance", trials, *named, "-o", space],
        ["sweep", f"{tmp_path}/*.csv", *named, "-o", trials],
        ["report", tmp_path, *named, "-o", page],
        ["report", trials, *named, "-o", trials],
        ["report", trials, *named, "-o", "loss"],
    ]
    for arguments in wrong:
        done = condped_command(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "would be overwritten" in done.stderr or "must end in .html" in done.stderr
    assert {path: path.read_bytes() for path in before} == before
    assert condped_command("report", trials, *named, "-o", page).returncode == 0


@pytest.mark.parametrize("command", ANALYSES)
def test_files_are_in_the_form_that_their_names_end_in(
    folder: Path, command: str, tmp_path: Path
) -> None:
    """CSV and text as they are printed; JSON is what condped.load reads."""
    arguments = asked(command, folder)
    for ending, form in ((".csv", ["--csv"]), (".txt", [])):
        file = tmp_path / f"out{ending}"
        done = condped_command(*arguments, *form, "-o", file)
        assert (done.returncode, done.stdout) == (0, file.read_text(encoding="utf-8"))
    done = condped_command(*arguments, "-o", tmp_path / "out.json")
    assert f"{condped.load(tmp_path / 'out.json')}\n" == done.stdout
    for wrong in ("out", "out.html"):
        done = condped_command(*arguments, "-o", tmp_path / wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert "must end in .json, .csv, .parquet, .txt" in done.stderr
