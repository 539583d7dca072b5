"""Which trials finished first, and what they had drawn from by then."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from condped.arrays import BoolArray, FloatArray, IdArray, IntArray

Domain = TypeVar("Domain")


def rows_of_first(ended: BoolArray, times: FloatArray | None, finished: int) -> IntArray:
    """Return the positions, ascending, of the trials that finished first.

    ``ended`` and ``times`` are (trials,): which have ended, and when. By time if it is recorded for
    all of them, in the order of the rows otherwise.
    """
    rows = np.flatnonzero(ended)
    if times is not None and np.isfinite(times[rows]).all():
        rows = rows[np.argsort(times[rows], kind="stable")]
    return np.sort(rows[: max(finished, 0)])


def only_drawn(ids: IdArray, domains: tuple[Domain, ...]) -> tuple[IdArray, tuple[Domain, ...]]:
    """Return a parameter's domain ids and domains without those that no trial drew from.

    Examples
    --------
    >>> only_drawn(np.array([2, -1, 0]), ("a", "b", "c"))
    (array([ 1, -1,  0]), ('a', 'c'))
    """
    drawn = np.unique(ids)
    drawn = drawn[drawn >= 0]
    if len(drawn) == len(domains):
        return ids, domains
    place = np.full(len(domains) + 1, -1, dtype=ids.dtype)  # the last one is for absence, -1
    place[drawn] = np.arange(len(drawn))
    return place[ids], tuple(domains[number] for number in drawn.tolist())
