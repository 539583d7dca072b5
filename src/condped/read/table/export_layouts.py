"""Tables exported by tools, which prefix their columns: params.lr, metrics.loss and the like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from condped.arrays import BoolArray, FloatArray
from condped.read.files.text_columns import column_of_texts
from condped.read.options import ReadOptions
from condped.read.seconds import seconds_of_column
from condped.read.table.raw import RawRuns, RawTable
from condped.read.table.states import states_of
from condped.read.tools.mlflow.conventions import PARENT_TAG, trials_among, with_infinities
from condped.read.tools.scikit_learn.choices import Choices
from condped.read.tools.scikit_learn.results import (
    BUDGET,
    ITERATION,
    MEAN,
    SOURCE,
    scored,
    times_of,
)
from condped.trials.columns import Column, LevelColumn, NumberColumn, level_column
from condped.trials.course.times import Times
from condped.trials.table import DURATION


@dataclass(frozen=True, slots=True)
class Layout:
    """How a tool names the columns of its exports.

    Attributes
    ----------
    source
        The name of such a table in messages.
    parameters, metrics
        Prefixes of their columns. With an empty prefix, metrics are all columns that are not
        parameters.
    state
        The column with the runs' states.
    needs
        Columns that distinguish such a table from one with similar names.
    texts
        Whether all parameters are exported as texts.
    row_by_row
        Whether a row can be interpreted without the others.
    budgets
        Whether trials were measured at several budgets, of which one can be chosen.
    times
        The columns with the start, the end and the duration of each run; empty where there is none.
    """

    source: str
    parameters: str
    metrics: str
    state: str | None = None
    needs: tuple[str, ...] = ()
    texts: bool = False
    row_by_row: bool = True
    budgets: bool = False
    times: tuple[str, str, str] = ("", "", "")

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether a table has this layout."""
        prefixes = (self.parameters, self.metrics)
        return set(self.needs) <= set(names) and all(
            any(isinstance(name, str) and name.startswith(prefix) for name in names)
            for prefix in prefixes
        )

    def split(self, raw: RawTable, options: ReadOptions) -> RawRuns:
        """Return the runs that the table describes."""
        parameters = [name for name in raw.names if name.startswith(self.parameters)]
        taken = {*parameters, self.state}
        metrics = [
            name
            for name in raw.names
            if name.startswith(self.metrics)
            and name not in taken
            and not (name == DURATION and name in self.times)  # which a run's times give
        ]
        state = options.state or (self.state if self.state in raw.names else None)

        def parameter(name: str) -> Column:
            column = raw[self.parameters + name]
            # Texts may be numbers if all values are exported as texts, and choices in any case.
            if self.texts or (options.space and name in options.space):
                cells = _texts(column)
                if cells is not None:
                    return column_of_texts(cells, options.space, name, missing_words=frozenset())
            return column

        return RawRuns(
            RawTable(
                tuple(name.removeprefix(self.parameters) for name in parameters),
                raw.rows,
                parameter,
                raw.sparse,
            ),
            RawTable(
                tuple(name.removeprefix(self.metrics) for name in metrics),
                raw.rows,
                lambda name: raw[self.metrics + name],
            ),
            states_of(raw, state),
            times=self._times(raw),
        )

    def _times(self, raw: RawTable) -> Times | None:
        """Return when the runs took place; the columns are read on demand."""
        if not any(name in raw.names for name in self.times):
            return None

        def look_up() -> Times:
            started, ended, took = (self._seconds(raw, name) for name in self.times)
            started = np.where(np.isnan(started), ended - took, started)
            return Times(started, ended, np.where(np.isnan(took), ended - started, took))

        return Times.deferred(look_up)

    def _seconds(self, raw: RawTable, name: str) -> FloatArray:
        found = seconds_of_column(raw[name]) if name in raw.names else None
        return np.full(raw.rows, np.nan) if found is None else found

    def renamed(self, options: ReadOptions) -> ReadOptions:
        """Return the options with the prefixes removed from the names."""
        return replace(
            options,
            objective=_remove_prefix(self.metrics, options.objective),
            constraints=_remove_prefix(self.metrics, options.constraints),
            parameters=_remove_prefix(self.parameters, options.parameters),
            state=None,
        )


class _MlflowLayout(Layout):
    """The frame of mlflow.search_runs()."""

    def split(self, raw: RawTable, options: ReadOptions) -> RawRuns:
        parent = f"tags.{PARENT_TAG}"
        notes: tuple[str, ...] = ()
        if parent in raw.names:
            ids, above = _labels(raw["run_id"]), _labels(raw[parent])
            pairs = zip(ids, above, strict=True)
            parents = {run: one for run, one in pairs if one is not None and run is not None}
            kept = trials_among([str(run) for run in ids], parents, self._with_parameters(raw))
            raw, notes = raw.only(kept.rows), kept.notes
        runs = super().split(raw, options)
        metrics = runs.metrics

        def metric(name: str) -> Column:
            column = metrics[name]
            if isinstance(column, NumberColumn) and column.values.dtype == np.float64:
                return replace(column, values=with_infinities(column.values))
            return column

        return replace(runs, metrics=RawTable(metrics.names, metrics.rows, metric), notes=notes)

    def _with_parameters(self, raw: RawTable) -> BoolArray:
        """Return which rows have parameters."""
        has_parameters = np.zeros(raw.rows, dtype=bool)
        for name in raw.names:
            column = raw[name] if name.startswith(self.parameters) else None
            if isinstance(column, (NumberColumn, LevelColumn)):
                has_parameters |= ~column.absent()
        return has_parameters


