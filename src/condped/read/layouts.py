"""Tables in which a tool has marked its columns: params.lr, metrics.loss and the like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from condped.read.columns import Column, LevelColumn
from condped.read.options import ReadOptions
from condped.read.raw import RawRuns, RawTable
from condped.read.states import states_of
from condped.read.texts import column_of_texts


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
    """

    source: str
    parameters: str
    metrics: str
    state: str | None = None
    needs: tuple[str, ...] = ()
    texts: bool = False

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
            if self.texts and isinstance(column, LevelColumn):
                texts = [*column.levels, None]
                cells = [texts[code] for code in column.codes]
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


_LAYOUTS = (
    Layout(
        "a table of MLflow runs", "params.", "metrics.", "status", needs=("run_id",), texts=True
    ),
    Layout("a table of W&B runs", "config.", "summary.", "state"),
    Layout("a table of Ray Tune results", "config/", "", needs=("training_iteration",)),
    Layout("a table of Optuna trials", "params_", "", "state", needs=("number", "state")),
)


def layout_of(names: Sequence[str]) -> Layout | None:
    """Return the layout of a table with these columns, if a tool made it."""
    return next((layout for layout in _LAYOUTS if layout.fits(names)), None)


def _without(mark: str, names: Any) -> Any:
    if isinstance(names, str):
        return names.removeprefix(mark)
    if isinstance(names, Sequence):
        return [_without(mark, name) for name in names]
    return names
