"""Engines on the command line: the same answer, wherever the rows are counted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyarrow import parquet
from pyarrow.csv import read_csv

from tests.cli.command import condped_command
from tests.cli.test_commands import folder  # noqa: F401  (a fixture)


@pytest.fixture(scope="module")
def runs(folder: Path) -> Path:  # noqa: F811  (the fixture above)
    """Put the trials into Parquet files and a DuckDB database, too."""
    rows = read_csv(folder / "results.csv")
    (folder / "runs").mkdir()
    for part in (0, 1):
        parquet.write_table(rows.slice(100 * part, 100), folder / "runs" / f"{part}.parquet")
    with duckdb.connect(str(folder / "runs.duckdb")) as database:
        database.register("arrow", rows)
        database.execute("CREATE TABLE trials AS SELECT * FROM arrow")
    return folder


def told(folder: Path, *arguments: str) -> dict[str, Any]:  # noqa: F811
    """Return what a command prints as JSON."""
    options = ("--objective", "loss", "--space", str(folder / "space.json"), "--json")
    done = condped_command(*arguments, *options)
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


@pytest.mark.parametrize("command", ["importance", "sweep", "branches"])
def test_every_engine_prints_the_same_numbers(runs: Path, command: str) -> None:
    """Of the parameters; what is said of the test differs where a table has no order."""
    pattern, database = str(runs / "runs" / "*.parquet"), str(runs / "runs.duckdb")
    found = [
        told(runs, command, pattern),
        told(runs, command, pattern, "--engine", "stream"),
        told(runs, command, database),
        told(runs, command, "trials", "--backend", f"duckdb://{database}"),
        told(runs, command, "trials", "--backend", f"duckdb://{database}", "--engine", "memory"),
    ]
    numbers = [_numbers(data) for data in found]
    assert all(other == numbers[0] for other in numbers[1:])


def _numbers(data: Any) -> Any:
    """Return plain data without what the test says, and what only trials in memory tell."""
    if isinstance(data, dict):
        tested = ("p_value", "adjusted_p_value", "verdict", "reason", "good", "evidence",
                  "sampling", "account", "tests", "gates", "choosing", "effects", "reached",
                  "last")  # fmt: skip
        return {name: _numbers(value) for name, value in data.items() if name not in tested}
    return [_numbers(entry) for entry in data] if isinstance(data, list) else data


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trails", "--backend", "duckdb://{}/runs.duckdb"), "trials"),
        (("trials", "--backend", "duckdb://{}/none.duckdb"), "none.duckdb"),
        (("trials", "--backend", "oracle://me:secret@host/x"), "oracle"),
        (("{}/none/*.parquet", "--engine", "stream"), "none"),
        (("trials", "--engine", "ibis", "--backend", "duckdb://{}/runs.duckdb"), "'ibis' is not"),
    ],
)
def test_what_cannot_be_opened_is_told_in_a_line(
    runs: Path, arguments: tuple[str, ...], message: str
) -> None:
    """No traceback, no password, and nothing made."""
    before = sorted(path.name for path in runs.iterdir())
    filled = [argument.format(runs) for argument in arguments]
    done = condped_command(
        "importance", *filled, "--objective", "loss", "--space", runs / "space.json"
    )
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr
    assert sorted(path.name for path in runs.iterdir()) == before


def test_a_full_disk_is_told_with_the_file_and_leaves_nothing(runs: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk that has no more room."""
    target = tmp_path / "report.html"
    options = ["--objective", "loss", "--space", str(runs / "space.json"), "-o", str(target)]
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "from condped.cli import main\n"
        "sys.argv = ['condped', 'report', *sys.argv[1:]]\n"
        "main()\n"
    )
    source = str(runs / "runs" / "*.parquet")
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, source, "--engine", "stream", *options],
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 2
    assert f"cannot read or write '{target}'" in done.stderr
    assert list(tmp_path.iterdir()) == []
