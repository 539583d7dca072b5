"""When trials ran, as far as their source records it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from condped.arrays import FloatArray, Rows
from condped.errors import DataError


class _Arrays(NamedTuple):
    started: FloatArray
    ended: FloatArray
    durations: FloatArray


class Times:
    """When each trial ran and how long it took.

    Attributes
    ----------
    started, ended
        (trials,): seconds since 1970, or since any other moment that all trials share; NaN where
        not recorded.
    durations
        (trials,): seconds that each took; NaN where not recorded.
    """

    __slots__ = ("_arrays", "_look_up")

    def __init__(self, started: FloatArray, ended: FloatArray, durations: FloatArray) -> None:
        self._arrays: _Arrays | None = _Arrays(started, ended, durations)
        self._look_up: Callable[[], Times] | None = None

    @classmethod
    def between(cls, started: FloatArray, ended: FloatArray) -> Times:
        """Return times from the recorded start and end of each trial.

        Examples
        --------
        >>> import numpy as np
        >>> Times.between(np.array([0.0, 4.0]), np.array([3.0, np.nan])).durations
        array([ 3., nan])
        """
        return cls(started, ended, ended - started)

    @classmethod
    def deferred(cls, look_up: Callable[[], Times]) -> Times:
        """Return times that are looked up on first access: most analyses never need them."""
        times = cls.__new__(cls)
        times._arrays, times._look_up = None, look_up
        return times

    @property
    def started(self) -> FloatArray:
        return self._found().started

    @property
    def ended(self) -> FloatArray:
        return self._found().ended

    @property
    def durations(self) -> FloatArray:
        return self._found().durations

    def only(self, rows: Rows) -> Times:
        """Return the times of these trials; positions also give their order."""
        if self._arrays is None:
            return Times.deferred(lambda: Times(*self._found()).only(rows))
        return Times(*(array[rows] for array in self._arrays))

    def load(self) -> None:
        """Look the times up now, so that the records behind them can be released."""
        self._found()

    def _found(self) -> _Arrays:
        if self._arrays is None:
            assert self._look_up is not None
            self._arrays = self._look_up()._found()
            self._look_up = None  # which releases the records behind it
        return self._arrays

    def __reduce__(self) -> tuple[Any, ...]:
        return Times, tuple(self._found())


def recorded_durations(times: Times) -> FloatArray:
    """Return (trials,): the seconds that trials took; raises if none of them is recorded."""
    if not np.isfinite(times.durations).any():
        raise DataError("No trial has a recorded duration. Choose another objective.")
    return times.durations
