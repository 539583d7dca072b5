"""RegimeCounts: the waist between the engines that count and the kernels that estimate.

Everything the estimator needs of the data is how many trials of the region set and of each
target set fall into each cell of each regime. What comes after is independent of the number of
trials, and does not know how the counting was done.
"""

from __future__ import annotations

from dataclasses import dataclass

from condped.arrays import IntArray
from condped.space.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class RegimeCounts:
    """One regime of one parameter.

    Attributes
    ----------
    domain
        None where the parameter is absent (one cell, then).
    region
        (cells,): trials of the region set.
    target
        (target sets, cells): trials of each target set.
    """

    domain: Domain | None
    region: IntArray
    target: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ParameterCounts:
    """All regimes of one parameter that have a trial in the region set.

    Attributes
    ----------
    regimes
        Those with enough trials to estimate anything.
    dropped_region, dropped_target
        (dropped,) and (target sets, dropped): sizes of the regimes with too few.
    """

    name: str
    regimes: tuple[RegimeCounts, ...]
    dropped_region: IntArray
    dropped_target: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class StudyCounts:
    """The counts of all parameters and the sizes of the sets."""

    parameters: tuple[ParameterCounts, ...]
    region_size: int
    target_sizes: IntArray  # (target sets,)
