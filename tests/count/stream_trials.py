"""Trials with conditions, as columns that tests write into files of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from condped import Space

SPACE = Space(
    {
        "c": {"type": "float", "low": 0, "high": 1},
        "learner": {"type": "categorical", "choices": ["svm", "knn", 'm"l,p é']},
        "lr": {"type": "float", "low": 1e-5, "high": 1, "log": True},
        "depth": {"type": "int", "low": 1, "high": 20},
        "x": [
            {"type": "float", "low": -5, "high": 0, "when": "c < 0.5"},
            {"type": "float", "low": 0, "high": 5, "when": "c >= 0.5"},
        ],
        "neighbours": {"type": "int", "low": 1, "high": 50, "when": "learner == 'knn'"},
        "flag": {"type": "categorical", "choices": [True, False], "when": "learner != 'svm'"},
    }
)


def trials(rows: int, seed: int = 0) -> Any:
    """Return an Arrow table of trials in which all kinds of types are found."""
    rng = np.random.default_rng(seed)
    c = rng.random(rows, dtype=np.float32)
    learner = rng.integers(0, 3, rows)
    choices = pa.array(["svm", "knn", 'm"l,p é'])
    x = np.where(c < 0.5, -5 * rng.random(rows), 5 * rng.random(rows))
    loss = np.round((x - 1) ** 2 + learner + rng.normal(size=rows), 2)  # with ties
    loss[rng.random(rows) < 0.02] = np.nan
    return pa.table(
        {
            "loss": loss,
            "c": c,
            "learner": choices.take(pa.array(learner)),
            "lr": np.clip(10 ** rng.uniform(-5, 0, rows), 1e-5, 1),
            "depth": rng.integers(1, 21, rows).astype(np.int16),
            "x": x,
            "neighbours": pa.array(rng.integers(1, 51, rows), mask=learner != 1),
            "flag": pa.array(rng.random(rows) < 0.4, mask=learner == 0),
            "state": np.where(rng.random(rows) < 0.1, "failed", "complete"),
            "surplus": rng.random(rows) - 0.8,
            "remark": ["nothing"] * rows,
        }
    )
