"""Hyperopt's Trials in memory: documents with the values that were active, by label.

For a choice Hyperopt records the position. A space lists the choices in that order, whether it is
the one that was passed to ``fmin`` or written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from condped.errors import DataError
from condped.read.frames.mappings import flat
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.table.states import state_of
from condped.space.domain import Categorical
from condped.space.space import Space
from condped.trials.table import State, TrialTable

_SOURCE = "a Trials of Hyperopt"
_DONE, _ERROR, _CANCEL = 2, 3, 4  # Hyperopt's numbers for the states of jobs; 0 and 1: not ended


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return one trial per document, including those whose evaluation raised an error."""
    options.refuse(_SOURCE, "study", "budget")
    documents = _documents(source)
    notes = []
    if options.space is None:
        notes.append(
            "Without a space the choices of hp.choice are known by their positions only, taken as "
            "integers. Pass the space that was given to fmin to name them."
        )
    values = [_values(document) for document in documents]
    return build_runs(
        RawRuns(
            parameters=RawTable.of_records(_decode_choices(values, options.space)),
            metrics=RawTable.of_records(
                [flat(document.get("result") or {}) for document in documents], names=["loss"]
            ),
            states=np.array([_state(document) for document in documents], dtype=np.int8),
            objectives=("loss",),
            directions=("minimize",),
            notes=tuple(notes),
        ),
        options,
        _SOURCE,
    )


def _documents(source: Any) -> list[Mapping[str, Any]]:
    """Return the documents of an experiment; ``source.trials`` lacks those that raised an error."""
    documents = getattr(source, "_dynamic_trials", None)
    if documents is None:
        return list(source.trials)
    key = getattr(source, "_exp_key", None)
    return [entry for entry in documents if key is None or entry.get("exp_key") == key]


def _values(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a trial; an empty list means an inactive parameter."""
    try:
        listed = document["misc"]["vals"]
        return {label: values[0] if len(values) else None for label, values in listed.items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"Trial {document.get('tid')!r} of the Trials lacks the values of its parameters "
            "(misc.vals, a list per label). Leave this trial out."
        ) from error


def _state(document: Mapping[str, Any]) -> State:
    job = document.get("state")
    if job in (_ERROR, _CANCEL):
        return State.FAILED
    if job != _DONE:
        return State.RUNNING
    known = state_of(str((document.get("result") or {}).get("status")))
    return State.RUNNING if known is None else known


def _decode_choices(
    values: Sequence[Mapping[str, Any]], space: Space | None
) -> Sequence[Mapping[str, Any]]:
    """Return the trials with choices in place of the positions that Hyperopt records."""
    choices: dict[str, tuple[Any, ...]] = {}
    for name in space or ():
        domain = space[name][0].domain if space else None
        if isinstance(domain, Categorical):
            choices[name] = domain.choices
    if not choices:
        return values
    return [dict(_decode_trial(trial, row, choices)) for row, trial in enumerate(values)]


def _decode_trial(
    trial: Mapping[str, Any], row: int, choices: Mapping[str, tuple[Any, ...]]
) -> Iterator[tuple[str, Any]]:
    for label, value in trial.items():
        if label not in choices or value is None:
            yield label, value
            continue
        known = choices[label]
        if not isinstance(value, (int, np.integer)) or not 0 <= value < len(known):
            raise DataError(
                f"The choice {label!r} has the position {value!r} in trial {row} (counted from "
                f"0), but must be a whole number from 0 to {len(known) - 1}. List its choices in "
                "the order of the options of hp.choice.",
                column=label,
                first_row=row,
            )
        yield label, known[int(value)]
