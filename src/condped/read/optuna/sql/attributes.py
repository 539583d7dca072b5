"""Attributes of trials in a database, queried when needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.arrays import IntArray
from condped.read.optuna.objective import Attribute
from condped.read.optuna.sql.database import Database, Trials, number_of, report_kind
from condped.read.optuna.sql.kinds import NUMBER, TEXT, WHOLE, parsed

_REPORTS, _ATTRIBUTES = "trial_intermediate_values", "trial_user_attributes"
_VALUE = {"intermediate_value": NUMBER.or_null(), "intermediate_value_type": None}


@dataclass(frozen=True, slots=True)
class StoredAttributes:
    """The attributes of all trials of a study."""

    database: Database
    trials: Trials
    trial_ids: IntArray

    def recorded(self, attribute: Attribute) -> dict[int, Any]:
        """Return the recorded values by the trial's position."""
        found = recorded_values(self.database, self.trials, attribute)
        return {self._row(trial): value for trial, value in found.items()}

    def known(self, attribute: Attribute) -> list[Any]:
        """Return the keys of all attributes of this kind."""
        return known_keys(self.database, self.trials, attribute)

    def reported(self) -> Iterator[tuple[int, float, float]]:
        """Return all reports: the trial's position, the step and the value."""
        records = self.database.rows(
            _REPORTS,
            {"trial_id": WHOLE, "step": WHOLE, **_VALUE},
            f"SELECT v.trial_id, v.step, v.intermediate_value, {report_kind(self.database)} "
            "FROM trial_intermediate_values v JOIN trials t ON t.trial_id = v.trial_id "
            f"WHERE {self.trials.condition}",
            *self.trials.values,
        )
        for trial, step, value, kind in records:
            yield self._row(trial), step, number_of(value, kind)

    def _row(self, trial: int) -> int:
        return int(np.searchsorted(self.trial_ids, trial))


def recorded_values(database: Database, trials: Trials, attribute: Attribute) -> dict[int, Any]:
    """Return the values of an attribute by the ids of the trials that have it."""
    if attribute.reported:
        records = database.rows(
            _REPORTS,
            {"trial_id": WHOLE, **_VALUE},
            f"SELECT v.trial_id, v.intermediate_value, {report_kind(database)} "
            "FROM trial_intermediate_values v JOIN trials t ON t.trial_id = v.trial_id "
            f"WHERE {trials.condition} AND v.step = ?",
            *trials.values,
            attribute.key,
        )
        return {trial: number_of(value, kind) for trial, value, kind in records}
    records = database.rows(
        _ATTRIBUTES,
        {"trial_id": WHOLE, "key": TEXT, "value_json": TEXT},
        "SELECT a.trial_id, a.key, a.value_json FROM trial_user_attributes a "
        f"JOIN trials t ON t.trial_id = a.trial_id WHERE {trials.condition} AND a.key = ?",
        *trials.values,
        attribute.key,
    )
    # MySQL compares names without case.
    return {
        trial: parsed(database.place, _ATTRIBUTES, f"trial_id {trial}", key, text)
        for trial, key, text in records
        if key == attribute.key
    }


def known_keys(database: Database, trials: Trials, attribute: Attribute) -> list[Any]:
    """Return the keys of all attributes of the same kind."""
    table, key, kind = (
        (_REPORTS, "step", WHOLE) if attribute.reported else (_ATTRIBUTES, "key", TEXT)
    )
    return [
        found
        for (found,) in database.rows(
            table,
            {key: kind},
            f"SELECT DISTINCT a.{key} FROM {table} a JOIN trials t ON t.trial_id = a.trial_id "
            f"WHERE {trials.condition} ORDER BY a.{key}",
            *trials.values,
        )
    ]
