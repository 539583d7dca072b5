"""Queries of a study: all of its trials, or some of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.progress import report
from condped.read.each_study import read_each
from condped.read.options import ReadOptions
from condped.read.optuna.drawing import VALUED, DrawingLog, DrawingRecords
from condped.read.optuna.objective import explained_table
from condped.read.optuna.records import (
    STATES,
    ParameterRecords,
    StudyRecords,
    Violations,
    choose_studies,
    objective_names,
    select_study,
    states_of,
)
from condped.read.optuna.sql.attributes import StoredAttributes
from condped.read.optuna.sql.database import Database, Trials, number_of, report_kind, value_kind
from condped.read.optuna.sql.kinds import NUMBER, TEXT, WHOLE, damaged, parsed
from condped.read.seconds import seconds
from condped.safe_text import brief
from condped.trials.columns import number_of as number_of_level
from condped.trials.course.drawing import MOST_RECORDED
from condped.trials.course.times import Times
from condped.trials.table import TrialTable

_FEW_STUDIES = 20  # of one size, up to which scanning all parameters for each is faster
_METRICS = "study:metric_names"
_STUDY_ATTRIBUTES, _ATTRIBUTES = "study_system_attributes", "trial_system_attributes"
_DIRECTIONS = ("MINIMIZE", "MAXIMIZE", "NOT_SET")
_PARAMETER = {
    "trial_id": WHOLE,
    "param_name": TEXT,
    "param_value": NUMBER,
    "distribution_json": TEXT,
}
_TRIAL = {"trial_id": WHOLE, "state": TEXT, "datetime_start": None, "datetime_complete": None}


def read_study(database: Database, options: ReadOptions) -> TrialTable:
    """Return the trials of one study."""
    database.check_schema()
    studies = database.studies()
    name = select_study(list(studies), options.study, database.place)
    return _read_study(database, options, studies[name])


def read_studies(database: Database, options: ReadOptions) -> list[tuple[str, TrialTable]]:
    """Return the trials of all studies, or of those whose names match a pattern."""
    database.check_schema()
    studies = database.studies()
    names = choose_studies(list(studies), options.patterns, database.place)
    return read_each(names, lambda name: _read_study(database, options, studies[name]))


def _read_study(database: Database, options: ReadOptions, study: int) -> TrialTable:
    trials = database.trials_of(study)
    header = header_of(database, study)
    rows = trial_rows(database, trials)
    recorded = len(rows) <= MOST_RECORDED
    found = fetch(database, header, [trials], rows, all_keys=recorded)

    def drawing() -> DrawingRecords:
        log = DrawingLog()
        found.fill(log)
        return log.records(found.trial_ids.tolist(), header.keys)

    records = found.records(drawing if recorded else None)
    table = records.table(found.parameters.parameters(found.trial_ids))
    return explained_table(table, options, StoredAttributes(database, trials, found.trial_ids))


@dataclass(frozen=True, slots=True)
class StudyHeader:
    """What a study records besides its trials."""

    directions: tuple[str, ...]
    metrics: tuple[str, ...] | None
    keys: tuple[str, ...]  # of its system attributes


def header_of(database: Database, study: int) -> StudyHeader:
    """Return what a study records besides its trials."""
    directions = database.rows(
        "study_directions",
        {"direction": TEXT},
        "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective",
        study,
    )
    unknown = [word for (word,) in directions if word not in _DIRECTIONS]
    if unknown or not directions:
        got = brief(unknown[0]) if unknown else "no row"
        raise damaged(
            database.place,
            "study_directions",
            f"the study_id {study} must have one of {', '.join(_DIRECTIONS)} (got {got})",
        )
    attributes = dict(
        database.rows(
            _STUDY_ATTRIBUTES,
            {"key": TEXT, "value_json": TEXT.or_null()},
            "SELECT a.key, CASE WHEN a.key = ? THEN a.value_json END "
            "FROM study_system_attributes a WHERE a.study_id = ?",
            _METRICS,
            study,
        )
    )
    words = tuple(direction for (direction,) in directions)
    metrics = _metrics(database, study, attributes.get(_METRICS))
    objective_names(words, metrics, database.place)
    return StudyHeader(words, metrics, tuple(sorted(attributes)))


def _metrics(database: Database, study: int, text: str | None) -> tuple[str, ...] | None:
    """Return the names of a study's objectives; None if they have none."""
    owner = f"study_id {study}"
    names = (
        None if text is None else parsed(database.place, _STUDY_ATTRIBUTES, owner, _METRICS, text)
    )
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        got = brief(names)
        what = f"the attribute {_METRICS!r} of {owner} must be a list of strings (got {got})"
        raise damaged(database.place, _STUDY_ATTRIBUTES, what)
    return tuple(names)


