"""Repeated configurations: found by brute force as well."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import condped
from condped.trials.repeats import configurations, merged, repeating


def test_configurations_are_alike_if_all_values_are() -> None:
    """Against a dictionary of rows, absence and kinds of values included."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []
    for _ in range(500):
        kind = rng.choice(["a", "b"])
        row = {"kind": kind, "n": int(rng.integers(-1, 3)), "x": float(rng.choice([0.0, -0.0, 1]))}
        row["only"] = float(rng.integers(0, 2)) if kind == "a" else None
        rows.append(row | {"loss": float(rng.random())})
    table = condped.read(rows, objective="loss")
    keys = [tuple(row[name] for name in ("kind", "n", "x", "only")) for row in rows]
    ids = configurations(table).tolist()
    assert len(set(zip(ids, keys, strict=True))) == len(set(ids)) == len(set(keys))
    assert repeating(table) == 500 - len(set(keys))
    by_key: dict[Any, list[float]] = {}
    for key, row in zip(keys, rows, strict=True):
        by_key.setdefault(key, []).append(row["loss"])
    # In the order in which they were first tried.
    means = [np.mean(losses) for losses in by_key.values()]
    assert np.allclose(merged(table).objectives[0].values, means)


def test_many_trials_take_no_time() -> None:
    """A hundred thousand of them with twenty parameters."""
    rng = np.random.default_rng(0)
    trials = {f"x{place}": rng.random(100_000) for place in range(20)}
    table = condped.read(trials | {"loss": rng.random(100_000)}, objective="loss")
    start = time.perf_counter()
    assert repeating(table) == 0
    assert time.perf_counter() - start < 2
