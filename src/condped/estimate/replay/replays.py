"""Replays of TPE on one parameter: B series of values, drawn as if the parameter did nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.replay.cells import DomainCells, ParameterCells
from condped.estimate.replay.history import History, fading_weights
from condped.estimate.replay.joint import JointWeights

Cells = npt.NDArray[np.int64]
# Kernels' widths and weights are computed again after a tenth more trials, or when others are good.
_REFRESHED = 10
_FEWEST_EFFECTIVE = 0.5  # share of weighted series, below which they are drawn anew
_NEGLIGIBLE, _MANY = 1e-3, 40  # of kernels' weights in a joint draw


@dataclass(frozen=True, slots=True)
class Tpe:
    """Settings of the sampler."""

    startup: int = 10  # trials drawn at random before it begins to learn
    candidates: int = 24


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """One parameter of N trials as the sampler drew it.

    Attributes
    ----------
    layout
        The cells of its domains.
    cells
        (N,): the cell of each value, -1 where it is absent.
    domain_ids
        (N,): -1 where it is absent.
    fixed
        (N,): where the value was given, not drawn.
    joint
        The weights of a joint draw, where it was drawn together with others; None: nowhere.
    """

    layout: ParameterCells
    cells: IntArray
    domain_ids: IntArray
    fixed: BoolArray
    joint: JointWeights | None = None


def replay(
    parameter: Replayed, history: History, tpe: Tpe, replays: int, rng: np.random.Generator
) -> Cells:
    """Return (N, replays): the cell of each drawn value, -1 where the parameter is absent."""
    series = np.full((len(parameter.cells), replays), -1, dtype=np.int64)
    laws = Laws(parameter, history, tpe, series)
    weights = np.zeros(replays)
    for trial in range(len(series)):
        if parameter.domain_ids[trial] < 0:
            continue
        if parameter.fixed[trial]:
            series[trial] = parameter.cells[trial]
            continue
        domain = parameter.layout.domains[parameter.domain_ids[trial]]
        law = laws.at(trial)
        if laws.weight is not None:
            weights = weights + laws.weight
            if _effective(weights) < _FEWEST_EFFECTIVE * replays:
                chosen = _resampled(weights, rng)
                series[:] = series[:, chosen]
                laws.keep(chosen)
                law, weights = law[chosen], np.zeros(replays)
        uniform = rng.random((replays, 1))
        drawn = (law.cumsum(axis=1) < uniform).sum(axis=1)
        series[trial] = domain.cells[np.minimum(drawn, law.shape[1] - 1)]
    return series[:, _resampled(weights, rng)] if weights.any() else series


def _effective(logs: FloatArray) -> float:
    """Return how many series the weighted ones are worth."""
    weights = np.exp(logs - logs.max())
    return float(weights.sum() ** 2 / (weights**2).sum())


def _resampled(logs: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return which series to keep, some several times, in proportion to their weights."""
    weights = np.exp(logs - logs.max())
    reached = weights.cumsum() / weights.sum()
    places = (np.arange(len(logs)) + rng.random()) / len(logs)
    return np.minimum(np.searchsorted(reached, places), len(logs) - 1)


def one_step_ahead(parameter: Replayed, history: History, tpe: Tpe) -> FloatArray:
    """Return (N, cells): the law of each trial's cell, given the observed values before it.

    NaN where nothing was drawn.
    """
    laws = Laws(parameter, history, tpe, parameter.cells[:, None].astype(np.int64))
    found = np.full((len(parameter.cells), parameter.layout.total), np.nan)
    for trial in np.flatnonzero((parameter.domain_ids >= 0) & ~parameter.fixed).tolist():
        domain = parameter.layout.domains[parameter.domain_ids[trial]]
        found[trial] = 0.0
        found[trial, domain.cells] = laws.at(trial)[0]
    return found


class Laws:
    """How the sampler draws the next value, for several series of values side by side."""

    def __init__(self, parameter: Replayed, history: History, tpe: Tpe, series: Cells) -> None:
        self.parameter, self.history, self.tpe, self.series = parameter, history, tpe, series
        self._active = parameter.domain_ids >= 0
        self._learnt: _Densities | None = None
        self.weight: FloatArray | None = None

    def keep(self, chosen: IntArray) -> None:
        """Follow the series, of which some were chosen."""
        if self._learnt is not None:
            self._learnt.keep(chosen)

    def at(self, trial: int) -> FloatArray:
        """Return (series, cells of the domain): the law of a trial's cell."""
        number = int(self.parameter.domain_ids[trial])
        domain = self.parameter.layout.domains[number]
        if self.history.finished[trial] < self.tpe.startup:
            return np.broadcast_to(domain.sizes, (self.series.shape[1], len(domain.cells)))
        good = np.flatnonzero(self.history.good[trial] & self._active)
        bad = np.flatnonzero(self.history.bad[trial] & self._active)
        learnt = self._learnt
        if learnt is None or learnt.domain is not domain or not learnt.follows(good, bad):
            equal = self.history.equal_weights
            learnt = self._learnt = _Densities(domain, self.series, good, bad, equal)
        joint = None if self.parameter.joint is None else self.parameter.joint.at(trial)
        if joint is None:
            self.weight = None
            return _best_of(*learnt.densities(), self.tpe.candidates)
        law, self.weight = joint.law(*learnt.given(*joint.weights()))
        return law