def trial_rows(database: Database, trials: Trials, most: int | None = None) -> list[Any]:
    """Return trial, state, start, end and number, in the order of the ids; the first ``most``."""
    rows = database.rows(
        "trials",
        {**_TRIAL, "number": WHOLE.or_null()},
        "SELECT t.trial_id, t.state, t.datetime_start, t.datetime_complete, t.number "
        f"FROM trials t WHERE {trials.condition} ORDER BY t.trial_id"
        + ("" if most is None else " LIMIT ?"),
        *trials.values,
        *(() if most is None else (most,)),
    )
    if not {row[1] for row in rows} <= STATES.keys():
        trial, state = next(row[:2] for row in rows if row[1] not in STATES)
        what = f"'state' of trial_id {trial} must be one of {', '.join(STATES)}"
        raise damaged(database.place, "trials", f"{what} (got {brief(state)})")
    return rows


@dataclass(frozen=True, slots=True)
class FetchedTrials:
    """Everything recorded about some trials of a study.

    Attributes
    ----------
    attributes
        Trial, key and JSON of system attributes, without the JSON where only the key matters.
    reports
        Trial, last step, value there, and how that is recorded; None if not requested.
    """

    place: str  # the name of the database in messages
    header: StudyHeader
    rows: Sequence[Any]
    trial_ids: IntArray  # ascending
    values: FloatArray
    parameters: ParameterRecords
    attributes: Sequence[Any]
    reports: Sequence[Any] | None

    def records(self, drawing: Callable[[], DrawingRecords] | None = None) -> StudyRecords:
        """Return the trials without their parameters."""
        return StudyRecords(
            trial_ids=self.trial_ids,
            states=states_of([row[1] for row in self.rows]),
            directions=self.header.directions,
            metrics=self.header.metrics,
            values=self.values,
            violations=Violations.of(self.trial_ids, self.constraints()),
            times=Times.between(
                seconds([row[2] for row in self.rows]), seconds([row[3] for row in self.rows])
            ),
            recorded=drawing,
        )

    def constraints(self) -> list[tuple[int, str, Any]]:
        """Return the trial, the key and the recorded value of each constraint."""
        return [
            (trial, key, _constraint(self.place, trial, key, text))
            for trial, key, text in self.attributes
            if re.match("constraints(:|$)", key)
        ]

    def fill(self, log: DrawingLog) -> None:
        """Add how the trials were drawn to a log."""
        for trial, step, value, kind in self.reports or ():
            if step is not None:
                log.add_report(trial, step, number_of(value, kind))
        for trial, key, text in self.attributes:
            log.add_attribute(trial, key, _parsed(text))


def fetch(
    database: Database,
    header: StudyHeader,
    parts: Iterable[Trials],
    rows: Sequence[Any],
    *,
    all_keys: bool,
) -> FetchedTrials:
    """Return everything recorded about trials, read in ``parts``.

    ``all_keys``: whether to read how they were drawn, too.
    """
    trial_ids = np.array([row[0] for row in rows], dtype=np.int64)
    values = np.full((len(trial_ids), len(header.directions)), np.nan)
    parameters = ParameterRecords(database.place)
    attributes: list[Any] = []
    reports: list[Any] | None = [] if all_keys else None
    for trials in parts:
        _fetch_values(database, trials, trial_ids, values)
        _fetch_parameters(database, trials, trial_ids, parameters)
        attributes += _attributes(database, trials, all_keys=all_keys)
        if reports is not None:
            reports += _last_reports(database, trials, trial_ids)
    return FetchedTrials(
        database.place, header, rows, trial_ids, values, parameters, attributes, reports
    )


def fetch_values_and_constraints(database: Database, study: int, header: StudyHeader) -> TrialTable:
    """Return the trials of a study without their parameters."""
    trials = database.trials_of(study)
    rows = trial_rows(database, trials)
    trial_ids = np.array([row[0] for row in rows], dtype=np.int64)
    values = np.full((len(trial_ids), len(header.directions)), np.nan)
    _fetch_values(database, trials, trial_ids, values)
    attributes = _attributes(database, trials, all_keys=False)
    nothing = ParameterRecords(database.place)
    found = FetchedTrials(
        database.place, header, rows, trial_ids, values, nothing, attributes, None
    )
    return found.records().table(())


def _attributes(database: Database, trials: Trials, *, all_keys: bool) -> list[Any]:
    """Return the trial, key and JSON of constraints; if requested, of all system attributes.

    Most come without JSON: only their keys matter, and some samplers store much there.
    """
    needed = [("=", "constraints"), ("LIKE", "constraints:%")]
    valued = [*needed, *(("=", key) for key in VALUED)]
    is_needed = " OR ".join(f"a.key {compare} ?" for compare, _ in needed)
    is_valued = " OR ".join(f"a.key {compare} ?" for compare, _ in valued)
    return database.rows(
        _ATTRIBUTES,
        {"trial_id": WHOLE, "key": TEXT, "value_json": TEXT.or_null()},
        f"SELECT a.trial_id, a.key, CASE WHEN {is_valued} THEN a.value_json END "
        "FROM trial_system_attributes a JOIN trials t ON t.trial_id = a.trial_id "
        f"WHERE {trials.condition}{'' if all_keys else f' AND ({is_needed})'} "
        "ORDER BY a.trial_system_attribute_id",
        *(key for _, key in valued),
        *trials.values,
        *(key for _, key in ([] if all_keys else needed)),
    )


