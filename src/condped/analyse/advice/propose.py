"""Smaller domains for one regime: without values that hardly ever reach the target set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from condped.analyse.branches.splits import short_between
from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.estimate.statistics.hypergeometric import chance_of_hits
from condped.space.domain import Categorical, Domain, Int, Numeric, has_choice
from condped.space.grid import MOST_CELLS, cell_edges, cells_within, fewest_cells, grid_of, steps_of

# How often chance alone may lead to any proposal for a study.
SURE = 0.01
# Share of the regime's target trials that a proposal keeps.
_KEPT = 0.95
# Values hardly reach the target set if they do so less than this many times as often as average.
_HARDLY = 0.25
# A range is proposed if it covers at most this share of the domain.
_CLEARLY_LESS = 0.75


@dataclass(frozen=True, slots=True, eq=False)
class RegimeTrials:
    """The region set's trials in which a parameter has a domain."""

    values: ValueArray
    hit: BoolArray  # which are in the target set
    block: IntArray  # the block in time of each


@dataclass(frozen=True, slots=True)
class Proposal:
    """A smaller domain, and the evidence for it."""

    domain: Domain
    kept: int  # target trials that stay
    of: int  # target trials of the regime
    covered: float  # share of the domain that stays
    outside: int  # region trials that do not stay


def inside(domain: Domain, before: Domain, values: ValueArray) -> BoolArray:
    """Return which values of a domain are in a smaller one."""
    if isinstance(before, Categorical):
        assert isinstance(domain, Categorical)
        kept = [has_choice(domain, choice) for choice in before.choices]
        return np.array(kept, dtype=bool)[values.astype(np.intp)]
    if isinstance(domain, Categorical):  # a list of numbers
        return np.asarray(np.isin(values, domain.choices))
    return np.asarray((values >= domain.low) & (values <= domain.high))


def propose(
    domain: Domain,
    trials: RegimeTrials,
    tests: int,
    cuts: Sequence[float] = (),
    keep: Literal["low", "high"] | None = None,
) -> Proposal | None:
    """Return a smaller domain if the evidence for it is clear enough.

    ``tests`` is the number of such tests for the study, 0 to ask for no evidence; ``cuts`` are
    values at which a gate switches: the next lower value belongs to another branch; ``keep`` is a
    bound that stays, because the best trials press against it.
    """
    if not trials.hit.any() or domain.single:
        return None
    found: Domain | None
    if isinstance(domain, Categorical):
        found = _fewer_choices(domain, trials, tests)
    else:
        found = _shortest_range(domain, trials, tests, cuts, keep)
    if found is None:
        return None
    stays = inside(found, domain, trials.values)
    return Proposal(
        domain=found,
        kept=int(np.count_nonzero(stays & trials.hit)),
        of=int(np.count_nonzero(trials.hit)),
        covered=covered(found, domain),
        outside=int(np.count_nonzero(~stays)),
    )


def _fewer_choices(domain: Categorical, trials: RegimeTrials, tests: int) -> Categorical | None:
    """Return the choices without those that hardly reach the target set; None if all stay."""
    codes = trials.values.astype(np.intp)
    tried = np.bincount(codes, minlength=len(domain.choices))
    reached = np.bincount(codes[trials.hit], minlength=len(domain.choices))
    average = trials.hit.mean()
    room = math.floor((1 - _KEPT) * int(reached.sum()))
    dropped: list[int] = []
    # Those that reach it least often come first; their target trials must fit into the room.
    for code in np.argsort(reached / np.maximum(tried, 1), kind="stable").tolist():
        if not tried[code] or reached[code] > room:
            continue
        if reached[code] > _HARDLY * average * tried[code]:
            continue
        if chance_of_so_few(codes == code, trials.hit, trials.block) * tests <= SURE:
            dropped.append(code)
            room -= int(reached[code])
    if not dropped:
        return None
    return Categorical([c for place, c in enumerate(domain.choices) if place not in dropped])


def _shortest_range(
    domain: Numeric,
    trials: RegimeTrials,
    tests: int,
    cuts: Sequence[float],
    keep: Literal["low", "high"] | None,
) -> Domain | None:
    """Return the shortest range that holds nearly all target trials, with a margin."""
    edges = cell_edges(domain)
    cells = cells_within(domain, trials.values)
    reached = np.bincount(cells[trials.hit], minlength=len(edges) - 1)
    first, last = fewest_cells(reached, math.ceil(_KEPT * int(reached.sum())))
    if _levels(domain):
        low, high = (domain.low + place * (domain.step or 1) for place in (first, last))
    else:
        # If target trials are evenly spread, the next one would be this much further out; and one
        # cell more where cells are small.
        margin = math.ceil((last - first + 1) / (int(reached.sum()) + 1))
        margin += len(reached) == MOST_CELLS
        first, last = max(0, first - margin), min(len(reached) - 1, last + margin)
        low, high = _bounds(domain, edges, first, last)
    low = domain.low if keep == "low" else low
    high = domain.high if keep == "high" else high
    cut_low, cut_high = _at_cuts(domain, trials, low, high, cuts)
    found = smaller_domain(domain, cut_low, cut_high)
    # Dropping a whole branch is worth it, however small its part of the gate's domain.
    whole_branch = (low, high) != (cut_low, cut_high)
    if found is None or not (whole_branch or covered(found, domain) <= _CLEARLY_LESS):
        return None
    stays = inside(found, domain, trials.values)
    if stays[trials.hit].mean() < _KEPT or stays.all():
        return None
    hits, average = trials.hit[~stays].mean(), trials.hit.mean()
    if hits > _HARDLY * average:
        return None
    sure = chance_of_so_few(~stays, trials.hit, trials.block) * tests <= SURE
    return found if sure else None


