"""Optuna's journal files: operations as JSON lines, replayed into columns.

The rules of the replay are Optuna's: operations on studies that are not there, on trials that
have ended, and parameters that clash with earlier ones have no effect.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from itertools import compress
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

import numpy as np

from condped.errors import DataError
from condped.read.options import ReadOptions
from condped.read.optuna_records import (
    ParameterRecords,
    StudyRecords,
    chosen_study,
    domain_of,
)
from condped.read.recorded import recorded_table
from condped.space.domain import Categorical
from condped.trials import TrialTable

# Optuna's numbers, which the journal writes in place of names.
_STATES = ("RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING")
_ENDED = ("COMPLETE", "PRUNED", "FAIL")
_DIRECTIONS = ("NOT_SET", "MINIMIZE", "MAXIMIZE")
_SET_PARAMETER = 5
_COLUMNS = ("trial_id", "param_name", "param_value_internal", "distribution")
_BYTES = 1 << 17  # of lines at a time


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in a journal file that Optuna wrote."""
    options.refuse("an Optuna study", "direction", "space", "state", "constraints")
    replay = _Replay()
    for operations in _batches(source, replay.notes):
        replay.apply(operations)
    return recorded_table(replay.table(source, options.study), options, "an Optuna study")


def _batches(path: str, notes: list[str]) -> Iterator[list[dict[str, Any]]]:
    """Iterate over the lines in batches; a last line that is cut off is still being written."""
    number = 0  # of the last line that was read
    try:
        with Path(path).open("rb") as file:
            while lines := file.readlines(_BYTES):
                parsed = _parsed(lines)
                yield parsed
                number += len(parsed)
                if len(parsed) < len(lines):
                    if len(parsed) < len(lines) - 1 or file.read(1):
                        break
                    notes.append(f"Line {number + 1} of the journal is cut off and was left out.")
            else:
                return
    except OSError as error:
        raise DataError(f"The journal {path!r} cannot be read: {error.strerror}.") from error
    raise DataError(
        f"Line {number + 1} of the journal {path!r} is not an operation; {number} good lines "
        "stand before it. Mend or remove the line.",
        first_row=number,
    )


def _parsed(lines: list[bytes]) -> list[dict[str, Any]]:
    """Return the operations up to the first line that is none."""
    try:
        # One call for many lines: the parser makes each repeated key and text once.
        operations = json.loads(b"[" + b",".join(lines) + b"]")
        if len(operations) == len(lines) and all("op_code" in entry for entry in operations):
            return cast(list[dict[str, Any]], operations)
    except (ValueError, TypeError):
        pass
    good = []
    for line in lines:
        try:
            operation = json.loads(line)
            operation["op_code"]
        except (ValueError, KeyError, TypeError):
            break
        good.append(operation)
    return good


class _Study:
    """What the journal says of one study."""

    def __init__(self, name: str, directions: list[int]) -> None:
        self.name = name
        self.directions = [_DIRECTIONS[direction] for direction in directions]
        self.metrics: list[str] | None = None
        self.trials: list[int] = []
        self.kinds: dict[str, object] = {}  # of each parameter, as first recorded


