"""A small folder of evaluation sets, in the layout of real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

_UNIT = {"type": "float", "low": 0.0, "high": 1.0, "log": False}
_OWN: dict[str, dict[str, Any]] = {
    "svm.cost": {"type": "float", "low": 0.01, "high": 100.0, "log": True},
    "svm.kernel": {"type": "categorical", "choices": ["linear", "radial"]},
    "aknn.k": {"type": "int", "low": 1, "high": 50, "log": False},
    "rpart.cp": _UNIT,
    "ranger.sample.fraction": _UNIT,
    "ranger.min.node.size": {"type": "int", "low": 1, "high": 100, "log": False},
    "xgboost.booster": {"type": "categorical", "choices": ["gblinear", "gbtree", "dart"]},
    "xgboost.nrounds": {"type": "int", "low": 7, "high": 2981, "log": True},
    "xgboost.subsample": _UNIT,
}
LEARNERS = {
    learner: tuple(name for name in _OWN if name.startswith(f"{learner}."))
    for learner in ("svm", "aknn", "rpart", "ranger", "xgboost")
}


def domains(scenario: str = "rbv2_test", **more: Any) -> dict[str, Any]:
    """Return a file of domains with five learners."""
    chosen = {"type": "categorical", "choices": list(LEARNERS)}
    return {
        "scenario": scenario,
        "learner_key": "learner_id",
        "target": "acc",
        "direction": "maximize",
        **more,
        "hyperparameters": [
            {"name": "learner_id", **chosen, "condition": None},
            {"name": "trainsize", **_UNIT, "condition": None},
            *[
                {
                    "name": name,
                    **domain,
                    "condition": [{"parent": "learner_id", "in": [name.partition(".")[0]]}],
                }
                for name, domain in _OWN.items()
            ],
        ],
    }


def columns(seeds: tuple[int, ...], trials: int, offset: int) -> dict[str, Any]:
    """Return trials in which svm reaches most, by its cost, and aknn least."""
    rng = np.random.default_rng(offset)
    rows = trials * len(seeds)
    learner = rng.choice(list(LEARNERS), rows)
    found: dict[str, Any] = {
        "seed": np.repeat(seeds, trials).astype(np.int8),
        "learner_id": pa.array(learner).dictionary_encode(),
        "trainsize": rng.random(rows),
    }
    acc = 0.5 + 0.1 * rng.random(rows) - 0.05 * (learner == "aknn")
    for name, domain in _OWN.items():
        values = _drawn(domain, rng, rows)
        active = learner == name.partition(".")[0]
        if name == "svm.cost":
            acc += np.where(active, 0.05 * (np.log10(values) + 2), 0)
        found[name] = pa.array(
            [v if here else None for here, v in zip(active, values.tolist(), strict=True)]
        )
    return {**found, "acc": acc}


def _drawn(domain: dict[str, Any], rng: np.random.Generator, rows: int) -> Any:
    """Return values of a domain, uniform on its scale."""
    if domain["type"] == "categorical":
        return rng.choice(domain["choices"], rows)
    low, high = domain["low"], domain["high"]
    share = rng.random(rows)
    values = low * (high / low) ** share if domain["log"] else low + (high - low) * share
    return values.astype(np.int64) if domain["type"] == "int" else values


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
