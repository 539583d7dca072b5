"""A small folder of evaluation sets, in the layout of real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LEARNERS = {"svm": ("svm.cost", "svm.kernel"), "aknn": ("aknn.k",), "rpart": ("rpart.cp",)}


def domains(scenario: str = "rbv2_test", **more: Any) -> dict[str, Any]:
    """Return a file of domains with three learners."""

    def with_learner(name: str, **domain: Any) -> dict[str, Any]:
        learner = name.partition(".")[0]
        return {"name": name, **domain, "condition": [{"parent": "learner_id", "in": [learner]}]}

    number = {"type": "float", "low": 0.0, "high": 1.0, "log": False}
    return {
        "scenario": scenario,
        "learner_key": "learner_id",
        "target": "acc",
        "direction": "maximize",
        **more,
        "hyperparameters": [
            {"name": "learner_id", "type": "categorical", "choices": list(LEARNERS),
             "condition": None},
            {"name": "trainsize", **number, "condition": None},
            with_learner("svm.cost", type="float", low=0.01, high=100.0, log=True),
            with_learner("svm.kernel", type="categorical", choices=["linear", "radial"]),
            with_learner("aknn.k", type="int", low=1, high=50, log=False),
            with_learner("rpart.cp", **number),
        ],
    }  # fmt: skip


def columns(seeds: tuple[int, ...], trials: int, offset: int) -> dict[str, Any]:
    """Return trials in which svm reaches most, by its cost, and aknn least."""
    rng = np.random.default_rng(offset)
    rows = trials * len(seeds)
    learner = rng.choice(list(LEARNERS), rows)
    cost = 10 ** rng.uniform(-2, 2, rows)
    values: dict[str, Any] = {
        "trainsize": rng.random(rows),
        "svm.cost": np.where(learner == "svm", cost, np.nan),
        "svm.kernel": _where(learner == "svm", rng.choice(["linear", "radial"], rows)),
        "aknn.k": _where(learner == "aknn", rng.integers(1, 51, rows)),
        "rpart.cp": np.where(learner == "rpart", rng.random(rows), np.nan),
    }
    acc = 0.5 + 0.1 * rng.random(rows)
    acc += np.where(learner == "svm", 0.05 * (np.log10(cost) + 2), 0)
    acc += np.where(learner == "rpart", 0.02 * rng.random(rows), 0)
    numbers = {k: pa.array(v, from_pandas=True) for k, v in values.items()}
    return {
        "seed": np.repeat(seeds, trials).astype(np.int8),
        "learner_id": pa.array(learner).dictionary_encode(),
        **numbers,
        "acc": acc,
    }


def _where(active: Any, values: Any) -> list[Any]:
    return [v if here else None for here, v in zip(active, values.tolist(), strict=True)]


def write_sets(
    folder: Path,
    instances: tuple[str, ...] = ("1053", "1457"),
    seeds: tuple[int, ...] = (0, 1, 2),
    trials: int = 120,
    **more: Any,
) -> Path:
    """Write a folder and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for scenario in ("rbv2_test", "iaml_test"):
        text = json.dumps(domains(scenario, **more))
        (folder / f"{scenario}.domains.json").write_text(text)
    for offset, instance in enumerate(instances):
        table = pa.table(columns(seeds, trials, offset))
        pq.write_table(table, folder / f"rbv2_test_{instance}.parquet")
    pq.write_table(pa.table(columns(seeds, trials, 9)), folder / "iaml_test_1489.parquet")
    return folder