class _Replay:
    """The state of a storage after some batches of operations.

    Most operations set a parameter. They are taken out of a batch together, and kept if their
    trial was open at their place in the journal.
    """

    def __init__(self) -> None:
        self.studies: dict[int, _Study] = {}
        self.created = 0  # studies, deleted ones included
        self.owners: list[int] = []  # the study of each trial
        self.states: list[str] = []
        self.begun: list[float] = []  # place in the journal at which a trial was created
        self.ended: list[float] = []  # and at which it ended
        self.values: list[list[float] | None] = []
        self.attributes: list[tuple[int, str, str]] = []
        self.records = ParameterRecords()
        self.kinds: dict[str, object] = {}  # of each distribution's text
        self.notes: list[str] = []
        self.place = 0  # of the operation that is being applied
        self.others: dict[int, Callable[[dict[str, Any]], None]] = {
            0: self._create_study,
            1: self._delete_study,
            3: self._set_study_attribute,
            4: self._create_trial,
            6: self._set_state,
            9: self._set_attribute,
        }

    def apply(self, operations: list[dict[str, Any]]) -> None:
        """Apply a batch of operations; those that change nothing we read are passed over."""
        start = self.place
        codes = list(map(itemgetter("op_code"), operations))
        places = [place for place, code in enumerate(codes) if code == _SET_PARAMETER]
        for place, code in enumerate(codes):
            if code in self.others:
                self.place = start + place
                self.others[code](operations[place])
        self.place = start + len(operations)
        # Columns rather than records: no object per parameter of a trial, which the collector
        # of garbage would have to look at.
        setting = [operations[place] for place in places]
        columns = [list(map(itemgetter(name), setting)) for name in _COLUMNS]
        begun, ended, known = self.begun, self.ended, len(self.begun)
        is_open = [
            trial < known and begun[trial] < start + place < ended[trial]
            for place, trial in zip(places, columns[0], strict=True)
        ]
        if not all(is_open):
            columns = [list(compress(column, is_open)) for column in columns]
        self._record(columns)

    def _record(self, columns: list[list[Any]]) -> None:
        """Keep columns of trial, parameter, value and distribution, except where they clash."""
        trials, names, _, texts = columns
        owners = [self.owners[trial] for trial in trials]
        used = dict.fromkeys(zip(owners, names, texts, strict=True))
        clashing = {entry for entry in used if self._clashes(*entry)}
        if clashing:
            fine = [entry not in clashing for entry in zip(owners, names, texts, strict=True)]
            columns = [list(compress(column, fine)) for column in columns]
        self.records.add(*columns)

    def _clashes(self, owner: int, name: str, text: str) -> bool:
        """Return whether a domain differs from earlier ones in what must not change."""
        if text not in self.kinds:
            domain = domain_of(text)
            whole = isinstance(domain, Categorical)  # choices must not change at all
            self.kinds[text] = domain if whole else (type(domain), getattr(domain, "log", None))
        study = self.studies.get(owner)
        kind = self.kinds[text]
        return study is None or study.kinds.setdefault(name, kind) != kind

    def _create_study(self, operation: dict[str, Any]) -> None:
        name = operation["study_name"]
        if all(study.name != name for study in self.studies.values()):
            self.studies[self.created] = _Study(name, operation["directions"])
            self.created += 1

    def _delete_study(self, operation: dict[str, Any]) -> None:
        self.studies.pop(operation["study_id"], None)

    def _set_study_attribute(self, operation: dict[str, Any]) -> None:
        study = self.studies.get(operation["study_id"])
        if study is not None:
            study.metrics = operation["system_attr"].get("study:metric_names", study.metrics)

    def _create_trial(self, operation: dict[str, Any]) -> None:
        study = self.studies.get(operation["study_id"])
        if study is None:
            return
        trial, state = len(self.owners), _STATES[operation.get("state", 0)]
        study.trials.append(trial)
        self.owners.append(operation["study_id"])
        self.states.append(state)
        self.begun.append(self.place)
        self.ended.append(self.place if state in _ENDED else math.inf)
        single = operation.get("value")
        self.values.append(operation.get("values") or (None if single is None else [single]))
        if operation.get("params"):  # a trial that was added as a whole
            names, values = list(operation["params"]), list(operation["params"].values())
            texts = [operation["distributions"][name] for name in names]
            self._record([[trial] * len(names), names, values, texts])
        for key, recorded in operation.get("system_attrs", {}).items():
            self._note_attribute(trial, key, recorded)

    def _open(self, trial: int) -> bool:
        """Return whether a trial is there and has not ended."""
        return trial < len(self.owners) and self.states[trial] not in _ENDED

    def _set_state(self, operation: dict[str, Any]) -> None:
        trial, state = operation["trial_id"], _STATES[operation["state"]]
        if self._open(trial):
            self.states[trial] = state
            if state in _ENDED:
                self.ended[trial] = self.place
            if operation["values"] is not None:
                self.values[trial] = operation["values"]

    def _set_attribute(self, operation: dict[str, Any]) -> None:
        if self._open(operation["trial_id"]):
            for key, recorded in operation["system_attr"].items():
                self._note_attribute(operation["trial_id"], key, recorded)

    def _note_attribute(self, trial: int, key: str, recorded: Any) -> None:
        if key == "constraints" or key.startswith("constraints:"):
            self.attributes.append((trial, key, json.dumps(recorded)))

    def table(self, path: str, wanted: str | None) -> TrialTable:
        """Return the trials of one study."""
        by_name = {study.name: study for study in self.studies.values()}
        study = by_name[chosen_study(list(by_name), wanted, f"The journal {path!r}")]
        nothing = [np.nan] * len(study.directions)
        values = np.array([self.values[t] or nothing for t in study.trials], dtype=np.float64)
        trial_ids, ours = np.array(study.trials, dtype=np.int64), set(study.trials)
        return StudyRecords(
            trial_ids=trial_ids,
            states=[self.states[trial] for trial in study.trials],
            directions=study.directions,
            metrics=study.metrics,
            values=values.reshape(len(study.trials), len(study.directions)),
            constraints=(entry for entry in self.attributes if entry[0] in ours),
        ).table(self.records.parameters(trial_ids), self.notes)
