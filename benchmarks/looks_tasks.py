"""Studies to look at while they run: stored ones, and synthetic ones with known dead parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol
from zlib import crc32

import numpy as np
import optuna

from benchmarks.designs import DEAD, SPACE
from benchmarks.studies.load import StoredStudy, stored_studies
from benchmarks.studies.spaces import Params, drawn, suggested

RANDOM_TRIALS, TPE_TRIALS = 600, 250
CHOSEN, REPORTED = "chosen on", "reported"
_LEVELS = {"u": -1.0, "v": 0.0, "w": 1.0}


class Source(Protocol):
    """Gives the arguments by which condped reads trials."""

    def __call__(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Task:
    """A study to look at, and what is known about it."""

    study: str  # a name that no other study has
    origin: str  # "stored" or "synthetic"
    sampler: str
    half: str  # whether the forecast's constants were chosen on it
    dead: tuple[str, ...]
    source: Source


def stored(samplers: Sequence[str] | None, halves: Sequence[str], most: int) -> Iterator[Task]:
    """Yield stored studies; those with even numbers are the ones that constants were chosen on."""
    for study in stored_studies(samplers=samplers, numbers=range(most)):
        half = REPORTED if study.number % 2 else CHOSEN
        if half in halves:
            yield Task(study.name, "stored", _sampler(study), half, study.dead, study.source)


def _sampler(study: StoredStudy) -> str:
    return study.sampler


def synthetic(halves: Sequence[str], studies: int) -> Iterator[Task]:
    """Yield studies of a made-up objective, drawn at random and by TPE."""
    for sampler, make in (("random", _random), ("tpe", _tpe)):
        for number in range(studies):
            name = f"synthetic/{sampler}/{number}"
            half = REPORTED if number % 2 else CHOSEN
            if half in halves:
                yield Task(name, "synthetic", sampler, half, DEAD, partial(make, name))


@dataclass(frozen=True)
class _Objective:
    """Three real parameters of very different strength, noise, and four dead ones."""

    strengths: tuple[float, ...]
    place: float

    @classmethod
    def of(cls, rng: np.random.Generator) -> _Objective:
        return cls(tuple((10.0 ** rng.uniform(-1.2, 0.3, 3)).tolist()), float(rng.random()))

    def __call__(self, params: Params, rng: np.random.Generator) -> float:
        x, y, k = self.strengths
        found = x * (float(params["x"]) - self.place) ** 2 * 4.0
        found += y * abs(np.log10(float(params["y"])) + 1.0) / 2.0
        return float(found + k * _LEVELS[str(params["k"])] / 2.0 + 0.3 * rng.standard_normal())


def _random(name: str) -> dict[str, Any]:
    rng = np.random.default_rng(crc32(name.encode()))
    objective = _Objective.of(rng)
    rows = [drawn(SPACE, rng) for _ in range(RANDOM_TRIALS)]
    columns: dict[str, list[Any]] = {own.name: [row[own.name] for row in rows] for own in SPACE}
    columns["loss"] = [objective(row, rng) for row in rows]
    space = {own.name: own.plain() for own in SPACE}
    return {"source": columns, "objective": "loss", "space": space}


def _tpe(name: str) -> dict[str, Any]:
    seed = crc32(name.encode())
    rng = np.random.default_rng(seed)
    objective = _Objective.of(rng)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed % 2**31))
    study.optimize(
        lambda trial: objective(suggested(trial, SPACE), rng),
        n_trials=TPE_TRIALS,
    )
    return {"source": study}
