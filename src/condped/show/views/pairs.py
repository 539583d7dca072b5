"""Pairs: the share of target trials over the values of two parameters, with the pair's verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from condped.analyse.joint_effects import JointEffect, JointEffects
from condped.analyse.pair_cells import Axis, PairCells
from condped.arrays import FloatArray, IntArray
from condped.errors import SettingsError
from condped.safe_text import brief, shortened
from condped.show.text.account import pairs_headline
from condped.show.views.labels import first_words
from condped.show.views.scales import scale_ticks, scaled, tick_text
from condped.show.views.view import Grid
from condped.show.words import count_of, p_text, without_evidence

_MOST_PANELS = 6
_UNTESTED = 2  # pairs that are shown if none matters
_SMOOTHED = 0.75  # cells, the standard deviation of the kernel
_FEWEST = 0.5  # trials around a cell, below which it is left empty
_MOST_NAME, _MOST_CHOICE = 22, 10


@dataclass(frozen=True, slots=True)
class CellAxis:
    """The cells of a parameter side by side, the first around 0, and the positions of its ticks."""

    label: str
    cells: int
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class PairPanel:
    """One pair in one joint regime.

    Attributes
    ----------
    shares
        (cells up, cells across): the share of trials that reach the target set, smoothed a little;
        NaN where there are none.
    dots
        Across, up and number of the target trials, for each cell that has any.
    grey
        Whether there is no evidence of a joint effect: no colour may suggest one.
    """

    title: str
    words: str
    across: CellAxis
    up: CellAxis
    shares: FloatArray
    dots: tuple[tuple[int, int, int], ...]
    grey: bool


@dataclass(frozen=True, slots=True, eq=False)
class PairsView(Grid[PairPanel]):
    """The panels, the strongest pair first."""

    highest: float  # the share with the strongest colour


def pairs_view(found: JointEffects, pairs: Sequence[tuple[str, str]] | None = None) -> PairsView:
    """Return the given pairs, or those that matter, or the strongest ones if none does."""
    notes = []
    known = [effect for effect in found if effect.cells]
    real = [effect for effect in known if effect.verdict == "matters"]
    if pairs is not None:
        if not isinstance(pairs, Iterable):
            raise SettingsError(f"pairs must be a list of pairs of names (got {brief(pairs)}).")
        shown = [_effect(found, pair) for pair in pairs]
    elif real:
        shown = real
    else:
        shown = known[:_UNTESTED]
        tested = any(effect.p_value is not None for effect in found)
        why = "no pair is statistically significant" if tested else "no pair could be tested"
        notes.append(f"{why}; the strongest are shown" if shown else f"{why}.")
    panels = [_panel(effect, cells) for effect in shown for cells in effect.cells]
    if len(panels) > _MOST_PANELS:
        notes.append(f"{count_of(len(panels) - _MOST_PANELS, 'more panel')} not shown")
    panels = panels[:_MOST_PANELS]
    largest = [float(np.nanmax(panel.shares, initial=0.0)) for panel in panels]
    if panels:
        notes.append("dots: target trials, larger where there are more")
    return PairsView(
        title=pairs_headline(found.account, found.target_quantile),
        panels=tuple(panels),
        highest=max([0.05, *largest]),
        note="; ".join(notes) or None,
        first=first_words(found.account.tie(found.target_quantile)),
    )


def _effect(found: JointEffects, pair: Sequence[str]) -> JointEffect:
    """Return the effect of a pair by its names, in any order."""
    for effect in found:
        if _same_pair(effect.parameters, pair):
            if effect.cells:
                return effect
            kept = [" × ".join(one.parameters) for one in found if one.cells]
            raise SettingsError(
                f"The cells of {' × '.join(effect.parameters)} were not kept, only those of pairs "
                f"that matter and the strongest others. Allowed: {'; '.join(kept)}."
            )
    raise SettingsError(
        "pairs must be pairs of names that are active together in enough trials (got "
        f"{brief(pair)})."
    )


def _same_pair(parameters: tuple[str, str], pair: Sequence[str]) -> bool:
    if isinstance(pair, str) or not isinstance(pair, Iterable):
        return False
    return sorted(parameters) == sorted(map(str, pair))


def _panel(effect: JointEffect, cells: PairCells) -> PairPanel:
    target, region = (np.array(counts).T for counts in (cells.target, cells.region))
    names = [shortened(name, _MOST_NAME) for name in effect.parameters]
    p_value = "" if effect.p_value is None else f", {p_text(effect.p_value)}"
    several = f" ({int(target.sum())} of {count_of(int(region.sum()), 'trial')})"
    return PairPanel(
        title=" × ".join(names),
        words=f"{effect.verdict}: η² {effect.eta_squared:.3f}{p_value}{several}",
        across=_axis(cells.first),
        up=_axis(cells.second),
        shares=_smoothed_shares(target, region, cells),
        dots=tuple(
            (column, row, int(target[row, column]))
            for row, column in zip(*np.nonzero(target), strict=True)
        ),
        grey=without_evidence(effect.verdict),
    )


def _axis(axis: Axis) -> CellAxis:
    if axis.choices is not None:
        labels = [shortened(choice, _MOST_CHOICE) for choice in axis.choices]
        ticks = [(float(place), label) for place, label in enumerate(labels)]
    else:
        low, high = (axis.edges or (0.0,))[0], (axis.edges or (0.0,))[-1]
        ticks = [
            (axis.cells * scaled(value, low, high, axis.log) - 0.5, tick_text(value))
            for value in scale_ticks(low, high, axis.log)
        ]
    return CellAxis(shortened(axis.parameter, _MOST_NAME), axis.cells, tuple(ticks))


def _smoothed_shares(target: IntArray, region: IntArray, cells: PairCells) -> FloatArray:
    """Return the shares of target trials among those in and near each cell."""
    up, across = (_kernel(axis) for axis in (cells.second, cells.first))
    hits, trials = (up @ counts @ across for counts in (target, region))
    nothing = np.full(trials.shape, np.nan)
    return np.asarray(np.divide(hits, trials, out=nothing, where=trials >= _FEWEST))


def _kernel(axis: Axis) -> FloatArray:
    if axis.edges is None:  # choices have no neighbours
        return np.eye(axis.cells)
    apart = np.arange(axis.cells)
    return np.asarray(np.exp(-((apart[:, None] - apart) ** 2) / (2.0 * _SMOOTHED**2)))
