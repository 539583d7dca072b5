"""Studies of one conditional space, as one table and one by one, and what across says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import condped
from condped import Space
from condped.arrays import FloatArray

SPACE = Space(
    {
        "model": {"type": "categorical", "choices": ["svm", "tree"]},
        "cost": {"type": "float", "low": 1e-3, "high": 10, "log": True, "when": "model == 'svm'"},
        "depth": {"type": "int", "low": 1, "high": 9, "when": "model == 'tree'"},
        "rate": {"type": "float", "low": 0, "high": 1},
    }
)
# What is random about verdicts is left out: all trials are drawn at random.
READING: dict[str, Any] = {"objective": "loss", "direction": "minimize", "sampling": "random"}


@dataclass(frozen=True)
class Archive:
    """Studies as one table, with a column of their names and one of their trials' numbers."""

    table: pa.Table

    @property
    def names(self) -> list[str]:
        """The studies, by their first rows."""
        return list(dict.fromkeys(self.table["study"].to_pylist()))

    def study(self, name: str) -> pa.Table:
        """Return the rows of one study, in the order of time, without its name."""
        rows = np.array(self.table["study"].to_pylist()) == name
        own = self.table.filter(pa.array(rows)).sort_by("trial")
        return own.drop_columns(["study"])

    def studies(self) -> dict[str, pa.Table]:
        """Return all studies."""
        return {name: self.study(name) for name in self.names}


def archive(studies: int = 4, trials: int = 60, *, mixed: bool = True, seed: int = 0) -> Archive:
    """Return studies of somewhat different sizes, their rows mixed or one after the other."""
    rng = np.random.default_rng(seed)
    sizes = trials + 7 * np.arange(studies)
    owners = np.repeat(np.arange(studies), sizes)
    numbers = np.concatenate([np.arange(size) for size in sizes])
    rows = len(owners)
    tree = rng.random(rows) < 0.5
    cost, depth = 10 ** rng.uniform(-3, 1, rows), rng.integers(1, 10, rows)
    rate = rng.random(rows)
    loss = _losses(tree, cost, depth, rate, 1 + owners % 2) + 0.1 * rng.normal(size=rows)
    order = rng.permutation(rows) if mixed else np.arange(rows)
    table = pa.table(
        {
            "study": pa.array([f"data-{owner:02}" for owner in owners]),
            "trial": numbers,
            "model": pa.array(np.where(tree, "tree", "svm")),
            "cost": pa.array(cost, mask=tree),
            "depth": pa.array(depth, mask=~tree),
            "rate": rate,
            "loss": np.round(loss, 3),
        }
    )
    return Archive(table.take(pa.array(order)))


def _losses(tree: Any, cost: FloatArray, depth: Any, rate: FloatArray, weight: Any) -> FloatArray:
    own = np.where(tree, 0.1 * (depth - 4) ** 2, np.abs(np.log10(cost)))
    return np.asarray(own + weight * (rate - 0.3) ** 2)


def single_numbers(studies: dict[str, Any], **reading: Any) -> dict[tuple[str, str], Any]:
    """Return what importance says of each study by itself, by study and parameter."""
    found = {}
    for name, source in studies.items():
        result = condped.importance(source, intervals="jackknife", **reading)
        for one in result:
            assert one.intervals is not None
            ends = one.intervals.importance
            tested = result.evidence[one.name]
            # Some sources list choices and domains in another order, and sums round differently.
            numbers = (one.importance, ends.low, ends.high, tested.p_value)
            found[name, one.name] = pytest.approx(numbers, rel=1e-9, abs=1e-12, nan_ok=True)
    return found


def across_numbers(result: condped.Across) -> dict[tuple[str, str], Any]:
    """Return the same of a comparison."""
    return {
        (cell.study, cell.parameter): tuple(
            np.nan if number is None else number
            for number in (cell.importance, cell.low, cell.high, cell.p_value)
        )
        for cell in result.cells
    }