class _WandbLayout(Layout):
    """Runs of Weights & Biases, each with its config and its last values (summary)."""

    def split(self, raw: RawTable, options: ReadOptions) -> RawRuns:
        runs = super().split(raw, options)
        named = {*(options.space or ()), *(options.parameters or ())}
        names = [name for name in runs.parameters.names if not name.startswith(_WANDB_INTERNAL)]
        origin = _unwrap(names)
        hidden = [name for name in origin if name.startswith("_") and name not in named]
        for name in hidden:
            del origin[name]
        note = f"Config entries that start with an underscore left out: {', '.join(hidden)}."
        return replace(
            runs,
            parameters=RawTable(
                tuple(origin),
                runs.parameters.rows,
                lambda name: runs.parameters[origin[name]],
                runs.parameters.sparse,
            ),
            notes=(note,) if hidden else (),
        )


class _ScikitLearnLayout(Layout):
    """``cv_results_`` of scikit-learn's searches."""

    def fits(self, names: Sequence[str]) -> bool:
        texts = [name for name in names if isinstance(name, str)]
        return set(self.needs) <= set(texts) and all(
            any(name.startswith(prefix) for name in texts)
            for prefix in (self.parameters, MEAN, "rank_test_")
        )

    def split(self, raw: RawTable, options: ReadOptions) -> RawRuns:
        runs = super().split(raw, options)
        return scored(replace(runs, parameters=self._labelled(runs.parameters)), options)

    def _labelled(self, parameters: RawTable) -> RawTable:
        """Return parameters with labels for objects, which frames hold as they are."""
        choice = Choices()

        def column(name: str) -> Column:
            found = parameters[name]
            if not isinstance(found, LevelColumn):
                return found
            labels = [*map(choice, found.levels), None]
            return level_column([labels[code] for code in found.codes], found.absent())

        return RawTable(parameters.names, parameters.rows, column, parameters.sparse)

    def _times(self, raw: RawTable) -> Times | None:
        return times_of(raw)


def _unwrap(names: Sequence[str]) -> dict[str, str]:
    """Return the column of each parameter: W&B also writes lr as lr.value, with an lr.desc."""
    found = [_WRAPPED.fullmatch(name) for name in names]
    if not all(found):
        return {name: name for name in names}
    return {
        match["name"] + (match["rest"] or ""): match[0]
        for match in found
        if match is not None and match["part"] == "value"
    }


# What W&B itself writes into a run's config.
_WANDB_INTERNAL = ("_wandb", "wandb_version")
_WRAPPED = re.compile(r"(?P<name>.+?)\.(?P<part>value|desc)(?P<rest>\..*)?", re.DOTALL)
_LAYOUTS = (
    _MlflowLayout(
        "a table of MLflow runs",
        "params.",
        "metrics.",
        "status",
        needs=("run_id",),
        texts=True,
        row_by_row=False,  # nested runs are recognised by their parents
        times=("start_time", "end_time", ""),
    ),
    _WandbLayout(
        "a table of W&B runs",
        "config.",
        "summary.",
        "state",
        times=("", "summary._timestamp", "summary._runtime"),
    ),
    Layout(
        "a table of Ray Tune results",
        "config/",
        "",
        needs=("training_iteration",),
        times=("", "timestamp", "time_total_s"),
    ),
    _ScikitLearnLayout(
        SOURCE,
        "param_",
        "",
        needs=(BUDGET, ITERATION),
        row_by_row=False,  # a candidate has one row for each of its budgets
        budgets=True,
    ),
    _ScikitLearnLayout(SOURCE, "param_", ""),
    Layout(
        "a table of Optuna trials",
        "params_",
        "",
        "state",
        needs=("number", "state"),
        times=("datetime_start", "datetime_complete", "duration"),
    ),
)


def layout_of(names: Sequence[str]) -> Layout | None:
    """Return the layout of a table with these columns, if a tool exported it."""
    return next((layout for layout in _LAYOUTS if layout.fits(names)), None)


def _labels(column: Column) -> list[str | None]:
    """Return a column's cells as texts, whatever their type."""
    if isinstance(column, LevelColumn):
        levels = [*map(str, column.levels), None]
        return [levels[code] for code in column.codes]
    if isinstance(column, NumberColumn):
        missing = column.absent()
        return [None if g else f"{v:g}" for v, g in zip(column.values, missing, strict=True)]
    return []


def _texts(column: Column) -> list[str | None] | None:
    """Return a column's cells if they are texts, else None."""
    if not isinstance(column, LevelColumn) or not all(isinstance(v, str) for v in column.levels):
        return None
    levels = [*column.levels, None]
    return [levels[code] for code in column.codes]


def _remove_prefix(prefix: str, names: Any) -> Any:
    if isinstance(names, str):
        return names.removeprefix(prefix)
    if isinstance(names, Sequence):
        return [_remove_prefix(prefix, name) for name in names]
    return names
