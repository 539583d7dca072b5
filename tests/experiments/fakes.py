"""Experiments that take no time, for tests of the runner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from experiments.registry import Experiment, Row


def compute(seed: int, quick: bool, *, broken: tuple[int, ...] = (), log: str = "") -> list[Row]:
    """Return one row, and leave a line in a log of which seeds were computed."""
    if seed in broken:
        raise RuntimeError("no luck")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{seed}\n")
    return [{"seed": seed, "quick": quick, "value": seed / 3, "nothing": None}]


def draw(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Write a table of the seeds."""
    path = folder / "table.csv"
    path.write_text("\n".join(str(row["seed"]) for row in rows), encoding="utf-8")
    return [path]


def experiment(
    name: str = "fake",
    *,
    seeds: tuple[int, ...] = (1, 2, 3, 4),
    broken: tuple[int, ...] = (),
    log: Path | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Experiment:
    """Return an experiment whose seeds may fail and are logged."""
    return Experiment(
        name=name,
        place="Figure 99",
        description="nothing",
        seeds=seeds,
        compute=partial(compute, broken=broken, log="" if log is None else str(log)),
        draw=draw,
        settings=settings or {},
    )
