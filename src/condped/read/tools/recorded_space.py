"""The spaces that tools record, checked against their own trials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from condped.read.table.convert_values import convert_column, none_position
from condped.read.table.raw import RawTable
from condped.space.space import Space


def as_recorded(space: Space, raw: RawTable) -> Space:
    """Return a tool's space without the conditions that its own trials contradict.

    A parameter is active where it has a recorded value. This is unknown for a parameter with the
    choice None: such a contradiction stays, and raises later.
    """
    known = set(raw.names)
    columns = {
        name: convert_column(name, raw[name], space[name]) for name in space if name in known
    }
    if len(columns) < len(space):
        return space
    parameters, notes = dict(space), list(space.notes)
    for name, alternatives in space.items():
        alternative = alternatives[0]
        if len(alternatives) > 1 or alternative.when is None:
            continue
        against = ~(alternative.when.holds(columns) | columns[name].absent())
        if against.any() and none_position(alternative.domain) is None:
            parameters[name] = (replace(alternative, when=None),)
            notes.append(
                f"{' '.join(name.split())}: has a value in {np.count_nonzero(against)} trials "
                f"where its condition ({' '.join(alternative.when.text.split())}) does not hold; "
                "taken as active wherever it has one."
            )
    return Space(parameters, notes=notes) if len(notes) > len(space.notes) else space
