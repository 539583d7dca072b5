"""The README's examples run as they stand there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import condped
from tests.docs.examples import examples, run_page

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SPEED = (ROOT / "docs" / "trust" / "speed.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_opening_numbers_are_those_measured() -> None:
    """What importances and verdicts make of dead parameters, at the best 10 %."""
    found = json.loads((ROOT / "benchmarks" / "verdicts.json").read_text(encoding="utf-8"))
    (row,) = (row for row in found["overall"] if row["quantile"] == 0.1)
    opening = " ".join(README.split("## ")[0].split())
    assert f"In {row['studies']} real tuning studies" in opening
    assert f"give these five {row['leak paper']:.0%}".replace("%", " %") in opening
    assert f"{row['dead matters']:.0%} of these".replace("%", " %") in opening
    assert f"give them {row['leak calibrated']:.1%}".replace("%", " %") in opening
    assert f"in {row['undetermined calibrated']:.0%} of".replace("%", " %") in opening


def test_the_readme_is_short() -> None:
    """Everything else is on the pages that it links to."""
    assert len(README.splitlines()) <= 150


def test_the_readme_links_to_files_that_exist() -> None:
    """Links are relative, since the project has no address."""
    links = re.findall(r"\]\(([^)#]+)", README)
    assert len(links) >= 15
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks are one session, and the commands work on the demo's files."""
    monkeypatch.chdir(tmp_path)
    assert [language for language, _ in examples(README)] == ["python", "sh"]
    run_page("README.md", README, tmp_path)


def test_space_example_is_a_space() -> None:
    """The JSON of the README parses and holds two regimes of the rate."""
    (block,) = blocks("json")
    assert len(condped.Space(json.loads(block))["rate"]) == 2


def test_make_targets_of_the_readme_exist() -> None:
    """The two commands are there, and CI runs the test command."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in README
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_speeds_of_the_readme_are_those_of_the_page() -> None:
    """What is said of columns, of studies and of SQLite."""
    rows = re.findall(r"^\| ([\d,]+) \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \|$", SPEED, re.MULTILINE)
    (least, slow, _), (most, fast, _) = rows[0], rows[-1]
    said = " ".join(README.split())
    assert f"{slow} ({least} trials) to {fast} times ({most} trials) faster from columns" in said
    assert {round(float(ratio)) for *_, ratio in rows} <= {4, 5, 6}
    assert "about 4 to 6 times from a study" in said
    sqlite = re.search(r"^\| SQLite \| (\d+) \|", SPEED, re.MULTILINE)
    assert sqlite is not None
    assert f"{sqlite[1]} times faster from SQLite" in said


def test_speed_table_is_the_last_measurement() -> None:
    """The ratios of docs/trust/speed.md are those of benchmarks/speed.json."""
    measured = json.loads((ROOT / "benchmarks" / "speed.json").read_text(encoding="utf-8"))
    by_size = {f"{row['trials']:,}": row for row in measured["by_size"]}
    shown = re.findall(r"^\| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", SPEED, re.MULTILINE)
    assert len(shown) >= 4
    for trials, *ratios in shown:
        row = by_size[trials]
        expected = (
            row["optuna"] / row["columns"],
            row["rustuna"] / row["columns"],
            row["optuna"] / row["study"],
        )
        assert [float(ratio) for ratio in ratios] == pytest.approx(expected, rel=0.06)


def test_reading_speed_is_the_last_measurement() -> None:
    """The ratios of reading storages are those of benchmarks/reading.json."""
    measured = json.loads((ROOT / "benchmarks" / "reading.json").read_text(encoding="utf-8"))
    titles = {"SQLite": "sqlite", "PostgreSQL": "postgresql", "journal file": "journal"}
    for title, name in titles.items():
        row = measured[name]
        shown = re.search(rf"^\| {title} \| ([\d.]+) \| ([\d.]+) \|$", SPEED, re.MULTILINE)
        assert shown is not None
        expected = (
            row["optuna_seconds"] / row["condped_seconds"],
            row["optuna_peak"] / row["condped_peak"],
        )
        assert tuple(map(float, shown.groups())) == pytest.approx(expected, rel=0.06)


def test_the_page_on_baselines_shows_the_last_measurement() -> None:
    """Seconds and megabytes of f-ANOVA are those of benchmarks/fanova.json."""
    measured = json.loads((ROOT / "benchmarks" / "fanova.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "understand" / "baselines.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| ([\d,]{3,6}) \| (.*) \|$", page, re.MULTILINE)
    assert len(shown) == len(measured["rows"])
    for (trials, cells), row in zip(shown, measured["rows"], strict=True):
        assert trials == f"{row['trials']:,}"
        found = [row[who] for who in ("condped", "optuna")]
        expected = [
            "–" if entry is None else f"{entry[number]:.2g}"
            for number in ("seconds", "megabytes")
            for entry in found
        ]
        assert [cell if cell == "–" else f"{float(cell):.2g}" for cell in cells.split(" | ")] == (
            expected
        )
        if row["optuna"] is not None:
            assert row["condped"]["scores"] == pytest.approx(row["optuna"]["scores"], rel=1e-9)


def test_the_page_on_statistics_shows_the_last_measurement() -> None:
    """Every number on it comes from the benchmark's file."""
    from benchmarks.statistics_page import page  # noqa: PLC0415

    measured = json.loads((ROOT / "benchmarks" / "statistics.json").read_text(encoding="utf-8"))
    shown = (ROOT / "docs" / "trust" / "statistics.md").read_text(encoding="utf-8")
    assert shown == page(measured)
