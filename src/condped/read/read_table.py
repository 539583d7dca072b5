"""From a source to a table of trials in memory, by the reader that recognises it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from condped.errors import CondpedError, DataError, SourceError
from condped.read.options import ReadOptions, chosen_objective
from condped.read.registry import describe_source, reader_for, reader_named
from condped.read.table.outside_domain import apply_outside_policy
from condped.space.condition import Condition
from condped.trials.table import TrialTable
from condped.trials.where import only_where


def read_table(source: Any, options: ReadOptions) -> TrialTable:
    """Read trials into memory."""
    requested, condition = options.parameters, options.where
    options = replace(options, parameters=_needed(requested, condition))
    if isinstance(source, TrialTable):
        options.refuse(
            "a TrialTable", "direction", "space", "state", "constraints", "study", "order"
        )
        table = chosen_objective(source, options, "a TrialTable")
    else:
        source = str(source) if isinstance(source, Path) else source
        if isinstance(source, str) and source.startswith("~"):
            source = str(Path(source).expanduser())
        table = _read_by(options.reader, source, options)
    if options.failure_values:
        table = table.with_failures(options.failure_values)
    if options.outside != "error":  # otherwise the reader has raised already
        table = apply_outside_policy(table, options.outside)
    if condition is not None:
        table = only_where(table, condition)
    if requested is None:
        return table
    return replace(table.with_parameters(requested), some_parameters=True)


def _needed(parameters: Sequence[str] | None, where: Condition | None) -> Sequence[str] | None:
    """Return the parameters to read: the requested ones and those that the condition names."""
    if parameters is None or where is None:
        return parameters
    return tuple(dict.fromkeys((*parameters, *where.names)))


def _read_by(name: str | None, source: Any, options: ReadOptions) -> TrialTable:
    """Read a source by the reader that recognises it, or by the named one."""
    reader = reader_for(source) if name is None else reader_named(name)
    function = reader.load()
    try:
        return function(source, options)
    except CondpedError:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        if name is None and not isinstance(source, str):
            raise  # such as an error in the user's function
        what = f"({type(error).__name__}: {' '.join(str(error).split())})"
        if name is not None:
            raise SourceError(
                f"The reader {name!r} cannot read {describe_source(source)} {what}: it reads "
                f"{reader.description}."
            ) from error
        raise DataError(
            f"{describe_source(source)} cannot be read by the reader {reader.name!r} {what}. "
            "It may be damaged; if it is not, please report this."
        ) from error
