"""Densities of the target and the region set, a panel per parameter and regime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.analyse.importance.result import ImportanceResult
from condped.analyse.values import FEWEST, RegimeDensity, good_places
from condped.arrays import FloatArray
from condped.safe_text import shortened
from condped.show.text.account import headline_of
from condped.show.views.labels import first_words, labels_of
from condped.show.views.view import SIDE_BY_SIDE, Grid, checked_names
from condped.show.words import NO_GOOD_VALUES, count_of, reason_of, regime_name, without_evidence
from condped.space.domain import Categorical, Float, Int

MOST_PANELS = 12
_MOST_CHOICES = 10
_MOST_CHOICE_LABEL = 16
_MOST_GOOD = 44
_MOST_REGIME = 40


@dataclass(frozen=True, slots=True)
class Span:
    """A good range on the panel's own scale, or good choices by their places."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One regime: how often its values are in the target set and among all.

    Attributes
    ----------
    edges
        (cells + 1,): the edges of the cells; None for choices.
    choices
        The labels below the bars; None for numbers.
    target, region
        (cells,): smoothed densities of numbers, 1 being uniform; shares of choices as counted.
    log
        Whether the scale is logarithmic.
    spans
        Good values, to be marked.
    good
        The same in words, or why there are none.
    """

    title: str
    parameter: str
    edges: FloatArray | None
    choices: tuple[str, ...] | None
    target: FloatArray
    region: FloatArray
    log: bool
    spans: tuple[Span, ...]
    good: str
    trials: str
    outcome: bool  # whether the marked values lead to an outcome such as failing, and are not good
    grey: bool  # whether there is no evidence of an effect: no colour may suggest one

    @property
    def scale(self) -> str:
        """The label of the y axis."""
        return "share of trials" if self.edges is None else "density (1: uniform)"


@dataclass(frozen=True, slots=True, eq=False)
class PanelsView(Grid[Panel]):
    """The panels, those of the most important parameters first."""


def panels_view(
    result: ImportanceResult,
    parameters: Sequence[str] | None = None,
    most: int = MOST_PANELS,
    side_by_side: int = SIDE_BY_SIDE,
) -> PanelsView:
    """Return the panels of the given parameters, or of all with a target trial.

    A parameter's regimes with the most target trials come first; the note counts what is left out.
    """
    names = checked_names(parameters, result.names)
    short = dict(zip(names, labels_of(names), strict=True))
    panels: list[Panel] = []
    hidden = empty = 0
    for name in names:
        regimes = [density for density in result.densities[name] if not density.domain.single]
        for density in sorted(regimes, key=lambda density: -int(density.target.sum())):
            if parameters is None and not density.target.any():
                empty += 1
            elif len(panels) < most:
                panels.append(_panel(result, name, short[name], density))
            else:
                hidden += 1
    notes = []
    if result.reason is not None:
        notes.append(f"Undetermined: {result.reason}")
    if hidden:
        notes.append(f"{count_of(hidden, 'more regime')} not shown")
    if empty:
        notes.append(f"{count_of(empty, 'regime')} without target trials not shown")
    if not panels and not notes:
        notes.append("There is nothing to show.")
    return PanelsView(
        title=headline_of(result),
        panels=tuple(panels),
        note="; ".join(notes) or None,
        first=first_words(result.tie),
        side_by_side=side_by_side,
    )


def _panel(result: ImportanceResult, name: str, label: str, density: RegimeDensity) -> Panel:
    tested = result.evidence[name]
    verdict = tested.verdict
    regime = ""
    if result.condition(name, density.domain) is not None:
        regime = f" {shortened(regime_name(result, name, density.domain), _MOST_REGIME)}"
    elif len(result.densities[name]) > 1:
        regime = f" in {shortened(density.label, 24)}"
    trials = f"{int(density.target.sum())} of {int(density.region.sum())} trials"
    if density.good:
        ranges = " and ".join(good.label for good in density.good)
        kept = 100 * sum(good.kept for good in density.good)
        covered = 100 * sum(good.covered for good in density.good)
        led = result.account.outcome is not None
        words = f"{'leads to it' if led else 'good'}: {shortened(ranges, _MOST_GOOD)}\n"
        # Shares are of this regime's trials, which need not be all.
        here = " here" if int(density.region.sum()) < result.account.region_size else ""
        words += f"{kept:.0f} % of the {'target set' if led else 'best'}{here}, "
        words += f"{covered:.0f} % of all{here}"
    elif verdict == "matters" and density.target.sum() < FEWEST:
        words = "too few target trials to tell"
    else:
        words = NO_GOOD_VALUES.get(verdict, reason_of(tested) or "cannot be tested")
    shared = {
        "title": label + regime, "parameter": name, "good": words, "trials": trials,
        "outcome": result.account.outcome is not None, "grey": without_evidence(verdict),
    }  # fmt: skip
    if isinstance(density.domain, Categorical):
        return _choices_panel(density, density.domain, shared)
    return _numbers_panel(density, density.domain, shared)


def _numbers_panel(density: RegimeDensity, domain: Float | Int, shared: dict[str, Any]) -> Panel:
    """Return the panel of a numeric domain, with masses as densities: 1 is uniform."""
    edges, half = np.array(density.edges, dtype=np.float64), 0.0
    values = 0 if domain.step is None else round((domain.high - domain.low) / domain.step) + 1
    if values == len(density.target) and not domain.log:
        # A cell per value: each is as wide as any other.
        half = (domain.step or 0.0) / 2
        edges[0], edges[-1] = domain.low - half, domain.high + half
    # The smoothing assumes that all cells are equally wide, including the outer ones.
    cells = len(density.target)
    return Panel(
        **shared,
        edges=edges,
        choices=None,
        target=density.target_mass * cells,
        region=density.region_mass * cells,
        log=domain.log,
        spans=tuple(
            Span(good.low - half, good.high + half)
            for good in density.good
            if good.low is not None and good.high is not None
        ),
    )


def _choices_panel(density: RegimeDensity, domain: Categorical, shared: dict[str, Any]) -> Panel:
    """Return the panel of choices; of many, the rarest in the target set are added up.

    Shares are as counted: smoothing would show choices that no target trial has.
    """
    share = density.target / max(int(density.target.sum()), 1)
    reference = density.region / max(int(density.region.sum()), 1)
    chosen = {place for good in density.good for place in good_places(domain, good)}
    order = sorted(range(len(domain.choices)), key=lambda place: -share[place])
    kept = sorted(order) if len(order) <= _MOST_CHOICES else sorted(order[: _MOST_CHOICES - 1])
    rest = [place for place in order if place not in kept]
    texts = density.choices or ()
    labels = labels_of([texts[place] for place in kept], _MOST_CHOICE_LABEL)
    target, region = share[kept], reference[kept]
    if rest:
        labels = (*labels, f"{len(rest)} others")
        target = np.append(target, share[rest].sum())
        region = np.append(region, reference[rest].sum())
    return Panel(
        **shared,
        edges=None,
        choices=labels,
        target=target,
        region=region,
        log=False,
        spans=tuple(
            Span(row - 0.5, row + 0.5) for row, place in enumerate(kept) if place in chosen
        ),
    )
