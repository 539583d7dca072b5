"""Passes: what an engine has to be able to do with rows that stay where they are.

Everything an analysis needs of the data is asked for here as integers: how trials ended, how many
fall between given numbers, how many into each cell and bucket. Each call is one pass over the data
(or one query per group of parameters). What comes back does not grow with the number of trials.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.count.keys import KeyBins
from condped.space.condition import Condition
from condped.space.domain import Domain
from condped.space.space import Space
from condped.trials.table import Direction, Selection
from condped.trials.topsets import Handling, TrialCounts


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known of the trials before they are looked at.

    Attributes
    ----------
    engine
        What counts them, for messages: "stream", "DuckDB through Ibis".
    names
        The parameters, in the order of the space.
    domains
        Of each parameter, the distinct ones in order of first appearance in its alternatives.
    objective, direction
        What is explained; engines explain one objective.
    ordered
        Whether the rows have an order of time: their own, or that of a column.
    """

    engine: str
    names: tuple[str, ...]
    domains: tuple[tuple[Domain, ...], ...]
    objective: str
    direction: Direction
    ordered: bool
    space: Space | None = None
    space_inferred: bool = False
    ignored_columns: tuple[str, ...] = ()
    some_parameters: bool = False
    outside: str = "error"  # what is done with values outside their domains


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of all trials.

    Attributes
    ----------
    counts
        As in memory: each trial counted once, under the first reason that applies.
    lowest, highest
        Of the losses of used trials that stand for themselves (not counted as worst); infinite if
        there are none.
    earliest, latest
        Bounds of the places in time, where rows have an order.
    selections
        What conditions left out.
    notes
        What the user should know, one sentence each.
    sorted_by_loss
        Whether the rows' own order is that of their losses, and so none of time. A column that
        the caller names as the order is taken at his word.
    """

    counts: TrialCounts
    lowest: float
    highest: float
    earliest: int = 0
    latest: int = 0
    selections: tuple[Selection, ...] = ()
    notes: tuple[str, ...] = ()
    sorted_by_loss: bool = False


class Series(NamedTuple):
    """Numbers in which order statistics are looked for.

    ``loss``: of used trials that stand for themselves. ``order``: places in time. ``value``: of one
    parameter while it has one of its (numeric) domains. The last two in the region set only.
    The domain -1 stands for any of them.
    """

    kind: Literal["loss", "order", "value"]
    parameter: int = -1  # its place among the names
    domain: int = -1  # its place among the parameter's domains


@dataclass(frozen=True, slots=True)
class Within:
    """Which trials count: the used ones whose loss is at most ``cutoff``; None: all used ones.

    Trials that count as worst have the loss +inf.
    """

    handling: Handling
    cutoff: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Distinct numbers of a series with how often each group of trials has them.

    Attributes
    ----------
    values
        (entries,): ascending; float64, or int64 where all domains of the parameter are ints.
    groups
        (entries,): all 0 if there is one group. A pair of value and group stands once.
    counts
        (entries,).
    """

    values: ValueArray
    groups: IntArray
    counts: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What to count.

    Attributes
    ----------
    within
        Only its handling; no cut-off.
    cutoffs
        (cut-offs,): ascending and distinct losses. Bucket j holds the used trials above j of them:
        ``searchsorted(cutoffs, loss)``; there is one bucket more than there are cut-offs.
    edges
        None: cells are those of the domains' grids. Otherwise for each (parameter, domain) the
        ascending upper edges of all cells but the last: the cell of x is
        ``searchsorted(edges, x)``. Categorical domains have a cell per choice and no entry.
    block_starts
        Places in time where the second, third … block of time begins; empty: one block.
    groups
        Trials are dealt into as many groups by :func:`condped.count.keys.group_of`.
    parameters
        Places of the parameters to count; None: all.
    spanned
        Give each parameter the one domain that spans all of its own
        (:func:`condped.trials.regimes.spanning_domain`); it has place 0 in ``edges``.
    conditions
        Conditions on parameters whose trials are to be counted as well.
    """

    within: Within
    cutoffs: FloatArray
    edges: Mapping[tuple[int, int], ValueArray] | None = None
    block_starts: ValueArray | None = None
    groups: int = 1
    seed: int = 0
    parameters: tuple[int, ...] | None = None
    spanned: bool = False
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Used trials, counted.

    Attributes
    ----------
    parameters
        For each counted parameter (groups, blocks, places, buckets): the places are the cells of
        its domains in their order and, last, absence.
    sizes
        (groups, buckets): all used trials.
    conditions
        (conditions, buckets): those that meet each condition.
    best
        (conditions,): the lowest loss of those that stand for themselves; NaN if none.
    notes
        What the values show that the user should know.
    """

    parameters: tuple[IntArray, ...]
    sizes: IntArray
    conditions: IntArray
    best: FloatArray
    notes: tuple[str, ...] = field(default=())


class TooManyLevels(Exception):  # noqa: N818  (an answer, not an error)
    """A series has more different numbers in the marked bins than ``most_levels``."""


class Passes(Protocol):
    """Rows that can be counted where they are.

    ``count`` refuses (DataError) what :func:`condped.read` refuses: values outside their domains,
    unknown choices, values against their conditions, two domains at once, fractions of ints, values
    between steps; unless the option ``outside`` says otherwise.
    """

    @property
    def outline(self) -> Outline:
        """What is known before any pass."""
        ...

    @property
    def most_bins(self) -> int:
        """Bins of one histogram, all groups together."""
        ...

    @property
    def most_levels(self) -> int:
        """Different numbers that may be asked for at a time."""
        ...

    @property
    def most_counts(self) -> int:
        """Numbers that one parameter's counts may have."""
        ...

    def tally(self, handling: Handling) -> Tally:
        """Return how the trials ended."""
        ...

    def histogram(
        self,
        wanted: Mapping[Series, Sequence[KeyBins]],
        within: Within,
        groups: int = 1,
        seed: int = 0,
    ) -> dict[Series, list[IntArray]]:
        """Return (groups, bins) for each of a series' bins: how many numbers fall into each.

        A number may be in no bins; bins of one series do not overlap.
        """
        ...

    def levels(
        self,
        wanted: Mapping[Series, Sequence[tuple[KeyBins, BoolArray]]],
        within: Within,
        groups: int = 1,
        seed: int = 0,
    ) -> dict[Series, Levels]:
        """Return the numbers that fall into marked bins, with how often they do.

        Raises TooManyLevels where a series has more than ``most_levels`` different ones.
        """
        ...

    def count(self, wanted: Wanted) -> Counted:
        """Return the trials in each cell and bucket."""
        ...

    def where(self, condition: Condition) -> Passes:
        """Return the trials that meet a condition on parameters."""
        ...

    def close(self) -> None:
        """Let go of what is held: files, connections."""
        ...
