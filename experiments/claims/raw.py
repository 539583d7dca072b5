"""Variances straight from their definition: conditional means of being in the target set.

Nothing of condped's estimator or of the problems' exact truth is used here: each trial is a 1 if it
is among the best γ', else a 0, and means are taken over narrow cells of a parameter's values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from condped.problems import get

TRIALS, SEED, CELLS = 400_000, 7, 400
# One cell holds the cut of a 0/1 step: it hides at most a quarter of the share of a cell.
TOLERANCE = 0.25 / CELLS + 0.0005

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """A parameter in raw trials."""

    regime: Ints  # −1 where it is absent
    cell: Ints  # of regime and value together


@dataclass(frozen=True)
class Variances:
    """The three variances of one parameter's conditional means."""

    within: float
    inter: float
    total: float  # over regimes and values together, without splitting it


@dataclass(frozen=True)
class Sample:
    """Raw trials of a problem."""

    losses: Floats
    columns: Mapping[str, Column]

    def target(self, quantile: float) -> Floats:
        """Return (trials,): 1 for the best, 0 for the others."""
        size = round(quantile * len(self.losses))
        cutoff = np.partition(self.losses, size - 1)[size - 1]
        return np.asarray(self.losses <= cutoff, dtype=np.float64)

    def variances(self, name: str, quantile: float) -> Variances:
        """Return the variances of the chance to be in the target, given the parameter."""
        good, column = self.target(quantile), self.columns[name]
        within = sum(
            here.mean() * variance_of_means(good[here], column.cell[here])
            for regime in np.unique(column.regime)
            for here in [column.regime == regime]
        )
        return Variances(
            within=float(within),
            inter=variance_of_means(good, column.regime),
            total=variance_of_means(good, column.cell),
        )

    def closed_form(self, name: str, quantile: float) -> float:
        """Return κ² Σ α²/β D of Theorem 4.2, with D between histograms of target and region."""
        good, column = self.target(quantile), self.columns[name]
        total = 0.0
        for regime in np.unique(column.regime[column.regime >= 0]):
            here = column.regime == regime
            alpha, beta = float(good[here].sum() / good.sum()), float(here.mean())
            if alpha == 0:
                continue
            n = np.bincount(column.cell[here])
            hits = np.bincount(column.cell[here], weights=good[here])[n > 0]
            q, p = n[n > 0] / n.sum(), hits / hits.sum()
            total += alpha**2 / beta * float((q * (p / q - 1) ** 2).sum())
        return float(good.mean()) ** 2 * total

    def inside(self, gate: str, gated: str, quantile: float) -> float:
        """Return the largest variance that the gate still has inside a regime of the other."""
        good, cells = self.target(quantile), self.columns[gate].cell
        regimes = self.columns[gated].regime
        return max(
            float(here.mean()) * variance_of_means(good[here], cells[here])
            for regime in np.unique(regimes)
            for here in [regimes == regime]
        )

    def decides(self, gate: str, gated: str) -> bool:
        """Return whether the gate's value alone decides the regime of the other.

        Then hardly any narrow cell of the gate holds two regimes: only those with a cut.
        """
        cell, regime = self.columns[gate].cell, self.columns[gated].regime + 1
        kinds = int(regime.max()) + 1
        held = np.bincount(cell * kinds + regime, minlength=kinds * (int(cell.max()) + 1)) > 0
        mixed = (held.reshape(-1, kinds).sum(axis=1) > 1).sum()
        return bool(mixed <= 2 * kinds)


def variance_of_means(good: Floats, groups: Ints) -> float:
    """Return the variance of the groups' means, without what chance adds to it."""
    group = groups + 1  # −1 stands for absence
    n, hits = np.bincount(group), np.bincount(group, weights=good)
    n, hits = n[n > 0], hits[n > 0]
    mean, share = hits / n, n / n.sum()
    noise = float((share * mean * (1 - mean) / np.maximum(n - 1, 1)).sum())
    return float((share * (mean - good.mean()) ** 2).sum()) - noise


@cache
def sample(problem: str, seed: int = SEED) -> Sample:
    """Return raw trials of one of the problems."""
    table = get(problem).sample(TRIALS, seed=seed)
    return Sample(
        np.asarray(table.objectives[0].values),
        {
            one.name: column(np.broadcast_to(one.domain_ids, TRIALS), np.asarray(one.values))
            for one in table.parameters
        },
    )


def column(regime: npt.ArrayLike, values: Floats) -> Column:
    """Return a parameter with its values put into cells of equal width in each regime."""
    ids = np.asarray(regime, dtype=np.int64)
    cell = np.zeros(len(ids), dtype=np.int64)
    for one in np.unique(ids[ids >= 0]):
        here = ids == one
        low, width = values[here].min(), np.ptp(values[here])
        inside = np.minimum((CELLS * (values[here] - low) / width).astype(np.int64), CELLS - 1)
        cell[here] = 1 + one * CELLS + inside
    return Column(ids, cell)
