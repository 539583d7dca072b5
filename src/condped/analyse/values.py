"""How target trials are distributed, and which values they have more often than others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.analyse.evidence.evidence import Evidence, Verdict
from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.count.counts import StudyCounts
from condped.errors import SettingsError, not_found
from condped.estimate.density import categorical_masses, numeric_masses
from condped.space.domain import Categorical, Domain, Float, Int, choice_labels
from condped.space.grid import cell_edges, cell_middles, grid_of, values_between

_OPEN = 0.1  # a regime's own p-value, up to which it may have good values
_MOST_RANGES = 3  # of a regime
_LEAST_LIFT = 1.1  # below this, target trials are hardly denser than others
_LEAST_KEPT, FEWEST = 0.1, 5  # of the regime's target trials, as a share and as a number
_FEWEST_PER_CHOICE = 3
_MOST_CHOICES = 6  # in a label
_GAP = 25  # a range may bridge one cell for each so many cells of the grid


@dataclass(frozen=True, slots=True)
class Good:
    """A range of numbers, or some choices, where target trials are denser than others.

    Attributes
    ----------
    low, high
        Both inclusive, in the domain's own units; None for choices.
    choices
        The choices themselves; None for numbers.
    target_trials, region_trials
        How many of each set have such a value.
    kept
        Share of the regime's target trials inside.
    covered
        Share of the regime's region trials inside.
    label
        A short description.
    """

    low: float | None
    high: float | None
    choices: tuple[Any, ...] | None
    target_trials: int
    region_trials: int
    kept: float
    covered: float
    label: str

    @property
    def lift(self) -> float:
        """How many times denser target trials are inside than all trials: kept / covered."""
        return self.kept / self.covered


def may_be_good(verdict: Verdict, regime_p_value: float) -> bool:
    """Return whether there is enough evidence to look for good values in a regime."""
    return verdict == "matters" and regime_p_value <= _OPEN


def good_values(
    domain: Domain, target: IntArray, region: IntArray, real: BoolArray
) -> list[tuple[Good, ...]]:
    """Return the good values of a regime in each of T target sets.

    Parameters
    ----------
    target, region
        (T, cells) and (cells,): trials of the sets.
    real
        (T,): where there is enough evidence to look for them.
    """
    found: list[tuple[Good, ...]] = [()] * len(target)
    sets = np.flatnonzero(real)
    if domain.single or not sets.size:
        return found
    masses = _masses(domain, np.concatenate([target[sets], region[None]]))
    for place, enriched in zip(sets.tolist(), masses[:-1] > masses[-1], strict=True):
        found[place] = _enriched_values(domain, enriched, target[place], region)
    return found


def _enriched_values(
    domain: Domain, enriched: BoolArray, target: IntArray, region: IntArray
) -> tuple[Good, ...]:
    """Return the good values; ``enriched`` (cells,) are those denser in the target set."""
    if isinstance(domain, Categorical):
        return _good_choices(domain, enriched, target, region)
    return _good_ranges(domain, enriched, target, region)


def good_places(domain: Categorical, good: Good) -> list[int]:
    """Return the places of good choices among those of their domain."""
    # By type as well: True is not 1, though it equals it.
    chosen = [(type(choice), choice) for choice in good.choices or ()]
    return [p for p, choice in enumerate(domain.choices) if (type(choice), choice) in chosen]


def is_good(domain: Domain, good: Sequence[Good], values: ValueArray) -> BoolArray:
    """Return (trials,): whether values, or positions of choices, are good."""
    found = np.zeros(len(values), dtype=bool)
    for one in good:
        if isinstance(domain, Categorical):
            found |= np.isin(values, good_places(domain, one))
        else:
            found |= (values >= one.low) & (values <= one.high)
    return found


def _masses(domain: Domain, counts: IntArray) -> FloatArray:
    return (categorical_masses if isinstance(domain, Categorical) else numeric_masses)(counts)


def _good_ranges(
    domain: Float | Int, enriched: BoolArray, target: IntArray, region: IntArray
) -> tuple[Good, ...]:
    """Return the ranges of enriched cells, without those that hold too few trials."""
    found = []
    for first, last in _runs(enriched, gap=len(enriched) // _GAP):
        values = values_between(domain, first, last)
        inside = slice(first, last + 1)
        if values is not None and _is_enriched(target[inside], region[inside], target, region):
            low, high = values
            label = range_label(low, high)
            found.append(_make_good(inside, target, region, low=low, high=high, label=label))
    # Those with the most target trials, in the order of the values.
    found.sort(key=lambda good: -good.target_trials)
    return tuple(sorted(found[:_MOST_RANGES], key=lambda good: good.low or 0.0))


def _good_choices(
    domain: Categorical, enriched: BoolArray, target: IntArray, region: IntArray
) -> tuple[Good, ...]:
    """Return the enriched choices as one entry; none if they hold too few trials."""
    # By counts as well: smoothing draws rare choices towards the middle.
    share, reference = target / max(target.sum(), 1), region / max(region.sum(), 1)
    good = enriched & (share >= _LEAST_LIFT * reference) & (target >= _FEWEST_PER_CHOICE)
    places = np.flatnonzero(good)
    if not places.size or not _is_enriched(target[places], region[places], target, region):
        return ()
    choices = tuple(domain.choices[place] for place in places)
    label = choices_label(choices)
    return (_make_good(places, target, region, choices=choices, label=label),)


def range_label(low: float, high: float) -> str:
    """Format a range."""
    # Enough digits to tell the two apart.
    digits = 3
    while digits < 12 and low != high and f"{low:.{digits}g}" == f"{high:.{digits}g}":
        digits += 1
    ends = [_end_text(value, digits) for value in (low, high)]
    return ends[0] if low == high else f"{ends[0]} … {ends[1]}"


def _end_text(value: float, digits: int) -> str:
    whole = isinstance(value, int) and abs(value) < 10**7
    return str(value) if whole else number_text(value, digits)


def choices_label(choices: tuple[Any, ...]) -> str:
    """List choices, with "or" before the last one."""
    labels = list(choice_labels(choices))
    if len(labels) > _MOST_CHOICES:
        others = len(labels) - _MOST_CHOICES + 1
        labels = [*labels[: _MOST_CHOICES - 1], f"{others} others"]
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} or {labels[-1]}"


def number_text(value: float, digits: int = 3) -> str:
    """Format a number with a few significant digits."""
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-4 <= abs(value) < 1e9:
        text = f"{value:,.0f}"
    return text.replace("e-0", "e-").replace("e+0", "e")


def _runs(enriched: BoolArray, gap: int) -> list[tuple[int, int]]:
    """Return the first and last cell of each run, those at most ``gap`` cells apart joined."""
    runs: list[tuple[int, int]] = []
    for cell in np.flatnonzero(enriched).tolist():
        if runs and cell - runs[-1][1] - 1 <= gap:
            runs[-1] = (runs[-1][0], cell)
        else:
            runs.append((cell, cell))
    return runs


def _is_enriched(
    target_inside: IntArray, region_inside: IntArray, target: IntArray, region: IntArray
) -> bool:
    """Return whether enough target trials are inside, and more often than others."""
    inside, of = int(target_inside.sum()), int(target.sum())
    if inside < max(FEWEST, math.ceil(_LEAST_KEPT * of)):
        return False
    return inside / of >= _LEAST_LIFT * int(region_inside.sum()) / int(region.sum())


def _make_good(
    inside: slice | IntArray,
    target: IntArray,
    region: IntArray,
    *,
    label: str,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[Any, ...] | None = None,
) -> Good:
    target_trials, region_trials = int(target[inside].sum()), int(region[inside].sum())
    return Good(
        low=low,
        high=high,
        choices=choices,
        target_trials=target_trials,
        region_trials=region_trials,
        kept=target_trials / int(target.sum()),
        covered=region_trials / int(region.sum()),
        label=label,
    )


@dataclass(frozen=True, slots=True, eq=False)
class RegimeDensity:
    """The values of a parameter in one of its regimes, in the target set and in the region set.

    Attributes
    ----------
    domain, label
        The domain and its short description.
    centres, edges
        (cells,) and (cells + 1,): where the cells lie, in the domain's own units; None for choices.
    choices
        A label for each choice; None for numbers.
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


