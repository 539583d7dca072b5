"""A study's trials in the form that the replay test needs; replays are kept with the study."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.replay.cells import cells_of_domains
from condped.estimate.replay.history import History, TrialEndings, history_of
from condped.estimate.replay.replay_test import ReplayedSeries, draw_together
from condped.estimate.replay.replays import DrawnParameter, TpeSettings, attraction
from condped.trials.course.drawing import Drawing
from condped.trials.table import Parameter, State, TrialTable

_MOST_DOMAINS = 8  # of one parameter; more vary smoothly and are not replayed
# To decide whether values follow earlier results: values of all parameters, and trials of each.
_VALUES = 1_500
_FEWEST_LOOKED_AT, _MOST_LOOKED_AT = 25, 100
_TOGETHER = 10  # parameters that are replayed together
_replays: WeakKeyDictionary[TrialTable, dict[int | None, StudyReplays]] = WeakKeyDictionary()


@dataclass(eq=False)
class StudyReplays:
    """All parameters of a study, to be replayed."""

    parameters: Mapping[str, Parameter]  # not the table, which would never be freed
    fixed: Mapping[str, BoolArray]
    tpe: TpeSettings
    history: History
    _series: dict[str, ReplayedSeries | None] = field(default_factory=dict)

    def series(self, name: str) -> ReplayedSeries | None:
        """Return a parameter's replays; None if its domains cannot be replayed."""
        if name not in self._series:
            known = self.parameters.get(name)
            self._series[name] = None if known is None else self._make_series(known)
        return self._series[name]

    def attraction(self) -> float:
        """Return how much values follow earlier results, in standard errors."""
        shared = _VALUES // max(1, len(self.parameters))
        most = min(_MOST_LOOKED_AT, max(_FEWEST_LOOKED_AT, shared))
        found = [
            attraction([series.parameter for series in alike], self.history, self.tpe, most)
            for alike in self._group_alike(tuple(self.parameters))
        ]
        total, variance = map(sum, zip(*found, strict=True)) if found else (0.0, 0.0)
        return total / math.sqrt(variance) if variance > 0 else 0.0

    def begin(self, names: Sequence[str]) -> None:
        """Draw the first replays of several parameters."""
        for alike in self._group_alike(names):
            waiting = [series for series in alike if not series.stages]
            for start in range(0, len(waiting), _TOGETHER):
                draw_together(waiting[start : start + _TOGETHER])

    def _group_alike(self, names: Sequence[str]) -> list[list[ReplayedSeries]]:
        """Return the parameters that can be replayed, grouped by how they are drawn."""
        found: dict[object, list[ReplayedSeries]] = {}
        for series in map(self.series, names):
            if series is not None:
                found.setdefault(series.parameter.draws, []).append(series)
        return list(found.values())

    def _make_series(self, parameter: Parameter) -> ReplayedSeries | None:
        if len(parameter.domains) > _MOST_DOMAINS:
            return None
        layout = cells_of_domains(parameter.domains)
        if layout is None:
            return None
        ids = np.asarray(parameter.domain_ids).astype(np.int64)
        fixed = self.fixed.get(parameter.name, np.zeros(len(ids), dtype=bool))
        replayed = DrawnParameter(
            layout,
            layout.cells_of(np.asarray(parameter.values), ids),
            ids,
            np.asarray(fixed),
        )
        seed = zlib.crc32(parameter.name.encode("utf-8", "surrogatepass"))
        values = np.asarray(parameter.values, dtype=np.float64)
        return ReplayedSeries(replayed, values, self.history, self.tpe, (seed,))


def study_replays(table: TrialTable, startup: int | None) -> StudyReplays:
    """Return a study's replays; they are kept as long as its table."""
    kept = _replays.setdefault(table, {})
    if startup not in kept:
        records = () if table.drawing is None else table.drawing.samplers
        tpe = next((record for record in records if record.kind == "tpe"), None)
        first = startup if startup is not None else tpe.startup if tpe is not None else None
        candidates = None if tpe is None else tpe.candidates
        liar = tpe is not None and bool(tpe.constant_liar)
        settings = TpeSettings(10 if first is None else first, candidates or 24)
        kept[startup] = StudyReplays(
            {parameter.name: parameter for parameter in table.recorded},
            {} if table.drawing is None else table.drawing.fixed,
            settings,
            history_of(_endings_of(table), constant_liar=liar),
        )
    return kept[startup]


def _endings_of(table: TrialTable) -> TrialEndings:
    drawing = table.drawing or Drawing()
    losses = drawing.losses
    if losses is None:
        losses = np.column_stack([objective.losses for objective in table.objectives])
    nothing = np.full(len(table), np.nan)
    lasts = nothing if drawing.last_losses is None else drawing.last_losses
    violation = np.zeros(len(table))
    if table.violations is not None:
        violation = np.nansum(np.maximum(table.violations, 0.0), axis=1)
    complete = np.asarray(table.states == State.COMPLETE) & ~np.isnan(losses).any(axis=1)
    return TrialEndings(
        losses=losses,
        complete=complete,
        pruned=np.asarray(table.states == State.PRUNED),
        steps=nothing if drawing.steps is None else drawing.steps,
        last_losses=lasts,
        violation=violation,
        started=None if table.times is None else _if_any(table.times.started),
        finished=None if table.times is None else _if_any(table.times.ended),
    )


def _if_any(times: FloatArray) -> FloatArray | None:
    return None if np.isnan(times).all() else times


def regimes_of(parameter: Parameter, region: BoolArray, smallest: int) -> list[BoolArray]:
    """Return (N,) for each domain with enough trials: which trials of the region set are in it."""
    ids = np.asarray(parameter.domain_ids)
    found = [region & (ids == number) for number in range(len(parameter.domains))]
    return [rows for rows in found if np.count_nonzero(rows) >= smallest]


def placed(rows: IntArray | None, members: Sequence[BoolArray], size: int) -> BoolArray:
    """Return (…, size): members of a selection, among all trials that it was made from."""
    found = np.zeros((len(members), size), dtype=bool)
    for place, own in enumerate(members):
        found[place, slice(None) if rows is None else rows] = own
    return found
