"""Reading the databases that Optuna writes, of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from condped.read.each_study import StudyState
from condped.read.options import ReadOptions
from condped.read.optuna.sql.database import Database
from condped.read.optuna.sql.followed import FollowedDatabase
from condped.read.optuna.sql.listing import study_states
from condped.read.optuna.sql.study import read_studies, read_study
from condped.trials.table import TrialTable


class DatabaseReader:
    """Reads databases that a function opens by URL, each on one snapshot.

    ``reopened`` opens one that is followed, if that is done differently.
    """

    def __init__(
        self,
        opened: Callable[[str], AbstractContextManager[Database]],
        reopened: Callable[[str], AbstractContextManager[Database]] | None = None,
    ) -> None:
        self._opened = opened
        self._reopened = opened if reopened is None else reopened

    def read(self, source: str, options: ReadOptions) -> TrialTable:
        """Return the trials of a study."""
        with self._opened(source) as database:
            return read_study(database, options)

    def read_all(self, source: str, options: ReadOptions) -> list[tuple[str, TrialTable]]:
        """Return the trials of all studies, or of those that match a pattern."""
        with self._opened(source) as database:
            return read_studies(database, options)

    def follow(self, source: str, options: ReadOptions) -> FollowedDatabase:
        """Return a study that is kept current."""
        return FollowedDatabase(lambda: self._reopened(source), options)

    def list_studies(self, source: str, patterns: Sequence[str]) -> list[StudyState]:
        """Return the state of all studies, or of those that match a pattern."""
        with self._opened(source) as database:
            return study_states(database, patterns)
