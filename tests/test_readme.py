"""The README's examples run as they stand there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyarrow import parquet
from pyarrow.csv import read_csv

import condped

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SPEED = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")


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
    assert f"give them {row['leak calibrated']:.0%}".replace("%", " %") in opening
    assert f"in {row['undetermined calibrated']:.0%} of".replace("%", " %") in opening


def test_python_examples_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All Python blocks together are one session."""
    monkeypatch.chdir(tmp_path)
    session: dict[str, Any] = {}
    assert len(blocks("python")) >= 4
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), session)
    assert "log_rate" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")  # of the tools themselves
def test_examples_of_all_sources_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The Python blocks of the page on sources are one session, with the real tools."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    session: dict[str, Any] = {}
    found = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(found) >= 6
    for block in found:
        exec(compile(block, "sources.md", "exec"), session)
    capsys.readouterr()


def test_commands_run(tmp_path: Path) -> None:
    """The commands of the README work on files as it describes them."""
    table = condped.problems.get("activation-disjoint").sample(200, seed=0)
    loss = table.objectives[0].values
    lines = ["c,x,y,loss,accuracy"]
    for row in range(len(table)):
        cells = [str(p.values[row]) if p.domain_ids[row] >= 0 else "" for p in table.parameters]
        lines.append(",".join([*cells, str(loss[row]), str(-loss[row])]))
    (tmp_path / "results.csv").write_text("\n".join(lines), encoding="utf-8")
    space = condped.problems.get("activation-disjoint").space.to_dict()
    (tmp_path / "space.json").write_text(json.dumps(space), encoding="utf-8")
    _write_runs(tmp_path)
    commands = [
        line for block in blocks("sh") for line in block.splitlines() if line.startswith("condped")
    ]
    assert len(commands) >= 3
    script = str(Path(sys.executable).with_name("condped"))
    for command in commands:
        words = shlex.split(command, comments=True)
        done = subprocess.run(
            [script, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        output = words[words.index("-o") + 1] if "-o" in words else None
        assert done.stdout if output is None else (tmp_path / output).is_file(), command


def _write_runs(folder: Path) -> None:
    """Put the same trials into Parquet files and into a DuckDB database."""
    (folder / "runs").mkdir()
    rows = read_csv(folder / "results.csv")
    for part in (0, 1):
        parquet.write_table(rows.slice(100 * part, 100), folder / "runs" / f"{part}.parquet")
    with duckdb.connect(str(folder / "runs.duckdb")) as database:
        database.register("arrow", rows)
        database.execute("CREATE TABLE trials AS SELECT * FROM arrow")


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


def test_speed_table_is_the_last_measurement() -> None:
    """The ratios of docs/speed.md are those of benchmarks/speed.json."""
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
    page = (ROOT / "docs" / "baselines.md").read_text(encoding="utf-8")
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
    shown = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    assert shown == page(measured)
