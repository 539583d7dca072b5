"""One set of trials through every kind of table and the readers' kit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest

from condped.space.domain import Categorical, Domain, Float, Int
from condped.testing import Run, check_reader
from condped.trials.table import State

LEARNER = 'learner "; DROP TABLE'
SPACE = {
    LEARNER: {"type": "categorical", "choices": ["svm", "nét", "<b>"]},
    "C, cost": {"type": "float", "low": 1e-3, "high": 10, "log": True,
                "when": f"`{LEARNER}` == 'svm'"},
    "layers": {"type": "int", "low": 1, "high": 5, "when": f"`{LEARNER}` == 'nét'"},
    "width": [
        {"type": "int", "low": 8, "high": 64, "when": "layers <= 2"},
        {"type": "int", "low": 8, "high": 512, "log": True, "when": "layers > 2"},
    ],
}  # fmt: skip
DOMAINS: dict[str, Domain] = {
    LEARNER: Categorical(["svm", "nét", "<b>"]),
    "C, cost": Float(1e-3, 10, log=True),
    "layers": Int(1, 5),
}


def trials(count: int) -> tuple[dict[str, list[Any]], list[Run]]:
    """Return columns, and the same trials for the kit."""
    rng = np.random.default_rng(5)
    names = ("loss", "how", *SPACE)
    columns: dict[str, list[Any]] = {name: [] for name in names}
    runs = []
    words = {"COMPLETE": State.COMPLETE, "pruned": State.PRUNED, "crashed": State.FAILED}
    for number in range(count):
        params: dict[str, Any] = {LEARNER: str(rng.choice(["svm", "nét", "<b>"]))}
        domains = dict(DOMAINS)
        if params[LEARNER] == "svm":
            params["C, cost"] = float(10 ** rng.uniform(-3, 1))
        if params[LEARNER] == "nét":
            params["layers"] = int(rng.integers(1, 6))
            params["width"] = int(rng.integers(8, 65))
            deep = params["layers"] > 2
            domains["width"] = Int(8, 512, log=True) if deep else Int(8, 64)
        word = ("COMPLETE", "COMPLETE", "pruned", "COMPLETE", "crashed")[number % 5]
        loss = None if word == "crashed" else float(rng.normal())
        for name in names:
            columns[name].append({"loss": loss, "how": word, **params}.get(name))
        here = {name: domains[name] for name in params}
        runs.append(Run([loss], params, here, words[word]))
    return columns, runs


def file(write: Callable[[dict[str, list[Any]], Path], Any], name: str) -> Callable[..., str]:
    """Return a function that writes the trials into a file and returns its path."""

    def make(columns: dict[str, list[Any]], folder: Path) -> str:
        write(columns, folder / name)
        return str(folder / name)

    return make


def records(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Return one mapping per trial, without what is missing."""
    rows = (zip(columns, row, strict=True) for row in zip(*columns.values(), strict=True))
    return [{name: value for name, value in row if value is not None} for row in rows]


SOURCES: list[tuple[str, Callable[[dict[str, list[Any]], Path], Any]]] = [
    ("mapping", lambda columns, _: columns),
    ("records", lambda columns, _: records(columns)),
    ("frame", lambda columns, _: pd.DataFrame(columns)),
    ("frame", lambda columns, _: pl.DataFrame(columns, strict=False)),
    ("frame", lambda columns, _: pl.LazyFrame(columns, strict=False)),
    ("frame", lambda columns, _: pa.table(columns)),
    ("frame", lambda columns, _: nw.from_native(pl.DataFrame(columns, strict=False))),
    ("csv", file(lambda c, path: pd.DataFrame(c).to_csv(path, index=False), "t.csv")),
    ("csv", file(lambda c, path: pd.DataFrame(c).to_csv(path, index=False), "t.csv.gz")),
    ("csv", file(lambda c, path: pd.DataFrame(c).to_csv(path, index=False, sep="\t"), "t.tsv")),
    ("json-lines", file(lambda c, path: path.write_text("\n".join(map(json.dumps, records(c))),
                                                        encoding="utf-8"), "t.jsonl")),
    ("json-lines", file(lambda c, path: path.write_text(json.dumps(records(c)),
                                                        encoding="utf-8"), "t.json")),
    ("parquet", file(lambda c, path: pd.DataFrame(c).to_parquet(path), "t.parquet")),
    ("arrow", file(lambda c, path: pyarrow.feather.write_feather(pa.table(c), path), "t.feather")),
    ("files", file(lambda c, path: pl.DataFrame(c, strict=False)
                   .write_parquet(path / "0.parquet", mkdir=True), "folder")),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(SOURCES)))
def test_every_table_passes_the_kit(case: int, tmp_path: Path) -> None:
    """Conditions, switching domains, states, hostile names: the same from everywhere."""
    reader, make = SOURCES[case]
    columns, runs = trials(60)
    source = make(columns, tmp_path)
    check_reader(reader, source, runs, objective="loss", state="how", space=SPACE)
