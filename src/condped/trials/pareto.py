"""An order of trials by several losses: non-domination rank, then hypervolume.

The best k trials of this order are the trials that Optuna 5.0.0 takes for a quantile of a
multi-objective study: whole fronts first, and of the front that does not fit as a whole, those
that a greedy search adds to cover the largest hypervolume.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray

_TINY = 1e-12  # stands in for a reference coordinate of 0, as in the reference


def pareto_positions(losses: FloatArray, sizes: Sequence[int]) -> FloatArray:
    """Return a position for each trial such that the best k are those at positions below k.

    Parameters
    ----------
    losses
        (trials, objectives), finite, lower is better.
    sizes
        The values of k that will be requested. Only these cuts are exact: the order inside a
        front that none of them divides would cost time and is never needed.
    """
    trials = len(losses)
    deepest = min(max(sizes), trials)
    positions = np.full(trials, float(trials))
    unique, first, inverse = np.unique(losses, axis=0, return_index=True, return_inverse=True)
    left = np.arange(len(unique))  # of the unique losses, those without a front yet
    placed = 0
    while placed < deepest:
        nothing_better = on_front(unique[left])
        front, left = left[nothing_better], left[~nothing_better]
        members = np.flatnonzero(np.isin(inverse, front))
        cuts = [size - placed for size in sizes if placed < size < placed + len(members)]
        order = members
        if cuts:
            leaders = first[front[_greedy(unique[front], max(cuts))]]
            # After the chosen ones the rest of the front: if all distinct losses were chosen, these
            # are the trials with repeated losses, in their original order.
            order = np.concatenate([leaders, np.setdiff1d(members, leaders)])
        positions[order] = placed + np.arange(len(order))
        placed += len(members)
    return positions


def on_front(losses: FloatArray) -> BoolArray:
    """Return which of the distinct, lexicographically sorted losses are not dominated."""
    if losses.shape[1] == 2:
        lowest = np.minimum.accumulate(losses[:, 1])
        return np.concatenate([[True], lowest[1:] < lowest[:-1]])
    found = np.zeros(len(losses), dtype=bool)
    left = np.arange(len(losses))
    while len(left):
        # Sorted, so that the first one left is not dominated by any after it.
        best = left[0]
        found[best] = True
        left = left[(losses[left, 1:] < losses[best, 1:]).any(axis=1)]
    return found


def _reference_point(losses: FloatArray) -> FloatArray:
    worst = losses.max(axis=0)
    point = np.maximum(1.1 * worst, 0.9 * worst)
    point[point == 0] = _TINY
    return np.asarray(point)


def _greedy(front: FloatArray, size: int) -> IntArray:
    """Order the front's members as a greedy search for hypervolume adds them, up to ``size``."""
    reference = _reference_point(front)
    size = min(size, len(front))
    if not np.isfinite(reference).all():
        return np.arange(size)
    with np.errstate(over="ignore", invalid="ignore"):
        if front.shape[1] == 2:
            return _greedy_2d(front, size, reference)
        return _greedy_nd(front, size, reference)


def _greedy_2d(front: FloatArray, size: int, reference: FloatArray) -> IntArray:
    # Sorted by the first loss, a point's exclusive rectangle is bounded by its nearest chosen
    # neighbours: on the right in the first loss, on the left in the second.
    right = np.full(len(front), reference[0])
    above = np.full(len(front), reference[1])
    chosen = np.zeros(len(front), dtype=bool)
    order = np.empty(size, dtype=np.int64)
    for step in range(size):
        gain = (right - front[:, 0]) * (above - front[:, 1])
        gain[chosen] = -np.inf
        best = int(np.argmax(gain))
        order[step] = best
        chosen[best] = True
        right[:best] = np.minimum(right[:best], front[best, 0])
        above[best + 1 :] = np.minimum(above[best + 1 :], front[best, 1])
    return order


