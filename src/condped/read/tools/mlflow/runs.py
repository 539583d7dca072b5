"""An MLflow experiment as columns: shared by the readers of its stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import compress

import numpy as np

from condped.arrays import FloatArray
from condped.errors import DataError, SettingsError, not_found
from condped.read.each_study import read_each, unknown_study
from condped.read.files.text_columns import column_of_texts
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.table.state_words import state_of
from condped.read.tools.drawing import recorded_times
from condped.read.tools.mlflow.conventions import trials_among
from condped.safe_text import brief
from condped.trials.columns import Column, number_column
from condped.trials.table import TrialTable

# Every store has this experiment from the start, and it is rarely used.
_DEFAULT = "Default"


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment in a store that is not deleted."""

    id: str
    name: str
    runs: int  # that are not deleted


def select_experiment(
    experiments: Sequence[Experiment], requested: str | None, place: str
) -> Experiment:
    """Return the experiment to read: the one with the requested name or id, or the only one."""
    if requested is not None:
        found = [e for e in experiments if e.name == requested] or [
            e for e in experiments if e.id == requested
        ]
        if not found:
            raise unknown_study("experiment", requested, [e.name for e in experiments])
        if len(found) > 1:  # the workspaces of MLflow 3 may share names
            ids = ", ".join(repr(e.id) for e in found)
            raise SettingsError(
                f"{place} holds {len(found)} experiments named {requested!r}: name one by its id "
                f"with the option study, on the command line --study ({ids})."
            )
        return found[0]
    used = [e for e in experiments if e.runs or e.name != _DEFAULT] or list(experiments)
    if len(used) == 1:
        return used[0]
    listed = ", ".join(f"{e.name!r} with {e.runs} runs" for e in used[:12]) or "none"
    more = f" and {len(used) - 12} more" if len(used) > 12 else ""
    raise SettingsError(
        f"{place} holds {len(used)} experiments: name one with the option study, on the command "
        f"line --study ({listed}{more})."
    )


def select_experiments(
    experiments: Sequence[Experiment], patterns: Sequence[str], place: str
) -> dict[str, Experiment]:
    """Return the experiments to read, by unique names: those that match patterns, or all.

    A pattern such as ``xgb-*`` is compared with names, and taken as an id as well.
    """
    if not experiments:
        raise DataError(f"{place} holds no experiment.")
    times = Counter(experiment.name for experiment in experiments)
    named = {  # the workspaces of MLflow 3 may share names
        e.name if times[e.name] == 1 else f"{e.name} ({e.id})": e for e in experiments
    }
    if not patterns:
        return {name: e for name, e in named.items() if e.runs or e.name != _DEFAULT} or named
    chosen = set()
    for pattern in patterns:
        own = {n for n, e in named.items() if fnmatchcase(e.name, pattern) or e.id == pattern}
        if not own:
            raise not_found("experiment", pattern, named)
        chosen |= own
    return {name: e for name, e in named.items() if name in chosen}


def experiment_tables(
    experiments: Mapping[str, Experiment],
    runs_of: Callable[[Experiment], ExperimentRuns],
    options: ReadOptions,
) -> list[tuple[str, TrialTable]]:
    """Return the runs of each experiment as trials."""

    def read(name: str) -> TrialTable:
        return runs_of(experiments[name]).table(options, f"the MLflow experiment {name!r}")

    return read_each(list(experiments), read)


def requested_metrics(options: ReadOptions) -> set[str]:
    """Return the metrics named in the options; others need not be read."""
    return {
        name
        for given in (options.objective, options.constraints)
        for name in (
            given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        )
        if isinstance(name, str)
    }


@dataclass(frozen=True, slots=True)
class ExperimentRuns:
    """The runs of an experiment in the order of their start.

    Attributes
    ----------
    ids, statuses
        As MLflow records them, one per run.
    parameters
        The text of each per run, None where a run has none.
    metrics
        The latest value of each requested metric per run, NaN where a run has none.
    metric_names
        The names of all metrics.
    parents
        The parent of each nested run.
    times
        Start and end of each run in milliseconds, None where not recorded.
    notes
        Notes for the user, one sentence each.
    """

    ids: Sequence[str]
    statuses: Sequence[str]
    parameters: Mapping[str, Sequence[str | None]]
    metrics: Mapping[str, FloatArray]
    metric_names: Iterable[str]
    parents: Mapping[str, str]
    times: Sequence[tuple[float | None, float | None]]
    notes: tuple[str, ...] = ()

    def table(self, options: ReadOptions, source: str) -> TrialTable:
        """Return the runs as trials."""
        tried = np.zeros(len(self.ids), dtype=bool)
        for cells in self.parameters.values():
            tried |= np.fromiter((cell is not None for cell in cells), bool, len(cells))
        kept = trials_among(self.ids, self.parents, tried)
        trials = int(np.count_nonzero(kept.rows))

        def parameter(name: str) -> Column:
            cells = list(compress(self.parameters[name], kept.rows))
            return column_of_texts(cells, options.space, name, missing_words=frozenset())

        def metric(name: str) -> Column:
            return number_column(self.metrics[name][kept.rows])

        return build_runs(
            RawRuns(
                parameters=RawTable(tuple(sorted(self.parameters)), trials, parameter, sparse=True),
                metrics=RawTable(tuple(sorted(self.metric_names)), trials, metric),
                states=np.array(
                    [_state(status) for status in compress(self.statuses, kept.rows)], np.int8
                ),
                notes=(*self.notes, *kept.notes),
                times=recorded_times(
                    [_seconds(begun) for begun, _ in compress(self.times, kept.rows)],
                    [_seconds(ended) for _, ended in compress(self.times, kept.rows)],
                ),
            ),
            options,
            source,
        )


def deleted_note(count: int) -> tuple[str, ...]:
    """Return the note on runs that are marked as deleted."""
    return (f"Deleted runs left out: {count}.",) if count else ()


def _seconds(time: float | None) -> float | None:
    if time is not None and not isinstance(time, (int, float)):
        raise DataError(
            f"A run starts or ends at {brief(time)}, which is not a number of milliseconds. "
            "Correct the time of that run, or delete it in MLflow."
        )
    return None if time is None else time / 1000


def _state(status: str) -> int:
    state = state_of(status)
    if state is None:
        raise DataError(
            f"A run has the status {status!r}. Known: FINISHED, FAILED, KILLED, RUNNING, SCHEDULED."
        )
    return state
