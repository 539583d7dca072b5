"""When a test that has found nothing yet would: simulated futures of its p-value.

A statistic with two components, so that -2 log p is its size. A parameter either does nothing, or
pulls the components in one direction in proportion to the information, which grows with a power of
the number of trials: below 1 where a sampler learns and draws ever more similar values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray

_REFERENCE = 100.0  # trials at which ``strength`` holds


@dataclass(frozen=True, slots=True)
class Growth:
    """What is assumed about parameters before anything is observed.

    Attributes
    ----------
    exponent
        Information grows with the trials to this power.
    dead
        Probability that a parameter does nothing.
    strength
        Variance of the pull of one that does something, at 100 trials, in units of the noise.
    """

    exponent: float
    dead: float
    strength: float


def probability_dead(p_value: float, finished: int, growth: Growth) -> float:
    """Return the probability that a parameter does nothing, given its p-value at a look."""
    pull = growth.strength * (finished / _REFERENCE) ** growth.exponent
    # exp(-size / 2) is p: the ratio of both densities of the components.
    odds = growth.dead * (1.0 + pull) * max(p_value, 1e-300) ** (pull / (1.0 + pull))
    return float(odds / (odds + 1.0 - growth.dead))


def settling_looks(
    p_value: float,
    finished: int,
    looks: IntArray,
    limits: FloatArray,
    *,
    growth: Growth,
    rng: np.random.Generator,
    draws: int,
) -> IntArray:
    """Return (draws,): at which look a parameter is found, by position; ``len(looks)``: at none.

    Parameters
    ----------
    p_value, finished
        Of the last look, and its number of finished trials.
    looks
        (looks,): finished trials at later looks, ascending.
    limits
        (looks,): the p-value needed at each.
    """
    pull = growth.strength * (finished / _REFERENCE) ** growth.exponent
    kept = pull / (1.0 + pull)
    seen = np.array([np.sqrt(-2.0 * np.log(np.clip(p_value, 1e-300, 1.0))), 0.0])
    # In units of the information so far, of which there is 1.
    drift = kept * seen + np.sqrt(kept) * rng.standard_normal((draws, 2))
    drift[rng.random(draws) < probability_dead(p_value, finished, growth)] = 0.0
    information = (looks / finished) ** growth.exponent
    steps = np.diff(information, prepend=1.0)
    noise = rng.standard_normal((draws, len(looks), 2)) * np.sqrt(steps)[:, None]
    components = seen + (drift[:, None] * steps[:, None] + noise).cumsum(axis=1)
    size = (components**2).sum(axis=2) / information
    found = size >= -2.0 * np.log(np.clip(limits, 1e-300, 1.0))
    return np.where(found.any(axis=1), found.argmax(axis=1), len(looks))
