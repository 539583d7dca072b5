"""The command line: what cannot be done is told in a sentence, and by the exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from experiments import cli
from experiments.yahpo import __main__ as yahpo
from tests.experiments.fakes import experiment


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two experiments, one of which cannot be run."""
    known = (experiment(), replace(experiment("other"), unavailable="there are no data."))
    monkeypatch.setattr(cli, "all_experiments", lambda: known)


def invoke(*arguments: str) -> Result:
    """Run a command."""
    return CliRunner().invoke(cli.main, arguments)


def test_what_was_asked_for_by_name_and_cannot_run_fails(tmp_path: Path) -> None:
    """Code 2, and nothing is called up to date; `all` goes on without it."""
    found = invoke("run", "other", "--output", str(tmp_path))
    assert found.exit_code == 2
    assert "other is skipped: there are no data." in found.output
    assert "up to date" not in found.output
    assert invoke("all", "--output", str(tmp_path), "--workers", "1").exit_code == 0
    again = invoke("all", "--output", str(tmp_path), "--workers", "1")
    assert "Everything else is up to date." in again.output
    assert "Skipped: other." in again.output
    assert "Everything is up to date." in invoke("run", "fake", "--output", str(tmp_path)).output


@pytest.mark.parametrize("command", [("run", "fake"), ("claims",), ("docs",)])
def test_an_output_that_cannot_be_written_is_told(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Before anything is computed, and without a traceback."""
    (tmp_path / "file").write_text("")
    where = "--docs" if command == ("docs",) else "--output"
    found = invoke(*command, where, str(tmp_path / "file" / "out"))
    assert found.exit_code == 1
    assert found.output.startswith("Error: ")
    assert "Not a directory" in found.output
    assert isinstance(found.exception, SystemExit)


def test_broken_settings_are_told(tmp_path: Path) -> None:
    """The file is named, with what to do."""
    assert invoke("run", "fake", "--output", str(tmp_path)).exit_code == 0
    (tmp_path / "full" / "fake" / "settings.json").write_text("{")
    found = invoke("run", "fake", "--output", str(tmp_path))
    assert found.exit_code == 1
    assert "settings.json cannot be read" in found.output
    (tmp_path / "full" / "fake" / "settings.json").write_text(json.dumps({}))
    assert "other settings than before" in invoke("run", "fake", "--output", str(tmp_path)).output


def test_a_page_without_a_folder_is_refused_before_computing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is run for a page that cannot be written."""
    page = tmp_path / "none" / "p.md"
    monkeypatch.setattr("sys.argv", ["yahpo", "--page", str(page), "--output", str(tmp_path)])
    assert yahpo.main() == 1
    assert f"There is no folder {page.parent}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
