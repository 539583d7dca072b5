"""When parameters are said to differ between studies."""

from __future__ import annotations

import math
from typing import Literal

from condped.arrays import FloatArray
from condped.estimate.independence_test import adjusted
from condped.estimate.statistics.pooling import holm

# ``differs``: further apart than chance explains, by the p-value adjusted for all parameters.
Agreement = Literal["differs", "unclear", "no evidence", "not testable"]
DIFFERS, UNCLEAR = 0.05, 0.1  # the largest adjusted p-values of these verdicts


def adjusted_p_values(p_values: FloatArray, studies: int) -> FloatArray:
    """Return (P,) p-values of differences between so many studies, adjusted; NaN stays.

    Of two studies, any parameter is said to differ by chance with at most the given probability
    (Holm), so that they are judged alike wherever they are compared. Of more, a share of those that
    are said to differ (Benjamini and Hochberg).
    """
    if not len(p_values):
        return p_values
    return holm(p_values) if studies == 2 else adjusted(p_values)


def agreement_of(adjusted_p: float) -> Agreement:
    """Return the verdict of an adjusted p-value; NaN is not testable."""
    if math.isnan(adjusted_p):
        return "not testable"
    if adjusted_p <= DIFFERS:
        return "differs"
    return "unclear" if adjusted_p <= UNCLEAR else "no evidence"
