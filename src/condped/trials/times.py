"""When trials ran, as far as their source records it."""

from __future__ import annotations

from dataclasses import dataclass

from condped.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
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

    started: FloatArray
    ended: FloatArray
    durations: FloatArray

    @classmethod
    def between(cls, started: FloatArray, ended: FloatArray) -> Times:
        """Return times of which the start and the end of each trial are recorded.

        Examples
        --------
        >>> import numpy as np
        >>> Times.between(np.array([0.0, 4.0]), np.array([3.0, np.nan])).durations
        array([ 3., nan])
        """
        return cls(started, ended, ended - started)

    def only(self, rows: BoolArray | IntArray) -> Times:
        """Return the times of these trials; positions also give their order."""
        return Times(self.started[rows], self.ended[rows], self.durations[rows])
