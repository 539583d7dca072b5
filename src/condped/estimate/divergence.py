"""How far two sets of masses are apart."""

from __future__ import annotations

import numpy as np

from condped.arrays import FloatArray


def pearson(target: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the Pearson divergence Σ q (p/q − 1)² of each row; (…, cells) in, (…) out."""
    return np.asarray((reference * (target / reference - 1.0) ** 2).sum(axis=-1))
