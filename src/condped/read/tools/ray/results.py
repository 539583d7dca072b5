"""Ray Tune's results: a ResultGrid or the ExperimentAnalysis inside it, and their table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.errors import SettingsError
from condped.read.frames.mappings import flat
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.table.state_words import state_of
from condped.read.tools.drawing import recorded_times
from condped.read.tools.nested_spaces import plain_value
from condped.space.space import Space
from condped.trials.course.reports import Reports
from condped.trials.table import DURATION, State, TrialTable

_ITERATION = "training_iteration"
_DIRECTIONS = {"min": "minimize", "max": "maximize"}


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return one trial per result, with its last reported metrics."""
    analysis = getattr(source, "_experiment_analysis", source)
    return table_of(
        list(_trials(source, analysis, options)),
        options,
        "a ResultGrid of Ray Tune",
        metric=getattr(analysis, "default_metric", None),
        mode=getattr(analysis, "default_mode", None),
    )


def _trials(source: Any, analysis: Any, options: ReadOptions) -> Iterator[RayTrial]:
    # Ray's trial objects have the status and, even if they failed early, the configuration.
    trials = getattr(analysis, "trials", None)
    if trials is not None:
        frames = getattr(analysis, "trial_dataframes", {}) if options.reports else {}
        for trial in trials:
            metrics, frame = trial.last_result or {}, frames.get(trial.trial_id)
            history = () if frame is None else frame.to_dict("records")
            yield RayTrial(metrics.get("config") or trial.config, metrics, trial.status, history)
        return
    for result in source:
        status = "ERROR" if result.error is not None else "TERMINATED"
        yield RayTrial(result.config or {}, result.metrics or {}, status)


@dataclass(frozen=True, slots=True)
class RayTrial:
    """One trial: its configuration, its last report, and Ray's name of its status."""

    config: Mapping[str, Any]
    metrics: Mapping[str, Any]
    status: str
    history: Sequence[Mapping[str, Any]] = ()  # all reports, if requested


def table_of(
    trials: Sequence[RayTrial],
    options: ReadOptions,
    source: str,
    *,
    metric: str | None,
    mode: str | None,
    notes: Sequence[str] = (),
) -> TrialTable:
    """Return the trials as a table; ``metric`` and ``mode`` are the tuner's, if known."""
    options.refuse(source, "study", "budget")
    reported = RawTable.of_records(
        [dict(_metrics(trial.metrics)) for trial in trials], names=[metric] if metric else []
    )
    if isinstance(options.objective, str) and options.objective != DURATION:
        reported.require("objective", options.objective)
    _require_direction(options, source, metric, mode)
    folders = _parent_names(options.space)
    states = np.array([_state(trial.status) for trial in trials], dtype=np.int8)
    return build_runs(
        RawRuns(
            parameters=RawTable.of_records(
                [dict(_parameters(trial.config, folders)) for trial in trials],
                names=_optional_names(options.space),
                none_is_choice=True,
            ),
            metrics=reported,
            states=states,
            objectives=(metric,) if metric else (),
            directions=(_DIRECTIONS[mode],) if mode in _DIRECTIONS else (),
            notes=(*notes, *_early_end_notes(trials, states)),
            times=recorded_times(
                [_difference(trial, "timestamp", "time_total_s") for trial in trials],
                [trial.metrics.get("timestamp") for trial in trials],
                [trial.metrics.get("time_total_s") for trial in trials],
            ),
            reports=_reports(trials, options.objective or metric) if options.reports else None,
        ),
        options,
        source,
    )


def _reports(trials: Sequence[RayTrial], metric: Any) -> Reports:
    """Return what trials reported after each training iteration."""
    found = []
    for row, trial in enumerate(trials):
        for report in trial.history:
            step, value = report.get(_ITERATION), dict(_metrics(report)).get(metric)
            if isinstance(step, int | float) and isinstance(value, int | float):
                found.append((row, float(step), float(value)))
    return Reports.of(len(trials), found)


def _difference(trial: RayTrial, name: str, other: str) -> float | None:
    one, two = trial.metrics.get(name), trial.metrics.get(other)
    return one - two if isinstance(one, int | float) and isinstance(two, int | float) else None


def _state(status: str) -> State:
    known = state_of(status)
    return State.RUNNING if known is None else known


def _require_direction(
    options: ReadOptions, source: str, metric: str | None, mode: str | None
) -> None:
    """Raise if the direction is unknown, rather than guess it."""
    if options.loss is not None or options.direction is not None:
        return
    if options.objective is None and not metric:
        return  # the missing objective raises first
    if options.objective == DURATION:
        return
    if options.objective not in (None, metric) or mode not in _DIRECTIONS:
        which = metric if options.objective is None else options.objective
        raise SettingsError(
            f"direction is needed for {which!r} of {source}, which does not record it. Set "
            "direction to 'minimize' or 'maximize'."
        )


def _optional_names(space: Space | None) -> list[str]:
    """Return the parameters that may be in no trial: conditional and nested ones."""
    return [name for name, (first, *_) in (space or {}).items() if first.when or "/" in name]


def _parameters(config: Mapping[str, Any], folders: set[str]) -> Iterator[tuple[str, Any]]:
    """Iterate over a configuration; lists are flattened if the space has their entries."""
    for name, value in flat(config, "/").items():
        if isinstance(value, (list, tuple)) and name in folders:
            inside = {f"{name}/{place}": entry for place, entry in enumerate(value)}
            yield from _parameters(inside, folders)
        else:
            yield name, plain_value(value)


def _parent_names(space: Space | None) -> set[str]:
    """Return the parents of nested names in the space."""
    if space is None:
        return set()
    parts = [name.split("/") for name in (*space, *space.to_infer)]
    return {"/".join(part[:length]) for part in parts for length in range(1, len(part))}


def _metrics(metrics: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in flat({k: v for k, v in metrics.items() if k != "config"}, "/").items():
        # Ray writes the text null for a NaN of numpy's float32 and float16.
        yield name, None if isinstance(value, str) and value == "null" else value


def _early_end_notes(trials: Sequence[RayTrial], states: Any) -> list[str]:
    """Note how many trials ended early: Ray does not record whether it stopped them."""
    iterations = [
        trial.metrics.get(_ITERATION)
        for trial, state in zip(trials, states, strict=True)
        if state == State.COMPLETE
    ]
    counts = [count for count in iterations if isinstance(count, int)]
    shorter = sum(count < max(counts) for count in counts)
    if not shorter:
        return []
    return [
        f"{shorter} of {len(iterations)} finished trials reported fewer than the highest number "
        f"of iterations ({max(counts)}). Ray does not record whether it stopped them early; they "
        "count as complete, with what they reported last."
    ]
