"""Whether past studies mislead a new one: trials of the whole space reach its top more often."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from condped.analyse.branches.discover import log_choose

# The best of this share of the new study's trials are its top.
_TOP = 0.2
# Fewer trials of either kind say nothing.
_FEWEST = 4
# To open the space in vain costs little; to keep it closed wrongly costs the study.
_MISLED = 0.1
_PROVEN = 0.1


def misled(inside: npt.ArrayLike, outside: npt.ArrayLike) -> str | None:
    """Say why past studies mislead a new one; None if they do not seem to.

    Parameters
    ----------
    inside, outside
        Losses, the lower the better, of trials in the smaller space, and of trials that were drawn
        from the whole one.

    Examples
    --------
    >>> misled([5, 6, 5, 7, 6, 8, 7, 6], [1, 2, 3, 9])
    '3 of 4 trials of the whole space are among the best 3 of 12, and 0 of 8 of the smaller one.'
    >>> misled([1, 2, 3, 2, 1, 2, 3, 4], [5, 6, 7, 9]) is None
    True
    """
    within, whole, near, far = _reached(inside, outside)
    if min(within, whole) < _FEWEST or _chance(whole, within, far, near) > _MISLED:
        return None
    return (
        f"{far} of {whole} trials of the whole space are among the best {near + far} of "
        f"{within + whole}, and {near} of {within} of the smaller one."
    )


def proven(inside: npt.ArrayLike, outside: npt.ArrayLike) -> bool:
    """Return whether trials in the smaller space reach the top clearly more often."""
    within, whole, near, far = _reached(inside, outside)
    return min(within, whole) >= _FEWEST and _chance(within, whole, near, far) <= _PROVEN


def _reached(inside: npt.ArrayLike, outside: npt.ArrayLike) -> tuple[int, int, int, int]:
    """Return how many trials there are of each kind, and how many of each are in the top."""
    near, far = np.asarray(inside, dtype=float), np.asarray(outside, dtype=float)
    every = np.sort(np.concatenate([near, far]))
    if not len(every):
        return 0, 0, 0, 0
    cutoff = every[math.ceil(_TOP * len(every)) - 1]
    top = int(np.count_nonzero(near <= cutoff)), int(np.count_nonzero(far <= cutoff))
    return len(near), len(far), *top


def _chance(trials: int, others: int, reached: int, others_reached: int) -> float:
    """Return the chance that so many of the trials, or more, are in the top, if all are alike."""
    top = reached + others_reached
    everything = log_choose(trials + others, top)
    return sum(
        math.exp(log_choose(trials, k) + log_choose(others, top - k) - everything)
        for k in range(reached, min(trials, top) + 1)
        if top - k <= others
    )
