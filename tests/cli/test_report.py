"""``condped report`` through its real entry point."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import condped
from tests.cli.command import condped_command
from tests.cli.test_commands import folder

__all__ = ["folder"]  # the fixture


def data_of(page: Path) -> Any:
    """Return the data of a page."""
    html = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_report_writes_one_page(folder: Path, tmp_path: Path) -> None:
    """With what Python says of the same trials; the answer and the place are printed."""
    page = tmp_path / "report.html"
    done = condped_command(
        "report", folder / "results.csv", "--objective", "loss", "-s", folder / "space.json",
        "-q", "0.2", "--method", "calibrated", "--title", "Mine", "-o", page,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, f"Written to {page}.\n")
    told = condped.importance(
        str(folder / "results.csv"),
        objective="loss",
        space=folder / "space.json",
        target_quantile=0.2,
        method="calibrated",
    )
    assert done.stdout == f"{told}\n"
    data = data_of(page)
    assert (data["schema"], data["title"]) == ("condped.report/1", "Mine")
    assert data["steps"][data["start"]] == 0.2
    shown = {p["name"]: p["importance"]["calibrated"][data["start"]] for p in data["parameters"]}
    assert shown == pytest.approx(told.to_dict(), abs=1e-5)


def test_rows_and_data_beside_the_page(folder: Path, tmp_path: Path) -> None:
    """The other forms go to standard output, and where the page is to standard error."""
    page = tmp_path / "report.html"
    trials, space = folder / "results.csv", folder / "space.json"
    basics: list[str | Path] = [trials, "--objective", "loss", "-s", space]
    done = condped_command("report", *basics, "--csv", "-o", page)
    assert (done.returncode, done.stderr) == (0, f"Written to {page}.\n")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    told = condped.importance(str(trials), objective="loss", space=space)
    asked = [r for r in rows if (r["method"], r["target_quantile"]) == ("paper", "0.1")]
    assert {r["parameter"]: float(r["importance"]) for r in asked} == pytest.approx(
        told.to_dict(), abs=1e-5
    )
    assert {r["parameter"]: r["verdict"] for r in asked} == {
        name: told.evidence[name].verdict for name in told.names
    }
    done = condped_command("report", *basics, "--json", "-o", page)
    assert json.loads(done.stdout)["parameters"] == data_of(page)["parameters"]


def test_report_of_an_outcome_with_intervals(folder: Path, tmp_path: Path) -> None:
    """Options of the analysis reach it."""
    page = tmp_path / "failures.html"
    done = condped_command(
        "report", folder / "results.csv", "--objective", "loss", "-s", folder / "space.json",
        "--state", "end", "--target", "failed", "--intervals", "jackknife", "--output", page,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    data = data_of(page)
    assert (data["outcome"], data["steps"], data["title"]) == ("failed", None, "results.csv")
    assert "low" in data["parameters"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.csv"], "missing.csv"),
        (["results.csv"], "objective"),
        (["results.csv", "--objective", "lost"], "Did you mean 'loss'"),
        (["results.csv", "--objective", "loss", "-q", "1.5"], "target_quantile must be"),
        (["results.csv", "--objective", "loss", "--intervals", "guess"], "'guess' is not one of"),
        (["results.csv", "--objective", "loss", "-o", "no/such/folder/r.html"], "no directory"),
        ([], "Missing argument 'SOURCE'"),
    ],
)
def test_mistakes_end_in_one_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    """Exit code 2, what is wrong, no page and no traceback."""
    monkeypatch.chdir(tmp_path)
    named = [folder / "results.csv" if a == "results.csv" else a for a in arguments]
    output = [] if "-o" in arguments else ["-o", "r.html"]
    done = condped_command("report", *named, *output)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_help_shows_examples() -> None:
    """And where the page goes if nobody says."""
    done = condped_command("report", "--help")
    assert done.returncode == 0
    assert "condped report sqlite:///study.db --study tuning -o report.html" in done.stdout
    assert "condped-report.html" in done.stdout
