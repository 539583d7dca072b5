"""A parameter's domain in cells, and the kernels by which a Parzen density fills them.

Numbers have at most 64 cells; integers of few levels and choices have one for each. The sampler's
kernels are never narrower than a hundredth of the domain, and those of good trials than a
thirtieth: cells of a sixty-fourth keep what matters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from condped.arrays import FloatArray, IntArray, ValueArray
from condped.estimate.statistics.normal_distribution import normal_cdf
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.grid import steps_of

MOST_CELLS = 64
_NARROWEST = 0.01  # a kernel's width, as a share of the domain
_WIDTHS = 24  # in the tables, from the narrowest to the whole domain
_ROUNDING = 1e-9
_STEP = -math.log(_NARROWEST) / (_WIDTHS - 1)


@dataclass(frozen=True, eq=False)
class DomainCells:
    """One domain of a parameter.

    Attributes
    ----------
    cells
        (own cells,): which of all the parameter's cells are inside.
    places
        (all cells,): where their middles lie, with the domain's ends at 0 and 1; empty for choices.
    kernels
        (widths × all cells, own cells): mass of a kernel in each own cell. A choice's kernel, of
        one width, is the choice itself; uniform over a domain that lacks it.
    sizes
        (own cells,): shares of the domain.
    """

    cells: IntArray
    places: FloatArray
    kernels: npt.NDArray[np.float32]
    sizes: FloatArray

    @property
    def categorical(self) -> bool:
        """Whether the cells are choices."""
        return not self.places.size

    @cached_property
    def prior(self) -> FloatArray:
        """(own cells,): a kernel as wide as the domain, in its middle."""
        if self.categorical:
            return self.sizes
        widest = self.kernels[-len(self.places) :]
        return np.asarray(widest[int(np.argmin(np.abs(self.places - 0.5)))], dtype=np.float64)

    def kernels_of(self, cells: IntArray) -> IntArray:
        """Return the rows of the kernels of (trials, series) in these cells.

        A kernel's width is the larger distance to the two neighbours, within bounds.
        """
        trials = len(cells)
        if self.categorical or not trials:
            return cells
        places = self.places[cells]
        order = np.argsort(places, axis=0)
        ordered = np.take_along_axis(places, order, axis=0)
        gaps = np.diff(ordered, axis=0)
        width = np.zeros_like(ordered)
        if trials == 1:
            width = np.maximum(ordered, 1.0 - ordered)
        else:
            width[:-1] = gaps
            width[1:] = np.maximum(width[1:], gaps)
        found = np.empty(cells.shape, dtype=np.int64)
        numbers = _numbers(np.clip(width, _narrowest(trials), 1.0))
        np.put_along_axis(found, order, numbers, axis=0)
        return found * len(self.places) + cells

    def narrowest_of(self, cells: IntArray, trials: int) -> IntArray:
        """Return the rows of the narrowest kernels that this many trials allow."""
        if self.categorical:
            return cells
        return int(_numbers(np.array(_narrowest(trials)))) * len(self.places) + cells

    def mixture(self, kernels: FloatArray, weight: float, trials: int) -> FloatArray:
        """Return (series, own cells): the sum of the trials' kernels and the prior's."""
        if not self.categorical:
            return np.asarray(kernels + self.prior)
        spread, own = 1.0 / (trials + 1.0), len(self.cells)
        return np.asarray((kernels + spread * weight) / (1.0 + spread * own) + 1.0 / own)


def _narrowest(trials: int) -> float:
    return 1.0 / min(100.0, trials + 2.0)


def _numbers(widths: FloatArray) -> IntArray:
    """Return the number of the nearest of the tables' widths."""
    return np.rint(np.log(widths / _NARROWEST) / _STEP).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ParameterCells:
    """All cells of a parameter, over all of its domains."""

    total: int
    domains: tuple[DomainCells, ...]
    levels: tuple[bool, ...]  # whether a cell is one value
    _edges: tuple[FloatArray, ...]  # between each numeric domain's own cells, as values

    def cells_of(self, values: ValueArray, domain_ids: IntArray) -> IntArray:
        """Return (trials,): the cell of each value, -1 where the parameter is absent."""
        found = np.full(len(values), -1, dtype=np.int64)
        for number, domain in enumerate(self.domains):
            here = domain_ids == number
            if domain.categorical:
                own = values[here].astype(np.int64)
            else:
                own = np.searchsorted(self._edges[number], values[here], side="right")
            found[here] = domain.cells[np.clip(own, 0, len(domain.cells) - 1)]
        return found


