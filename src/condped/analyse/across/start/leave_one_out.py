"""How large a margin keeps the best trial of a study that was left out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from condped.analyse.across.start.past import Past
from condped.analyse.across.start.ranges import PastRegime, good_ranges
from condped.arrays import FloatArray, IntArray
from condped.safe_text import percent

# With more studies than this, several are left out at a time.
_MOST_FOLDS = 20


def lowest_risk(studies: int) -> float:
    """Return the lowest risk that so many studies suffice for.

    The best trial of another study is as likely as that of any past one to lie furthest out.
    """
    return 1.0 / (studies + 1)


def lowest_percent(studies: int) -> str:
    """Return the lowest risk as a percentage that is accepted as it stands: rounded up.

    Examples
    --------
    >>> lowest_percent(3), lowest_percent(8)
    ('25 %', '11.2 %')
    """
    return percent(math.ceil(1000 * lowest_risk(studies) - 1e-9) / 1000)


def margin_for(distances: FloatArray, risk: float) -> float | None:
    """Return the smallest margin with at most this risk; None if there are too few studies.

    Among K past studies and another one like them, the other is one of the ⌈(1 - risk)(K + 1)⌉
    nearest with a chance of at least 1 - risk, so the margin is the past studies' distance of this
    rank.

    Examples
    --------
    >>> margin_for(np.array([0.0, 0.02, 0.1, 0.01]), risk=0.4)
    0.02
    >>> margin_for(np.array([0.0, 0.02, 0.1, 0.01]), risk=0.1) is None
    True
    """
    place = math.ceil((1.0 - risk) * (len(distances) + 1) - 1e-9)
    return None if place > len(distances) else float(np.sort(distances)[place - 1])


def left_out_distances(past: Past, regimes: Sequence[PastRegime], risk: float) -> FloatArray:
    """Return (studies,): the margin on the others' ranges that keeps each study's best trial."""
    folds = np.arange(len(past.names)) % _MOST_FOLDS
    found = np.zeros(len(past.names))
    for fold in np.unique(folds):
        ranges = good_ranges(regimes, folds != fold, risk)
        for study in np.flatnonzero(folds == fold):
            best = past.best_of(int(study))
            for regime in regimes:
                own = ranges.get((regime.name, regime.domain))
                place = None if own is None else _place(regime, best)
                if own is not None and place is not None:
                    found[study] = max(found[study], own.distance(place))
    return found


def _place(regime: PastRegime, row: int) -> float | None:
    """Return where a trial lies in a regime's domain; None if it is not in the regime."""
    at: IntArray = np.flatnonzero(regime.rows == row)
    return float(regime.places[at[0]]) if len(at) else None
