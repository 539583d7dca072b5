"""The calibrated estimator's kernels: arrays in, arrays out.

Membership in the target set is compared with that of neighbours in rank, each trial left out of its
own neighbourhood: the mean is exactly 0 if membership does not depend on the value.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from condped.arrays import FloatArray, IntArray

# Scott's rule, 1.059 standard deviations times trials^(-1/5), for values spread evenly over cells.
_SCOTT = 1.059 / math.sqrt(12.0)
_NARROWEST = 0.5 / 1.64  # 90 % of a kernel stay inside its own cell
_NEAR = 0.5  # share of Scott's bandwidth that the estimator smooths by


@lru_cache(maxsize=64)  # most regimes of a study have as many trials and cells as others
def neighbourhood(
    cells: int, trials: int, share_of_scott: float, *, ordered: bool
) -> FloatArray | None:
    """Return (cells, cells): how near each cell is to each other, 1 for itself.

    None for cells without an order, which are near themselves only.
    """
    if not ordered:
        return None
    sigma = max(share_of_scott * _SCOTT * cells * max(trials, 1) ** -0.2, _NARROWEST)
    apart = np.arange(cells)
    found = np.exp(-((apart[:, None] - apart) ** 2) / (2.0 * sigma**2))
    found.flags.writeable = False
    return np.asarray(found)


def twiced_excess(region: IntArray, target: IntArray, trials: int, *, ordered: bool) -> FloatArray:
    """Return :func:`excess`, corrected to first order for what smoothing by a kernel loses.

    Twicing: the loss grows with the square of the width, so that 2 U(h) - U(√2 h) has none of it.
    ``trials`` sets the width. Means of 0 stay 0.
    """
    if not ordered:
        return excess(region, target, None)
    cells = region.shape[-1]
    region, target = region.astype(np.float64), target.astype(np.float64)
    near, wide = (
        excess(region, target, neighbourhood(cells, trials, share, ordered=True))
        for share in (_NEAR, math.sqrt(2.0) * _NEAR)
    )
    return np.asarray(2.0 * near - wide)


def excess(
    region: IntArray | FloatArray, target: IntArray | FloatArray, kernel: FloatArray | None
) -> FloatArray:
    """Return how much more often target trials have target trials around them than by chance.

    Parameters
    ----------
    region
        (..., cells): trials of the region set in a regime.
    target
        (..., target sets, cells): those of each target set.
    kernel
        (cells, cells), symmetric, with ones on the diagonal; None: the identity.

    Returns
    -------
    (..., target sets). Divided by the size of the region set and summed over regimes, it estimates
    the variance of Theorem 4.2.
    """
    trials = region.sum(axis=-1)[..., None]
    hits = target.sum(axis=-1)
    around = (_trials_around(region, kernel) - 1.0)[..., None, :]
    hits_around = _trials_around(target, kernel) - 1.0
    # The share of hits among all other trials of the regime, as expected by chance.
    chance = np.divide(
        hits - 1.0, trials - 1.0, out=np.zeros(hits.shape), where=(trials > 1) & (hits > 0)
    )
    alone = around <= 1e-9  # no other trial is near
    share = np.divide(
        hits_around,
        around,
        out=np.zeros(hits_around.shape),
        where=~np.broadcast_to(alone, hits_around.shape),
    )
    share = np.where(alone, chance[..., None], share)
    return np.asarray((target * share).sum(axis=-1) - hits * chance)


def _trials_around(counts: FloatArray | IntArray, kernel: FloatArray | None) -> FloatArray:
    """Return (..., cells): the trials around each cell; many rows by one product."""
    if kernel is None:
        return np.asarray(counts)
    return (counts.reshape(-1, counts.shape[-1]) @ kernel).reshape(counts.shape)


def chance_variance(region: IntArray, hits: int, trials: int, *, ordered: bool) -> float:
    """Return the variance of :func:`twiced_excess` if so many hits were drawn at random.

    To first order: the pairs of trials are then uncorrelated. ``region`` is (cells,).
    """
    number = float(region.sum())
    if number < 3 or hits < 2 or hits >= number:
        return 0.0
    counts = np.ascontiguousarray(region, dtype=np.int64).tobytes()
    share = hits / number
    return 2.0 * (share * (1.0 - share)) ** 2 * _squared_weights(counts, trials, ordered=ordered)


@lru_cache(maxsize=256)  # without ties, regimes with as many trials have the same counts
def _squared_weights(counts: bytes, trials: int, *, ordered: bool) -> float:
    """Return the sum over pairs of trials of squared weights, from (cells,) counts."""
    region = np.frombuffer(counts, dtype=np.int64)
    number = float(region.sum())
    shares = (_NEAR, math.sqrt(2.0) * _NEAR) if ordered else (_NEAR,)
    near = [
        _weights(region, neighbourhood(len(region), trials, share, ordered=ordered))
        for share in shares
    ]
    weights = (2.0 * near[0] - near[1] if ordered else near[0]) - 1.0 / (number - 1.0)
    return float(region @ weights**2 @ region - (region * np.diag(weights) ** 2).sum())


def _weights(region: IntArray, kernel: FloatArray | None) -> FloatArray:
    """Return (cells, cells): how much two other trials of these cells count as a pair."""
    near = np.eye(len(region)) if kernel is None else kernel
    around = (region @ near - 1.0)[:, None]
    plain = np.full(near.shape, 1.0 / (region.sum() - 1.0))
    each = np.divide(near, around, out=plain, where=np.broadcast_to(around > 1e-9, near.shape))
    return np.asarray((each + each.T) / 2.0)