def _last_reports(database: Database, trials: Trials, trial_ids: IntArray) -> list[Any]:
    """Return the last step of each trial, and what it reported there."""
    bounds = trial_ids[[0, -1]].tolist() if len(trial_ids) else (0, 0)
    latest = (
        # All at once, rather than trial by trial.
        "(SELECT r.trial_id, MAX(r.step) AS step FROM trial_intermediate_values r "
        "WHERE r.trial_id BETWEEN ? AND ? GROUP BY r.trial_id)"
        if trials.every
        else "(SELECT r.trial_id, MAX(r.step) AS step FROM trial_intermediate_values r "
        f"JOIN trials t ON t.trial_id = r.trial_id WHERE {trials.condition} GROUP BY r.trial_id)"
    )
    return database.rows(
        "trial_intermediate_values",
        {
            "trial_id": WHOLE,
            "step": WHOLE.or_null(),
            "intermediate_value": NUMBER.or_null(),
            "intermediate_value_type": None,
        },
        f"SELECT t.trial_id, v.step, v.intermediate_value, {report_kind(database)} "
        f"FROM trials t LEFT JOIN {latest} m ON m.trial_id = t.trial_id "
        "LEFT JOIN trial_intermediate_values v ON v.trial_id = m.trial_id AND v.step = m.step "
        f"WHERE {trials.condition}",
        *(bounds if trials.every else trials.values),
        *trials.values,
    )


def _parsed(text: str | None) -> Any:
    """Return the value of an attribute; None if it is damaged, since no number depends on it."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None


def _constraint(place: str, trial: int, key: str, text: Any) -> Any:
    """Return the value of a constraint, or a list of all of them."""
    owner = f"trial_id {trial}"
    recorded = parsed(place, _ATTRIBUTES, owner, key, text)
    values = recorded if key == "constraints" and isinstance(recorded, list) else [recorded]
    for value in values:
        if value is not None and (isinstance(value, str) or number_of_level(value) is None):
            what = (
                f"the attribute {brief(key)} of {owner} must hold numbers (got {brief(recorded)})"
            )
            raise damaged(place, _ATTRIBUTES, what)
    return recorded


def _fetch_values(
    database: Database, trials: Trials, trial_ids: IntArray, values: FloatArray
) -> None:
    """Write the recorded values into (trials, objectives) ``values``."""
    sql = (
        f"SELECT v.trial_id, v.objective, v.value, {value_kind(database)} FROM trial_values v "
        f"JOIN trials t ON t.trial_id = v.trial_id WHERE {trials.condition}"
    )
    columns = {"trial_id": WHOLE, "objective": WHOLE, "value": NUMBER.or_null(), "value_type": None}
    for block in database.blocks("trial_values", columns, sql, *trials.values):
        found, places, numbers, kinds = zip(*block, strict=True)
        if min(places) < 0 or max(places) >= values.shape[1]:
            trial, place = next(row[:2] for row in block if not 0 <= row[1] < values.shape[1])
            raise damaged(
                database.place,
                "trial_values",
                f"'objective' of trial_id {trial} must be below {values.shape[1]}, the number of "
                f"objectives (got {place})",
            )
        rows = np.searchsorted(trial_ids, np.fromiter(found, np.int64, len(found)))
        values[rows, np.fromiter(places, np.int64, len(places))] = list(
            map(number_of, numbers, kinds)
        )


def _fetch_parameters(
    database: Database, trials: Trials, trial_ids: IntArray, records: ParameterRecords
) -> None:
    if not len(trial_ids):
        return
    if not trials.every:
        sql = (
            "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json "
            "FROM trial_params p JOIN trials t ON t.trial_id = p.trial_id "
            f"WHERE {trials.condition} ORDER BY p.param_id"
        )
        for block in database.blocks("trial_params", _PARAMETER, sql, *trials.values):
            records.add(*zip(*block, strict=True))
        return
    bounds = int(trial_ids[0]), int(trial_ids[-1])
    ((every,),) = database.rows("trials", {"trial_id": WHOLE}, "SELECT MAX(trial_id) FROM trials")
    # The plus sign keeps SQLite from using the index: of most rows, a full scan is much faster.
    scan = "+" if _FEW_STUDIES * (bounds[1] - bounds[0] + 1) > every else ""
    sql = (
        "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
        f"WHERE {scan}trial_id BETWEEN ? AND ? ORDER BY param_id"
    )
    total = bounds[1] - bounds[0] + 1
    for block in database.blocks("trial_params", _PARAMETER, sql, *bounds):
        records.add(*zip(*block, strict=True))
        report("Reading parameters", block[-1][0] - bounds[0] + 1, total)
