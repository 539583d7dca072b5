"""Project directories of Keras Tuner: only oracle.json and trial_*/trial.json are read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.errors import DataError
from condped.read.files.json_object import json_object
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.tools.budgets import at_one_budget
from condped.read.tools.drawing import recorded_drawing, recorded_times
from condped.read.tools.keras_tuner.space import space_of
from condped.read.tools.recorded_space import as_recorded
from condped.space.space import Space
from condped.trials.columns import number_of
from condped.trials.course.drawing import SamplerRecord
from condped.trials.course.reports import Reports
from condped.trials.table import State, TrialTable

ORACLE, TRIAL = "oracle.json", "trial.json"
_SOURCE = "a project directory of Keras Tuner"
_REMEDY = "If Keras Tuner was writing it, read it again; else restore the file."
_OWN = "tuner/"  # what Hyperband adds to the values of a trial
_EPOCHS, _CONTINUED = "tuner/epochs", "tuner/trial_id"
_STATES = {"COMPLETED": State.COMPLETE, "FAILED": State.FAILED, "INVALID": State.FAILED}
_SCORE = "score"


@dataclass(frozen=True, slots=True)
class _Metric:
    """The best value of a metric in a trial, the mean over executions at each step."""

    best: float
    direction: str


@dataclass(frozen=True, slots=True)
class _Trial:
    """One trial as its file has it."""

    id: str
    values: Mapping[str, Any]
    state: State
    score: float | None
    metrics: Mapping[str, _Metric]

    @property
    def budget(self) -> float:
        """The epochs that Hyperband gave it; NaN for other tuners."""
        epochs = number_of(self.values.get(_EPOCHS))
        return math.nan if epochs is None else epochs


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return one trial per configuration that Keras Tuner tried, in starting order.

    The objective is the metric behind the scores, in its direction; any other metric counts with
    its best value, as in Keras Tuner. Hyperband's trials are compared at one number of epochs:
    ``budget``, or the one that most configurations reached.
    """
    options.refuse(_SOURCE, "study")
    folder = _project(Path(source))
    oracle = json_object(folder / ORACLE, _REMEDY)
    trials = _trials(folder, oracle)
    budgets = np.array([trial.budget for trial in trials])
    configurations = _configurations(trials)
    rows, about_budgets = at_one_budget(budgets, configurations, options, "epochs")
    kept = [trial for trial, used in zip(trials, rows, strict=True) if used]
    name, direction, notes = _objective(kept)
    directions = {name: direction}
    if options.objective is not None:
        directions = _maximized(kept) | directions
    parameters = RawTable.of_records(
        [{n: v for n, v in t.values.items() if not n.startswith(_OWN)} for t in kept]
    )
    started = oracle.get("display")
    starts = started.get("trial_start") if isinstance(started, Mapping) else None
    begun = starts if isinstance(starts, Mapping) else {}
    runs = RawRuns(
        parameters=parameters,
        metrics=RawTable.of_records(
            [{n: m.best for n, m in trial.metrics.items()} | {name: trial.score} for trial in kept],
            names=[name],
        ),
        states=np.array([trial.state for trial in kept], dtype=np.int8),
        objectives=tuple(directions),
        directions=tuple(directions.values()),
        space=_space(oracle, parameters, folder) if options.space is None else None,
        notes=(*notes, *about_budgets),
        drawing=recorded_drawing(len(kept), *_samplers(oracle, len(kept))),
        times=recorded_times([begun.get(trial.id) for trial in kept], [None] * len(kept)),
        reports=_reports(trials, configurations, rows, budgets) if options.reports else None,
    )
    return build_runs(runs, options, _SOURCE)


def _project(source: Path) -> Path:
    """Return the directory with the oracle: the source itself, or the only one in it."""
    if (source / ORACLE).is_file():
        return source
    found = sorted(path.parent for path in source.glob(f"*/{ORACLE}"))
    if len(found) == 1:
        return found[0]
    listed = ", ".join(repr(path.name) for path in found[:12]) or "none"
    raise DataError(
        f"{str(source)!r} holds {len(found)} projects of Keras Tuner ({listed}). Give the "
        "directory of one, <directory>/<project_name>, or compare them with condped.across."
    )


def _trials(folder: Path, oracle: Mapping[str, Any]) -> list[_Trial]:
    found = {
        path.parent.name.removeprefix("trial_"): path for path in folder.glob(f"trial_*/{TRIAL}")
    }
    listed = oracle.get("start_order")
    order = list(map(str, listed)) if isinstance(listed, list) else []
    known = [name for name in order if name in found]
    others = sorted(name for name in found if name not in order)
    return [_trial(found[name], name) for name in (*known, *others)]


