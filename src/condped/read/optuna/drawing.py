"""How Optuna's trials were drawn: reports and system attributes of any storage; their times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.read.optuna.samplers import CHOSEN, marked, sampler_of
from condped.read.seconds import seconds
from condped.space.domain import Categorical, frozen_choice
from condped.trials.columns import number_of
from condped.trials.course.drawing import Drawing, SamplerRecord
from condped.trials.course.times import Times
from condped.trials.table import ABSENT, Parameter

# System attributes whose values are read; of the others only the keys matter.
VALUED = ("fixed_params", "failed_trial", CHOSEN)


@dataclass(frozen=True, slots=True)
class DrawingRecords:
    """What a storage records about how trials were drawn.

    Attributes
    ----------
    reports
        A trial's row, the last step that it reported, and the value there.
    attributes
        The row and the system attributes of trials that have some.
    study_keys
        The keys of the study's own system attributes.
    sampler
        The study's own sampler, if it is known.
    """

    reports: Sequence[tuple[int, float, float]]
    attributes: Sequence[tuple[int, Mapping[str, Any]]]
    study_keys: Iterable[str] = ()
    sampler: SamplerRecord | None = None

    def drawing(
        self,
        parameters: Sequence[Parameter],
        values: FloatArray,
        signs: Sequence[float],
        times: Times,
    ) -> Drawing:
        """Return how the trials of a table with these parameters and times were drawn.

        ``signs`` turn (trials, objectives) values into losses.
        """
        steps = last_losses = None
        if self.reports:
            steps, last_losses = np.full((2, len(values)), np.nan)
            for row, step, value in self.reports:
                steps[row], last_losses[row] = step, signs[0] * value
        return Drawing(
            samplers=self._samplers(times),
            steps=steps,
            last_losses=last_losses,
            losses=values * signs,
            fixed=_fixed_values(self.attributes, parameters),
        )

    def _samplers(self, times: Times) -> tuple[SamplerRecord, ...]:
        keys = set(self.study_keys).union(*(held for _, held in self.attributes))
        chosen = [held.get(CHOSEN) for _, held in self.attributes] if CHOSEN in keys else ()
        found = marked(keys, chosen)
        # The study's sampler was not used if all trials were added: those took no time.
        if self.sampler is None or not np.any(times.started != times.ended):
            return found
        return (self.sampler, *(record for record in found if record.name != self.sampler.name))


def drawing_of(study: Any, trials: Sequence[Any]) -> Callable[[], DrawingRecords]:
    """Return a function that looks up how the trials of a study in memory were drawn."""
    # rustuna's storages do not expose all attributes of a study.
    get = getattr(getattr(study, "_storage", None), "get_study_system_attrs", None)
    keys = () if get is None else tuple(get(study._study_id))
    sampler = sampler_of(study)

    def look_up() -> DrawingRecords:
        reports = enumerate(trial.intermediate_values for trial in trials)
        attributes = enumerate(trial.system_attrs for trial in trials)
        return DrawingRecords(
            reports=[
                (row, max(held), _as_number(held[max(held)])) for row, held in reports if held
            ],
            attributes=[(row, held) for row, held in attributes if held],
            study_keys=keys,
            sampler=sampler,
        )

    return look_up


def _as_number(value: Any) -> float:
    number = number_of(value)
    return np.nan if number is None else number


def times_of(trials: Sequence[Any]) -> Times:
    """Return when trials in memory ran."""
    return Times.deferred(
        lambda: Times.between(
            seconds([trial.datetime_start for trial in trials]),
            seconds([trial.datetime_complete for trial in trials]),
        )
    )


class DrawingLog:
    """What a storage records about how trials were drawn, collected by the trials' ids."""

    def __init__(self) -> None:
        self.reports: dict[int, tuple[int, float]] = {}
        self.attributes: dict[int, Mapping[str, Any]] = {}

    def add_report(self, trial: int, step: int, value: float | None) -> None:
        """Keep a trial's report, unless one at a later step is known."""
        if trial not in self.reports or step >= self.reports[trial][0]:
            self.reports[trial] = step, np.nan if value is None else value

    def add_attribute(self, trial: int, key: str, value: Any) -> None:
        """Keep a system attribute, with its value only if that is read."""
        # A new mapping, since the old one may be in use.
        held = self.attributes.get(trial, {})
        self.attributes[trial] = {**held, key: value if key in VALUED else None}

    def without(self, trials: Iterable[int]) -> DrawingLog:
        """Return a copy without some trials; adding to it does not change this one."""
        log, left_out = DrawingLog(), set(trials)
        log.reports = {t: last for t, last in self.reports.items() if t not in left_out}
        log.attributes = {t: held for t, held in self.attributes.items() if t not in left_out}
        return log

    def records(self, trials: Sequence[int], study_keys: Iterable[str]) -> DrawingRecords:
        """Return what is recorded about a study's trials."""
        rows = {trial: row for row, trial in enumerate(trials)}
        return DrawingRecords(
            reports=[(rows[t], *report) for t, report in self.reports.items() if t in rows],
            attributes=[(rows[t], held) for t, held in self.attributes.items() if t in rows],
            study_keys=tuple(study_keys),
        )


def _fixed_values(
    attributes: Sequence[tuple[int, Mapping[str, Any]]], parameters: Sequence[Parameter]
) -> dict[str, BoolArray]:
    """Return, by parameter, in which trials its value was enqueued or retried."""
    masks = {entry.name: np.zeros(len(entry.domain_ids), dtype=bool) for entry in parameters}
    for row, held in attributes:
        given = held.get("fixed_params")
        given = given if isinstance(given, dict) else {}
        failed = held.get("failed_trial")
        for entry in parameters if given or failed is not None else ():
            masks[entry.name][row] = (
                entry.name in given and _equals(entry, row, given[entry.name])
            ) or (isinstance(failed, int) and _repeats(entry, row, failed))
    return {name: where for name, where in masks.items() if where.any()}


def _equals(entry: Parameter, row: int, value: Any) -> bool:
    """Return whether a parameter has this value in a trial."""
    place = entry.domain_ids[row]
    if place == ABSENT:
        return False
    domain, recorded = entry.domains[place], entry.values[row]
    try:
        if isinstance(domain, Categorical):
            # In tuples, since NaN equals itself there.
            return (domain.choices[int(recorded)],) == (frozen_choice(value),)
        return float(value) == float(recorded)
    except (TypeError, ValueError, OverflowError):
        return False


def _repeats(entry: Parameter, row: int, earlier: int) -> bool:
    """Return whether a parameter has the value of an earlier trial."""
    return (
        0 <= earlier < row
        and entry.domain_ids[row] == entry.domain_ids[earlier] != ABSENT
        and bool(entry.values[row] == entry.values[earlier])
    )