def _at_cuts(
    domain: Numeric, trials: RegimeTrials, low: float, high: float, cuts: Sequence[float]
) -> tuple[float, float]:
    """Return bounds that do not reach into a branch without target trials."""
    good = trials.values[trials.hit]
    for cut in cuts:
        if low < cut <= good.min():
            low = cut
        if good.max() < cut <= high:
            below = trials.values[trials.values < cut].max()
            if isinstance(domain, Int):
                high = math.ceil(cut) - 1
            else:  # the cut itself belongs to the other branch
                high = short_between(float(below), float(cut), log=domain.log, open_end=True)
    return low, high


def _levels(domain: Numeric) -> bool:
    """Return whether each cell is one value."""
    return (
        isinstance(domain, Int) and not domain.log and steps_of(domain) + 1 <= grid_of(domain).cells
    )


def _bounds(domain: Numeric, edges: FloatArray, first: int, last: int) -> tuple[float, float]:
    """Return numbers with few digits just outside some cells, or the domain's own bounds."""
    low, high = domain.low, domain.high
    if first > 0:
        outer = (edges[first - 1] + edges[first]) / 2
        low = max(low, short_between(outer, edges[first], log=domain.log))
    if last < len(edges) - 2:
        outer = (edges[last + 1] + edges[last + 2]) / 2
        high = min(high, short_between(edges[last + 1], outer, log=domain.log))
    return low, high


def smaller_domain(domain: Numeric, low: float, high: float) -> Domain | None:
    """Return a domain with other bounds, on the steps of the old one; None if it is not smaller."""
    if isinstance(domain, Int) or domain.step is not None:
        step = domain.step or 1
        if math.isinf(float(domain.high) / step - float(domain.low) / step):
            return None  # more steps than floats can count
        down = math.floor((low - domain.low) / step + 1e-9)
        up = math.ceil((high - domain.low) / step - 1e-9)
        low, high = domain.low + down * step, min(domain.high, domain.low + up * step)
    if low <= domain.low and high >= domain.high:
        return None
    if isinstance(domain, Int):
        if int(low) == int(high):
            return Categorical([int(low)])
        return replace(domain, low=int(low), high=int(high))
    return replace(domain, low=float(low), high=float(high)) if low < high else None


def covered(found: Domain, before: Domain) -> float:
    """Return the share of a domain that a smaller one covers, on its own scale."""
    if isinstance(before, Categorical):
        assert isinstance(found, Categorical)
        return len(found.choices) / len(before.choices)
    if isinstance(found, Categorical):
        listed = isinstance(before, Int) or before.step is not None
        return len(found.choices) / (steps_of(before) + 1) if listed else 0.0
    if isinstance(before, Int) and not before.log:
        return (steps_of(found) + 1) / (steps_of(before) + 1)
    scale = math.log if before.log else float
    return (scale(found.high) - scale(found.low)) / (scale(before.high) - scale(before.low))


def chance_of_so_few(group: BoolArray, hit: BoolArray, block: IntArray) -> float:
    """Return the chance that a group of trials has at most as many hits as it has.

    As if the hits of each block (in time) were assigned to its trials at random; the group's hits
    are summed over the blocks. All arrays: (trials,).

    Examples
    --------
    >>> group = np.arange(20) < 10
    >>> round(chance_of_so_few(group, ~group, np.zeros(20, int)) * math.comb(20, 10), 6)
    1.0
    """
    most = int(np.count_nonzero(group & hit))
    _, block = np.unique(block, return_inverse=True)
    numbers = (np.bincount(block, weights) for weights in (None, hit, group))
    chances = np.zeros(most + 1)
    chances[0] = 1.0
    for trials, hits, drawn in zip(*numbers, strict=True):
        few = min(most, int(hits))
        own = [
            chance_of_hits(number, trials=int(trials), hits=int(hits), drawn=int(drawn))
            for number in range(few + 1)
        ]
        chances = np.convolve(chances, own)[: most + 1]
    return float(min(1.0, chances.sum()))
