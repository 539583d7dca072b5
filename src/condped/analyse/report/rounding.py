"""Numbers as a page needs them: few digits, few letters."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from condped.arrays import FloatArray, IntArray

_DECIMALS = 5  # of shares, which are shown with three


def shares(values: FloatArray) -> list[float]:
    """Return numbers between 0 and 1 with as many decimals as anybody will look at."""
    rounded: list[float] = np.round(values, _DECIMALS).tolist()
    return [0 if value == 0 else value for value in rounded]


def small(values: Iterable[float]) -> list[float]:
    """Return p-values with three digits, however small they are."""
    return [float(f"{value:.3g}") for value in values]


def counted(counts: IntArray) -> str:
    """Return counts with commas between them; most are 0, and are left empty.

    Examples
    --------
    >>> counted(np.array([0, 12, 0, 0, 3]))
    ',12,,,3'
    """
    return ",".join(str(count) if count else "" for count in counts.tolist())
