"""Whether past studies mislead a new one: trials outside the smaller space do better."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from condped.estimate.statistics.hypergeometric import chance_of_hits

# Restoring the whole space in vain costs little; keeping the smaller one wrongly costs the study.
_MISLED = 0.05
_PROVEN = 0.05
# Trials of either kind that a comparison needs.
_FEWEST = 3
_FEWEST_PROVEN = 4
# This share of the new study's best trials is its top; smaller tops are tested, too.
_TOP = 0.2
# So many trials in the smaller space without reaching the best one, which is outside, are enough.
_WITHOUT = 10


def misled(inside: npt.ArrayLike, outside: npt.ArrayLike, since: int = 0) -> str | None:
    """Say why past studies mislead a new one; None if they do not seem to.

    Parameters
    ----------
    inside, outside
        Losses, the lower the better, of the new study's trials inside and outside the smaller
        space.
    since
        What :func:`inside_since` returns.

    Examples
    --------
    >>> misled([5, 6, 5, 7, 6, 8, 7, 6], [1, 2, 3, 9])
    'the best 3 trials lie outside the smaller space, in which 8 of 12 trials lie.'
    >>> misled([1, 2, 3, 2, 1, 2, 3, 4], [5, 6, 7, 9]) is None
    True
    """
    near, far = np.sort(np.asarray(inside, float)), np.sort(np.asarray(outside, float))
    if min(len(near), len(far)) < _FEWEST:
        return None
    total = len(near) + len(far)
    for top in range(2, math.ceil(_TOP * total) + 1):
        cutoff = np.sort(np.concatenate([near, far]))[top - 1]
        reached = int(np.count_nonzero(far <= cutoff)), int(np.count_nonzero(near <= cutoff))
        if _chance_of_so_many(len(far), len(near), *reached) <= _MISLED:
            best = f"the best {sum(reached)} trials lie outside the smaller space"
            some = f"{reached[0]} of " if reached[1] else ""
            return f"{some}{best}, in which {len(near)} of {total} trials lie."
    if since >= _WITHOUT and far[0] < near[0]:
        return (
            f"{since} trials in the smaller space have not reached the best one, which lies "
            "outside."
        )
    return None


def inside_since(losses: Sequence[float], within: Sequence[bool]) -> int:
    """Return how many trials lie inside the smaller space since one outside took the lead.

    Trials are in order; 0 if the best one lies inside.

    Examples
    --------
    >>> inside_since([5, 4, 6, 7, 3, 5], [True, False, True, True, False, True])
    3
    >>> inside_since([5, 4, 6, 3], [True, False, True, True])
    0
    """
    best, leads, since = math.inf, True, 0
    for loss, fits in zip(losses, within, strict=True):
        if loss < best:
            since = 0 if fits or leads else since
            best, leads = loss, fits
        else:
            since += fits and not leads
    return since


def proven(suggested: npt.ArrayLike, whole: npt.ArrayLike) -> bool:
    """Return whether trials that the past suggested are clearly better than those of ``whole``.

    By a rank-sum test, with the normal approximation.
    """
    near, far = np.asarray(suggested, dtype=float), np.asarray(whole, dtype=float)
    if min(len(near), len(far)) < _FEWEST_PROVEN:
        return False
    better = (near[:, None] < far).sum() + 0.5 * (near[:, None] == far).sum()
    pairs = len(near) * len(far)
    spread = math.sqrt(pairs * (len(near) + len(far) + 1) / 12)
    return bool(math.erfc((better - 0.5 - pairs / 2) / spread / math.sqrt(2)) / 2 <= _PROVEN)


def _chance_of_so_many(trials: int, others: int, reached: int, others_reached: int) -> float:
    """Return the chance that at least so many of the trials are in the top if all are alike."""
    top = reached + others_reached
    return sum(
        chance_of_hits(hits, trials=trials + others, hits=trials, drawn=top)
        for hits in range(reached, min(trials, top) + 1)
    )
