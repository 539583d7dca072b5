"""Keys have the order of the numbers, and groups are dealt evenly."""

from __future__ import annotations

import numpy as np
import pytest

from condped.count.order_statistics.keys import KeyBins, group_of, keys_of, values_of


def test_keys_have_the_order_of_the_numbers() -> None:
    """Zero, subnormals, infinities and neighbours included; a key leads back to its number."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(-(2**63), 2**63 - 1, 2000).view(np.float64)
    near = np.nextafter(drawn, np.inf)
    odd = np.array([0.0, 5e-324, -5e-324, np.inf, -np.inf, 1.0, -1.0])
    values = np.sort(np.concatenate([drawn[~np.isnan(drawn)], near[~np.isnan(near)], odd]))
    keys = keys_of(values)
    assert np.array_equal(np.diff(keys) > 0, np.diff(values) > 0)
    assert np.array_equal(values_of(keys, whole=False), values)


def test_the_two_zeros_have_one_key() -> None:
    """They are one number to every comparison."""
    assert keys_of(np.array([0.0, -0.0])).tolist() == [0, 0]


@pytest.mark.parametrize("start", [-(2**63), -7, 0, 2**62])
def test_bins_hold_as_many_keys_each(start: int) -> None:
    """Eight to a bin, from the first on, and none before or behind."""
    bins = KeyBins(start, shift=3, bins=5, whole=True)
    keys = np.arange(start, start + 40, dtype=np.int64)
    assert bins.inside(keys).all()
    assert bins.places(keys).tolist() == [number // 8 for number in range(40)]
    if start > -(2**63):
        assert not bins.inside(np.array([start - 1, start + 40])).any()


@pytest.mark.parametrize("groups", [2, 20, 64])
@pytest.mark.parametrize(
    "numbers", [np.arange(100_000), -3 * np.arange(100_000), 2**40 * np.arange(9999)]
)
def test_groups_are_of_one_size_and_do_not_follow_the_numbers(
    numbers: np.ndarray, groups: int
) -> None:
    """As many trials in each as chance gives, and neighbours together as often as by chance."""
    dealt = group_of(numbers.astype(np.int64), groups, seed=0)
    sizes = np.bincount(dealt, minlength=groups)
    expected = len(numbers) / groups
    assert len(sizes) == groups
    assert (np.abs(sizes - expected) < 5 * np.sqrt(expected)).all()
    together = np.mean(dealt[1:] == dealt[:-1])
    assert abs(together - 1 / groups) < 5 * np.sqrt(1 / groups / len(numbers))
    assert (group_of(numbers.astype(np.int64), groups, seed=1) != dealt).any()
