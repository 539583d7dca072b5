"""Load stored studies, cut to their first trials, as a user would have them.

>>> from benchmarks.studies.load import stored_studies
>>> first = next(stored_studies(samplers=["tpe"]))
>>> result = condped.importance(**first.source(100))  # doctest: +SKIP
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import optuna

from benchmarks.studies.objectives import OBJECTIVES, Objective
from benchmarks.studies.other_tools import SMAC_FILES
from benchmarks.studies.records import Plain, rebuilt_study

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class StoredStudy:
    """A study and what is known about it."""

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
        """Whether it is a study of Optuna; otherwise it is a table, or the folder of a run."""
        return "states" in self.plain

    def study(self, trials: int | None = None) -> optuna.Study:
        """Return the study with its first trials."""
        order = [own.name for own in self.objective.space]
        return rebuilt_study(self.plain, trials, order)

    def table(self, trials: int | None = None) -> dict[str, list[Any]]:
        """Return the first rows of a table of Hyperopt."""
        columns = {name: column[:trials] for name, column in self.plain["params"].items()}
        return columns | {"loss": self.plain["loss"][:trials]}

    def folder(self, trials: int | None = None) -> Path:
        """Return a directory as SMAC3 writes it, with the run history of its first trials."""
        path = Path(_folders().name, f"{self.name.replace('/', '-')}-{trials or self.trials}")
        path.mkdir(exist_ok=True)
        history = self.plain["runhistory.json"]
        runs = history["data"][:trials]
        ids = {str(run["config_id"]) for run in runs}
        cut = {
            key: {name: entry for name, entry in history[key].items() if name in ids}
            for key in ("configs", "config_origins")
        }
        contents = self.plain | {"runhistory.json": history | {"data": runs} | cut}
        for name in SMAC_FILES:
            (path / name).write_text(json.dumps(contents[name]), encoding="utf-8")
        return path

    def source(self, trials: int | None = None) -> dict[str, Any]:
        """Return the arguments by which condped reads the study."""
        if self.by_optuna:
            return {"source": self.study(trials)}
        if self.sampler == "smac":
            return {"source": self.folder(trials)}
        space = {own.name: own.plain() for own in self.objective.space}
        return {"source": self.table(trials), "objective": "loss", "space": space}


@cache
def _folders() -> tempfile.TemporaryDirectory[str]:
    """Return where folders are written until the program ends."""
    return tempfile.TemporaryDirectory()


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
