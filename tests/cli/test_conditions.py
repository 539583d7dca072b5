"""Commands that end with another exit code if something holds, and summaries of CI jobs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.cli.conditions import HELD, UNDECIDED, WRONG, check, parsed
from condped.errors import SettingsError
from tests.analyse.across.test_winning_branches import two_models, winners
from tests.cli.command import Done, condped_command
from tests.show.cases import EQUAL

TRIALS = 120


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a study in which rate matters, noise does not, and flat has one value."""
    rng = np.random.default_rng(0)
    rate, noise = rng.random(TRIALS), rng.random(TRIALS)
    path = tmp_path_factory.mktemp("conditions") / "trials.csv"
    lines = [f"{a:.6f},{b:.6f},1,{a + 0.01 * b:.6f}" for a, b in zip(rate, noise, strict=True)]
    path.write_text("\n".join(["rate,noise,flat,loss", *lines]), encoding="utf-8")
    return path


def run(table: Path, command: str, *conditions: str, options: tuple[str, ...] = ()) -> Done:
    """Run a command with conditions."""
    given = [part for condition in conditions for part in ("--fail-if", condition)]
    return condped_command(command, table, "--objective", "loss", *options, *given)


HELD_OR_NOT = {
    ("importance", "rate matters"): HELD,
    ("importance", "not rate matters"): 0,
    ("importance", "`rate` matters"): HELD,
    ("importance", "any matters"): HELD,
    ("importance", "every matters"): 0,
    ("importance", "noise no evidence"): HELD,
    ("importance", "flat matters"): UNDECIDED,
    ("importance", "not flat matters"): UNDECIDED,
    ("importance", "flat not testable"): HELD,
    ("importance", "importance of rate > 0.5"): HELD,
    ("importance", "importance of `rate` <= 0.5"): 0,
    ("importance", "trials < 100"): 0,
    ("importance", "undetermined"): 0,
    ("importance", "tied"): 0,
    ("effects", "rate matters"): HELD,
    ("forecast", "not settled"): None,  # whatever the forecast says
    ("forecast", "rate matters"): HELD,
    ("summary", "best > 0.5"): 0,
    ("summary", "best < 0.5"): HELD,
    ("summary", "trials >= 120"): HELD,
    ("summary", "failed > 0"): 0,
}


@pytest.mark.parametrize(("command", "condition"), HELD_OR_NOT)
def test_a_command_ends_as_its_condition_says(table: Path, command: str, condition: str) -> None:
    """With a code of its own, after printing what it always prints."""
    expected = HELD_OR_NOT[command, condition]
    if expected is None:
        expected = 0 if condped.forecast(str(table), objective="loss").settled else HELD
    done = run(table, command, condition)
    assert done.returncode == expected, done.stderr
    assert done.stdout == run(table, command).stdout
    assert (condition in done.stderr) == (expected != 0)


def test_one_condition_that_holds_is_enough(table: Path) -> None:
    """Each that holds is reported, with the numbers behind it, and those that are unknown."""
    done = run(table, "importance", "noise matters", "flat matters", "rate matters")
    assert done.returncode == HELD
    assert re.search(r"'rate matters' holds: rate: matters \(p = \S+, adjusted \S+\)", done.stderr)
    assert "cannot tell whether 'flat matters' holds: flat: not testable" in done.stderr
    assert "'noise matters'" not in done.stderr


def test_what_is_said_of_all_parameters_holds_when_negated(table: Path) -> None:
    """How many it is true of, and which, whatever the condition asks."""
    done = run(table, "importance", "any matters", "not every matters", "not any unclear")
    assert done.returncode == HELD
    assert "'any matters' holds: true of 1 of 2 testable parameters: rate." in done.stderr
    assert "'not every matters' holds: true of 1 of 2 testable parameters: rate." in done.stderr
    assert "'not any unclear' holds: true of 0 of 2 testable parameters." in done.stderr
    done = run(table, "importance", "any not testable")
    assert "'any not testable' holds: true of 1 of 3 parameters: flat." in done.stderr


def exit_code(result: Any, condition: str, kind: str) -> int:
    """Return the exit code for a result."""
    return check([parsed(condition, kind)], result).code


def test_of_an_undetermined_result_nothing_is_known() -> None:
    """Neither that a parameter matters nor that it does not, but that it is undetermined."""
    result = condped.importance(EQUAL, objective="loss")
    assert exit_code(result, "x matters", "importance") == UNDECIDED
    assert exit_code(result, "not any matters", "importance") == UNDECIDED
    assert exit_code(result, "importance of x < 2", "importance") == UNDECIDED
    assert exit_code(result, "undetermined", "importance") == HELD


