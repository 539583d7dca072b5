"""Names control neither a terminal nor a spreadsheet; programs get them as they are."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import condped
from tests.cli.command import CONDPED, Done, condped_command, condped_process
from tests.cli.terminal import on_a_terminal

# An escape, one of C1, a bell, letters that turn others around or hide, a formula, a return.
NAME = "=1+1\x1b]0;owned\x07\x9b31m\u202e\u2066\u200b\x7f\r\x00é"
OURS = re.compile(r"\x1b\[[0-9;]*m")
FORMS = ("--json", "--csv", "--markdown", "--latex")


@pytest.fixture(scope="module", name="trials")
def _trials(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write trials whose parameters, choices, study and messages are hostile."""
    path = tmp_path_factory.mktemp("hostile") / "journal.log"
    storage = JournalStorage(JournalFileBackend(str(path)))
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(storage=storage, study_name=f"s{NAME}", sampler=sampler)

    def objective(trial: optuna.Trial) -> float:
        chosen = trial.suggest_categorical(NAME, [f"-{NAME}", f"@{NAME}"])
        trial.set_user_attr(NAME, NAME)
        if chosen.startswith("-"):
            return trial.suggest_float(f"+{NAME}", 0, 1)
        return 2 + trial.suggest_int(f"\t{NAME}", 0, 5)

    study.optimize(objective, n_trials=60)
    return path


def harmless(text: str) -> bool:
    """Return whether a terminal only shows a text, in colours of ours."""
    return all(line.isprintable() for line in OURS.sub("", text).split("\n"))


COMMANDS = (
    "importance",
    "sweep",
    "branches",
    "effects",
    "summary",
    "advise",
    "forecast",
    "studies",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_controls_a_terminal(command: str, trials: Path) -> None:
    """In no form; and JSON on a terminal is the same JSON."""
    for form in (None, *FORMS):
        done = condped_command(command, trials, *([form] if form else []), columns=100)
        assert done.returncode == 0
        assert harmless(done.stdout), form
        assert harmless(done.stderr), form
        if form == "--json":
            piped = condped_command(command, trials, form).stdout
            assert json.loads(done.stdout) == json.loads(piped)


CODE = (
    (("advise", "--new-space"), True),
    (("advise", "--code", "optuna"), False),
    (("start", "--risk", "0.9"), False),
    (("start", "--starts", "3"), False),
    (("start", "--starts", "3", "--markdown"), False),
    (("start", "--starts", "3", "--code", "json"), True),
)


@pytest.mark.parametrize(("arguments", "is_json"), CODE)
def test_code_and_configurations_control_no_terminal(
    arguments: tuple[str, ...], is_json: bool, trials: Path, tmp_path: Path
) -> None:
    """What is JSON stays the same JSON."""
    command, *options = arguments
    again = tmp_path / "again.log"
    again.write_bytes(trials.read_bytes())
    sources = [trials, again] if command == "start" else [trials]
    done = condped_command(command, *sources, *options, columns=100)
    assert done.returncode == 0, done.stderr
    assert harmless(done.stdout)
    if is_json:
        piped = condped_command(command, *sources, *options).stdout
        assert json.loads(done.stdout) == json.loads(piped)


def test_a_real_terminal_gets_nothing_either(trials: Path) -> None:
    """With the names of files in it, and in errors."""
    folder = trials.parent / f"d{NAME}".replace("\x00", "").replace("/", "")
    folder.mkdir()
    out = folder / "r.csv"
    shown = [
        on_a_terminal([CONDPED, "importance", str(trials), "-o", str(out)]),
        on_a_terminal([CONDPED, "importance", str(folder / "none.csv")]),
        on_a_terminal([CONDPED, "importance", str(trials), str(folder)]),
        on_a_terminal([CONDPED, "watch", str(trials), "--once"], NO_COLOR="1"),
        on_a_terminal([CONDPED, "demo", "-n", "30", "--folder", str(folder)]),
    ]
    for text in shown:
        assert harmless(text.replace("\r\n", "\n").replace("\r\x1b[K", "")), text
    assert "Written to" in shown[0]
    assert "unexpected extra argument" in shown[2]
    assert out.exists()


def test_programs_get_names_as_they_are(trials: Path, tmp_path: Path) -> None:
    """In JSON that is printed or written, and in CSV behind an apostrophe if they are formulas."""
    names = {NAME, f"+{NAME}", f"\t{NAME}"}
    data = json.loads(condped_command("importance", trials, "--json").stdout)
    assert {one["parameter"] for one in data["parameters"]} == names
    assert "\u202e" in condped_command("importance", trials, "--json").stdout
    done = condped_process("importance", str(trials), "--csv", "-o", str(tmp_path / "r.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_bytes().decode(), newline="")))
    assert {row["parameter"] for row in rows} == {f"'{name}" for name in names}
    assert NAME.replace("\r", "\n") in done.stdout  # as subprocess reads texts
    result = condped.load(_saved(trials, tmp_path))
    assert {row["parameter"] for row in result.rows()} == names


def _saved(trials: Path, folder: Path) -> Path:
    condped.importance(str(trials)).save(folder / "r.json")
    return folder / "r.json"


def _with_half_a_letter(folder: Path, *arguments: str | Path) -> Done:
    table = folder / "half.json"
    rows = [{"loss": n * 7 % 31, "p\udcff": n % 5} for n in range(60)]
    table.write_text(json.dumps(rows), encoding="utf-8")
    return condped_command("importance", table, "--objective", "loss", *arguments)


@pytest.mark.parametrize("form", [None, *FORMS])
def test_halves_of_letters_are_printed_as_their_codes(form: str | None, tmp_path: Path) -> None:
    """No encoding has them; in JSON the code is the letter."""
    done = _with_half_a_letter(tmp_path, *([form] if form else []))
    assert done.returncode == 0
    assert "udcff" in done.stdout
    if form == "--json":
        assert json.loads(done.stdout)["parameters"][0]["parameter"] == "p\udcff"


def test_json_stays_whole_in_every_encoding(trials: Path) -> None:
    """Letters that standard output cannot encode are escapes there."""
    asked = ("importance", str(trials), "--json")
    there = condped_process(*asked, environment={"PYTHONIOENCODING": "ascii"}).stdout
    assert there.isascii()
    assert json.loads(there) == json.loads(condped_process(*asked).stdout)
