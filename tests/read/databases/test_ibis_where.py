"""Conditions that a database checks choose the rows that the counter would choose."""

from __future__ import annotations

from pathlib import Path

import ibis
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import condped

SPACE = {
    "c": {"type": "float", "low": 0, "high": 1},
    "x": {"when": "c < 0.5", "type": "float", "low": -1, "high": 1},
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning:ibis")
@pytest.mark.parametrize("where", ["x > 0", "x < 0", "not x > 0", "x != 0.5"])
def test_nan_in_parquet_files_is_absent(tmp_path: Path, where: str) -> None:
    """DuckDB takes NaN for a number there, by the statistics of the file."""
    rng = np.random.default_rng(0)
    c = rng.random(20_000)
    x = np.where(c < 0.5, rng.uniform(-1, 1, len(c)), np.nan)
    path = str(tmp_path / "runs.parquet")
    parquet.write_table(pa.table({"c": c, "x": x, "loss": rng.random(len(c))}), path)
    in_memory = condped.importance(path, objective="loss", space=SPACE, where=where)
    fetched = condped.importance(
        ibis.read_parquet(path), objective="loss", space=SPACE, where=where
    )
    assert fetched.account.trials == in_memory.account.trials
    assert fetched.to_dict() == in_memory.to_dict()
