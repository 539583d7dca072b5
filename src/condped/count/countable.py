"""Countable: trials that can be counted, in memory or wherever they lie.

Analyses start from here. They do not know whether a table in memory answers, files that are read in
chunks, or a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from condped.arrays import FloatArray, IntArray
from condped.count.counts import StudyCounts
from condped.count.ranks import RankedStudy
from condped.count.subsets import CellRange, SubsetCounts
from condped.space.condition import Condition
from condped.space.space import Space
from condped.trials.pooling import PooledDomains
from condped.trials.table import Direction, Selection
from condped.trials.topsets import Handling, TrialCounts

Intervals = Literal["half-sampling", "jackknife"]
HALVES = 200  # half-samples
GROUPS = 20  # of the jackknife
FEWEST = 8  # trials, below which halves say nothing


@dataclass(frozen=True, slots=True)
class Explained:
    """An objective that the importances explain."""

    name: str
    direction: Direction


class Sets(Protocol):
    """The region set and the target sets inside it, as far as an analysis looks at them."""

    @property
    def target_sizes(self) -> IntArray:
        """(target sets,), ascending."""
        ...

    @property
    def region_size(self) -> int:
        """Trials in the region set."""
        ...

    @property
    def counts(self) -> TrialCounts:
        """What became of all trials."""
        ...

    @property
    def all_equal(self) -> bool:
        """Whether all trials that were used have the same objective."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Subsets:
    """Counts of many parts of the trials, some parts at a time."""

    ranges: tuple[CellRange, ...]
    counts: Iterator[SubsetCounts]


@dataclass(frozen=True, slots=True, eq=False)
class PooledTrials:
    """Trials with pooled domains, once with raw values and once with unit values."""

    raw: Countable
    unit: Countable
    domains: tuple[PooledDomains, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ConditionSizes:
    """Trials that meet each of C conditions.

    Attributes
    ----------
    sizes
        (C, target sets + 1): how many each target set has, and the region set last.
    best
        (C,): the lowest loss among the used ones; NaN if there is none, or several objectives.
    """

    sizes: IntArray
    best: FloatArray


class Countable(Protocol):
    """Trials that can be counted."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names."""
        ...

    @property
    def objectives(self) -> tuple[Explained, ...]:
        """What is explained."""
        ...

    @property
    def space(self) -> Space | None:
        """The space with its conditions, where it is known."""
        ...

    @property
    def space_inferred(self) -> bool:
        """Whether the domains were guessed from the values."""
        ...

    @property
    def ignored_columns(self) -> tuple[str, ...]:
        """Columns of the source that are neither parameters nor objectives."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know, as far as it has been noticed."""
        ...

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The conditions that the trials were chosen by."""
        ...

    def top_sets(
        self, target_quantiles: Sequence[float], region_quantile: float, handling: Handling
    ) -> Sets:
        """Find the region set and, inside it, a target set for each (ascending) quantile."""
        ...

    def expanded(self) -> Countable:
        """Return the trials with one domain per parameter, that spans all of its own."""
        ...

    def pooled(self, *, all_varying: bool) -> PooledTrials | None:
        """Return the trials with domains pooled that vary smoothly; None if none do."""
        ...

    def count(self, top: Sets) -> StudyCounts:
        """Count the trials of each set in each cell of the grids."""
        ...

    def count_ranked(self, top: Sets, blocks: int) -> RankedStudy:
        """Count the trials of each set in each cell by rank, in blocks of time."""
        ...

    def count_where(self, top: Sets, conditions: Sequence[Condition]) -> ConditionSizes:
        """Count the trials of each set that meet conditions on parameters."""
        ...

    def sorted_by_objective(self, top: Sets) -> bool:
        """Return whether the trials' order is that of their objective, and not of time."""
        ...

    def subsets(
        self,
        top: Sets,
        target_quantiles: Sequence[float] | None,
        region_quantile: float,
        *,
        intervals: Intervals,
        seed: int,
        by_rank: bool,
    ) -> Subsets | None:
        """Count parts of the trials, cut-offs found anew in each; None if there are too few.

        Without quantiles the target set is an outcome, and stays what it is.
        """
        ...

    def remark_on_repeats(self) -> str:
        """Say what is known of trials that repeat a configuration."""
        ...

    def inside(self, condition: Condition) -> Countable:
        """Return the trials that meet a condition, be there any or not, and no notes of them."""
        ...

    def varying(self) -> tuple[str, ...]:
        """Return the parameters that do not have the same value in all trials that have them."""
        ...

    def with_parameters(self, names: Sequence[str]) -> Countable:
        """Return the trials with these parameters only, in this order."""
        ...
