"""Rows of trials and parameters, sorted by trial, as one row per trial."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from condped.arrays import IntArray
from condped.errors import DataError

# Columns of the sorted rows; what was measured follows as m0, m1 …
TRIAL, PARAMETER, VALUE, DOMAIN = "trial", "parameter", "value", "domain"


def by_trial(batches: Iterable[Any]) -> Generator[Any]:
    """Regroup sorted batches so that no trial is split between two."""
    held: list[Any] = []  # ends with the trial that may go on
    for batch in batches:
        if not len(batch):
            continue
        trials = batch.column(TRIAL)
        start = pc.index(trials, trials[-1]).as_py()
        if start or (held and held[-1].column(TRIAL)[-1] != trials[0]):
            yield pa.concat_batches([*held, batch.slice(0, start)])
            held = []
        held.append(batch.slice(start))
    if held:
        yield pa.concat_batches(held)


@dataclass(frozen=True, slots=True)
class LongLayout:
    """What becomes of the sorted rows.

    Attributes
    ----------
    measured
        The columns that tell how a trial ended, in the order of the rows' own m0, m1 …
    parameters
        Those that are wanted, each with the name of the column for its domains.
    repeated
        Whether every row of a trial says how it ended.
    """

    measured: Sequence[str]
    parameters: Mapping[str, str]
    repeated: bool

    def widened(self, rows: Any, columns: Sequence[str]) -> Any:
        """Return one row per trial with these columns, from all rows of the trials."""
        trials = _codes(rows.column(TRIAL))
        first = np.flatnonzero(np.diff(trials, prepend=-1))
        numbers = np.cumsum(np.diff(trials, prepend=-1) != 0) - 1  # of each row's trial
        ends = {name: rows.column(f"m{place}") for place, name in enumerate(self.measured)}
        if self.repeated:
            self._check_repeated(rows, ends, first[numbers])
        found = {name: ends[name].take(pa.array(first)) for name in ends if name in columns}
        wanted = [name for name in self.parameters if name in columns]
        places = self._places(rows, numbers, len(first), wanted)
        for column, name in enumerate(wanted):
            at = pa.array(places[:, column], mask=places[:, column] < 0)
            found[name] = rows.column(VALUE).take(at)
            if self.parameters[name] in columns:
                found[self.parameters[name]] = rows.column(DOMAIN).take(at)
        return pa.record_batch({name: found[name] for name in columns})

    def _places(self, rows: Any, numbers: IntArray, trials: int, wanted: Sequence[str]) -> IntArray:
        """Return (trials, parameters): the row of each; -1 where there is none."""
        encoded = rows.column(PARAMETER).dictionary_encode()
        known = {name: place for place, name in enumerate(wanted)}
        of_name = [known.get(name, -1) for name in encoded.dictionary.to_pylist()]
        owner = np.array([*of_name, -1])[encoded.indices.fill_null(-1).to_numpy()]
        here = np.flatnonzero(owner >= 0)
        places = np.full((trials, len(wanted)), -1, dtype=np.int64)
        places[numbers[here], owner[here]] = here
        if np.count_nonzero(places >= 0) < len(here):
            keys = numbers[here] * len(wanted) + owner[here]
            kinds, times = np.unique(keys, return_counts=True)
            twice = int(np.argmax(times > 1))
            trial, place = divmod(int(kinds[twice]), len(wanted))
            row = int(np.argmax(numbers == trial))
            raise DataError(
                f"Trial {rows.column(TRIAL)[row].as_py()!r} has {times[twice]} rows for the "
                f"parameter {wanted[place]!r}. Keep one row for each trial and parameter."
            )
        return places

    def _check_repeated(self, rows: Any, ends: Mapping[str, Any], first: IntArray) -> None:
        """Raise if rows of one trial differ in how it ended; nothing beside something, too."""
        for column in ends.values():
            codes = _codes(column)
            wrong = codes != codes[first]
            if wrong.any():
                trial = rows.column(TRIAL)[int(np.argmax(wrong))].as_py()
                raise DataError(
                    f"The rows of trial {trial!r} differ in one of {', '.join(self.measured)}. "
                    "Make them the same in all rows of a trial."
                )


def _codes(column: Any) -> IntArray:
    """Return a number for each different value, -1 for none."""
    encoded: IntArray = column.dictionary_encode().indices.cast(pa.int64()).fill_null(-1).to_numpy()
    return encoded
