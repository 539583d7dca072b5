"""An order of trials by several losses: non-domination rank, then hypervolume.

The best k trials of this order are the trials that Optuna 5.0.0 takes for a quantile of a
multi-objective study: whole fronts first, and of the front that does not fit as a whole, those
that a greedy search adds to cover the largest hypervolume.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

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
        The values of k that will be asked for. Only these cuts are exact: the order inside a
        front that none of them divides costs time and is never needed.
    """
    trials = len(losses)
    deepest = min(max(sizes), trials)
    positions = np.full(trials, float(trials))
    unique, first, inverse = np.unique(losses, axis=0, return_index=True, return_inverse=True)
    left = np.arange(len(unique))  # of the unique losses, those without a front yet
    placed = 0
    while placed < deepest:
        on_front = _on_front(unique[left])
        front, left = left[on_front], left[~on_front]
        members = np.flatnonzero(np.isin(inverse, front))
        cuts = [size - placed for size in sizes if placed < size < placed + len(members)]
        order = members
        if cuts:
            leaders = first[front[_greedy(unique[front], max(cuts))]]
            # Behind the chosen ones the rest of the front: where all distinct losses were
            # chosen, these are the trials that repeat one, in their own order.
            order = np.concatenate([leaders, np.setdiff1d(members, leaders)])
        positions[order] = placed + np.arange(len(order))
        placed += len(members)
    return positions


def _on_front(losses: FloatArray) -> BoolArray:
    """Return which of the distinct, lexicographically sorted losses nothing dominates."""
    if losses.shape[1] == 2:
        lowest = np.minimum.accumulate(losses[:, 1])
        return np.concatenate([[True], lowest[1:] < lowest[:-1]])
    on_front = np.zeros(len(losses), dtype=bool)
    left = np.arange(len(losses))
    while len(left):
        # Sorted, so that the first one left is not dominated by any after it.
        best = left[0]
        on_front[best] = True
        left = left[(losses[left, 1:] < losses[best, 1:]).any(axis=1)]
    return on_front


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
    if front.shape[1] == 2:
        return _greedy_2d(front, size, reference)
    return _greedy_nd(front, size, reference)


def _greedy_2d(front: FloatArray, size: int, reference: FloatArray) -> IntArray:
    # Sorted by the first loss, a point's own rectangle is bounded by its nearest chosen
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
    # A gain never grows when others are chosen first, so an old gain is an upper bound: only
    # the candidate on top of the heap needs a new one.
    heap = [(-float(gain), i, 0) for i, gain in enumerate(np.prod(reference - front, axis=1))]
    heapq.heapify(heap)
    chosen: list[int] = []
    covered = 0.0
    while len(chosen) < size:
        negative, candidate, known_at = heapq.heappop(heap)
        if known_at == len(chosen):
            chosen.append(candidate)
            covered -= negative
            continue
        gain = _gain(front, chosen, candidate, reference, covered)
        heapq.heappush(heap, (-gain, candidate, len(chosen)))
    return np.asarray(chosen, dtype=np.int64)


def _gain(
    front: FloatArray, chosen: list[int], candidate: int, reference: FloatArray, covered: float
) -> float:
    if front.shape[1] == 3:
        return _volume_3d(front[[*chosen, candidate]], reference) - covered
    overlap = np.maximum(front[chosen], front[candidate])
    return float(np.prod(reference - front[candidate])) - _volume(overlap, reference)


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
    return float(np.dot(np.dot(height, width), depth))


def _volume(points: FloatArray, reference: FloatArray) -> float:
    """Return the volume between the points and the reference, in any number of dimensions."""
    points = np.unique(points, axis=0)
    points = points[_on_front(points)]
    inclusive = np.prod(reference - points, axis=1)
    total = float(inclusive[-1])
    for i in range(len(points) - 1):
        # What this point covers beyond all the later ones.
        shared = np.maximum(points[i + 1 :], points[i])
        total += float(inclusive[i]) - _volume(shared, reference)
    return total