def _trial(path: Path, name: str) -> _Trial:
    plain = json_object(path, _REMEDY)
    parameters, metrics = plain.get("hyperparameters"), plain.get("metrics")
    values = parameters.get("values") if isinstance(parameters, Mapping) else None
    if not isinstance(values, Mapping):
        raise DataError(
            f"The file {str(path)!r} lacks the values of its hyperparameters. {_REMEDY}"
        )
    histories = metrics.get("metrics") if isinstance(metrics, Mapping) else None
    measured = {
        str(metric): best
        for metric, history in (histories if isinstance(histories, Mapping) else {}).items()
        if (best := _best(history)) is not None
    }
    score = plain.get("score")
    number = number_of(score) if isinstance(score, (int, float)) else None
    state = _STATES.get(str(plain.get("status")), State.RUNNING)
    return _Trial(name, dict(values), state, number, measured)


def _best(history: Any) -> _Metric | None:
    """Return the best of a metric's observations; None if it has none."""
    try:
        listed = [[float(one) for one in entry["value"]] for entry in history["observations"]]
        means = [sum(values) / len(values) for values in listed if values]
        known = [mean for mean in means if not math.isnan(mean)]
        least = history["direction"] != "max"
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if not known:
        return None
    return _Metric(min(known) if least else max(known), "minimize" if least else "maximize")


def _objective(trials: Sequence[_Trial]) -> tuple[str, str, tuple[str, ...]]:
    """Return the metric whose best values are the scores, its direction, and notes.

    Keras Tuner records the objective's direction with the metric, but not its name.
    """
    # A trial whose metric was never a number failed, and has the score NaN.
    scored = [trial for trial in trials if trial.score is not None and not math.isnan(trial.score)]
    for name in dict.fromkeys(name for trial in scored for name in trial.metrics):
        found = [trial.metrics.get(name) for trial in scored]
        if all(
            metric is not None and _same(metric.best, trial.score)
            for metric, trial in zip(found, scored, strict=True)
        ):
            return name, next(m.direction for m in found if m is not None), ()
    note = (
        "The scores are not those of one metric, as with several objectives, whose sum Keras Tuner "
        "minimises. Name a metric with the option objective to explain that one."
    )
    return _SCORE, "minimize", (note,) if scored else ()


def _same(best: float, score: float | None) -> bool:
    return score is not None and math.isclose(best, score, rel_tol=1e-9, abs_tol=1e-12)


def _maximized(trials: Sequence[_Trial]) -> dict[str, str]:
    """Return the metrics that are better when higher.

    Lower is Keras Tuner's default for unknown metrics, so that it is recorded means nothing.
    """
    return {
        name: metric.direction
        for trial in trials
        for name, metric in trial.metrics.items()
        if metric.direction == "maximize"
    }


def _configurations(trials: Sequence[_Trial]) -> IntArray:
    """Return a number for each trial, the same for those that continue an earlier one."""
    places = {trial.id: place for place, trial in enumerate(trials)}
    numbers = np.arange(len(trials))
    for place, trial in enumerate(trials):
        before = places.get(str(trial.values.get(_CONTINUED)))
        if before is not None and before < place:
            numbers[place] = numbers[before]
    return numbers


def _samplers(
    oracle: Mapping[str, Any], trials: int
) -> tuple[tuple[SamplerRecord, ...], BoolArray | None]:
    """Return the tuner, if its state shows it, and which trials it drew at random."""
    if "hyperband_iterations" in oracle:
        return (SamplerRecord("Hyperband", "independent", f"the state in {ORACLE}"),), None
    if "num_initial_points" in oracle:
        first = oracle["num_initial_points"]
        drawn = np.arange(trials) < first if isinstance(first, int) else None
        return (SamplerRecord("BayesianOptimization", "other", f"the state in {ORACLE}"),), drawn
    return (), None


def _space(oracle: Mapping[str, Any], parameters: RawTable, folder: Path) -> Space:
    plain = oracle.get("hyperparameters")
    if not isinstance(plain, Mapping):
        raise DataError(
            f"The file {str(folder / ORACLE)!r} lacks the hyperparameters. Restore it, or give a "
            "space."
        )
    return as_recorded(space_of(plain), parameters)


def _reports(
    trials: Sequence[_Trial],
    configurations: IntArray,
    rows: BoolArray,
    budgets: FloatArray,
) -> Reports:
    """Return the score of each configuration at each number of epochs."""
    scores = [trial.score for trial in trials]
    found = zip(configurations, budgets, scores, strict=True)
    listed = [(c, b, s) for c, b, s in found if s is not None and not math.isnan(b)]
    return Reports.of(len(trials), listed).only(configurations[rows])
