"""Slices: each trial's value of a parameter against what it reached, a panel per regime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from condped.analyse.effects.result import Effects, ParameterEffect, RegimeEffect
from condped.analyse.effects.sentences import digits_for
from condped.analyse.values import number_text
from condped.errors import SettingsError
from condped.objective_choice import objective_place
from condped.options import is_whole_number
from condped.safe_text import brief, shortened
from condped.show.text.account import effects_headline
from condped.show.views.labels import first_words, labels_of
from condped.show.views.scales import off
from condped.show.views.value_axis import KINDS, DotKind, Dots, ValueAxis, dot_kind, dots_of
from condped.show.views.view import SIDE_BY_SIDE, Grid, checked_names
from condped.show.words import NO_GOOD_VALUES, count_of
from condped.space.domain import Categorical, Domain
from condped.space.grid import grid_of, steps_of

_MOST_PANELS = 9
_MOST_CHOICES = 12
_MOST_CHOICE_LABEL = 12
_MOST_WORDS = 40
_SPREAD = 0.5  # of the distance between two choices, over which their trials are spread


@dataclass(frozen=True, slots=True)
class MedianStep:
    """The median of a bin with its interval, from the bin's left end to its right one."""

    left: float
    right: float
    median: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Slice:
    """One regime.

    Attributes
    ----------
    low, high
        The ends of the axis of values.
    choices
        The labels below it; None for numbers.
    spans
        Good values, to be marked.
    words
        The good values and their medians, in at most two lines.
    """

    title: str
    trials: str
    low: float
    high: float
    log: bool
    choices: tuple[str, ...] | None
    dots: tuple[Dots, ...]
    steps: tuple[MedianStep, ...]
    spans: tuple[tuple[float, float], ...]
    words: str


@dataclass(frozen=True, slots=True)
class SlicesView(Grid[Slice]):
    """The slices, those of the most important parameters first."""

    objective: str
    axis: ValueAxis
    level: float

    @property
    def kinds(self) -> tuple[DotKind, ...]:
        """The kinds of dots that occur, in the order of the legend."""
        found = {dots.kind for one in self.panels for dots in one.dots}
        return tuple(kind for kind in KINDS if kind in found)


def slices_view(
    effects: Effects,
    parameters: Sequence[str] | None = None,
    objective: str | int | None = None,
    columns: int | None = None,
) -> SlicesView:
    """Return the slices of the given parameters, or of the most important ones."""
    if columns is not None and not is_whole_number(columns, 1):
        raise SettingsError(f"columns must be a whole number, 1 or above (got {brief(columns)}).")
    names = checked_names(parameters, effects.names)
    goals = [goal.name for goal in effects.trials.objectives]
    place = objective_place(goals, 0 if objective is None else objective)
    own = effects.trials.objectives[place]
    known = [value for value in own.values if value is not None]
    missing = len(known) < len(own.values)
    axis = ValueAxis.of(known, own.direction, missing=missing)
    shown = _DrawnObjective(effects, place, axis)
    short = dict(zip(names, labels_of(names), strict=True))
    slices: list[Slice] = []
    hidden = 0
    for name in names:
        for regime in effects[name].regimes:
            if regime.domain is None or regime.domain.single:
                continue
            if len(slices) < _MOST_PANELS:
                slices.append(_slice(shown, effects[name], short[name], regime))
            else:
                hidden += 1
    notes = [effects.trials.message, axis.note]
    notes.append(f"{count_of(hidden, 'more regime')} not shown" if hidden else None)
    notes.append(None if slices else "There is nothing to show")
    text = "; ".join(note.removesuffix(".") for note in notes if note)
    return SlicesView(
        title=effects_headline(effects.account, effects.target_quantile),
        first=first_words(effects.account.tie(effects.target_quantile)),
        note=text or None,
        objective=own.name,
        axis=axis,
        panels=tuple(slices),
        level=effects.level,
        side_by_side=columns or SIDE_BY_SIDE,
    )


@dataclass(frozen=True, slots=True)
class _DrawnObjective:
    """The objective that is drawn, and its axis."""

    effects: Effects
    place: int
    axis: ValueAxis


def _slice(
    shown: _DrawnObjective, parameter: ParameterEffect, label: str, regime: RegimeEffect
) -> Slice:
    domain = regime.domain
    assert domain is not None
    several = sum(one.domain is not None for one in parameter.regimes) > 1
    kept = _kept_choices(regime) if isinstance(domain, Categorical) else None
    low, high = _axis_ends(domain, kept)
    return Slice(
        title=label + (f" in {shortened(regime.label, 24)}" if several else ""),
        trials=f"{regime.target_trials} of {regime.trials} trials",
        low=low,
        high=high,
        log=not isinstance(domain, Categorical) and domain.log,
        choices=None if kept is None else _choice_labels(regime, kept),
        dots=_dots(shown, parameter.name, domain, kept),
        steps=_steps(regime, shown, kept),
        spans=_spans(regime, kept),
        words=_words(parameter, regime, shown.place),
    )


