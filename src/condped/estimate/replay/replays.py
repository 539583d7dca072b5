"""Replays of TPE on one parameter: B series of values, drawn as if the parameter did nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.replay.cells import DomainCells, ParameterCells
from condped.estimate.replay.history import History, fading_weights

Cells = npt.NDArray[np.int64]
# Kernels' widths and weights are recomputed after a tenth more trials, or if the good ones change.
_REFRESHED = 10
_BLUR = 0.2  # share of random draws in the law that values are compared with
_FEW = 100  # trials, whose kernels are summed one by one
# Multiplications in one product of matrices. OpenBLAS, which comes with numpy, starts threads above
# 2^18; on a machine with other work, waiting for them takes many times as long as multiplying.
_MOST_PRODUCTS = 1 << 18


@dataclass(frozen=True, slots=True)
class TpeSettings:
    """Settings of the sampler."""

    startup: int = 10  # trials drawn at random before it begins to learn
    candidates: int = 24


@dataclass(frozen=True, slots=True, eq=False)
class DrawnParameter:
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
    """

    layout: ParameterCells
    cells: IntArray
    domain_ids: IntArray
    fixed: BoolArray

    @property
    def draws(self) -> object:
        """What replays depend on: parameters with equal ones can be replayed side by side."""
        if len(self.layout.domains) > 1 or self.fixed.any():
            return id(self)
        return id(self.layout.domains[0].kernels), self.domain_ids.tobytes()


def replay(
    parameter: DrawnParameter, history: History, tpe: TpeSettings, chances: FloatArray
) -> Cells:
    """Return (N, replays): the cell of each drawn value, -1 where the parameter is absent.

    ``chances``, of the same shape, are uniform between 0 and 1 and decide the draws.
    """
    series = np.full(chances.shape, -1, dtype=np.int64)
    laws = Laws(parameter, history, tpe, series)
    for trial in range(len(series)):
        if parameter.domain_ids[trial] < 0:
            continue
        if parameter.fixed[trial]:
            series[trial] = parameter.cells[trial]
            continue
        domain = parameter.layout.domains[parameter.domain_ids[trial]]
        drawn = _draw_best(*laws.densities(trial), laws.candidates(trial), chances[trial])
        series[trial] = domain.cells[drawn]
    return series


def attraction(
    parameters: Sequence[DrawnParameter], history: History, tpe: TpeSettings, most: int
) -> tuple[float, float]:
    """Return how much values follow earlier results, and the variance of that for random draws.

    One step ahead, given all that was observed before: the log ratio of the sampler's law to a
    random draw at each value, less its mean over random draws. All parameters have the same
    ``draws``; at most ``most`` trials are used, spread over all.
    """
    first = parameters[0]
    series = np.column_stack([own.cells for own in parameters]).astype(np.int64)
    laws = Laws(first, history, tpe, series)
    drawn = (first.domain_ids >= 0) & ~first.fixed & (history.finished >= tpe.startup)
    total = variance = 0.0
    trials = np.flatnonzero(drawn)
    if len(trials) > most:
        trials = trials[np.linspace(0, len(trials) - 1, most).astype(np.int64)]
    densities = [laws.densities(trial) for trial in trials.tolist()]
    for number in np.unique(first.domain_ids[trials]).tolist():
        domain = first.layout.domains[number]
        here = np.flatnonzero(first.domain_ids[trials] == number)
        good, bad = (np.concatenate([densities[k][side] for k in here]) for side in (0, 1))
        ratio = np.log((1.0 - _BLUR) * _law(good, bad, tpe.candidates) / domain.sizes + _BLUR)
        mean = ratio @ domain.sizes
        own = ratio[domain.cells == series[trials[here]].reshape(-1, 1)]
        total += float((own - mean).sum())
        variance += float(((ratio - mean[:, None]) ** 2 @ domain.sizes).sum())
    return total, variance


class Laws:
    """How the sampler draws the next value, for several series of values side by side."""

    def __init__(
        self, parameter: DrawnParameter, history: History, tpe: TpeSettings, series: Cells
    ) -> None:
        self.parameter, self.history, self.tpe, self.series = parameter, history, tpe, series
        self._active = parameter.domain_ids >= 0
        self._learnt: _Densities | None = None

    def candidates(self, trial: int) -> int:
        """Return from how many draws the best one is chosen."""
        return self.tpe.candidates if self.history.finished[trial] >= self.tpe.startup else 1

    def densities(self, trial: int) -> tuple[FloatArray, FloatArray]:
        """Return (series, cells of the domain): the good and the bad density, up to a factor."""
        domain = self.parameter.layout.domains[self.parameter.domain_ids[trial]]
        if self.history.finished[trial] < self.tpe.startup:
            uniform = np.broadcast_to(domain.sizes, (self.series.shape[1], len(domain.cells)))
            return uniform, uniform
        good = np.flatnonzero(self.history.good[trial] & self._active)
        bad = np.flatnonzero(self.history.bad[trial] & self._active)
        learnt = self._learnt
        if learnt is None or learnt.domain is not domain or not learnt.follows(good, bad):
            equal = self.history.equal_weights
            learnt = self._learnt = _Densities(domain, self.series, good, bad, equal)
        return learnt.densities()


