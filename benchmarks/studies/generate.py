"""Run all studies and keep them: ``python -m benchmarks.studies.generate [--only SAMPLER …]``.

Seeded; SMAC3 also depends on Python's hashes of strings, so set PYTHONHASHSEED=0. Each study is
written as soon as it has ended; existing ones are skipped, so the script can be stopped and
resumed. About an hour and a quarter on one core.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import optuna

from benchmarks.studies.load import DATA, read_file
from benchmarks.studies.objectives import OBJECTIVES
from benchmarks.studies.samplers import SAMPLERS, run

FEW_TRIALS, TRIALS, MANY_TRIALS = 100, 200, 500
QUICK = ("wine_models", "cancer_svm", "diabetes_kernel")
SLOW = ("digits_models", "wine_mlp")
# How many studies of each objective; one less of the slow ones.
STUDIES = {
    "tpe": 11, "tpe_univariate": 11, "tpe_workers": 2, "cmaes": 2, "nsga2": 2, "random": 2,
    "qmc": 2, "grid": 2, "gp": 2, "smac": 4, "hyperopt": 2,
}  # fmt: skip
ONE_OBJECTIVE = ("cmaes", "gp", "smac", "hyperopt")
# Which studies, by number, have many trials where trials are quick, and which have few.
LONG = {"tpe": 4, "tpe_univariate": 4, "nsga2": 1, "random": 1, "hyperopt": 1}
SHORT_FROM = {"tpe": 6, "tpe_univariate": 6, "smac": 1}
LEFT_OUT = {
    ("diabetes_pipeline", "grid"),  # too many combinations
    ("digits_models", "smac"),  # SMAC3 does not prune, and whole evaluations are slow
    ("wine_mlp", "smac"),
}


@dataclass(frozen=True)
class Cell:
    """One study to run."""

    objective: str
    sampler: str
    number: int  # of the study with this objective and sampler

    @property
    def seed(self) -> int:
        """The seed: another for every cell, so that no two studies share their first trials."""
        return crc32(f"{self.objective}/{self.sampler}/{self.number}".encode()) % 2**31

    @property
    def trials(self) -> int:
        """How many trials to run."""
        if self.objective in QUICK and self.number == LONG.get(self.sampler):
            return MANY_TRIALS
        short = self.number >= SHORT_FROM.get(self.sampler, STUDIES[self.sampler])
        return FEW_TRIALS if short else TRIALS

    @property
    def path(self) -> Path:
        """The file, shared by all studies of the objective with this sampler."""
        return DATA / f"{self.objective}-{self.sampler}.jsonl.gz"


def cells() -> Iterator[Cell]:
    """Yield all studies: a first part of every sampler before the rest, TPE before the others."""
    others = [own for own in SAMPLERS if own not in ("tpe", "tpe_univariate", "smac")] + ["smac"]
    most = max(STUDIES.values())
    turns = [(range(3), range(1)), (range(3, 6), range(1, 2)), (range(6, most), range(2, most))]
    for of_tpe, of_others in turns:
        for number in of_tpe:
            for sampler in ("tpe", "tpe_univariate"):
                yield from _cells(sampler, number)
        for number in of_others:
            for sampler in others:
                yield from _cells(sampler, number)


def _cells(sampler: str, number: int) -> Iterator[Cell]:
    for name, objective in OBJECTIVES.items():
        if number >= STUDIES[sampler] - (name in SLOW):
            continue
        if (name, sampler) in LEFT_OUT or (objective.objectives > 1 and sampler in ONE_OBJECTIVE):
            continue
        yield Cell(name, sampler, number)


def generate(cell: Cell) -> None:
    """Run a study and add it to its file."""
    study = run(OBJECTIVES[cell.objective], cell.sampler, cell.seed, cell.trials)
    line = json.dumps(
        {
            "objective": cell.objective, "sampler": cell.sampler, "number": cell.number,
            "seed": cell.seed, "trials": cell.trials, **study,
        },
        ensure_ascii=False, separators=(",", ":"),
    )  # fmt: skip
    with cell.path.open("ab") as file:
        file.write(gzip.compress(f"{line}\n".encode(), 9, mtime=0))


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=SAMPLERS, help="these samplers")
    arguments = parser.parse_args()
    if sys.flags.hash_randomization and (not arguments.only or "smac" in arguments.only):
        parser.error("SMAC3 gives the same trials again only with PYTHONHASHSEED=0")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    DATA.mkdir(exist_ok=True)
    wanted = [cell for cell in cells() if not arguments.only or cell.sampler in arguments.only]
    started = time.perf_counter()
    for place, cell in enumerate(wanted, 1):
        if cell.path.exists() and any(
            study["number"] == cell.number for study in read_file(cell.path)
        ):
            continue
        generate(cell)
        print(
            f"{place}/{len(wanted)} {cell.objective} {cell.sampler} {cell.number}: "
            f"{time.perf_counter() - started:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
