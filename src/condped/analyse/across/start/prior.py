"""Densities of good values per parameter and regime, over all past studies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from condped.analyse.across.start.configurations import Config, configuration, value_between
from condped.analyse.across.start.past import Past, past_of
from condped.analyse.across.start.ranges import PastRegime, regimes_of
from condped.analyse.result import Result
from condped.arrays import FloatArray
from condped.errors import DataError, not_found
from condped.estimate.density import categorical_masses, numeric_masses
from condped.safe_text import brief
from condped.space.domain import Categorical, Domain, choice_labels
from condped.space.grid import cell_edges, cells_within, fewest_cells, grid_of
from condped.space.space import Space

if TYPE_CHECKING:
    from condped.analyse.across.result import Across


@dataclass(frozen=True, slots=True)
class GoodDensity:
    """Where the good values of a parameter lie in one of its domains.

    Attributes
    ----------
    masses
        The probability of each cell of the domain, or of each choice; they add up to 1. Each
        study's density has the same weight.
    studies
        How many studies it comes from; with none the masses are those of uniform draws.
    """

    parameter: str
    domain: Domain
    masses: tuple[float, ...]
    studies: int

    def __post_init__(self) -> None:
        cells = len(_uniform_masses(self.domain))
        if len(self.masses) != cells:
            raise DataError(
                f"The density of {brief(self.parameter)} in {self.domain.label} must have one mass "
                f"for each of {cells} cells (got {len(self.masses)})."
            )

    def shortest(self, share: float) -> tuple[float, float]:
        """Return the shortest range of a number that holds this share of the mass."""
        assert not isinstance(self.domain, Categorical)
        edges = cell_edges(self.domain)
        first, last = fewest_cells(np.array(self.masses), share - 1e-9)
        return float(edges[first]), float(edges[last + 1])


@dataclass(frozen=True)
class Prior(Result):
    """Densities of good values, and a way to draw from them.

    ``prior[name]`` are those of a parameter, and iterating gives the names.

    Attributes
    ----------
    densities
        One per parameter and domain.
    target_quantile
        The share of the trials of each study and regime that counts as good.

    Examples
    --------
    >>> import condped
    >>> nested = condped.problems.get("nested")
    >>> past = condped.across([nested.sample(200, seed=seed) for seed in range(5)])
    >>> drawn = past.prior().sample(100, seed=0)
    >>> sum("x" in one for one in drawn) > 60  # uniform draws have it half as often
    True
    """

    schema: ClassVar[str] = "condped.prior/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "parameter", "regime", "studies", "low", "high", "choice", "mass", "even",
    )  # fmt: skip

    densities: tuple[GoodDensity, ...]
    space: Space
    target_quantile: float
    studies: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> tuple[GoodDensity, ...]:
        found = tuple(one for one in self.densities if one.parameter == name)
        if not found:
            raise not_found("parameter", name, list(self.space))
        return found

    def __contains__(self, name: object) -> bool:
        return any(one.parameter == name for one in self.densities)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(one.parameter for one in self.densities))

    def __len__(self) -> int:
        return len(tuple(iter(self)))

    def sample(self, number: int, *, seed: int = 0) -> list[Config]:
        """Draw configurations: each active parameter from its density."""
        rng = np.random.default_rng(seed)
        known = {(one.parameter, one.domain): one for one in self.densities}

        def value(name: str, domain: Domain) -> Any:
            masses = np.array(known[name, domain].masses)
            cell = int(rng.choice(len(masses), p=masses / masses.sum()))
            if isinstance(domain, Categorical):
                return domain.choices[cell]
            edges = cell_edges(domain)
            return value_between(domain, float(edges[cell]), float(edges[cell + 1]), rng)

        return [configuration(self.space, value) for _ in range(number)]

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per cell or choice: its mass, and that of uniform draws."""
        return [row for density in self.densities for row in _rows(density)]


def _rows(density: GoodDensity) -> Iterator[dict[str, Any]]:
    domain = density.domain
    shared = {"parameter": density.parameter, "regime": domain.label, "studies": density.studies}
    even = _uniform_masses(domain)
    if isinstance(domain, Categorical):
        for label, mass, plain in zip(
            choice_labels(domain.choices), density.masses, even, strict=True
        ):
            ends = {"low": None, "high": None, "choice": label}
            yield {**shared, **ends, "mass": mass, "even": float(plain)}
        return
    edges = cell_edges(domain)
    for place, (mass, plain) in enumerate(zip(density.masses, even, strict=True)):
        cell = {"low": float(edges[place]), "high": float(edges[place + 1]), "choice": None}
        yield {**shared, **cell, "mass": mass, "even": float(plain)}


def _uniform_masses(domain: Domain) -> FloatArray:
    """Return the masses of uniform draws."""
    if isinstance(domain, Categorical):
        return np.full(len(domain.choices), 1.0 / len(domain.choices))
    if domain.single:
        return np.ones(1)
    edges = np.log(cell_edges(domain)) if domain.log else cell_edges(domain)
    widths = np.diff(edges)
    return np.asarray(widths / widths.sum())


def prior_of(across: Across) -> Prior:
    """Return the densities of good values; see :meth:`condped.Across.prior`."""
    past = past_of(across)
    regimes = {(one.name, one.domain): one for one in regimes_of(past)}
    space = past.known_space
    found = []
    for name in space:
        for domain in dict.fromkeys(entry.domain for entry in space[name]):
            regime = regimes.get((name, domain))
            masses = _uniform_masses(domain) if regime is None else _masses(past, regime)
            studies = 0 if regime is None else len(np.unique(regime.study))
            found.append(GoodDensity(name, domain, tuple(masses.tolist()), studies))
    return Prior(tuple(found), space, past.target_quantile, len(past.names), past.notes)


def _masses(past: Past, regime: PastRegime) -> FloatArray:
    """Return (cells,): the mean of the studies' densities of good values."""
    domain = regime.domain
    values = past.parameters[regime.name].values[regime.rows[regime.good]]
    grid = grid_of(domain)
    if isinstance(domain, Categorical):
        cells = values.astype(np.intp)
    else:
        cells = cells_within(domain, values)
    studies, place = np.unique(regime.study[regime.good], return_inverse=True)
    counts = np.zeros((len(studies), grid.cells), dtype=np.int64)
    np.add.at(counts, (place, cells), 1)
    smoothed = categorical_masses if isinstance(domain, Categorical) else numeric_masses
    masses = smoothed(counts).mean(axis=0)
    return np.asarray(masses / masses.sum())
