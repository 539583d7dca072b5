"""How trials are distributed over two parameters' values: counts in coarse cells, for figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.safe_text import shortened
from condped.space.domain import Categorical, Domain, choice_labels
from condped.space.grid import steps_of
from condped.trials.table import Parameter

MOST_CELLS = 12  # of one parameter
_MOST_LABEL = 24


@dataclass(frozen=True, slots=True)
class Axis:
    """The cells of one parameter, on its own scale.

    Attributes
    ----------
    edges
        The edges of numeric cells, one more than cells; None for choices.
    choices
        Labels of cells that hold one choice or one number each; None for ranges. If there are many
        choices, the last cell holds those that are rarest in the target set.
    log
        Whether the scale is logarithmic.
    """

    parameter: str
    edges: tuple[float, ...] | None
    choices: tuple[str, ...] | None
    log: bool = False

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.choices) if self.choices is not None else len(self.edges or ()) - 1


@dataclass(frozen=True, slots=True)
class PairCells:
    """Trials of one joint regime of two parameters.

    ``target`` and ``region`` hold the trials of both sets: a row per cell of the ``first``
    parameter with an entry per cell of the ``second``.
    """

    first: Axis
    second: Axis
    target: tuple[tuple[int, ...], ...]
    region: tuple[tuple[int, ...], ...]


def pair_cells(one: Parameter, other: Parameter, rows: IntArray, hit: BoolArray) -> PairCells:
    """Count trials that have one domain of each parameter; ``hit`` says which reach the target."""
    first, across = _cells(one, rows, hit)
    second, along = _cells(other, rows, hit)
    shape = first.cells, second.cells
    place = across * second.cells + along
    region = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    target = np.bincount(place[hit[rows]], minlength=shape[0] * shape[1]).reshape(shape)
    return PairCells(first, second, _as_tuples(target), _as_tuples(region))


def _as_tuples(counts: IntArray) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in counts.tolist())


def _cells(parameter: Parameter, rows: IntArray, hit: BoolArray) -> tuple[Axis, IntArray]:
    """Return the axis of the one domain that a parameter has in some trials, and their cells."""
    domain: Domain = parameter.domains[int(parameter.domain_ids[rows[0]])]
    values = parameter.values[rows]
    if isinstance(domain, Categorical):
        return _choices(parameter.name, domain, np.asarray(values, dtype=np.intp), hit[rows])
    low, high = float(domain.low), float(domain.high)
    steps = None if domain.step is None or domain.log else steps_of(domain) + 1
    if steps is not None and steps <= MOST_CELLS:  # a cell per value
        half = (domain.step or 0.0) / 2
        edges = np.linspace(low - half, high + half, steps + 1)
        labels = tuple(f"{value:.4g}" for value in np.linspace(low, high, steps).tolist())
        return Axis(parameter.name, tuple(edges.tolist()), labels), _cells_of_values(edges, values)
    if domain.log:
        edges = np.geomspace(low, high, MOST_CELLS + 1)
    else:
        edges = np.linspace(low, high, MOST_CELLS + 1)
    return Axis(parameter.name, tuple(edges.tolist()), None, domain.log), _cells_of_values(
        edges, values
    )


def _cells_of_values(edges: FloatArray, values: object) -> IntArray:
    found = np.searchsorted(edges, np.asarray(values, dtype=np.float64), side="right") - 1
    return np.clip(found, 0, len(edges) - 2)


def _choices(
    name: str, domain: Categorical, values: IntArray, hit: BoolArray
) -> tuple[Axis, IntArray]:
    labels = [shortened(label, _MOST_LABEL) for label in choice_labels(domain.choices)]
    if len(labels) <= MOST_CELLS:
        return Axis(name, None, tuple(labels)), values
    order = np.argsort(-np.bincount(values[hit], minlength=len(labels)), kind="stable")
    kept = np.sort(order[: MOST_CELLS - 1])
    places = np.full(len(labels), len(kept))
    places[kept] = np.arange(len(kept))
    rest = f"{len(labels) - len(kept)} others"
    return Axis(name, None, (*(labels[place] for place in kept), rest)), places[values]
