"""Optuna's journal files: operations as JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from condped.read.each_study import StudyState, read_each
from condped.read.files.decompress import is_compressed
from condped.read.files.json_lines import JsonLines
from condped.read.options import ReadOptions
from condped.read.optuna.journals.followed import FollowedJournal
from condped.read.optuna.journals.operations import OperationCheck
from condped.read.optuna.journals.replay import Replay, ReplayedAttributes, Study
from condped.read.optuna.objective import attribute_of, explained_table
from condped.read.optuna.records import choose_studies
from condped.trials.table import TrialTable

_CREATING = {b"0", b"4"}  # studies and trials are numbered in the order of their creation


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in a journal file that Optuna wrote."""
    lines = _lines(source, options)
    return replay_journal(lines.batches(), options, f"The journal {source!r}").with_notes(
        lines.notes
    )


def read_all(source: str, options: ReadOptions) -> list[tuple[str, TrialTable]]:
    """Return the trials of all studies in a journal file, or of those that match a pattern."""
    lines = _lines(source, options)
    found = replay_studies(lines.batches(), options, f"The journal {source!r}")
    return [(name, table.with_notes(lines.notes)) for name, table in found]


def follow(source: str, options: ReadOptions) -> FollowedJournal | None:
    """Return a study in a journal file that is kept current; None if the file is compressed."""
    if is_compressed(source):
        return None
    return FollowedJournal(source, _lines(source, options), options)


def list_studies(source: str, patterns: Sequence[str]) -> list[StudyState]:
    """Return the state of all studies in a journal file, or of those that match a pattern."""
    options = ReadOptions()
    place = f"The journal {source!r}"
    replay = _replay_operations(_lines(source, options).batches(), options, place)
    by_name = {study.name: study for study in replay.studies.values()}
    names = choose_studies(list(by_name), patterns, place)
    studies = [by_name[name] for name in names]
    return [
        StudyState.of(study.name, replay.study_records(study, study.trials).table(()))
        for study in studies
    ]


def _lines(source: str, options: ReadOptions) -> JsonLines:
    return JsonLines(
        source,
        "an operation of a journal",
        options.skip_corrupt,
        key="op_code",
        problem=OperationCheck(),
        must_keep=_must_keep,
        ended=True,  # as Optuna reads it
    )


def _must_keep(line: bytes) -> str:
    """Return why a line must not be left out: later trials would be renumbered. Empty if it may."""
    found = set(re.findall(rb'"op_code": *(\d+)', line))
    return "" if found and not found & _CREATING else "since it may begin a study or a trial"


def replay_journal(
    batches: Iterable[list[dict[str, Any]]], options: ReadOptions, place: str
) -> TrialTable:
    """Return the trials of a study after all operations of a journal."""
    replay = _replay_operations(batches, options, place)
    study = replay.study(options.study)
    return _table_of(replay, study, options)


def replay_studies(
    batches: Iterable[list[dict[str, Any]]], options: ReadOptions, place: str
) -> list[tuple[str, TrialTable]]:
    """Return the trials of all studies after all operations, or of those that match a pattern."""
    replay = _replay_operations(batches, options, place)
    by_name = {study.name: study for study in replay.studies.values()}
    names = choose_studies(list(by_name), options.patterns, place)
    return read_each(names, lambda name: _table_of(replay, by_name[name], options))


def _replay_operations(
    batches: Iterable[list[dict[str, Any]]], options: ReadOptions, place: str
) -> Replay:
    replay = Replay(place, attribute_of(options), all_reports=options.reports)
    for operations in batches:
        replay.apply(operations)
    return replay


def _table_of(replay: Replay, study: Study, options: ReadOptions) -> TrialTable:
    return explained_table(replay.table(study), options, ReplayedAttributes(replay, study.trials))
