"""Masses from counts, against sums of kernels written out one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from condped.estimate.density import categorical_masses, numeric_masses
from condped.estimate.formula import pearson
from tests.oracle import slow

_COUNTS = st.lists(st.integers(0, 30), min_size=2, max_size=50).filter(any)


@given(counts=_COUNTS)
def test_numeric_masses_equal_the_sum_of_their_kernels(counts: list[int]) -> None:
    """One truncated kernel per trial and a prior, as the slow oracle adds them up."""
    cells = len(counts)
    domain = slow.SlowDomain("int", 0, cells - 1, step=1)
    values = [cell for cell, count in enumerate(counts) for _ in range(count)]
    found = numeric_masses(np.array([counts]))[0]
    assert found == pytest.approx(slow.masses(values, domain), rel=1e-10, abs=1e-14)
    assert found.sum() == pytest.approx(1)


@given(counts=st.lists(st.integers(0, 30), min_size=1, max_size=9).filter(any))
def test_categorical_masses_equal_the_sum_of_their_kernels(counts: list[int]) -> None:
    """The same for choices without an order."""
    domain = slow.SlowDomain("categorical", choices=tuple(range(len(counts))))
    values = [cell for cell, count in enumerate(counts) for _ in range(count)]
    found = categorical_masses(np.array([counts]))[0]
    assert found == pytest.approx(slow.masses(values, domain), rel=1e-12)
    assert found.sum() == pytest.approx(1)


def test_rows_do_not_influence_each_other() -> None:
    """Thousands of rows at once, in blocks, are what each row is alone."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 20, (2500, 13))
    together = numeric_masses(counts)
    for row in (0, 1023, 1024, 2499):
        assert together[row] == pytest.approx(numeric_masses(counts[[row]])[0], rel=1e-13)


def test_pearson_divergence_of_a_known_pair() -> None:
    """Σ q (p/q − 1)² by hand: q = (¼, ¾), p = (½, ½) gives ¼ + 1/12."""
    found = pearson(np.array([[0.5, 0.5]]), np.array([[0.25, 0.75]]))
    assert found == pytest.approx([0.25 + 1 / 12])
