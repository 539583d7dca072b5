"""Which study each trial of a table with several studies belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from condped.arrays import IntArray, Rows
from condped.errors import DataError
from condped.safe_text import text_of
from condped.trials.columns import Column, NumberColumn, UnusableColumn


@dataclass(frozen=True, slots=True, eq=False)
class StudyLabels:
    """The study of each trial.

    Attributes
    ----------
    names
        The studies, in order of first appearance.
    codes
        (trials,): the place of each trial's study in ``names``; -1: none is recorded.
    """

    names: tuple[str, ...]
    codes: IntArray

    @classmethod
    def of(cls, column: Column, name: str) -> StudyLabels:
        """Return the labels in a column; numbers and texts that read alike are one study."""
        if isinstance(column, UnusableColumn):
            raise DataError(
                f"The study column {name!r} must hold texts or whole numbers (got {column.kind}). "
                "Name another column, or convert it.",
                column=name,
            )
        if isinstance(column, NumberColumn):
            absent = column.absent()
            levels, places = np.unique(column.values[~absent], return_inverse=True)
            codes = np.full(len(column), -1, dtype=np.int64)
            codes[~absent] = places
            texts = [_number(level) for level in levels.tolist()]
        else:
            codes, texts = column.codes, list(map(text_of, column.levels))
        return cls(*_in_order(texts, codes))

    def only(self, rows: Rows) -> StudyLabels:
        """Return the labels of these trials."""
        return StudyLabels(self.names, self.codes[rows])

    def places(self, of: Mapping[str, int]) -> IntArray:
        """Return (trials,): the place of each trial's study in another list; -1: it has none."""
        return np.array([*(of.get(name, -1) for name in self.names), -1])[self.codes]


def _number(level: float) -> str:
    """Return a number as people write the name of a study: 3, not 3.0."""
    return str(int(level)) if float(level).is_integer() else repr(level)


def _in_order(texts: list[str], codes: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """Return the distinct texts that occur, in order of first appearance, and codes for them."""
    used, first = np.unique(codes[codes >= 0], return_index=True)
    places = {
        text: place
        for place, text in enumerate(dict.fromkeys(texts[k] for k in used[np.argsort(first)]))
    }
    renumbered = np.full(len(texts) + 1, -1, dtype=np.int64)  # the last entry: no study
    renumbered[used] = [places[texts[k]] for k in used]
    return tuple(places), renumbered[codes]
