"""Tables in which a tool has marked its columns: params.lr, metrics.loss and the like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from condped.arrays import BoolArray
from condped.read.files.text_columns import column_of_texts
from condped.read.options import ReadOptions
from condped.read.table.raw import RawRuns, RawTable
from condped.read.table.states import states_of
from condped.read.tools.mlflow.conventions import PARENT_TAG, trials_among, with_infinities
from condped.trials.columns import Column, LevelColumn, NumberColumn


@dataclass(frozen=True, slots=True)
class Layout:
    """How a tool names the columns of its exports.

    Attributes
    ----------
    source
        What to call such a table in messages.
    parameters, metrics
        What the names of their columns start with. Without a mark of their own ("") metrics are
        all columns that are no parameters.
    state
        The column that says how runs ended.
    needs
        Columns that tell such a table from one whose names only look alike.
    texts
        Whether parameters are written as texts, whatever they were.
    row_by_row
        Whether a row can be understood without the others.
    """

    source: str
    parameters: str
    metrics: str
    state: str | None = None
    needs: tuple[str, ...] = ()
    texts: bool = False
    row_by_row: bool = True

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether a table has this layout."""
        marks = (self.parameters, self.metrics)
        return set(self.needs) <= set(names) and all(
            any(isinstance(name, str) and name.startswith(mark) for name in names) for mark in marks
        )

    def split(self, raw: RawTable, options: ReadOptions) -> RawRuns:
        """Return the runs that the table describes."""
        parameters = [name for name in raw.names if name.startswith(self.parameters)]
        metrics = [
            name
            for name in raw.names
            if name.startswith(self.metrics) and name not in (*parameters, self.state)
        ]
        state = options.state or (self.state if self.state in raw.names else None)

        def parameter(name: str) -> Column:
            column = raw[self.parameters + name]
            # Texts may spell numbers if all are written so, and choices whoever wrote them.
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
            ),
            RawTable(
                tuple(name.removeprefix(self.metrics) for name in metrics),
                raw.rows,
                lambda name: raw[self.metrics + name],
            ),
            states_of(raw, state),
        )

    def renamed(self, options: ReadOptions) -> ReadOptions:
        """Return the options with the marks taken off the names that the caller gave."""
        return replace(
            options,
            objective=_without(self.metrics, options.objective),
            constraints=_without(self.metrics, options.constraints),
            parameters=_without(self.parameters, options.parameters),
            state=None,
        )


class _MlflowLayout(Layout):
    """What mlflow.search_runs() gives."""

    def split(self, raw: RawTable, options: ReadOptions) -> RawRuns:
        parent = f"tags.{PARENT_TAG}"
        notes: tuple[str, ...] = ()
        if parent in raw.names:
            ids, above = _labels(raw["run_id"]), _labels(raw[parent])
            pairs = zip(ids, above, strict=True)
            parents = {run: one for run, one in pairs if one is not None and run is not None}
            kept = trials_among([str(run) for run in ids], parents, self._tried(raw))
            raw, notes = raw.only(kept.rows), kept.notes
        runs = super().split(raw, options)
        metrics = runs.metrics

        def metric(name: str) -> Column:
            column = metrics[name]
            if isinstance(column, NumberColumn) and column.values.dtype == np.float64:
                return replace(column, values=with_infinities(column.values))
            return column

        return replace(runs, metrics=RawTable(metrics.names, metrics.rows, metric), notes=notes)

    def _tried(self, raw: RawTable) -> BoolArray:
        """Return which rows have parameters."""
        tried = np.zeros(raw.rows, dtype=bool)
        for name in raw.names:
            column = raw[name] if name.startswith(self.parameters) else None
            if isinstance(column, (NumberColumn, LevelColumn)):
                tried |= ~column.absent()
        return tried


class _WandbLayout(Layout):
    """Runs of Weights & Biases, each with what it was given (config) and its last values."""

    def split(self, raw: RawTable, options: ReadOptions) -> RawRuns:
        runs = super().split(raw, options)
        named = {*(options.space or ()), *(options.parameters or ())}
        names = [name for name in runs.parameters.names if not name.startswith(_OWN)]
        origin = _unwrapped(names)
        hidden = [name for name in origin if name.startswith("_") and name not in named]
        for name in hidden:
            del origin[name]
        note = f"Config entries that start with an underscore left out: {', '.join(hidden)}."
        return replace(
            runs,
            parameters=RawTable(
                tuple(origin), runs.parameters.rows, lambda name: runs.parameters[origin[name]]
            ),
            notes=(note,) if hidden else (),
        )


def _unwrapped(names: Sequence[str]) -> dict[str, str]:
    """Return where each parameter stands: W&B also writes lr as lr.value, with an lr.desc."""
    found = [_WRAPPED.fullmatch(name) for name in names]
    if not all(found):
        return {name: name for name in names}
    return {
        match["name"] + (match["rest"] or ""): match[0]
        for match in found
        if match is not None and match["part"] == "value"
    }


# What W&B writes into a run's config by itself.
_OWN = ("_wandb", "wandb_version")
_WRAPPED = re.compile(r"(?P<name>.+?)\.(?P<part>value|desc)(?P<rest>\..*)?", re.DOTALL)
_LAYOUTS = (
    _MlflowLayout(
        "a table of MLflow runs",
        "params.",
        "metrics.",
        "status",
        needs=("run_id",),
        texts=True,
        row_by_row=False,  # runs below others are told apart by their parents
    ),
    _WandbLayout("a table of W&B runs", "config.", "summary.", "state"),
    Layout("a table of Ray Tune results", "config/", "", needs=("training_iteration",)),
    Layout("a table of Optuna trials", "params_", "", "state", needs=("number", "state")),
)


def layout_of(names: Sequence[str]) -> Layout | None:
    """Return the layout of a table with these columns, if a tool made it."""
    return next((layout for layout in _LAYOUTS if layout.fits(names)), None)


def _labels(column: Column) -> list[str | None]:
    """Return a column's cells as texts, whatever they are."""
    if isinstance(column, LevelColumn):
        levels = [*map(str, column.levels), None]
        return [levels[code] for code in column.codes]
    if isinstance(column, NumberColumn):
        gone = column.absent()
        return [None if g else f"{v:g}" for v, g in zip(column.values, gone, strict=True)]
    return []


def _texts(column: Column) -> list[str | None] | None:
    """Return a column's cells if they are texts."""
    if not isinstance(column, LevelColumn) or not all(isinstance(v, str) for v in column.levels):
        return None
    levels = [*column.levels, None]
    return [levels[code] for code in column.codes]


def _without(mark: str, names: Any) -> Any:
    if isinstance(names, str):
        return names.removeprefix(mark)
    if isinstance(names, Sequence):
        return [_without(mark, name) for name in names]
    return names
