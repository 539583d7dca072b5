"""A study in a journal file that is followed: only operations that were appended are replayed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from condped.errors import DataError
from condped.read.files.json_lines import JsonLines
from condped.read.follow.grown_study import GrownStudy
from condped.read.options import ReadOptions
from condped.read.optuna.journals.replay import Replay, ReplayedAttributes, Study
from condped.read.optuna.objective import attribute_of, explained_table
from condped.read.optuna.records import StudyRecords
from condped.trials.table import Parameter, TrialTable

_COMPARED = 256  # bytes at the beginning and at the end that show whether a file is the same


class _FileIdentity(NamedTuple):
    """What distinguishes a file that grew from another one in its place."""

    inode: int
    size: int
    start: bytes
    end: bytes


class FollowedJournal:
    """A study in a journal file."""

    def __init__(self, source: str, lines: JsonLines, options: ReadOptions) -> None:
        self._source = source
        self._lines = lines
        self._options = options
        self._seen: _FileIdentity | None = None
        self._begin()

    def _begin(self) -> None:
        """Forget everything, to start from the first operation."""
        lines = self._lines
        lines.growing = True
        lines.offset = lines.read = lines.first = lines.bad = 0
        self._replay = Replay(
            f"The journal {self._source!r}",
            attribute_of(self._options),
            all_reports=False,
            watched=True,
        )
        self._study: Study | None = None
        self._grown: GrownStudy | None = None
        self._metrics: list[str] | None = None
        self._unfinished: set[int] = set()
        self.fetched = 0

    def update(self) -> TrialTable | None:
        """Return all trials; None if nothing has changed."""
        if self._seen is not None and self._seen != self._identify(self._seen.size):
            self._begin()
        self._apply()
        study = self._replay.study(self._options.study)
        touched = self._replay.touched
        assert touched is not None
        if study is self._study and self._grown is not None:
            trials = sorted(trial for trial in touched if self._replay.owner(trial) is study)
            if not trials and study.metrics == self._metrics:
                return None
            grown = self._grown.with_trials(*self._trials(study, trials))
        else:
            trials, self._unfinished = study.trials, set()
            grown = GrownStudy(*self._trials(study, trials))
        table = explained_table(
            grown.table(self._replay.drawing(study)),
            self._options,
            ReplayedAttributes(self._replay, study.trials),
        )
        self._study, self._grown, self._metrics = study, grown, study.metrics
        self._forget(trials)
        return table.with_notes(self._lines.notes)

    def _apply(self) -> None:
        """Replay what was appended."""
        before = self._lines.read
        for operations in self._lines.batches():
            try:
                self._replay.apply(operations)
            except BaseException:
                self._begin()  # an operation may have been replayed in part
                raise
        self.fetched = self._lines.read - before
        if self.fetched or self._seen is None:
            self._seen = self._identify(self._lines.offset)

    def _trials(
        self, study: Study, trials: Sequence[int]
    ) -> tuple[StudyRecords, tuple[Parameter, ...]]:
        records = self._replay.study_records(study, trials)
        return records, self._replay.records.parameters(records.trial_ids)

    def _forget(self, trials: Sequence[int]) -> None:
        """Keep the records of trials that have not ended; the others are in their columns."""
        replay = self._replay
        assert replay.touched is not None
        replay.touched.clear()
        self._unfinished = {
            trial for trial in (*self._unfinished, *trials) if replay.is_open(trial)
        }
        replay.records.keep(np.array(sorted(self._unfinished), dtype=np.int64))
        replay.attributes = [entry for entry in replay.attributes if entry[0] in self._unfinished]

    def _identify(self, size: int) -> _FileIdentity:
        """Return what identifies the file with its first ``size`` bytes."""
        try:
            with Path(self._source).open("rb") as file:
                start = file.read(min(_COMPARED, size))
                file.seek(max(0, size - _COMPARED))
                end = file.read(min(_COMPARED, size))
                return _FileIdentity(os.fstat(file.fileno()).st_ino, size, start, end)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DataError(f"The journal {self._source!r} cannot be read: {reason}.") from error
