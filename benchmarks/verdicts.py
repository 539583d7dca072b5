"""Verdicts on dead parameters, in real studies and in designs that break tests.

``python -m benchmarks.verdicts [--quick] [--output FILE] [--page FILE] [--resume]``: default
settings only, all seeds fixed. Every analysed study adds a row to ``--rows`` as soon as it is done;
``--resume`` continues after them. ``--samplers``, ``--sizes`` and ``--studies`` select a part.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Protocol
from zlib import crc32

import numpy as np
import optuna

import condped
from benchmarks import designs
from benchmarks.measured_rows import add_row_options, measure_rows
from benchmarks.studies.load import StoredStudy, stored_studies
from benchmarks.studies.samplers import SAMPLERS
from benchmarks.verdicts_table import Row, page, summaries, tables

QUANTILES = (0.1, 0.3)
SIZES = (50, 100, 200, 500)
REPLICATES = 30
HERE = Path(__file__).parent


class Source(Protocol):
    """Gives the arguments by which condped reads trials."""

    def __call__(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Case:
    """Trials to analyse and what is known about them."""

    study: str  # a name that no other study has; the same for all its sizes
    sampler: str  # or the design
    kind: str
    trials: int
    dead: tuple[str, ...]
    deciding: str
    source: Source


def real_studies(
    samplers: Sequence[str] | None, sizes: Sequence[int], studies: int
) -> Iterator[Case]:
    """Yield the first stored studies of each objective and sampler, cut at several sizes."""
    for study in stored_studies(samplers=samplers, numbers=range(studies)):
        for trials in sizes:
            if trials <= study.trials:
                yield Case(
                    study.name, study.sampler, _kind(study), trials, study.dead,
                    study.objective.deciding, partial(study.source, trials),
                )  # fmt: skip


def _kind(study: StoredStudy) -> str:
    if study.objective.objectives > 1:
        return "two objectives"
    return "conditional" if study.objective.conditional else "flat"


def breaking_designs(names: Sequence[str] | None, replicates: int) -> Iterator[Case]:
    """Yield replicates of the designs."""
    for name, design in designs.DESIGNS.items():
        if names is not None and name not in names:
            continue
        for replicate in range(replicates):
            study = f"{name}/{replicate}"
            rng = np.random.default_rng(crc32(study.encode()))
            yield Case(
                study, name, "design", designs.TRIALS, designs.DEAD, designs.DECIDING,
                partial(design, rng),
            )  # fmt: skip


def measure(case: Case) -> Iterator[Row]:
    """Analyse trials with default settings, at each target quantile."""
    table = condped.read(**case.source())  # once: replays are kept with it
    for quantile in QUANTILES:
        analyse = partial(condped.importance, table, target_quantile=quantile)
        begun = time.perf_counter()
        result = analyse()
        evidence = list(result.evidence)
        seconds = time.perf_counter() - begun
        paper, calibrated = (_by(result, analyse, method) for method in ("paper", "calibrated"))
        yield {
            "study": case.study, "sampler": case.sampler, "kind": case.kind, "trials": case.trials,
            "quantile": quantile, "deciding": case.deciding,
            "dead": [own.name for own in evidence if own.name in case.dead],
            "p_values": {own.name: own.p_value for own in evidence if own.p_value == own.p_value},
            "verdicts": {own.name: own.verdict for own in evidence},
            "leak": {
                "default": _leak(result, case.dead), "paper": _leak(paper, case.dead),
                "calibrated": _leak(calibrated, case.dead),
            },
            "undetermined": {
                "default": result.status != "ok", "paper": paper.status != "ok",
                "calibrated": calibrated.status != "ok",
            },
            "enough": result.evidence.enough,
            "sampling": _sampling(result),
            "seconds": seconds,
        }  # fmt: skip


def _by(
    result: condped.ImportanceResult,
    analyse: partial[condped.ImportanceResult],
    method: Literal["paper", "calibrated"],
) -> condped.ImportanceResult:
    """Return the importances by a method; ``paper`` has the numbers of Optuna's importances."""
    same = getattr(result.settings, "method", None) == method
    return result if same else analyse(method=method)


def _leak(result: condped.ImportanceResult, dead: Sequence[str]) -> float:
    """Return the importance of the dead parameters; nothing where it is undetermined."""
    found = result.to_dict()
    told = [found[name] for name in dead if name in found]
    return float(sum(value for value in told if math.isfinite(value)))


def _sampling(result: condped.ImportanceResult) -> str:
    """Return how the trials were tested, in a word or two."""
    told = result.evidence.sampling
    for part, word in (
        ("the larger p-value", "both"), ("replays", "replay"), ("at other times", "shifts"),
        ("after the other", "strata"), ("that were drawn without regard", "drawn at random"),
    ):  # fmt: skip
        if part in told:
            return word
    return "all"


def main() -> None:
    """Measure everything, save it and show it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one study a cell, few replicates")
    parser.add_argument("--samplers", nargs="+", choices=SAMPLERS, help="these; all if not given")
    parser.add_argument("--designs", nargs="*", choices=designs.DESIGNS, help="the same")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="trials to cut at")
    parser.add_argument("--studies", type=int, default=99, help="of each objective and sampler")
    parser.add_argument("--output", type=Path, default=HERE / "verdicts.json", help="JSON file")
    parser.add_argument("--page", type=Path, help="Markdown file")
    add_row_options(parser, "a row per analysis")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    cases = chain(
        real_studies(
            arguments.samplers, arguments.sizes, 1 if arguments.quick else arguments.studies
        ),
        breaking_designs(arguments.designs, 3 if arguments.quick else REPLICATES),
    )
    jobs = (((case.study, case.trials), partial(measure, case)) for case in cases)
    rows = measure_rows(arguments, lambda row: (row["study"], row["trials"]), jobs)
    told = summaries(rows)
    arguments.output.write_text(json.dumps(told, indent=1), encoding="utf-8")
    print(tables(told))
    if arguments.page is not None:
        arguments.page.write_text(page(told, designs.described()), encoding="utf-8")


if __name__ == "__main__":
    main()
