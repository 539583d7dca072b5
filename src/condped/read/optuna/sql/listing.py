"""The studies of a database and their progress, counted by the database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from condped.read.each_study import StudyState, best_value, time_text
from condped.read.optuna.records import STATES, choose_studies, objective_names
from condped.read.optuna.sql.database import Database, value_kind
from condped.read.optuna.sql.kinds import NUMBER, TEXT, WHOLE, damaged
from condped.read.optuna.sql.study import StudyHeader, fetch_values_and_constraints, header_of
from condped.safe_text import brief
from condped.trials.table import Direction, State


def study_states(database: Database, patterns: Sequence[str]) -> list[StudyState]:
    """Return the state of all studies, or of those whose names match a pattern."""
    database.check_schema()
    studies = database.studies()
    names = choose_studies(list(studies), patterns, database.place)
    counts = _counts(database)
    best = _best_values(database)
    constrained = _constrained(database)
    found = []
    for name in names:
        number = studies[name]
        header = header_of(database, number)
        directions = _directions(header)
        value: float | None = None
        if len(directions) == 1 and number in constrained:
            value = best_value(fetch_values_and_constraints(database, number, header))
        elif len(directions) == 1:
            value = best.get(number, (None, None))[directions[0] == "maximize"]
        found.append(_state(database, name, header, counts.get(number, []), value))
    return found


def _counts(database: Database) -> dict[int, list[Any]]:
    """Return state, trials and last end by study."""
    found: dict[int, list[Any]] = {}
    visible = database.visible
    for study, *rest in database.rows(
        "trials",
        {"study_id": None, "state": TEXT, "trials": WHOLE, "datetime_complete": None},
        "SELECT t.study_id, t.state, COUNT(*), MAX(t.datetime_complete) FROM trials t "
        f"{visible and f'WHERE {visible} '}GROUP BY t.study_id, t.state",
    ):
        found.setdefault(study, []).append(rest)
    return found


def _best_values(database: Database) -> dict[int, tuple[float | None, float | None]]:
    """Return the lowest and the highest finite value of complete trials, by study."""
    visible = database.visible
    return {
        study: (low, high)
        for study, low, high in database.rows(
            "trial_values",
            {"study_id": None, "value": NUMBER.or_null(), "highest value": NUMBER.or_null()},
            "SELECT t.study_id, MIN(v.value), MAX(v.value) FROM trials t "
            "JOIN trial_values v ON v.trial_id = t.trial_id "
            f"WHERE t.state = 'COMPLETE' AND v.objective = 0 AND {value_kind(database)} = 'FINITE' "
            f"{visible and f'AND {visible} '}GROUP BY t.study_id",
        )
    }


def _constrained(database: Database) -> set[int]:
    """Return the studies that have trials with constraints."""
    return {
        study
        for (study,) in database.rows(
            "trials",
            {"study_id": None},
            "SELECT DISTINCT t.study_id FROM trials t "
            "JOIN trial_system_attributes a ON a.trial_id = t.trial_id "
            "WHERE a.key = ? OR a.key LIKE ?",
            "constraints",
            "constraints:%",
        )
    }


def _directions(header: StudyHeader) -> tuple[Direction, ...]:
    return tuple("maximize" if word == "MAXIMIZE" else "minimize" for word in header.directions)


def _state(
    database: Database, name: str, header: StudyHeader, rows: list[Any], best: float | None
) -> StudyState:
    counts = dict.fromkeys(State, 0)
    for state, trials, _ in rows:
        if state not in STATES:
            what = f"'state' must be one of {', '.join(STATES)} (got {brief(state)})"
            raise damaged(database.place, "trials", what)
        counts[STATES[state]] += trials
    ended = [_moment(database, moment) for *_, moment in rows if moment is not None]
    return StudyState(
        study=name,
        trials=sum(counts.values()),
        complete=counts[State.COMPLETE],
        pruned=counts[State.PRUNED],
        failed=counts[State.FAILED],
        running=counts[State.RUNNING],
        objectives=objective_names(header.directions, header.metrics),
        directions=_directions(header),
        best=None if best is None or not np.isfinite(best) else float(best),
        last_finished=time_text(max(ended)) if ended else None,
    )


def _moment(database: Database, recorded: Any) -> datetime:
    """Return a recorded time, which SQLite stores as text. Optuna writes no time zones."""
    try:
        found = recorded if isinstance(recorded, datetime) else datetime.fromisoformat(recorded)
        return found.replace(tzinfo=None)
    except (TypeError, ValueError):
        what = f"'datetime_complete' must be a time (got {brief(recorded)})"
    raise damaged(database.place, "trials", what)