def _greedy_nd(front: FloatArray, size: int, reference: FloatArray) -> IntArray:
    # Near-ties are decided by rounding, so the sums are accumulated as in the reference.
    alone = np.prod(reference - front, axis=-1)  # the volume that each covers by itself
    gains, left = alone.copy(), np.arange(len(front))
    order: list[int] = []
    covered = 0.0
    while True:
        best = int(np.argmax(gains))
        covered += float(gains[best])
        order.append(int(left[best]))
        if len(order) == size:
            return np.asarray(order, dtype=np.int64)
        gains, left = np.delete(gains, best), np.delete(left, best)
        candidates = _Candidates(front[left], alone[left], gains)
        gains = _next_gains(candidates, front[order], covered, reference)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Points not chosen yet."""

    points: FloatArray  # (candidates, objectives)
    alone: FloatArray  # (candidates,): the volume that each covers by itself
    gains: FloatArray  # (candidates,): upper bounds of what each would add


def _next_gains(
    left: _Candidates, chosen: FloatArray, covered: float, reference: FloatArray
) -> FloatArray:
    """Return the gains after one more was chosen, exact where they can still be the largest.

    A gain never grows when others are chosen first, and never exceeds what a candidate covers
    beyond the one chosen last: both are upper bounds, and most candidates need no more.
    """
    if math.isinf(covered):
        return np.full_like(left.gains, np.inf)
    points, alone = left.points, left.alone
    beyond_last = alone - np.prod(reference - np.maximum(points, chosen[-1]), axis=-1)
    gains = np.minimum(left.gains, beyond_last)
    largest = 0.0
    for place in np.argsort(-gains):
        if math.isinf(alone[place]):
            gains[place] = np.inf
        elif gains[place] < largest:
            continue
        elif points.shape[1] == 3:
            both = _volume_3d(np.vstack([chosen, points[place]]), reference)
            gains[place] = both - covered
        else:
            overlap = np.unique(np.maximum(chosen, points[place]), axis=0)
            gains[place] = alone[place] - _volume(overlap[on_front(overlap)], reference)
        largest = max(largest, float(gains[place]))
    return np.asarray(gains)


def _volume_3d(points: FloatArray, reference: FloatArray) -> float:
    """Return the volume between the points and the reference, slab by slab."""
    points = points[points[:, 0].argsort()]
    n = len(points)
    by_second = np.argsort(points[:, 1])
    height = np.zeros((n, n))
    height[by_second, np.arange(n)] = reference[2] - points[by_second, 2]
    height = np.maximum.accumulate(np.maximum.accumulate(height, axis=0), axis=1)
    first, second = points[:, 0], points[by_second, 1]
    depth = np.concatenate([first[1:], reference[:1]]) - first
    width = np.concatenate([second[1:], reference[1:2]]) - second
    return _or_infinite(float(np.dot(np.dot(height, width), depth)))


def _volume(points: FloatArray, reference: FloatArray) -> float:
    """Return the volume between points, sorted by their first loss, and the reference."""
    return _or_infinite(_sorted_volume(points, reference))


def _or_infinite(volume: float) -> float:
    # Differences of overflowed volumes are NaN; the volume itself is infinite.
    return volume if math.isfinite(volume) else math.inf


def _sorted_volume(points: FloatArray, reference: FloatArray) -> float:
    if len(points) == 1:
        return _box(points[0], reference)
    if len(points) == 2:
        shared = np.maximum(points[0], points[1])
        return _box(points[0], reference) + _box(points[1], reference) - _box(shared, reference)
    inclusive = (reference - points).prod(axis=-1)
    total = 0.0
    for place in range(len(points) - 1):
        # What this point covers beyond all the later ones.
        shared = np.maximum(points[place + 1 :], points[place])
        if len(shared) > 3:
            shared = shared[on_front(shared)]
        total += float(inclusive[place]) - _sorted_volume(shared, reference)
    return float(inclusive[-1]) + total


def _box(point: FloatArray, reference: FloatArray) -> float:
    volume = 1.0
    for low, high in zip(point.tolist(), reference.tolist(), strict=True):
        volume *= high - low
    return volume
