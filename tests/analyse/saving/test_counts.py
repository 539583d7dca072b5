"""Counts as text come back as they were."""

from __future__ import annotations

import numpy as np
import pytest

from condped.analyse.saving.analysis import packed, unpacked


@pytest.mark.parametrize("seed", range(30))
def test_counts_survive_whatever_they_are(seed: int) -> None:
    """Many zeros, none, nothing but zeros, nothing at all, and numbers beyond 32 bits."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 2 ** rng.integers(1, 60), rng.integers(0, 200))
    counts[rng.random(len(counts)) < rng.random()] = 0
    assert unpacked(packed(counts)).tolist() == counts.tolist()


@pytest.mark.parametrize("text", ["a", "1.5", "1 2 x", "--1", "99999999999999999999"])
def test_what_are_no_counts_is_refused(text: str) -> None:
    """As Python refuses them; whoever loads a file says which."""
    with pytest.raises((ValueError, OverflowError)):
        unpacked(text)
