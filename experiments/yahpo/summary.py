"""Rows of all seeds, combined: means, standard errors, correlations. No data of trials."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from experiments.registry import Row
from experiments.yahpo.learners import BASELINES, METHODS


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over seeds and its standard error, computed as the paper's are."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """How a method's importances follow the learners' performance, over all seeds.

    Attributes
    ----------
    mean
        Mean over seeds of each seed's correlation; None where no seed has one.
    error
        Its standard error.
    of_means
        Correlation of the means over seeds; None where nothing varies.
    undetermined
        Seeds without a correlation, as all learners got the same importance. They are left out of
        ``mean``.
    seeds
        All seeds.
    """

    mean: float | None
    error: float | None
    of_means: float | None
    undetermined: int
    seeds: int


@dataclass(frozen=True, slots=True)
class Lead:
    """How far a method's correlation is ahead of the best baseline's, seed by seed."""

    rival: str
    value: float
    error: float

    @property
    def state(self) -> Literal["ahead", "behind", "tie"]:
        """Ahead or behind by more than two standard errors and by a hundredth; else a tie."""
        return standing(self.value, self.error)


def standing(value: float, error: float) -> Literal["ahead", "behind", "tie"]:
    """Return whether a lead is real: below two standard errors, or 0.00 when rounded, is a tie."""
    if abs(value) < 0.005 or abs(value) <= 2 * error:
        return "tie"
    return "ahead" if value > 0 else "behind"


def mean_of(values: Sequence[float]) -> Mean:
    """Return mean and standard error, dividing the variance by n as the paper does.

    The last rows of its Tables 2 and 4 follow from the rows above only that way.
    """
    numbers = np.asarray(values, dtype=np.float64)
    return Mean(float(numbers.mean()), float(numbers.std() / math.sqrt(len(numbers))))


def pearson(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None where one of the two does not vary."""
    left, right = (np.asarray(part, dtype=np.float64) for part in (one, other))
    # By the values: their distances from the mean may differ from 0 by rounding.
    if np.ptp(left) == 0 or np.ptp(right) == 0:
        return None
    left, right = left - left.mean(), right - right.mean()
    return float(left @ right) / math.sqrt(float(left @ left) * float(right @ right))


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from the lowest, 1; equal values share their mean rank."""
    numbers = np.asarray(values, dtype=np.float64)
    below = (numbers[:, None] > numbers).sum(axis=1)
    equal = (numbers[:, None] == numbers).sum(axis=1)
    return [float(rank) for rank in below + (equal + 1) / 2]


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; None where one of the two does not vary."""
    return pearson(ranks(one), ranks(other))


def grouped(rows: Iterable[Row], *keys: str) -> dict[Any, list[Row]]:
    """Return rows by the values of some columns, in order of appearance."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return {key[0] if len(keys) == 1 else key: part for key, part in found.items()}


def objectives(rows: Sequence[Row]) -> dict[str, dict[str, dict[str, Mean]]]:
    """Return instance → learner, best first → lowest, mean and highest objective."""
    found: dict[str, dict[str, dict[str, Mean]]] = {}
    for instance, own in grouped(rows, "instance").items():
        learners = {
            learner: {
                number: mean_of([row[number] for row in part]) for number in ("low", "mean", "high")
            }
            for learner, part in grouped(own, "learner").items()
        }
        order = sorted(learners, key=lambda name: -learners[name]["high"].value)
        found[instance] = {name: learners[name] for name in order}
    return found


def importances(rows: Sequence[Row]) -> dict[str, dict[str, dict[str, Mean]]]:
    """Return instance → method → hyperparameter, most important first → importance."""
    found: dict[str, dict[str, dict[str, Mean]]] = {}
    for (instance, method), own in grouped(rows, "instance", "method").items():
        means = {
            name: mean_of([row["importance"] for row in part])
            for name, part in grouped(own, "parameter").items()
        }
        order = sorted(means, key=lambda name: -means[name].value)
        found.setdefault(instance, {})[method] = {name: means[name] for name in order}
    return found


def learner_of(rows: Sequence[Row]) -> dict[str, str | None]:
    """Return hyperparameter → the learner that alone has it."""
    return {row["parameter"]: row["learner"] for row in rows}


def correlations(rows: Sequence[Row]) -> dict[str, dict[str, Correlation]]:
    """Return instance → method, in the tables' order → correlation."""
    parts = grouped(rows, "instance", "method")
    return {
        instance: {
            method: correlation(parts[instance, method])
            for method in METHODS
            if (instance, method) in parts
        }
        for instance in grouped(rows, "instance")
    }


def correlation(rows: Sequence[Row]) -> Correlation:
    """Return both ways to combine the seeds of one instance and method."""
    each = [_of_seed(own) for own in grouped(rows, "seed").values()]
    known = [value for value in each if value is not None]
    over = mean_of(known) if known else None
    learners = grouped(rows, "learner").values()
    return Correlation(
        mean=None if over is None else over.value,
        error=None if over is None else over.error,
        of_means=pearson(
            [mean_of([row["objective"] for row in own]).value for own in learners],
            [mean_of([row["importance"] for row in own]).value for own in learners],
        ),
        undetermined=len(each) - len(known),
        seeds=len(each),
    )


def leads(rows: Sequence[Row], own: str) -> dict[str, Lead]:
    """Return instance → how far one of condped's methods is ahead of the best baseline."""
    found = {}
    for instance, methods in correlations(rows).items():
        known = {name: one.mean for name, one in methods.items() if one.mean is not None}
        rivals = [name for name in BASELINES if name in known]
        if own in known and rivals:
            rival = max(rivals, key=known.__getitem__)
            parts = grouped([row for row in rows if row["instance"] == instance], "seed", "method")
            seeds = dict.fromkeys(seed for seed, _ in parts)
            pairs = [
                (_of_seed(parts[seed, own]), _of_seed(parts[seed, rival]))
                for seed in seeds
                if (seed, own) in parts and (seed, rival) in parts
            ]
            # Of the same trials, so that the seeds' own ups and downs cancel.
            by_seed = mean_of([a - b for a, b in pairs if a is not None and b is not None] or [0.0])
            found[instance] = Lead(rival, by_seed.value, by_seed.error)
    return found


def _of_seed(rows: Sequence[Row]) -> float | None:
    return pearson([row["objective"] for row in rows], [row["importance"] for row in rows])


def seconds(rows: Sequence[Row]) -> dict[str, float]:
    """Return method → mean time of one seed of one instance."""
    once = grouped(rows, "method", "instance", "seed")
    times: dict[str, list[float]] = {}
    for (method, _, _), own in once.items():
        times.setdefault(method, []).append(own[0]["seconds"])
    return {method: float(np.mean(values)) for method, values in times.items()}


def seeds(rows: Sequence[Row]) -> int:
    """Return how many seeds the rows have."""
    return len(grouped(rows, "seed"))


def plain(found: Any, digits: int = 6) -> Any:
    """Return summaries as plain data for JSON, rounded."""
    if isinstance(found, Mean | Correlation | Lead):
        return plain(asdict(found), digits)
    if isinstance(found, Mapping):
        return {str(key): plain(value, digits) for key, value in found.items()}
    if isinstance(found, float):
        return round(found, digits)
    return found