def test_two_studies_and_several() -> None:
    """A parameter that decides one study and not the other has changed, and differs."""
    rng = np.random.default_rng(1)
    x, y = rng.random((2, 400))
    first = {"x": x, "y": y, "loss": x}
    second = {"x": x, "y": y, "loss": y}
    change = condped.difference(first, second, objective="loss", sampling="random")
    for condition in ("changed", "x changed", "x matters less", "y matters more", "any changed"):
        assert exit_code(change, condition, "difference") == HELD
    for condition in ("x matters more", "branch changed", "not changed"):
        assert exit_code(change, condition, "difference") == 0
    same = condped.difference(first, first, objective="loss", sampling="random")
    assert exit_code(same, "changed", "difference") == 0
    studies = {"a": first, "b": second}
    several = condped.across(studies, objective="loss", sampling="random")
    assert several["x"].agreement == "differs"
    assert exit_code(several, "x differs", "across") == HELD
    assert exit_code(several, "every differs", "across") == HELD
    assert exit_code(several, "any odd", "across") == 0


def test_another_winning_branch_is_a_change_of_no_parameter() -> None:
    """``changed`` is about both, ``any changed`` is what the result has as changed."""
    change = winners(two_models(0, 1.0), two_models(1, -1.0))
    assert (change.changed, len(change.branches_changed)) == ((), 2)
    assert exit_code(change, "changed", "difference") == HELD
    assert exit_code(change, "branch changed", "difference") == HELD
    assert exit_code(change, "any changed", "difference") == 0


@pytest.mark.parametrize(
    ("kind", "condition"),
    [
        ("importance", "learning_rate"),
        ("importance", "best > 0.2"),
        ("importance", "__import__('os').system('true') > 0"),
        ("importance", "x matters and y matters or"),
        ("summary", "x matters"),
        ("summary", "best > many"),
        ("summary", "best >"),
        ("forecast", ""),
        ("difference", "x matters"),
    ],
)
def test_what_is_no_condition_is_refused(kind: str, condition: str) -> None:
    """With those that there are, before any source is read."""
    with pytest.raises(SettingsError, match=r"Available: |is not a number"):
        parsed(condition, kind)


def test_unknown_names_get_the_known_ones(table: Path) -> None:
    """As everywhere."""
    done = run(table, "importance", "rat matters")
    assert done.returncode == WRONG == 2
    assert "'rat matters': There is no parameter 'rat'." in done.stderr
    assert "Did you mean 'rate'?" in done.stderr


def test_a_wrong_condition_hides_neither_the_others_nor_the_summary(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are written before the command ends with its exit code."""
    file = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    conditions = ("importance of rat > 0", "rate matters")
    done = run(table, "importance", *conditions, options=("--github-summary",))
    assert done.returncode == WRONG
    assert "'rate matters' holds" in done.stderr
    assert "There is no parameter 'rat'." in done.stderr
    text = file.read_text(encoding="utf-8")
    assert "'rate matters' holds" in text
    assert condped.importance(str(table), objective="loss").to_markdown() in text


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1_0", "1e999", "0x10", "٣"])
def test_numbers_are_plain_and_finite(number: str) -> None:
    """With a bound that nothing exceeds, a condition would never hold."""
    with pytest.raises(SettingsError, match="is not a number"):
        parsed(f"best > {number}", "summary")


@pytest.mark.parametrize("number", ["0.1", "-3", "+.5", "1e-4", "2."])
def test_numbers_in_usual_spellings(number: str) -> None:
    """A study whose best value is the number itself."""
    found = condped.summary({"x": [0.0, 1.0], "loss": [float(number)] * 2}, objective="loss")
    assert check([parsed(f"best >= {number}", "summary")], found).code == HELD
    assert check([parsed(f"best > {number}", "summary")], found).code == 0


def test_blanks_inside_quoted_names_are_kept() -> None:
    """Outside they do not count."""
    rng = np.random.default_rng(0)
    x = rng.random(200)
    result = condped.importance({"a  b": x, "y": rng.random(200), "loss": x}, objective="loss")
    assert exit_code(result, " `a  b`   matters ", "importance") == HELD
    assert exit_code(result, "importance of  `a  b` > 0.5", "importance") == HELD
    assert exit_code(result, "`a b` matters", "importance") == WRONG


def test_the_summary_of_a_job_is_appended(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Markdown after what is there, with the conditions that held."""
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    done = run(table, "importance", "rate matters", options=("--github-summary", "--json"))
    assert done.returncode == HELD
    assert done.stdout.startswith("{")
    text = file.read_text(encoding="utf-8")
    result = condped.importance(str(table), objective="loss")
    assert text.startswith("before\n~~~text\n'rate matters' holds")
    assert text.endswith(f"~~~\n\n{result.to_markdown()}\n")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    done = run(table, "importance", options=("--github-summary",))
    assert done.returncode == 2
    assert "--markdown, or -o FILE.md" in done.stderr


def test_markdown_and_latex_are_printed(table: Path, tmp_path: Path) -> None:
    """As the result gives them; one form at a time."""
    result = condped.importance(str(table), objective="loss")
    assert run(table, "importance", options=("--markdown",)).stdout == result.to_markdown()
    assert run(table, "importance", options=("--latex",)).stdout == result.to_latex()
    assert run(table, "importance", options=("--latex", "--csv")).returncode == 2
    written = tmp_path / "result.md"
    assert run(table, "importance", options=("-o", str(written))).returncode == 0
    assert written.read_text(encoding="utf-8") == result.to_markdown()
