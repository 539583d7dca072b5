"""Parallel coordinates: trials as lines over their parameters, with a place for absent ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from condped.analyse.effects.result import Effects
from condped.analyse.effects.trials import ShownObjective, ShownParameter, thinned
from condped.objective_choice import objective_place
from condped.safe_text import shortened
from condped.show.text.account import effects_headline
from condped.show.views.labels import first_words, labels_of
from condped.show.views.scales import off, scale_ticks, scaled, tick_text
from condped.show.views.value_axis import ValueAxis
from condped.show.views.view import View, checked_names
from condped.show.words import count_of
from condped.space.domain import Categorical, Float, Int, choice_labels

ABSENT = -0.17  # the place of trials without a parameter; its values are between 0 and 1
_MOST_AXES = 9  # beside the objective
_MOST_LINES = {True: 250, False: 400}  # of the target set, and of other trials
_MOST_CHOICES = 10
_MOST_CHOICE, _MOST_NAME = 12, 22
_SPREAD = 0.35  # of the distance between two choices, over which their trials are spread
_NARROW = 0.03  # the same for trials without a value


@dataclass(frozen=True, slots=True)
class ParallelAxis:
    """One parameter, or the objective: its ticks, and whether it is absent from some trials."""

    label: str
    name: str
    ticks: tuple[tuple[float, str], ...]
    absent: bool


@dataclass(frozen=True, slots=True)
class ParallelLine:
    """One trial: its number in the study and where it crosses each axis."""

    number: int
    places: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ParallelView(View):
    """The axes, the most important parameter first and the objective last, and the trials."""

    axes: tuple[ParallelAxis, ...]
    others: tuple[ParallelLine, ...]
    target: tuple[ParallelLine, ...]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not self.others and not self.target

    @property
    def crowded(self) -> bool:
        """Whether the parameters' names are too long to fit side by side."""
        longest = max((len(axis.label) for axis in self.axes[:-1]), default=0)
        return longest > 90 / max(len(self.axes), 1)

    @property
    def lowest(self) -> float:
        """The lower end of the axes."""
        return ABSENT - 0.05 if any(axis.absent for axis in self.axes) else -0.06


def parallel_view(
    effects: Effects,
    parameters: Sequence[str] | None = None,
    objective: str | int | None = None,
) -> ParallelView:
    """Return the axes of the given parameters, or of the most important ones that vary."""
    names = checked_names(parameters, effects.names)
    shown = {parameter.name: parameter for parameter in effects.trials.parameters}
    own = [shown[name] for name in names if parameters is not None or _varies(shown[name])]
    notes = []
    if len(own) > _MOST_AXES:
        hidden = count_of(len(own) - _MOST_AXES, "parameter")
        notes.append(f"{hidden} of less importance not shown")
        own = own[:_MOST_AXES]
    goals = effects.trials.objectives
    place = objective_place([goal.name for goal in goals], 0 if objective is None else objective)
    goal = goals[place]
    known = [place for place, value in enumerate(goal.values) if value is not None]
    if len(known) < len(goal.values):
        without = count_of(len(goal.values) - len(known), "trial")
        notes.append(f"{without} without {shortened(goal.name, _MOST_NAME)} not shown")
    lines = {kind: [p for p in known if effects.trials.target[p] is kind] for kind in (True, False)}
    for kind, what in ((True, "of the target set"), (False, "other trials")):
        kept = thinned(np.array(lines[kind], dtype=np.intp), _MOST_LINES[kind]).tolist()
        if len(kept) < len(lines[kind]):
            notes.append(f"{len(kept)} of {len(lines[kind])} {what} drawn")
        lines[kind] = kept
    labels = labels_of([one.name for one in own], _MOST_NAME)
    drawn = [_parameter(one, label) for one, label in zip(own, labels, strict=True)]
    drawn.append(_objective(goal, known))
    every = {
        kind: tuple(
            ParallelLine(effects.trials.numbers[p], tuple(places[p] for _, places in drawn))
            for p in lines[kind]
        )
        for kind in lines
    }
    if not known:
        notes = ["No trial has an objective."]
    return ParallelView(
        title=effects_headline(effects.account, effects.target_quantile),
        axes=tuple(axis for axis, _ in drawn),
        others=every[False],
        target=every[True],
        note="; ".join(notes) or None,
        first=first_words(effects.account.tie(effects.target_quantile)),
    )


def _varies(parameter: ShownParameter) -> bool:
    return len(set(zip(parameter.domain_ids, parameter.values, strict=True))) > 1


def _parameter(parameter: ShownParameter, label: str) -> tuple[ParallelAxis, list[float]]:
    """Return an axis, and where each trial crosses it."""
    numeric = [d for d in parameter.domains if isinstance(d, Float | Int)]
    if len(numeric) < len(parameter.domains) or not numeric:
        return _choices(parameter, label)
    low, high = min(d.low for d in numeric), max(d.high for d in numeric)
    log = all(d.log for d in numeric)
    whole = all(isinstance(d, Int) for d in numeric)
    places = [
        off(number, ABSENT, _NARROW) if value is None else scaled(value, low, high, log)
        for number, value in enumerate(parameter.values)
    ]
    ticks = tuple(
        (scaled(t, low, high, log), tick_text(t)) for t in scale_ticks(low, high, log, whole)
    )
    absent = any(value is None for value in parameter.values)
    return ParallelAxis(label, parameter.name, ticks, absent), places


def _choices(parameter: ShownParameter, label: str) -> tuple[ParallelAxis, list[float]]:
    """Return an axis of choices; a number beside choices counts as one."""
    tried = [parameter.value(place) for place in range(len(parameter.values))]
    present = [i is not None for i in parameter.domain_ids]
    order: dict[tuple[type, object], None] = {}
    for domain in parameter.domains:
        if isinstance(domain, Categorical):
            order |= {(type(choice), choice): None for choice in domain.choices}
    order |= {(type(v), v): None for v, here in zip(tried, present, strict=True) if here}
    keys = list(order)
    apart = 1.0 / len(keys)
    where = {key: (place + 0.5) * apart for place, key in enumerate(keys)}
    places = [
        off(number, where[type(value), value], _SPREAD * apart / 2)
        if here
        else off(number, ABSENT, _NARROW)
        for number, (value, here) in enumerate(zip(tried, present, strict=True))
    ]
    texts = choice_labels([choice for _, choice in keys])
    every = math.ceil(len(keys) / _MOST_CHOICES)
    ticks = tuple(
        (where[key], shortened(text, _MOST_CHOICE))
        for key, text in list(zip(keys, texts, strict=True))[::every]
    )
    return ParallelAxis(label, parameter.name, ticks, not all(present)), places


def _objective(goal: ShownObjective, known: Sequence[int]) -> tuple[ParallelAxis, list[float]]:
    """Return the last axis; values far worse than others are put at its end."""
    values = [value for value in goal.values if value is not None]
    axis = ValueAxis.of(values, goal.direction, missing=False)
    low, high, log = axis.first, axis.last, axis.log
    inside = {place: axis.place(goal.values[place]) for place in known}
    places = [scaled(inside.get(p) or low, low, high, log) for p in range(len(goal.values))]
    for place, value in inside.items():
        places[place] = scaled(low if value is None else value, low, high, log)
    end = {"minimize": "lowest is best", "maximize": "highest is best"}[goal.direction]
    ticks = tuple((scaled(t, low, high, log), tick_text(t)) for t in scale_ticks(low, high, log))
    label = f"{shortened(goal.name, _MOST_NAME)} ({end})"
    return ParallelAxis(label, goal.name, ticks, absent=False), places
