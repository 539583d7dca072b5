"""condPED-ANOVA written straight from the paper, slowly and obviously, one trial at a time.

Nothing here is shared with the package. Densities follow the reference's definitions with
scipy's normal distribution; sets, regimes and the sum follow Algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtr  # what norm.cdf calls, fifty times as fast for one number


@dataclass(frozen=True)
class SlowDomain:
    """A domain as a plain record; kind is float, int or categorical."""

    kind: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: float | None = None
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True)
class SlowTrial:
    """A loss (lower is better) and, for each active parameter, its value and domain."""

    loss: float
    params: dict[str, tuple[Any, SlowDomain]]


def best(trials: Sequence[SlowTrial], quantile: float) -> list[SlowTrial]:
    """Line 2 of Algorithm 1: the trials at or below the empirical quantile."""
    if quantile == 1.0:
        return list(trials)
    ordered = sorted(trial.loss for trial in trials)
    cutoff = ordered[math.ceil(quantile * len(trials)) - 1]
    return [trial for trial in trials if trial.loss <= cutoff]


def masses(values: Sequence[Any], domain: SlowDomain) -> list[float]:
    """Line 6: a density over the cells, from one kernel per trial and a prior."""
    if domain.kind == "categorical":
        seen = len(set(values))
        choices = len(domain.choices)
        pseudo = 1 / (seen + 1)
        total = [1 / choices for _ in domain.choices]  # the prior, one trial's worth
        for value in values:
            for k, choice in enumerate(domain.choices):
                total[k] += (pseudo + (choice == value)) / (1 + choices * pseudo)
        return [entry / (len(values) + 1) for entry in total]

    cells = 50
    if domain.kind == "int" and domain.log:
        cells = min(math.ceil(math.log(domain.high - domain.low + 1) / math.log(2)) + 1, 50)
    elif domain.step is not None:
        cells = min(round((domain.high - domain.low) / domain.step) + 1, 50)
    low, high = domain.low, domain.high
    if domain.log:
        low, high = math.log(low), math.log(high)
        values = [math.log(value) for value in values]
    width = (high - low) / (cells - 1)
    places = sorted(
        min(max(math.ceil((value - low) / width - 0.5), 0), cells - 1) for value in values
    )
    n = len(places)
    mean = sum(places) / n
    sd = math.sqrt(sum((place - mean) ** 2 for place in places) / max(1, n - 1))
    # The quartiles are the cells at which the running count reaches n//4 and passes 3n//4.
    first = places[max(n // 4, 1) - 1]
    third = places[3 * n // 4]
    sigma = max(1.059 * min((third - first) / 1.34, sd) * n**-0.2, 0.5 / 1.64)

    def kernel(mu: float, spread: float) -> list[float]:
        inside = ndtr((cells - 0.5 - mu) / spread) - ndtr((-0.5 - mu) / spread)
        return [
            (ndtr((k + 0.5 - mu) / spread) - ndtr((k - 0.5 - mu) / spread)) / inside
            for k in range(cells)
        ]

    total = kernel((cells - 1) / 2, cells)
    for place in places:
        total = [a + b for a, b in zip(total, kernel(place, sigma), strict=True)]
    return [entry / (n + 1) for entry in total]


def importance(
    trials: Sequence[SlowTrial], name: str, target_quantile: float, region_quantile: float
) -> float:
    """Algorithm 1 for one hyperparameter."""
    target = best(trials, target_quantile)
    region = best(trials, region_quantile)
    kappa = len(target) / len(region)
    regimes = {trial.params[name][1] if name in trial.params else None for trial in region}
    total = 0.0
    for regime in regimes:
        if regime is None or (regime.kind != "categorical" and regime.low == regime.high):
            continue
        if regime.kind == "categorical" and len(regime.choices) == 1:
            continue
        here = [_value(t, name) for t in region if _regime(t, name) == regime]
        good = [_value(t, name) for t in target if _regime(t, name) == regime]
        if len(here) < 2 or not good:
            continue
        p = [entry + 1e-12 for entry in masses(good, regime)]
        q = [entry + 1e-12 for entry in masses(here, regime)]
        divergence = sum(b * (a / b - 1) ** 2 for a, b in zip(p, q, strict=True))
        alpha, beta = len(good) / len(target), len(here) / len(region)
        total += alpha**2 / beta * divergence
    return kappa**2 * total


def _regime(trial: SlowTrial, name: str) -> SlowDomain | None:
    return trial.params[name][1] if name in trial.params else None


def _value(trial: SlowTrial, name: str) -> Any:
    return trial.params[name][0]
