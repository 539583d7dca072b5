"""A followed source against the same source read as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

import condped
from tests.read.optuna.studies import assert_same_drawing, assert_same_table


def assert_same_as_read(followed: condped.Followed, source: Any, **reading: Any) -> None:
    """Compare all columns, their order, the notes, and how trials were drawn."""
    expected = condped.read(source, **reading)
    table = followed.table
    assert table.names == expected.names
    assert_same_table(table, expected)
    assert [str(note) for note in table.notes] == [str(note) for note in expected.notes]
    assert table.selections == expected.selections
    for one, other in zip(table.parameters, expected.parameters, strict=True):
        assert one.everywhere == other.everywhere
        assert one.domain_ids.dtype == other.domain_ids.dtype
    assert (table.drawing is None) == (expected.drawing is None)
    if expected.drawing is not None:
        assert_same_drawing(table.drawing, expected.drawing)
    whole = condped.read(source, **{n: own for n, own in reading.items() if n != "where"})
    assert followed.running == np.count_nonzero(whole.states == 3)
    assert followed.finished == len(whole) - followed.running
