"""Load stored studies, cut to their first trials, as a user would have them.

>>> from benchmarks.studies.load import stored_studies
>>> first = next(stored_studies(samplers=["tpe"]))
>>> result = condped.importance(**first.source(100))  # doctest: +SKIP
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import optuna

from benchmarks.studies.objectives import OBJECTIVES, Objective
from benchmarks.studies.records import Plain, rebuilt_study

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class StoredStudy:
    """A study and what is known of it."""

    objective: Objective
    sampler: str
    number: int  # of the study with this objective and sampler
    seed: int
    trials: int
    plain: Plain = field(repr=False)

    @property
    def name(self) -> str:
        """A name that no other study has."""
        return f"{self.objective.name}/{self.sampler}/{self.number}"

    @property
    def dead(self) -> tuple[str, ...]:
        """The parameters that nothing uses."""
        return self.objective.dead

    @property
    def by_optuna(self) -> bool:
        """Whether there is a study of Optuna; else there is a table."""
        return "states" in self.plain

    def study(self, trials: int | None = None) -> optuna.Study:
        """Return the study with its first trials."""
        order = [own.name for own in self.objective.space]
        return rebuilt_study(self.plain, trials, order)

    def table(self, trials: int | None = None) -> dict[str, list[Any]]:
        """Return the first rows of a table of SMAC3 or Hyperopt."""
        columns = {name: column[:trials] for name, column in self.plain["params"].items()}
        return columns | {"loss": self.plain["loss"][:trials]}

    def source(self, trials: int | None = None) -> dict[str, Any]:
        """Return the arguments by which condped reads the study."""
        if self.by_optuna:
            return {"source": self.study(trials)}
        space = {own.name: own.plain() for own in self.objective.space}
        return {"source": self.table(trials), "objective": "loss", "space": space}


def read_file(path: Path) -> Iterator[Plain]:
    """Yield the studies of a file as plain data."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def stored_studies(
    objectives: Container[str] | None = None,
    samplers: Container[str] | None = None,
    numbers: Container[int] | None = None,
    folder: Path = DATA,
) -> Iterator[StoredStudy]:
    """Yield the stored studies of these objectives and samplers, of all if not given."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        objective, sampler = path.name.removesuffix(".jsonl.gz").split("-")
        if objectives is not None and objective not in objectives:
            continue
        if samplers is not None and sampler not in samplers:
            continue
        for plain in _sorted(path):
            if numbers is None or plain["number"] in numbers:
                yield StoredStudy(
                    OBJECTIVES[objective], sampler, plain["number"], plain["seed"],
                    plain["trials"], plain,
                )  # fmt: skip


def _sorted(path: Path) -> Sequence[Plain]:
    return sorted(read_file(path), key=lambda plain: plain["number"])