class _Densities:
    """Good and bad densities: learnt at one trial, and updated at the next ones."""

    def __init__(
        self, domain: DomainCells, series: Cells, good: IntArray, bad: IntArray, equal: bool
    ) -> None:
        self.domain, self.series, self.good, self.bad = domain, series, good, bad
        self._learnt = len(bad)
        weights = np.ones(len(good)) if equal else fading_weights(len(good))
        kernels = _mix_kernels(domain, domain.kernels_of(series[good]), weights)
        self._good_density = domain.mixture(kernels, float(weights.sum()), len(good))
        weights = fading_weights(len(bad))
        self._bad_weight = float(weights.sum())
        self._bad_kernels = _mix_kernels(domain, domain.kernels_of(series[bad]), weights)

    def follows(self, good: IntArray, bad: IntArray) -> bool:
        """Update the densities if the same trials are good and few more are bad; return whether."""
        known = len(self.bad)
        if (
            len(bad) - self._learnt > self._learnt // _REFRESHED
            or not np.array_equal(good, self.good)
            or not np.array_equal(bad[:known], self.bad)
        ):
            return False
        if len(bad) > known:
            added = self.domain.narrowest_of(self.series[bad[known:]], len(bad))
            self.bad = bad
            self._bad_kernels = self._bad_kernels + self.domain.kernels[added].sum(axis=0)
            self._bad_weight += len(added)
        return True

    def densities(self) -> tuple[FloatArray, FloatArray]:
        """Return (series, cells): the good and the bad density, up to a factor."""
        bad = self.domain.mixture(self._bad_kernels, self._bad_weight, len(self.bad))
        return self._good_density, bad


def _mix_kernels(domain: DomainCells, kernels: IntArray, weights: FloatArray) -> FloatArray:
    """Return (series, cells): a weighted sum of (trials, series) kernels."""
    table, rows = domain.kernels, kernels.shape[1]
    if len(kernels) <= _FEW:
        few = np.einsum("k,krc->rc", weights.astype(np.float32), table[kernels])
        return np.asarray(few, dtype=np.float64)
    size = len(table)
    flat = (kernels + np.arange(rows) * size).ravel()
    spread = np.bincount(flat, np.repeat(weights, rows), minlength=rows * size)
    spread = spread.reshape(rows, size).astype(np.float32)
    mixed = np.zeros((rows, table.shape[1]), dtype=np.float32)
    places = len(domain.places) or size
    most = max(1, _MOST_PRODUCTS // (places * table.shape[1]))
    for width in np.flatnonzero(np.bincount(kernels.ravel() // places)) * places:
        own = slice(width, width + places)
        for first in range(0, rows, most):
            some = slice(first, first + most)
            mixed[some] += spread[some, own] @ table[own]
    return np.asarray(mixed, dtype=np.float64)


def _law(good: FloatArray, bad: FloatArray, candidates: int) -> FloatArray:
    """Return (rows, cells): the law of the best of some draws, by the ratio of both densities."""
    order, reached = _order_by_ratio(good, bad)
    law = np.empty_like(good)
    np.put_along_axis(law, order, np.diff(reached**candidates, axis=1, prepend=0.0), axis=1)
    return law


def _order_by_ratio(good: FloatArray, bad: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the cells in order of the density ratio, and the good density summed in that order."""
    order = np.argsort(good / np.maximum(bad, 1e-300), axis=1)
    reached = np.take_along_axis(good, order, axis=1).cumsum(axis=1)
    return order, reached / reached[:, -1:]


def _draw_best(good: FloatArray, bad: FloatArray, candidates: int, chances: FloatArray) -> IntArray:
    """Return (series,): the best of some draws from the good density, by the ratio of both."""
    order, reached = _order_by_ratio(good, bad)
    highest = chances ** (1.0 / candidates)  # the largest of that many
    place = np.minimum((reached < highest[:, None]).sum(axis=1), good.shape[1] - 1)
    return np.asarray(np.take_along_axis(order, place[:, None], axis=1)[:, 0])
