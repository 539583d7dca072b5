"""When a running study is tested, and the share of the error that each look may spend.

A study is tested at scheduled numbers of finished trials, however often somebody looks. The
schedule has no state: the same trials give the same looks after a restart and on every machine.
"""

from __future__ import annotations

from itertools import takewhile

import numpy as np

from condped.arrays import FloatArray

# Finished trials. At 30, with three of them in the target set, more dead parameters were found to
# matter in synthetic studies of TPE, but no more real ones (docs/trust/looks.md).
FIRST_LOOK = 40
_STEP = 10  # looks are at multiples of it
_RATIO = 1.25  # of one look's trials to the last one's, before rounding
_SPREAD = 4  # larger: less for the first looks, more for later ones
_MOST = 1_000  # looks, far beyond any study


def _scheduled() -> tuple[int, ...]:
    sizes = [FIRST_LOOK]
    while len(sizes) < _MOST and sizes[-1] < 1 << 60:
        grown = _STEP * int(_RATIO * sizes[-1] / _STEP + 0.5)
        sizes.append(max(sizes[-1] + _STEP, grown))
    return tuple(sizes)


_SCHEDULE = _scheduled()


def looks_until(finished: int) -> tuple[int, ...]:
    """Return the scheduled looks, in finished trials, that a study has reached.

    Examples
    --------
    >>> looks_until(200)
    (40, 50, 60, 80, 100, 130, 160, 200)
    """
    return tuple(takewhile(lambda look: look <= finished, _SCHEDULE))


def last_look(finished: int) -> int:
    """Return at how many finished trials a study was last tested; 0 before the first look.

    Parameters
    ----------
    finished
        Trials that have ended, however they ended.

    Examples
    --------
    >>> import condped
    >>> condped.last_look(157), condped.last_look(12)
    (130, 0)
    """
    return max(looks_until(finished), default=0)


def next_look(finished: int) -> int:
    """Return at how many finished trials a study is tested next.

    Parameters
    ----------
    finished
        Trials that have ended, however they ended.

    Examples
    --------
    >>> import condped
    >>> condped.next_look(157), condped.next_look(12)
    (160, 40)
    """
    return _SCHEDULE[len(looks_until(finished))]


def look_weights(looks: int) -> FloatArray:
    """Return (looks,): the share of the error that each of the first looks may spend.

    Over infinitely many looks they sum to 1.

    Examples
    --------
    >>> look_weights(3).round(3).tolist()
    [0.2, 0.133, 0.095]
    """
    number = np.arange(looks)
    return np.asarray(_SPREAD / ((number + _SPREAD) * (number + _SPREAD + 1.0)))


def over_looks(p_values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return p-values that hold over all looks, from (looks, …) those of each look.

    The smallest of p/w: by the union bound it is at most α with probability α or less, at any
    time. A look without a p-value (NaN) is skipped, and its share of the error is lost.

    Examples
    --------
    >>> over_looks(np.array([[0.01, np.nan], [0.001, 0.9]]), np.array([0.2, 0.1])).tolist()
    [0.01, 1.0]
    """
    each = p_values / weights.reshape(-1, *(1,) * (p_values.ndim - 1))
    smallest = np.fmin.reduce(each, axis=0, initial=np.inf)
    return np.where(np.isnan(p_values).all(axis=0), np.nan, np.minimum(smallest, 1.0))
