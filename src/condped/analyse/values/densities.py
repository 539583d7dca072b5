"""Where target trials lie among all: smoothed counts per regime, and the values that are good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from condped.analyse.importance.evidence import Evidence, Verdict
from condped.analyse.values.good_values import Good, good_choices, good_ranges
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.counts import StudyCounts
from condped.errors import SettingsError
from condped.estimate.density import categorical_masses, numeric_masses
from condped.space.domain import Categorical, Domain, choice_labels
from condped.space.grid import cell_edges, cell_middles, grid_of

_OPEN = 0.1  # a regime's own p-value, up to which it may have good values


@dataclass(frozen=True, slots=True, eq=False)
class RegimeDensity:
    """The values of a parameter in one of its regimes, in the target set and in the region set.

    Attributes
    ----------
    domain, label
        What values there are, and a short text for it.
    centres, edges
        (cells,) and (cells + 1,): where the cells lie, in the domain's own units; None for choices.
    choices
        A text for each choice; None for numbers.
    target, region
        (cells,): trials of each set.
    target_mass, region_mass
        (cells,): the same, smoothed by the paper's density estimators; each sums to 1.
    good
        Values that target trials have more often than others; empty unless the parameter has a
        statistically significant effect.
    """

    domain: Domain
    label: str
    centres: FloatArray | None
    edges: FloatArray | None
    choices: tuple[str, ...] | None
    target: IntArray
    region: IntArray
    target_mass: FloatArray
    region_mass: FloatArray
    good: tuple[Good, ...]


Densities = Mapping[str, tuple[RegimeDensity, ...]]


def densities_of(counts: StudyCounts, evidence: Evidence) -> Densities:
    """Return the densities of each parameter's present regimes at the first target set.

    ``counts`` are by value: ranks have no units.
    """
    return {
        parameter.name: tuple(
            regime_density(
                regime.domain,
                regime.target[0],
                regime.region,
                real=may_be_good(evidence[parameter.name].verdict, p_value),
            )
            for regime, p_value in zip(
                parameter.regimes, evidence[parameter.name].regimes, strict=True
            )
            if regime.domain is not None
        )
        for parameter in counts.parameters
    }


def may_be_good(verdict: Verdict, regime_p_value: float) -> bool:
    """Return whether there is enough evidence to look for good values in a regime."""
    return verdict == "matters" and regime_p_value <= _OPEN


def regime_density(
    domain: Domain, target: IntArray, region: IntArray, *, real: bool
) -> RegimeDensity:
    """Smooth the counts of one regime; ``real`` says whether to look for good values."""
    categorical = isinstance(domain, Categorical)
    if domain.single:
        # One value, whatever the grid says.
        target, region = target.sum(keepdims=True), region.sum(keepdims=True)
        masses = np.ones((2, 1))
    else:
        cells = grid_of(domain).cells
        if len(target) != cells or len(region) != cells:
            raise SettingsError(
                f"The counts of {domain.label} must have {cells} cells (got {len(target)} of the "
                f"target set and {len(region)} of the region set)."
            )
        smoothed = categorical_masses if categorical else numeric_masses
        masses = smoothed(np.stack([target, region]))
    if isinstance(domain, Categorical):
        centres = edges = None
        choices: tuple[str, ...] | None = choice_labels(domain.choices)
    else:
        centres, edges, choices = cell_middles(domain), cell_edges(domain), None
    good: tuple[Good, ...] = ()
    if real and not domain.single:
        enriched: BoolArray = masses[0] > masses[1]
        if isinstance(domain, Categorical):
            good = good_choices(domain, enriched, target, region)
        else:
            good = good_ranges(domain, enriched, target, region)
    return RegimeDensity(
        domain=domain,
        label=domain.label,
        centres=centres,
        edges=edges,
        choices=choices,
        target=target,
        region=region,
        target_mass=masses[0],
        region_mass=masses[1],
        good=good,
    )
