"""From named columns to a TrialTable: objectives, states, constraints, parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from condped.arrays import FloatArray
from condped.errors import DataError, SettingsError, not_found
from condped.read.assign import assign
from condped.read.columns import Column, LevelColumn, NumberColumn, UnusableColumn, number_of
from condped.read.convert import convert
from condped.read.infer import infer_space
from condped.read.options import ReadOptions, checked_direction
from condped.space.spec import Space, load_space
from condped.trials import Objective, State, TrialTable, all_complete

# What the common tools call the four ways in which a trial can stand.
_STATES = {
    State.COMPLETE: "complete completed success succeeded finished terminated done ok",
    State.PRUNED: "pruned stopped",
    State.FAILED: "fail failed failure error crashed killed timeout memout abort aborted",
    State.RUNNING: "running waiting pending scheduled paused",
}
_STATE_OF = {word: state for state, words in _STATES.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class RawTable:
    """Named columns of equal length, each made when it is first asked for."""

    names: tuple[str, ...]
    rows: int
    make: Callable[[str], Column]
    made: dict[str, Column] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Column:
        if name not in self.made:
            self.made[name] = self.make(name)
        return self.made[name]

    def require(self, kind: str, name: str) -> Column:
        """Return a column that the caller named, or say what there is."""
        if name not in self.names:
            raise not_found(kind, name, self.names)
        return self[name]


def build_table(raw: RawTable, options: ReadOptions) -> TrialTable:
    """Assemble a table from columns and what the caller says of them."""
    options.refuse("a table", "study")
    _check_names(raw)
    objectives = _objectives(raw, options)
    states = _states(raw, options.state)
    violations, constrained = _violations(raw, options.constraints)
    # Names that the caller gave to something else; a loss of the caller's own has none here.
    taken = set() if options.loss is not None else {o.name for o in objectives}
    taken |= {*constrained, *([] if options.state is None else [options.state])}
    notes: list[str] = []
    if options.space is None:
        space = _inferred(raw, taken, options.parameters, notes)
    else:
        space = load_space(options.space)
    for name in space:
        if name not in raw.names:
            raise not_found("column for the parameter", name, raw.names)
        if name in taken:
            raise DataError(
                f"Column {name!r} is both a parameter of the space and an objective, state or "
                "constraint. Take it out of one of them.",
                column=name,
            )
    columns = {name: convert(name, raw[name], space[name]) for name in space}
    finished = None if states.strides == (0,) else states == State.COMPLETE
    parameters = tuple(
        assign(name, space[name], columns, finished=finished, notes=notes) for name in space
    )
    return TrialTable(
        parameters=parameters,
        objectives=objectives,
        states=states,
        violations=violations,
        space_inferred=space.inferred,
        ignored_columns=tuple(str(n) for n in raw.names if n not in taken and n not in space),
        notes=tuple(notes),
    )


def _inferred(
    raw: RawTable, taken: set[str], wanted: Sequence[str] | None, notes: list[str]
) -> Space:
    """Guess the domains of all columns that can be parameters, or of those that are wanted."""
    odd = [name for name in raw.names if not isinstance(name, str)]
    if odd:
        raise DataError(
            f"Column names must be texts (got {odd[0]!r}). Rename the columns, or give a space."
        )
    # A column without a name is the index that a dataframe wrote.
    free = [name for name in raw.names if name and name not in taken]
    for name in wanted or ():
        if name not in free:
            raise not_found("parameter", name, free)
    return infer_space(
        {name: raw[name] for name in free if wanted is None or name in wanted}, notes
    )


def _check_names(raw: RawTable) -> None:
    seen: set[str] = set()
    for name in raw.names:
        if name in seen:
            raise DataError(
                f"Column {name!r} stands twice. Rename or drop one of them.", column=str(name)
            )
        seen.add(name)
    if raw.rows == 0:
        raise DataError("The source has no rows. Give at least one trial.")


def _objectives(raw: RawTable, options: ReadOptions) -> tuple[Objective, ...]:
    if options.loss is not None:
        if options.objective is not None or options.direction is not None:
            raise SettingsError("Give either loss or objective and direction, not both.")
        if callable(options.loss):
            raise SettingsError(
                "loss must be one number per row for a table (got a function). "
                "Compute the numbers and pass them."
            )
        empty = TrialTable((), (), all_complete(raw.rows))
        return empty.with_loss(options.loss).objectives
    if options.objective is None:
        shown = ", ".join(map(repr, raw.names[:12]))
        raise SettingsError(f"objective is needed for a table: name one of its columns ({shown}).")
    names = _listed("objective", options.objective)
    given = options.direction
    directions = ["minimize"] * len(names) if given is None else _listed("direction", given)
    if len(directions) != len(names):
        raise SettingsError(
            f"direction must have one entry per objective: {len(names)} (got {len(directions)})."
        )
    return tuple(
        Objective(name, _numbers(raw, "objective", name), checked_direction(direction))
        for name, direction in zip(names, directions, strict=True)
    )


def _listed(what: str, given: object) -> list[str]:
    entries = [given] if isinstance(given, str) else given
    if not isinstance(entries, Sequence) or not all(isinstance(entry, str) for entry in entries):
        raise SettingsError(f"{what} must be a name or a list of names (got {given!r}).")
    if not entries or (len(set(entries)) < len(entries) and what == "objective"):
        raise SettingsError(f"{what} must name at least one column, each once (got {given!r}).")
    return list(entries)


def _numbers(raw: RawTable, kind: str, name: str) -> FloatArray:
    """Return a column as numbers, NaN where missing."""
    column = raw.require(kind, name)
    if isinstance(column, NumberColumn):
        if column.missing is None or column.values.dtype.kind == "f":
            return column.values.astype(np.float64, copy=False)
        return column.numbers()
    if isinstance(column, UnusableColumn):
        raise DataError(f"The {kind} {name!r} must be numeric (got {column.kind}).", column=name)
    numbers = [number_of(level) for level in column.levels]
    texts = np.array([number is None for number in numbers] + [False])[column.codes]
    if texts.any():
        first = int(np.argmax(texts))
        raise DataError(
            f"The {kind} {name!r} must be numeric: row {first} holds "
            f"{column.levels[column.codes[first]]!r}, the first of {int(texts.sum())} such rows "
            "(rows count from 0).",
            column=name,
            first_row=first,
            count=int(texts.sum()),
        )
    return np.array([*numbers, np.nan], dtype=np.float64)[column.codes]


def _states(raw: RawTable, name: str | None) -> npt.NDArray[np.int8]:
    if name is None:
        return all_complete(raw.rows)
    column = raw.require("state column", name)
    if isinstance(column, NumberColumn) and column.absent().all():
        return np.full(raw.rows, State.RUNNING, dtype=np.int8)
    if not isinstance(column, LevelColumn) or (False in column.levels):
        raise DataError(
            f"The state column {name!r} must hold texts such as 'complete'.", column=name
        )
    words = [str(level).rpartition(".")[2].strip().lower() for level in column.levels]
    unknown = np.array([word not in _STATE_OF for word in words] + [False])[column.codes]
    if unknown.any():
        first = int(np.argmax(unknown))
        raise DataError(
            f"The state {column.levels[column.codes[first]]!r} in row {first} of {name!r} is "
            f"unknown. Known: {', '.join(_STATE_OF)}.",
            column=name,
            first_row=first,
            count=int(np.count_nonzero(unknown)),
        )
    # A trial without a state has not ended.
    return np.array([*(_STATE_OF[word] for word in words), State.RUNNING], np.int8)[column.codes]


def _violations(
    raw: RawTable, names: Sequence[str] | None
) -> tuple[FloatArray | None, tuple[str, ...]]:
    if names is None:
        return None, ()
    listed = _listed("constraints", names)
    return np.column_stack([_numbers(raw, "constraint", name) for name in listed]), tuple(listed)
