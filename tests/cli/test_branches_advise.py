"""``condped branches`` and ``condped advise`` as a user meets them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import condped
from tests.cli.command import condped_command


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """Return the source, the objective and the space of the demo."""
    folder = tmp_path_factory.mktemp("demo")
    assert condped_command("demo", "-n", "400", "--folder", folder).returncode == 0
    return [folder / "results.csv", "--objective", "error", "-s", folder / "space.json"]


@pytest.mark.parametrize("command", ["branches", "advise"])
def test_every_form_is_what_python_says(command: str, demo: list[str | Path]) -> None:
    """As text, as JSON and as CSV."""
    expected: Any = getattr(condped, command)(str(demo[0]), objective="error", space=demo[-1])
    as_text, as_json, as_csv = (
        condped_command(command, *demo, *form) for form in ([], ["--json"], ["--csv"])
    )
    for done in (as_text, as_json, as_csv):
        assert (done.returncode, done.stderr) == (0, "")
    assert as_text.stdout == f"{expected}\n"
    assert json.loads(as_json.stdout) == json.loads(json.dumps(expected.to_data()))
    rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    assert (len(rows), tuple(rows[0])) == (len(expected.rows()), expected.columns)


def test_where_is_an_option_of_every_analysis(demo: list[str | Path]) -> None:
    """And says what it left out."""
    for command in ("importance", "sweep", "branches", "advise"):
        done = condped_command(command, *demo, "--where", "model == 'svm'")
        assert (done.returncode, done.stderr) == (0, "")
        assert "Only trials with model == 'svm': " in done.stdout


def test_advice_as_code_and_as_a_space_that_can_be_used(
    demo: list[str | Path], tmp_path: Path
) -> None:
    """Each alone, ready for a file."""
    code = condped_command("advise", *demo, "--optuna")
    compile(code.stdout, "advice", "exec")
    assert code.stdout.startswith("def suggest(trial):")
    assert condped_command("advise", *demo, "--code", "optuna").stdout == code.stdout
    for tool, defined in (("configspace", "space = "), ("ray", "param_space = "),
                          ("hyperopt", "space = ")):  # fmt: skip
        written = condped_command("advise", *demo, "--code", tool)
        compile(written.stdout, "advice", "exec")
        assert f"\n{defined}" in written.stdout
    twice = condped_command("advise", *demo, "--code", "ray", "--new-space")
    assert (twice.returncode, "only one of --code" in twice.stderr) == (2, True)
    space = condped_command("advise", *demo, "--new-space")
    path = tmp_path / "new.json"
    path.write_text(space.stdout, encoding="utf-8")
    assert list(condped.Space(json.loads(space.stdout)))
    # The old trials lie outside of it: dropped or not, the file is understood.
    done = condped_command("importance", *demo[:3], "-s", path)
    assert done.returncode == 2
    assert "model" in done.stderr


@pytest.mark.parametrize("command", ["branches", "advise"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--where", "modell == 'svm'"], "Did you mean 'model'"),
        (["--where", "model == 'x'"], "None of the 400 trials meets the condition"),
        (["--where", "model =="], "does not parse"),
        (["--measure", "unconditional"], "about conditions"),
        (["-q", "7"], "target_quantile"),
        (["--json", "--csv"], "--csv"),
    ],
)
def test_mistakes_end_in_one_line(
    command: str, arguments: list[str], message: str, demo: list[str | Path]
) -> None:
    """And in exit code 2."""
    done = condped_command(command, *demo, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_source_that_is_not_there_is_named() -> None:
    """For both commands."""
    for command in ("branches", "advise"):
        done = condped_command(command, "nowhere.csv", "--objective", "loss")
        assert done.returncode == 2
        assert "nowhere.csv" in done.stderr


def test_joint_effects_as_text_and_rows(demo: list[str | Path]) -> None:
    """As the function returns them."""
    text = condped_command("joint", *demo, "-q", "0.2")
    assert (text.returncode, text.stderr) == (0, "")
    assert text.stdout.startswith("Pairs that together reach the best 20 % of 400 trials")
    rows = condped_command("joint", *demo, "-q", "0.2", "--csv").stdout.splitlines()
    assert rows[0] == "first,second,eta_squared,trials,p_value,adjusted_p_value,verdict"
    assert len(rows) > 10


def test_explore_is_a_share_of_the_new_trials(demo: list[str | Path]) -> None:
    """It stands in the data; what is no share is refused."""
    done = condped_command("advise", *demo, "--explore", "0.5", "--json")
    assert json.loads(done.stdout)["explore"] == 0.5
    wrong = condped_command("advise", *demo, "--explore", "1.5")
    assert wrong.returncode != 0
    assert "explore must be a number from 0 to below 1" in wrong.stderr
