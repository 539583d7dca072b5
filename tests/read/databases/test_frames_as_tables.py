"""Relations of DuckDB, frames of Dask and lazy ones of Polars, wherever a table is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import condped
from condped.errors import DataError, SettingsError
from condped.read import opening
from condped.testing import Run, check_reader

SPACE = {
    "model": {"type": "categorical", "choices": ["svm", "net"]},
    "C": {"type": "float", "low": 1e-3, "high": 1e3, "log": True, "when": "model == 'svm'"},
    "layers": {"type": "int", "low": 1, "high": 5, "when": "model == 'net'"},
    "warm": {"type": "categorical", "choices": [False, True]},
}
NAMES = list(SPACE)
LIBRARIES = ("duckdb", "dask", "polars")
GIVEN: Any = {"objective": "loss", "state": "state"}


def trials() -> pd.DataFrame:
    """Return two branches, numbers that are missing in one of them, and failures."""
    rng = np.random.default_rng(2)
    model = rng.choice(["svm", "net"], 200)
    svm = model == "svm"
    layers = pd.array(rng.integers(1, 6, 200), dtype="Int64")
    layers[svm] = pd.NA
    c = np.where(svm, 10 ** rng.uniform(-3, 3, 200), np.nan)
    return pd.DataFrame(
        {
            "model": model,
            "C": c,
            "layers": layers,
            "warm": rng.random(200) < 0.5,
            "loss": np.where(svm, np.abs(np.log10(np.where(svm, c, 1))), rng.random(200) * 2),
            "state": np.where(rng.random(200) < 0.1, "failed", "complete"),
            "number": np.arange(200),
            "dataset": rng.choice(["a", "b"], 200),
        }
    )


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the same trials by library, from a file."""
    path: Path = tmp_path_factory.mktemp("frames") / "trials.parquet"
    trials().to_parquet(path)
    return {
        "table": trials(),
        "duckdb": duckdb.read_parquet(str(path)),
        "dask": dd.read_parquet(path).repartition(npartitions=3),
        "polars": pl.scan_parquet(path),
    }


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "with a space": lambda f: condped.importance(f, space=SPACE, **GIVEN).to_dict(),
    "without": lambda f: condped.importance(f, parameters=NAMES, **GIVEN).to_dict(),
    "in a branch": lambda f: condped.importance(
        f, space=SPACE, where="model == 'svm'", **GIVEN
    ).to_dict(),
    "evidence": lambda f: [
        entry.verdict
        for entry in condped.importance(f, space=SPACE, order="number", **GIVEN).evidence.parameters
    ],
    "sweep": lambda f: condped.sweep(f, space=SPACE, **GIVEN).variance.tolist(),
    "effects": lambda f: condped.effects(f, space=SPACE, order="number", **GIVEN).rows(),
    "summary": lambda f: str(condped.summary(f, space=SPACE, order="number", **GIVEN)),
    "advice": lambda f: str(condped.advise(f, space=SPACE, order="number", **GIVEN)),
    "read": lambda f: len(condped.read(f, space=SPACE, **GIVEN)),
    "across": lambda f: sorted(
        (row["study"], row["parameter"], round(row["importance"], 9), row["verdict"])
        for row in condped.across(
            f, study_column="dataset", space=SPACE, order="number", **GIVEN
        ).rows()
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_those_of_the_table(question: str, frames: dict[str, Any]) -> None:
    """Whether rows are counted in batches or read into memory."""
    expected = QUESTIONS[question](frames["table"])
    for library in LIBRARIES:
        assert str(QUESTIONS[question](frames[library])) == str(expected), library


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_kit_passes_them(library: str, frames: dict[str, Any]) -> None:
    """A missing number is an inactive parameter."""
    runs = [
        Run([row["loss"]], {n: row[n] for n in NAMES if not pd.isna(row[n])})
        for row in trials().to_dict("records")
    ]
    check_reader("frame", frames[library], runs, objective="loss", space=SPACE)


@pytest.mark.parametrize("library", LIBRARIES)
def test_too_many_rows_to_infer_domains_from_are_told(
    library: str, frames: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to do; with a space, or on request, they are read."""
    monkeypatch.setattr(opening, "SHARE_OF_MEMORY", 1000 / opening._memory())
    frame = frames[library]
    with pytest.raises(
        DataError, match=r"more than 15 rows of 8 columns.*a space.*engine='memory'"
    ):
        condped.importance(frame, parameters=NAMES, **GIVEN)
    assert condped.importance(frame, space=SPACE, **GIVEN).names
    assert len(condped.read(frame, engine="memory", **GIVEN)) == 200


def test_rows_without_an_order_are_told(frames: dict[str, Any]) -> None:
    """DuckDB gives rows in any order: studies are compared by trials with numbers."""
    with pytest.raises(SettingsError, match=r"rows come in any order .*Set order to a column"):
        condped.across(frames["duckdb"], study_column="dataset", space=SPACE, **GIVEN)