class Densities(Mapping[str, tuple[RegimeDensity, ...]]):
    """The densities of each parameter's present regimes at the first target set.

    Those of a parameter are computed on first access. ``counts`` are by value: ranks have no units.
    """

    def __init__(self, counts: StudyCounts, evidence: Evidence) -> None:
        self._parameters = {parameter.name: parameter for parameter in counts.parameters}
        self._evidence = evidence
        self._found: dict[str, tuple[RegimeDensity, ...]] = {}

    def __getitem__(self, name: str) -> tuple[RegimeDensity, ...]:
        if name not in self._found:
            if name not in self._parameters:
                raise not_found("parameter", name, self._parameters)
            parameter, evidence = self._parameters[name], self._evidence[name]
            self._found[name] = tuple(
                regime_density(
                    regime.domain,
                    regime.target[0],
                    regime.region,
                    real=may_be_good(evidence.verdict, p_value),
                )
                for regime, p_value in zip(parameter.regimes, evidence.regimes, strict=True)
                if regime.domain is not None
            )
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)


def regime_density(
    domain: Domain, target: IntArray, region: IntArray, *, real: bool
) -> RegimeDensity:
    """Smooth the counts of one regime; ``real`` says whether to look for good values."""
    if domain.single:
        # A single value, however many cells the counts have.
        target, region = target.sum(keepdims=True), region.sum(keepdims=True)
        masses = np.ones((2, 1))
    else:
        cells = grid_of(domain).cells
        if len(target) != cells or len(region) != cells:
            raise SettingsError(
                f"The counts of {domain.label} must have {cells} cells (got {len(target)} of the "
                f"target set and {len(region)} of the region set)."
            )
        masses = _masses(domain, np.stack([target, region]))
    if isinstance(domain, Categorical):
        centres = edges = None
        choices: tuple[str, ...] | None = choice_labels(domain.choices)
    else:
        centres, edges, choices = cell_middles(domain), cell_edges(domain), None
    good: tuple[Good, ...] = ()
    if real and not domain.single:
        good = _enriched_values(domain, masses[0] > masses[1], target, region)
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
