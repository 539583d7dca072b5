"""``condped.follow``: a table of trials that is kept current while a study runs."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from condped.errors import SettingsError
from condped.options import check_names
from condped.read.follow.whole_source import WholeSource
from condped.read.guarded import guarded
from condped.read.opening import Recognised, needed, recognised, selected
from condped.read.options import Reading, ReadOptions
from condped.read.registry import FollowedSource
from condped.trials.table import State, TrialTable


class Followed:
    """A source that is read repeatedly; :func:`condped.follow` returns one.

    Can be used in a ``with`` statement, which closes it.

    Examples
    --------
    >>> import condped
    >>> trials = [{"x": 0.1, "loss": 0.3}, {"x": 0.7, "loss": 0.9}]
    >>> with condped.follow(trials, objective="loss") as followed:
    ...     trials.append({"x": 0.4, "loss": 0.6})
    ...     followed.update(), followed.finished
    (True, 3)
    """

    def __init__(self, source: Any, reading: Reading) -> None:
        check_names("follow", reading, Reading.__annotations__)
        self._options = options = ReadOptions.of(reading)
        if options.engine == "stream":
            raise SettingsError(
                "A followed source is held in memory (got engine='stream'). Leave engine out."
            )
        self._found = recognised(source, options)
        self._following: FollowedSource | None = _following(self._found, options)
        self._fetched = 0
        self._table: TrialTable | None = None
        self._unselected: TrialTable | None = None  # read, but not yet selected from
        self.update()

    @property
    def table(self) -> TrialTable:
        """The trials as of the last update, as :func:`condped.read` gives them."""
        assert self._table is not None  # read on construction
        return self._table

    @property
    def finished(self) -> int:
        """How many trials of the study have ended, including those outside a selection."""
        return self.table.finished

    @property
    def running(self) -> int:
        """How many trials of the study are running or waiting, counted like ``finished``."""
        whole = self.table.whole or self.table
        return int(np.count_nonzero(whole.states == State.RUNNING))

    @property
    def fetched(self) -> int:
        """How many records the last update read: rows of a database, lines of a file, trials."""
        return self._fetched

    def update(self) -> bool:
        """Read what is new, as of one moment, and return whether anything has changed.

        Raises
        ------
        CondpedError
            If the source cannot be read at the moment: a database is locked or down, a file is
            being replaced, a study was deleted, or lacks a requested parameter. The table stays as
            it was, and the next update tries again.
        """
        if self._following is None:
            raise SettingsError("The source is closed. Follow it again: condped.follow(source).")
        table = self._read(self._following)
        self._fetched = self._following.fetched
        if table is not None:
            self._unselected = table
        if self._unselected is None:
            return False
        # What fails here, such as a parameter that is gone, fails again until it is back.
        self._table = selected(self._unselected, self._options)
        self._unselected = None
        return True

    def _read(self, following: FollowedSource) -> TrialTable | None:
        reader = self._found.reader
        if reader is None:
            return following.update()
        return guarded(lambda *_: following.update(), self._found.source, reader, self._options)

    def close(self) -> None:
        """Release everything but the table, which is no longer updated."""
        self._following = None

    def __enter__(self) -> Followed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Followed: {self.finished:,} finished trials, {self.running:,} running>"


def _following(found: Recognised, options: ReadOptions) -> FollowedSource:
    follow_it = None if found.reader is None else found.reader.load_follow()
    following = None if follow_it is None else follow_it(found.source, needed(options))
    return following or WholeSource(found, options)


def follow(source: Any, **reading: Unpack[Reading]) -> Followed:
    r"""Read trials from a source that is still being written, and keep the table current.

    From Optuna's databases and journal files only what is new is read, in short transactions that
    do not block writers. Other files are reread when they have changed, and objects in memory at
    every update.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` reads into memory. A study must exist, but need not have
        trials yet.
    **reading
        Options of :func:`condped.read`.

    Examples
    --------
    >>> import condped, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "trials.csv"
    >>> _ = file.write_text("x,loss\n0.1,3.0\n0.7,1.0\n")
    >>> followed = condped.follow(file, objective="loss")
    >>> followed.finished, followed.update()
    (2, False)
    >>> _ = file.write_text("x,loss\n0.1,3.0\n0.7,1.0\n0.4,2.0\n")
    >>> followed.update(), len(followed.table)
    (True, 3)
    """
    return Followed(source, reading)