def cells_of_domains(domains: Sequence[Domain]) -> ParameterCells | None:
    """Lay out a parameter's cells; None if they have no common scale, or an infinite one."""
    if all(isinstance(domain, Categorical) for domain in domains):
        return _choice_cells([d.choices for d in domains if isinstance(d, Categorical)])
    numeric = [domain for domain in domains if isinstance(domain, (Float, Int))]
    if len(numeric) < len(domains) or any(
        math.isinf(float(d.high) - float(d.low)) for d in numeric
    ):
        return None
    scales = [_cell_ends(domain) for domain in numeric]
    middles = [_values(d, 0.5 * (e[1:] + e[:-1])) for d, e in zip(numeric, scales, strict=True)]
    owner = np.repeat(np.arange(len(numeric)), [len(own) for own in middles])
    values = np.concatenate(middles)
    order = np.argsort(values, kind="stable")
    rank = np.argsort(order, kind="stable")
    found = []
    for number, (domain, ends) in enumerate(zip(numeric, scales, strict=True)):
        places = _unit(domain, ends, values[order])
        unit_ends = (ends - ends[0]) / (ends[-1] - ends[0]) if len(ends) > 2 else np.arange(2.0)
        sizes = np.diff(unit_ends)
        even = len(numeric) == 1 and np.ptp(sizes) < _ROUNDING
        kernels = _even_kernels(len(sizes)) if even else _kernels(places, unit_ends)
        found.append(DomainCells(rank[owner == number], places, kernels, sizes))
    edges = tuple(_values(d, e[1:-1]) for d, e in zip(numeric, scales, strict=True))
    levels = tuple(len(ends) <= MOST_CELLS for ends in scales)
    return ParameterCells(len(values), tuple(found), levels, edges)


def _choice_cells(choices: Sequence[tuple[object, ...]]) -> ParameterCells:
    known: dict[tuple[str, object], int] = {}
    places = []
    for own in choices:
        keys = [(type(choice).__name__, choice) for choice in own]
        places.append(np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64))
    found = []
    for cells in places:
        shares = np.full(len(cells), 1.0 / len(cells))
        kernels = _choice_kernels(len(known), tuple(cells.tolist()))
        found.append(DomainCells(cells, np.zeros(0), kernels, shares))
    nothing = tuple(np.zeros(0) for _ in found)
    return ParameterCells(len(known), tuple(found), (True,) * len(found), nothing)


@cache
def _choice_kernels(choices: int, own: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Return the kernels of all choices in a domain; uniform for those that it lacks."""
    kernels = np.full((choices, len(own)), 1.0 / len(own), dtype=np.float32)
    kernels[list(own)] = np.eye(len(own))
    kernels.flags.writeable = False
    return kernels


def _cell_ends(domain: Float | Int) -> FloatArray:
    """Return where a domain's cells begin and end, on its scale, as the sampler sees the domain."""
    half = 0.5 * (domain.step or 0)
    low, high = domain.low - half, domain.high + half
    levels = MOST_CELLS
    if domain.step is not None:
        levels = steps_of(domain) + 1
    if levels < MOST_CELLS:  # a cell for each, which on a log scale are not equally wide
        ends = np.linspace(low, high, levels + 1)
        return np.asarray(np.log(ends) if domain.log else ends)
    if domain.log:
        low, high = math.log(low), math.log(high)
    return np.linspace(low, high, MOST_CELLS + 1 if low < high else 2)  # one for a fixed value


def _values(domain: Float | Int, scaled: FloatArray) -> FloatArray:
    return np.asarray(np.exp(scaled) if domain.log else scaled)


def _unit(domain: Float | Int, ends: FloatArray, values: FloatArray) -> FloatArray:
    """Return where values lie in a domain, with its ends at 0 and 1."""
    if domain.log:
        values = np.log(np.maximum(values, math.exp(ends[0]) * 1e-6))
    return np.asarray((values - ends[0]) / ((ends[-1] - ends[0]) or 1.0))


@cache
def _even_kernels(cells: int) -> npt.NDArray[np.float32]:
    """Return the kernels of one domain with cells of the same size, which most parameters have."""
    ends = np.linspace(0.0, 1.0, cells + 1)
    kernels = _kernels(0.5 * (ends[1:] + ends[:-1]), ends)
    kernels.flags.writeable = False
    return kernels


def _kernels(places: FloatArray, ends: FloatArray) -> npt.NDArray[np.float32]:
    """Return the mass in every cell between ``ends`` of kernels of every width in every place."""
    widths = _NARROWEST * np.exp(_STEP * np.arange(_WIDTHS))
    below = normal_cdf((ends - places[:, None]) / widths[:, None, None])
    mass = np.diff(below, axis=-1)
    total = mass.sum(axis=-1, keepdims=True)
    # The mass of kernels far outside goes to the nearest end.
    nearest = np.zeros((len(places), len(ends) - 1))
    nearest[np.arange(len(places)), np.where(places > 0.5, len(ends) - 2, 0)] = 1.0
    mass = np.where(total > 1e-5, mass / np.maximum(total, 1e-300), nearest)
    return np.asarray(mass.reshape(_WIDTHS * len(places), -1), dtype=np.float32)
