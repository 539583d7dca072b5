"""``condped compare`` through the real entry point."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import condped
from tests.cli.command import condped_command
from tests.cli.test_commands import folder  # noqa: F401

FEW = ["-m", "paper", "-m", "ped-anova", "-m", "mdi/imputation", "--trees", "4"]


def basics(folder: Path) -> list[str | Path]:  # noqa: F811
    """Return source, objective and space."""
    return [folder / "results.csv", "--objective", "loss", "-s", folder / "space.json"]


def expected(folder: Path, **options: Any) -> condped.Comparison:  # noqa: F811
    """Return what the Python function says of the same trials."""
    options = {"methods": ["paper", "ped-anova", "mdi/imputation"], "trees": 4, **options}
    source, space = str(folder / "results.csv"), folder / "space.json"
    return condped.compare(source, objective="loss", space=space, **options)


def test_every_form_is_what_python_says(folder: Path) -> None:  # noqa: F811
    """The same numbers as JSON, as CSV and as a table."""
    as_json, as_csv, as_text = (
        condped_command("compare", *basics(folder), *FEW, *form)
        for form in (["--json"], ["--csv"], [])
    )
    for done in (as_json, as_csv, as_text):
        assert (done.returncode, done.stderr) == (0, "")
    told = expected(folder)
    assert json.loads(as_json.stdout) == json.loads(json.dumps(told.to_data()))
    rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    assert [row["parameter"] for row in rows] == list(told.names)
    for row in rows:
        for method in told:
            assert float(row[method]) == told[method][row["parameter"]].importance
    assert as_text.stdout == f"{told}\n"


def test_all_methods_without_further_wishes(folder: Path) -> None:  # noqa: F811
    """Ten columns, in 100 letters."""
    done = condped_command("compare", *basics(folder), "--trees", "2", "-p", "c", "-p", "x")
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 100
    for title in ("condPED-ANOVA", "PED-ANOVA", "f-ANOVA", "MDI", "SHAP"):
        assert title in done.stdout


def test_every_option_reaches_the_methods(folder: Path) -> None:  # noqa: F811
    """All options at once, against the same call in Python."""
    done = condped_command(
        *["compare", *basics(folder), *FEW, "-d", "maximize", "-q", "0.2"],
        *["--region-quantile", "0.8", "--sampling", "random", "--pooling", "never"],
        *["--max-depth", "3", "--seed", "7", "--state", "end", "--constraint", "g"],
        *["--pruned", "keep", "--infeasible", "drop", "-p", "x", "-p", "c", "--json"],
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = expected(
        folder,
        direction="maximize",
        target_quantile=0.2,
        region_quantile=0.8,
        sampling="random",
        pooling="never",
        max_depth=3,
        seed=7,
        state="end",
        constraints=["g"],
        pruned="keep",
        infeasible="drop",
        parameters=["x", "c"],
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(told.to_data()))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{results}"], "objective is needed"),
        (["{results}", "--objective", "los"], "Did you mean 'loss'"),
        (["{results}", "--objective", "loss", "-m", "fanova"], "Did you mean 'f-anova'"),
        (["{results}", "--objective", "loss", "--trees", "0"], "trees must be"),
        (["{results}", "--objective", "loss", "--seed", "-1"], "seed must be"),
        (["{results}", "--objective", "loss", "-q", "1.5"], "target_quantile"),
        (["{results}", "--objective", "loss", "-m", "mdi", "--failed", "worst"], "as worst"),
        (["{results}", "--objective", "loss", "--objective", "accuracy", "-m", "mdi"], "Name one"),
        (
            ["{results}", "--objective", "loss", "-m", "paper", "--json", "--csv"],
            "only one of --json, --csv",
        ),
        (["none.csv", "--objective", "loss"], "none.csv' cannot be read"),
    ],
)
def test_what_a_user_did_wrong_ends_in_one_line(
    folder: Path,  # noqa: F811
    arguments: list[str],
    says: str,
) -> None:
    """On stderr, with exit code 2 and nothing on stdout."""
    done = condped_command(
        "compare", *(entry.format(results=folder / "results.csv") for entry in arguments)
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("condped: ")
    assert says in done.stderr
    assert done.stderr.rstrip("\n").count("\n") == 0


def test_wrong_usage_ends_in_exit_code_2(folder: Path) -> None:  # noqa: F811
    """The message comes with the way to the help."""
    for arguments in ([], [str(folder / "results.csv"), "--measure", "within"]):
        done = condped_command("compare", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Error: " in done.stderr
