"""Parameters may be called anything."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import condped
from condped import Categorical, Float, Space, read, when
from tests.read.tables import plain

NAMES = [
    "learning rate",
    " lr ",
    "opt.adam.lr",
    "größe µ",
    "学習率",
    "🙂",
    "<img src=x onerror=alert(1)>",
    'it\'s "quoted"',
    "comma, semi; colon",
    "two\nlines",
    "tab\there",
    "back\\slash",
    "and",
    "None",
    "-1",
    "--json",
    "{0} %s $x",
    "x" * 300,
]


def written_csv(columns: dict[str, list[Any]], folder: Path) -> Path:
    """Write columns as a CSV file."""
    path = folder / "trials.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(["" if value is None else value for value in row])
    return path


def written_parquet(columns: dict[str, list[Any]], folder: Path) -> Path:
    """Write columns as a Parquet file."""
    path = folder / "trials.parquet"
    pq.write_table(pa.table(columns), path)
    return path


READERS: dict[str, Callable[[dict[str, list[Any]], Path], Any]] = {
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "polars-lazy": lambda columns, _: pl.LazyFrame(columns),
    "pyarrow": lambda columns, _: pa.table(columns),
    "csv": written_csv,
    "parquet": written_parquet,
}


def trials(name: str) -> dict[str, list[Any]]:
    """Return trials with a gate and a parameter under it, both with the name in theirs."""
    return {
        "loss": [float(row) for row in range(20)],
        name: ["on" if row % 3 else "off" for row in range(20)],
        f"{name} 2": [row / 20 if row % 3 else None for row in range(20)],
    }


def space(name: str) -> Space:
    """Return the domains of these trials."""
    return Space(
        {
            name: Categorical(["on", "off"]),
            f"{name} 2": when(f"`{name}` == 'on'", Float(0, 1)),
        }
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", READERS.values(), ids=READERS.keys())
def test_every_reader_takes_any_name(
    make: Callable[[dict[str, list[Any]], Path], Any], name: str, tmp_path: Path
) -> None:
    """Columns, conditions in backticks and choices of parameters, letter by letter."""
    columns = trials(name)
    options: dict[str, Any] = {"objective": "loss", "parameters": [f"{name} 2", name]}
    expected = read(columns, space=space(name), **options)
    assert expected.names == (f"{name} 2", name)
    assert plain(read(make(columns, tmp_path), space=space(name), **options)) == plain(expected)
    assert read(make(columns, tmp_path), **options).names == expected.names


@pytest.mark.parametrize("name", NAMES)
def test_a_printed_result_keeps_every_name_on_one_line(name: str) -> None:
    """The table has a line per parameter, whatever the name; the data have it unchanged."""
    columns = trials(name)
    columns[f"{name} 2"][1] = None  # which makes a note that names the parameter
    result = condped.importance(columns, objective="loss", space=space(name))
    lines = str(result).splitlines()
    header = next(place for place, line in enumerate(lines) if line.startswith("parameter"))
    assert lines[header + 3] == ""
    noted = " ".join(f"{name} 2".split())[:20]
    assert any(line.startswith(noted) for line in lines[header + 4 :])
    assert set(result.to_dict()) == {name, f"{name} 2"}
    curve = condped.sweep(columns, objective="loss", space=space(name))
    assert curve[name].shape == (99,)
    assert str(curve).count("\n") < 25


def test_control_characters_do_not_reach_the_terminal() -> None:
    """A column's name must not be able to colour, clear or ring it."""
    columns = trials("\x1b[31mred\x07")
    result = condped.importance(columns, objective="loss", parameters=["\x1b[31mred\x07"])
    assert all(line.isprintable() for line in str(result).splitlines())


def test_the_command_line_takes_any_name(tmp_path: Path) -> None:
    """All at once: as columns, in the space file, as options and in the output."""
    columns: dict[str, list[Any]] = {}
    domains: dict[str, Any] = {}
    for name in NAMES:
        columns |= trials(name)
        domains |= space(name).to_dict()
    (tmp_path / "space.json").write_text(json.dumps(domains), encoding="utf-8")
    done = subprocess.run(
        [
            Path(sys.executable).with_name("condped"),
            "importance",
            written_csv(columns, tmp_path),
            "--json",
            "--objective=loss",
            f"--space={tmp_path / 'space.json'}",
            *(f"--parameter={name} 2" for name in NAMES),
        ],
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert done.returncode == 0
    found = json.loads(done.stdout)["parameters"]
    assert {row["parameter"] for row in found} == {f"{name} 2" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_an_error_about_any_name_is_one_line(name: str) -> None:
    """A name with a line break is shown escaped."""
    columns = trials(name)
    columns[f"{name} 2"][1] = 7.0
    with pytest.raises(condped.errors.DataError) as caught:
        read(columns, objective="loss", space=space(name))
    assert caught.value.column == f"{name} 2"
    assert repr(f"{name} 2") in str(caught.value)
    assert "\n" not in str(caught.value)