def _kept_choices(regime: RegimeEffect) -> dict[int, int]:
    """Return the rows of the choices to draw, those with the most trials, by their positions."""
    most = sorted(regime.bins, key=lambda group: -group.trials)[:_MOST_CHOICES]
    places = sorted(group.choice for group in most if group.choice is not None)
    return {place: row for row, place in enumerate(places)}


def _choice_labels(regime: RegimeEffect, kept: dict[int, int]) -> tuple[str, ...]:
    labels = [group.label for group in regime.bins if group.choice in kept]
    return labels_of(labels, _MOST_CHOICE_LABEL)


def _axis_ends(domain: Domain, kept: dict[int, int] | None) -> tuple[float, float]:
    """Return the ends of the axis of values, with some room for dots at the bounds."""
    if isinstance(domain, Categorical):
        return -0.6, len(kept or ()) - 0.4
    low, high = float(domain.low), float(domain.high)
    if domain.log:
        room = (high / low) ** 0.03
        return low / room, high * room
    room = 0.03 * (high - low) + (_half_step(domain) if _is_spread(domain) else 0.0)
    return low - room, high + room


def _is_spread(domain: Domain) -> bool:
    """Return whether there are so few values that their dots are spread."""
    if isinstance(domain, Categorical):
        return True
    steps = steps_of(domain) + 1 if domain.step else 0
    return 0 < steps <= 20 and not domain.log and steps == grid_of(domain).cells


def _half_step(domain: Domain) -> float:
    return 0.5 if isinstance(domain, Categorical) else (domain.step or 0.0) / 2


def _dots(
    shown: _DrawnObjective, name: str, domain: Domain, kept: dict[int, int] | None
) -> tuple[Dots, ...]:
    """Return the dots of a regime's trials."""
    trials, axis = shown.effects.trials, shown.axis
    own = next(one for one in trials.parameters if one.name == name)
    values = trials.objectives[shown.place].values
    drawn = own.domains.index(domain)
    spread = _SPREAD * _half_step(domain) if _is_spread(domain) else 0.0
    found = []
    for row, (x, domain_id) in enumerate(zip(own.values, own.domain_ids, strict=True)):
        y = axis.place(values[row])
        if domain_id != drawn or x is None or y is None:
            continue
        if kept is not None and int(x) not in kept:
            continue
        number = trials.numbers[row]
        at = x if kept is None else float(kept[int(x)])
        kind = dot_kind(trials.states[row], trials.target[row])
        found.append((kind, off(number, at, spread), y, number))
    return dots_of(found)


def _steps(
    regime: RegimeEffect, shown: _DrawnObjective, kept: dict[int, int] | None
) -> tuple[MedianStep, ...]:
    # A cell per value: all are equally wide, including those at the bounds.
    half = _half_step(regime.domain) if regime.domain and _is_spread(regime.domain) else 0.0
    found = []
    for group in regime.bins:
        reached = group.reached[shown.place]
        if reached.median is None or (kept is not None and group.choice not in kept):
            continue
        left, right = group.left, group.right
        if kept is not None and group.choice is not None:
            left, right = kept[group.choice] - 0.4, kept[group.choice] + 0.4
        elif half and group.low is not None and group.high is not None:
            left, right = group.low - half, group.high + half
        assert left is not None
        assert right is not None
        median, low, high = map(
            shown.axis.place, (reached.median, reached.median_low, reached.median_high)
        )
        if reached.median_low is None:
            low = high = None
        assert median is not None
        found.append(MedianStep(left, right, median, low, high))
    return tuple(found)


def _spans(regime: RegimeEffect, kept: dict[int, int] | None) -> tuple[tuple[float, float], ...]:
    """Return the ranges of good values on the axis."""
    if regime.contrast is None or regime.contrast.chosen != "good" or regime.domain is None:
        return ()
    half = _half_step(regime.domain) if _is_spread(regime.domain) else 0.0
    found = []
    for span in regime.contrast.spans:
        if span.low is not None and span.high is not None:
            found.append((span.low - half, span.high + half))
        elif kept is not None and span.choice in kept:
            found.append((kept[span.choice] - 0.5, kept[span.choice] + 0.5))
    return tuple(found)


def _words(parameter: ParameterEffect, regime: RegimeEffect, place: int) -> str:
    """Return what the good values and the others reached."""
    contrast = regime.contrast
    if contrast is None:
        return NO_GOOD_VALUES.get(parameter.verdict, "not testable")
    both = (contrast.inside, contrast.outside)
    medians = [group.reached[place].median for group in both]
    digits = digits_for(median for median in medians if median is not None)
    inside, outside = (
        "unknown" if median is None else number_text(median, digits) for median in medians
    )
    start = "good" if contrast.chosen == "good" else "best"
    return (
        f"{start}: {shortened(contrast.inside.label, _MOST_WORDS)}\n"
        f"median {inside} there, {outside} elsewhere"
    )
