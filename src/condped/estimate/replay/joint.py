"""Joint draws: one parameter of a multivariate TPE, given the values of the others.

A joint density is a mixture of products of kernels. Given the others' values it is a mixture in one
parameter, each kernel weighted by what its factors give there. Of the candidates, drawn jointly, the
best was kept: how much that favours a value depends on how its ratio compares with those of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.normal_distribution import normal_cdf
from condped.estimate.replay.history import History, fading_weights

_CANDIDATES = 128  # jointly drawn, to learn how ratios are spread
_REFRESHED = 20  # the spread is learnt again after n / 20 further trials
_TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class JointParameter:
    """One of the parameters that are drawn together.

    Attributes
    ----------
    values
        (N,): where a number lies in its domain, 0 to 1; of a choice its position.
    low, high
        (N,): between which places it would have been rounded to this value; empty for numbers
        that are not rounded.
    choices
        How many choices there are; 0 for numbers.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    choices: int = 0


@dataclass(slots=True, eq=False)
class JointGroup:
    """Parameters that are drawn together, and what their densities are at each trial."""

    parameters: Sequence[JointParameter]
    active: BoolArray  # (N,): which trials have all of them
    drawn: BoolArray  # (N,): which trials were drawn jointly
    history: History
    candidates: int
    rng: np.random.Generator
    _steps: dict[int, _Step] = field(default_factory=dict)
    _ratios: tuple[int, FloatArray] | None = None

    def step(self, trial: int) -> _Step:
        """Return the kernels of the past at a trial's values."""
        found = self._steps.get(trial)
        if found is None:
            good = np.flatnonzero(self.history.good[trial] & self.active)
            bad = np.flatnonzero(self.history.bad[trial] & self.active)
            equal = self.history.equal_weights
            good_weights = np.ones(len(good)) if equal else fading_weights(len(good))
            mixtures = (
                _Mixture(self.parameters, good, np.append(good_weights, 1.0)),
                _Mixture(self.parameters, bad, np.append(fading_weights(len(bad)), 1.0)),
            )
            ratios = self._spread(trial, mixtures)
            one = np.array([trial])
            points = [_point(parameter, one) for parameter in self.parameters]
            logs = tuple(mixture.log_kernels(points)[:, 0] for mixture in mixtures)
            weights = mixtures[0].weights, mixtures[1].weights
            found = _Step(logs[0], logs[1], weights[0], weights[1], ratios, self.candidates)
            self._steps[trial] = found
        return found

    def _spread(self, trial: int, mixtures: tuple[_Mixture, _Mixture]) -> FloatArray:
        """Return the sorted log ratios of joint candidates, learnt anew now and then."""
        seen = int(self.history.finished[trial])
        if self._ratios is None or trial - self._ratios[0] >= max(1, seen // _REFRESHED):
            points = mixtures[0].draw(self.rng, _CANDIDATES)
            logs = [mixture.log_density(points) for mixture in mixtures]
            self._ratios = trial, np.sort(logs[0] - logs[1])
        return self._ratios[1]


@dataclass(frozen=True, slots=True, eq=False)
class JointWeights:
    """One parameter's place in a group."""

    group: JointGroup
    place: int

    def at(self, trial: int) -> JointStep | None:
        """Return the weights of a trial's joint draw; None if it was not drawn jointly."""
        if not self.group.drawn[trial]:
            return None
        return JointStep(self.group.step(trial), self.place)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    good_logs: FloatArray  # (parameters, trials + 1): log kernels at the drawn values, prior last
    bad_logs: FloatArray
    good_weights: FloatArray  # (trials + 1,)
    bad_weights: FloatArray
    ratios: FloatArray
    candidates: int


@dataclass(slots=True, eq=False)
class JointStep:
    """The joint draw of one trial, as seen from one parameter."""

    step: _Step
    place: int
    _scale: float = 0.0

    def weights(self) -> tuple[FloatArray, FloatArray]:
        """Return the weights of good and bad trials given the other values, the priors' last."""
        own = self.step
        found, scales = [], []
        for logs, weights in ((own.good_logs, own.good_weights), (own.bad_logs, own.bad_weights)):
            others = logs.sum(axis=0) - logs[self.place]
            shift = float(others.max())
            given = weights * np.exp(others - shift)
            found.append(given)
            scales.append(float(np.log(given.sum() / weights.sum())) + shift)
        self._scale = scales[0] - scales[1]
        return found[0], found[1]

    def law(self, good: FloatArray, bad: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the law of the cell: drawn from the good density, and the best of candidates.

        Also return, (series,), how likely each made the other values, up to a constant; as logs.
        """
        ratio = np.log(np.maximum(good, 1e-300) / np.maximum(bad, 1e-300)) + self._scale
        known = self.step.ratios
        place = (ratio - known.mean()) / max(float(known.std()), 1e-6)
        logs = np.log(np.maximum(good, 1e-300))
        logs += (self.step.candidates - 1) * _log_normal_cdf(place)
        top = logs.max(axis=1, keepdims=True)
        law = np.exp(logs - top)
        total = law.sum(axis=1, keepdims=True)
        return law / total, (top + np.log(total))[:, 0]


def _log_normal_cdf(x: FloatArray) -> FloatArray:
    far = np.minimum(x, -4.0)
    tail = -0.5 * far**2 - np.log(-far) - 0.5 * np.log(2 * np.pi)
    return np.where(x > -4.0, np.log(np.maximum(normal_cdf(x), 1e-12)), tail)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Values of one parameter."""

    values: FloatArray
    low: FloatArray
    high: FloatArray


def _point(parameter: JointParameter, rows: IntArray) -> _Points:
    if not parameter.low.size:
        return _Points(parameter.values[rows], parameter.low, parameter.high)
    return _Points(parameter.values[rows], parameter.low[rows], parameter.high[rows])


class _Mixture:
    """A mixture of products of kernels, a kernel for each trial and one for the prior."""

    def __init__(
        self, parameters: Sequence[JointParameter], past: IntArray, weights: FloatArray
    ) -> None:
        self.parameters, self.past, self.weights = parameters, past, weights
        self.middles = [np.append(p.values[past], 0.5) for p in parameters]
        self.widths = [_widths(p.values[past]) for p in parameters]

    def log_kernels(self, points: Sequence[_Points]) -> FloatArray:
        """Return (parameters, points, trials + 1)."""
        return np.array(
            [
                _log_kernel(parameter, point, middle, width)
                for parameter, point, middle, width in zip(
                    self.parameters, points, self.middles, self.widths, strict=True
                )
            ]
        )

    def log_density(self, points: Sequence[_Points]) -> FloatArray:
        """Return (points,)."""
        logs = self.log_kernels(points).sum(axis=0) + np.log(self.weights / self.weights.sum())
        top = logs.max(axis=1)
        return np.asarray(np.log(np.exp(logs - top[:, None]).sum(axis=1)) + top)

    def draw(self, rng: np.random.Generator, number: int) -> list[_Points]:
        """Draw points from the mixture."""
        share = self.weights / self.weights.sum()
        kernel = rng.choice(len(share), size=number, p=share)
        found = []
        for parameter, middle, width in zip(
            self.parameters, self.middles, self.widths, strict=True
        ):
            if parameter.choices:
                spread = 1.0 / len(share)
                stays = rng.random(number) < 1.0 / (1.0 + spread * parameter.choices)
                stays &= kernel < len(self.past)
                other = rng.integers(parameter.choices, size=number)
                value = np.where(stays, middle[kernel], other).astype(np.float64)
                found.append(_Points(value, np.zeros(0), np.zeros(0)))
                continue
            value = _inside(rng, middle[kernel], width[kernel])
            found.append(_rounded(parameter, value))
        return found


def _inside(rng: np.random.Generator, middle: FloatArray, width: FloatArray) -> FloatArray:
    """Draw from normal distributions, each again until it lies between 0 and 1."""
    value = rng.normal(middle, width)
    for _ in range(50):
        out = (value < 0) | (value > 1)
        if not out.any():
            break
        value[out] = rng.normal(middle[out], width[out])
    return np.clip(value, 0.0, 1.0)


def _rounded(parameter: JointParameter, value: FloatArray) -> _Points:
    if not parameter.low.size:
        return _Points(value, parameter.low, parameter.high)
    # To one of the values that occur: enough to learn how ratios are spread.
    order = np.argsort(parameter.values)
    nearest = np.clip(np.searchsorted(parameter.high[order], value), 0, len(order) - 1)
    return _point(parameter, order[nearest])


def _widths(middles: FloatArray) -> FloatArray:
    """Return (trials + 1,): a kernel's width for each trial, from its neighbours, and the prior's."""
    trials = len(middles)
    if trials == 0:
        return np.ones(1)
    order = np.argsort(middles, kind="stable")
    ends = np.concatenate([[0.0], middles[order], [1.0]])
    gaps = np.diff(ends)
    width = np.maximum(gaps[:-1], gaps[1:])
    if trials >= 2:
        width[0], width[-1] = gaps[1], gaps[-2]
    found = np.empty(trials)
    found[order] = np.clip(width, 1.0 / min(100.0, trials + 2.0), 1.0)
    return np.append(found, 1.0)


def _log_kernel(
    parameter: JointParameter, points: _Points, middle: FloatArray, width: FloatArray
) -> FloatArray:
    """Return (points, trials + 1)."""
    if parameter.choices:
        spread = 1.0 / len(middle)
        each = 1.0 + spread * parameter.choices
        same = points.values[:, None] == middle
        same[:, -1] = False
        logs = np.log((same + spread) / each)
        logs[:, -1] = -np.log(parameter.choices)
        return np.asarray(logs)
    whole = normal_cdf((1.0 - middle) / width) - normal_cdf(-middle / width)
    if points.low.size:
        mass = normal_cdf((points.high[:, None] - middle) / width)
        mass -= normal_cdf((points.low[:, None] - middle) / width)
        return np.asarray(np.log(np.maximum(mass, _TINY) / whole))
    away = (points.values[:, None] - middle) / width
    return np.asarray(-0.5 * away**2 - np.log(width * whole * np.sqrt(2 * np.pi)))
