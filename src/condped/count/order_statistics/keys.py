"""Keys: floats mapped to integers in the same order, so that any range can be cut into bins.

A float64 and its key determine each other, and a < b exactly where key(a) < key(b). Halving a range
of keys halves the floats between two numbers, whatever their scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from condped.arrays import IntArray, ValueArray

_SIGNLESS = np.int64(0x7FFF_FFFF_FFFF_FFFF)
# A prime below 2^31, so that products of remainders stay below 2^63, and primitive roots of it.
MODULUS, FACTORS = 2_147_483_647, (48_271, 69_621, 39_373)


def keys_of(values: ValueArray) -> IntArray:
    """Return the key of each number; integers are their own keys.

    Examples
    --------
    >>> keys_of(np.array([0.0, -0.0, 5e-324])).tolist()
    [0, 0, 1]
    """
    if values.dtype.kind == "i":
        return values.astype(np.int64, copy=False)
    bits = (values.astype(np.float64, copy=False) + 0.0).view(np.int64)  # one zero, not two
    return np.asarray(bits ^ ((bits >> 63) & _SIGNLESS))


def values_of(keys: IntArray, *, whole: bool) -> ValueArray:
    """Return the numbers that have these keys."""
    keys = np.asarray(keys, dtype=np.int64)
    return keys if whole else (keys ^ ((keys >> 63) & _SIGNLESS)).view(np.float64)


@dataclass(frozen=True, slots=True)
class KeyBins:
    """Bins of 2^shift keys each, from ``start`` on.

    Attributes
    ----------
    start
        The lowest key in the first bin.
    shift, bins
        The width of a bin as a power of two, and how many there are.
    whole
        Whether the numbers are int64 rather than float64.
    """

    start: int
    shift: int
    bins: int
    whole: bool = False

    @property
    def stop(self) -> int:
        """The highest key in the last bin, clipped to the keys that exist."""
        return min(self.start + (self.bins << self.shift) - 1, (1 << 63) - 1)

    def places(self, keys: IntArray) -> IntArray:
        """Return the bin of each key, which must be inside."""
        # As unsigned numbers the differences of any two keys fit.
        apart = keys.view(np.uint64) - np.uint64(self.start & 0xFFFF_FFFF_FFFF_FFFF)
        return np.asarray((apart >> np.uint64(self.shift)).astype(np.int64))

    def inside(self, keys: IntArray) -> npt.NDArray[np.bool_]:
        """Return which keys are in one of the bins."""
        return np.asarray((keys >= self.start) & (keys <= self.stop))


def group_of(numbers: IntArray, groups: int, seed: int) -> IntArray:
    """Assign trials to groups by a hash of their numbers.

    Multiplying spreads consecutive numbers over the residues of a prime, squaring breaks the
    pattern. Nothing exceeds 2^63. Numbers may be any int64; those with the same
    remainder go together.
    """
    mixed = numbers % MODULUS  # not negative, even for negative numbers
    for factor in FACTORS:
        mixed = (mixed * factor + shift_of(seed)) % MODULUS
        mixed = (mixed * mixed + factor) % MODULUS
    return np.asarray((mixed * groups) // MODULUS)


def shift_of(seed: int) -> int:
    """Return the constant added in each round, from the seed."""
    return (seed * 1_103_515_245 + 12_345) % MODULUS