class _Densities:
    """Good and bad densities: learnt at one trial, and brought up to date at the next ones."""

    def __init__(
        self, domain: DomainCells, series: Cells, good: IntArray, bad: IntArray, equal: bool
    ) -> None:
        self.domain, self.series, self.good, self.bad = domain, series, good, bad
        self._equal = equal  # weights of good trials
        self._good_kernels = domain.kernels_of(series[good])
        self._bad_kernels = domain.kernels_of(series[bad])
        self._learnt = len(bad)
        self._sums: tuple[FloatArray, FloatArray] | None = None  # of the kernels
        self._bad_weight = 0.0

    def follows(self, good: IntArray, bad: IntArray) -> bool:
        """Bring it up to date; return whether it can be: the same are good, few more are bad."""
        known = len(self.bad)
        if (
            len(bad) - self._learnt > self._learnt // _REFRESHED
            or not np.array_equal(good, self.good)
            or not np.array_equal(bad[:known], self.bad)
        ):
            return False
        if len(bad) > known:
            added = self.domain.narrowest_of(self.series[bad[known:]], len(bad))
            self.bad, self._bad_kernels = bad, np.concatenate([self._bad_kernels, added])
            if self._sums is not None:
                more = self.domain.kernels[added].sum(axis=0)
                self._sums = self._sums[0], self._sums[1] + more
                self._bad_weight += len(added)
        return True

    def keep(self, chosen: IntArray) -> None:
        """Follow the series, of which some were chosen."""
        self._good_kernels = self._good_kernels[:, chosen]
        self._bad_kernels = self._bad_kernels[:, chosen]
        if self._sums is not None:
            self._sums = self._sums[0][chosen], self._sums[1][chosen]

    def densities(self) -> tuple[FloatArray, FloatArray]:
        """Return (series, cells): the good and the bad density, up to a factor."""
        good_weights = np.ones(len(self.good)) if self._equal else fading_weights(len(self.good))
        if self._sums is None:
            bad_weights = fading_weights(len(self.bad))
            self._bad_weight = float(bad_weights.sum())
            self._sums = (
                self._mixed(self._good_kernels, good_weights),
                self._mixed(self._bad_kernels, bad_weights),
            )
        mix = self.domain.mixture
        return (
            mix(self._sums[0], float(good_weights.sum()), len(self.good), 1.0),
            mix(self._sums[1], self._bad_weight, len(self.bad), 1.0),
        )

    def given(self, good: FloatArray, bad: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the same densities for other weights, the last being the prior's."""
        return self._given(self._good_kernels, good), self._given(self._bad_kernels, bad)

    def _given(self, kernels: IntArray, weights: FloatArray) -> FloatArray:
        trials, prior = len(kernels), float(weights[-1])
        own = weights[:-1]
        near = np.flatnonzero(own > _NEGLIGIBLE * weights.max())
        if len(near) > _MANY:
            summed = self._mixed(kernels, own)
        else:
            summed = np.einsum("k,krc->rc", own[near], self.domain.kernels[kernels[near]])
        density = self.domain.mixture(summed, float(own.sum()), trials, prior)
        return np.asarray(density / weights.sum())

    def _mixed(self, kernels: IntArray, weights: FloatArray) -> FloatArray:
        """Return (series, cells): a weighted sum of kernels."""
        rows, size = self.series.shape[1], len(self.domain.kernels)
        flat = (kernels + np.arange(rows) * size).ravel()
        table = np.bincount(flat, np.repeat(weights, rows), minlength=rows * size)
        spread = table.reshape(rows, size).astype(np.float32) @ self.domain.kernels
        return np.asarray(spread, dtype=np.float64)


def _best_of(good: FloatArray, bad: FloatArray, candidates: int) -> FloatArray:
    """Return the law of the best of some draws from the good density, by the ratio of both."""
    order = np.argsort(good / np.maximum(bad, 1e-300), axis=1)
    reached = np.take_along_axis(good, order, axis=1).cumsum(axis=1)
    reached = (reached / reached[:, -1:]) ** candidates
    law = np.empty_like(good)
    np.put_along_axis(law, order, np.diff(reached, axis=1, prepend=0.0), axis=1)
    return law
