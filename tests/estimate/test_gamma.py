"""The gamma distribution's tail against scipy's."""

from __future__ import annotations

import numpy as np
from scipy import stats

from condped.estimate.statistics.gamma_distribution import upper_tail


def test_tails_equal_scipys() -> None:
    """Over seven orders of magnitude of shape, scale and place."""
    rng = np.random.default_rng(0)
    shape, scale = 10 ** rng.uniform(-2, 3, 5000), 10 ** rng.uniform(-3, 2, 5000)
    x = shape * scale * 10 ** rng.uniform(-2, 1.2, 5000)
    ours = upper_tail(x, shape * scale, shape * scale**2)
    theirs = stats.gamma.sf(x, shape, scale=scale)
    assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_where_nothing_can_deviate_the_tail_is_one() -> None:
    """No mean, no variance, nothing seen."""
    x = np.array([1.0, 1.0, 0.0])
    found = upper_tail(x, np.array([0.0, 1.0, 1.0]), np.array([1.0, 0.0, 1.0]))
    assert found.tolist() == [1.0, 1.0, 1.0]
