"""Operations of a journal, replayed into columns.

The rules of the replay are Optuna's: operations on missing studies or on trials that have ended,
and parameters that clash with earlier ones, have no effect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from operator import itemgetter
from typing import Any

import numpy as np

from condped.errors import DataError
from condped.read.optuna.drawing import DrawingLog, DrawingRecords
from condped.read.optuna.journals.operations import COLUMNS, SET_PARAMETER
from condped.read.optuna.objective import Attribute
from condped.read.optuna.records import (
    ParameterRecords,
    StudyRecords,
    Violations,
    domain_of,
    objective_names,
    select_study,
    states_of,
)
from condped.read.seconds import seconds
from condped.safe_text import brief
from condped.space.domain import Categorical
from condped.trials.course.drawing import MOST_RECORDED
from condped.trials.course.times import Times
from condped.trials.table import TrialTable

# Optuna's numbers, which the journal writes in place of names.
_STATES = ("RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING")
_ENDED = ("COMPLETE", "PRUNED", "FAIL")
_DIRECTIONS = ("NOT_SET", "MINIMIZE", "MAXIMIZE")


class Study:
    """One study of the journal."""

    def __init__(self, name: str, directions: list[int]) -> None:
        self.name = name
        self.directions = [_DIRECTIONS[direction] for direction in directions]
        self.metrics: list[str] | None = None
        self.keys: dict[str, None] = {}  # of system attributes
        self.trials: list[int] = []
        self.kinds: dict[str, object] = {}  # of each parameter, as first recorded


class Replay:
    """The state of a storage after some batches of operations.

    Most operations set a parameter. They are extracted from a batch together, and kept if their
    trial was open at that point of the journal.
    """

    def __init__(
        self, place: str, attribute: Attribute | None, *, all_reports: bool, watched: bool = False
    ) -> None:
        self.storage = place  # its name in messages
        # Trials with new records since the last update; None if nobody follows the journal.
        self.touched: set[int] | None = set() if watched else None
        # Reports: the trial, the step and the value.
        self.reports: list[tuple[int, int, Any]] | None = [] if all_reports else None
        self.attribute = attribute  # the requested one, besides what is always read
        self.recorded: dict[int, Any] = {}  # its values, by trial
        self.keys: dict[Any, None] = {}  # of all attributes of its kind
        self.studies: dict[int, Study] = {}
        self.names: set[str] = set()  # of the existing studies
        self.created = 0  # studies, deleted ones included
        self.owners: list[int] = []  # the study of each trial
        self.states: list[str] = []
        self.begun: list[float] = []  # place in the journal at which a trial was created
        self.ended: list[float] = []  # and at which it ended
        self.values: list[list[float] | None] = []
        self.attributes: list[tuple[int, str, Any]] = []
        self.started: dict[int, Any] = {}
        self.finished: dict[int, Any] = {}
        self.log = DrawingLog()
        self.records = ParameterRecords(place)
        self.kinds: dict[str, object] = {}  # of each distribution's text
        self.place = 0  # of the operation that is being applied
        self.others: dict[int, Callable[[dict[str, Any]], None]] = {
            0: self._create_study,
            1: self._delete_study,
            3: self._set_study_attribute,
            4: self._create_trial,
            6: self._set_state,
            7: self._report,
            9: self._set_attribute,
        }
        if attribute is not None and not attribute.reported:
            self.others[8] = self._set_user_attribute

    def apply(self, operations: list[dict[str, Any]]) -> None:
        """Apply a batch of operations; those that affect nothing we read are skipped."""
        codes = list(map(itemgetter("op_code"), operations))
        # A trial that is added as a whole may be the first with a parameter, and later ones must be
        # compatible with it: the batch is split there.
        others = [place for place, code in enumerate(codes) if code != SET_PARAMETER]
        whole = [place for place in others if "distributions" in operations[place]]
        if whole:
            for start, end in pairwise([0, *whole, len(operations)]):
                self._apply(operations[start:end], codes[start:end])
        else:
            self._apply(operations, codes)

    def _apply(self, operations: list[dict[str, Any]], codes: list[int]) -> None:
        start = self.place
        places = [place for place, code in enumerate(codes) if code == SET_PARAMETER]
        for place, code in enumerate(codes):
            if code in self.others:
                self.place = start + place
                self.others[code](operations[place])
        self.place = start + len(operations)
        # Columns rather than records: no object per parameter of a trial, which the garbage
        # collector would have to visit.
        setting = [operations[place] for place in places]
        columns = [list(map(itemgetter(name), setting)) for name in COLUMNS]
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
        self._touch(columns[0])

    def _touch(self, trials: Iterable[int]) -> None:
        if self.touched is not None:
            self.touched.update(trials)

    def _clashes(self, owner: int, name: str, text: str) -> bool:
        """Return whether a domain is incompatible with earlier ones of its parameter."""
        if text not in self.kinds:
            domain = domain_of(text)
            whole = isinstance(domain, Categorical)  # choices must not change at all
            self.kinds[text] = domain if whole else (type(domain), getattr(domain, "log", None))
        study = self.studies.get(owner)
        kind = self.kinds[text]
        return study is None or study.kinds.setdefault(name, kind) != kind

    def _create_study(self, operation: dict[str, Any]) -> None:
        name = operation["study_name"]
        if name not in self.names:
            self.names.add(name)
            self.studies[self.created] = Study(name, operation["directions"])
            self.created += 1

    def _delete_study(self, operation: dict[str, Any]) -> None:
        study = self.studies.pop(operation["study_id"], None)
        if study is not None:
            self.names.remove(study.name)

    def _set_study_attribute(self, operation: dict[str, Any]) -> None:
        study = self.studies.get(operation["study_id"])
        if study is not None:
            study.metrics = operation["system_attr"].get("study:metric_names", study.metrics)
            study.keys.update(dict.fromkeys(operation["system_attr"]))

    def _create_trial(self, operation: dict[str, Any]) -> None:
        study = self.studies.get(operation["study_id"])
        if study is None:
            return
        trial, state = len(self.owners), _STATES[operation.get("state", 0)]
        self._touch([trial])
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
            # The parameters of such a trial are kept, whether or not they clash with others.
            for name, text in zip(names, texts, strict=True):
                self._clashes(operation["study_id"], name, text)
            self.records.add([trial] * len(names), names, values, texts)
        self._note_times(trial, operation)
        for key, recorded in operation.get("system_attrs", {}).items():
            self._note_attribute(trial, key, recorded)
        for step, value in operation.get("intermediate_values", {}).items():
            self._note_report(trial, int(step), value)  # JSON's keys are texts
        if self.attribute is not None and not self.attribute.reported:
            self._keep_requested(trial, operation.get("user_attrs", {}))

    def _set_state(self, operation: dict[str, Any]) -> None:
        trial, state = operation["trial_id"], _STATES[operation["state"]]
        if self.is_open(trial):
            self.states[trial] = state
            self._touch([trial])
            self._note_times(trial, operation)
            if state in _ENDED:
                self.ended[trial] = self.place
            if operation["values"] is not None:
                self.values[trial] = operation["values"]

    def _set_attribute(self, operation: dict[str, Any]) -> None:
        if self.is_open(operation["trial_id"]):
            for key, recorded in operation["system_attr"].items():
                self._note_attribute(operation["trial_id"], key, recorded)

    def _report(self, operation: dict[str, Any]) -> None:
        if self.is_open(operation["trial_id"]):
            self._note_report(
                operation["trial_id"], operation["step"], operation["intermediate_value"]
            )

    def _note_report(self, trial: int, step: int, value: Any) -> None:
        if self.reports is not None:
            self.reports.append((trial, step, value))
        if self.attribute is not None and self.attribute.reported:
            self._keep_requested(trial, {step: value})
        if self._logs(trial):
            self.log.add_report(trial, step, value)

    def _note_times(self, trial: int, operation: dict[str, Any]) -> None:
        for name, times in (
            ("datetime_start", self.started),
            ("datetime_complete", self.finished),
        ):
            if name in operation:
                times[trial] = operation[name]

    def _set_user_attribute(self, operation: dict[str, Any]) -> None:
        if self.is_open(operation["trial_id"]):
            self._keep_requested(operation["trial_id"], operation["user_attr"])

    def _keep_requested(self, trial: int, entries: dict[Any, Any]) -> None:
        assert self.attribute is not None
        self.keys.update(dict.fromkeys(entries))
        if self.attribute.key in entries:
            self.recorded[trial] = entries[self.attribute.key]
            self._touch([trial])

    def _note_attribute(self, trial: int, key: str, recorded: Any) -> None:
        if key == "constraints" or key.startswith("constraints:"):
            self.attributes.append((trial, key, recorded))
            self._touch([trial])
        if self._logs(trial):
            self.log.add_attribute(trial, key, recorded)

    def _logs(self, trial: int) -> bool:
        """Return whether the study of a trial is small enough to keep how trials were drawn."""
        study = self.studies.get(self.owners[trial])
        return study is not None and len(study.trials) <= MOST_RECORDED

    def study(self, requested: str | None) -> Study:
        """Return the requested study, or the only one."""
        by_name = {study.name: study for study in self.studies.values()}
        return by_name[select_study(list(by_name), requested, self.storage)]

    def table(self, study: Study) -> TrialTable:
        """Return the trials of one study."""
        records = replace(self.study_records(study, study.trials), recorded=self.drawing(study))
        return records.table(self.records.parameters(records.trial_ids))

    def study_records(self, study: Study, trials: Sequence[int]) -> StudyRecords:
        """Return what is recorded about some trials of a study, given in order."""
        count = len(study.directions)
        for number, trial in enumerate(trials):
            if (held := self.values[trial]) and len(held) != count:
                raise DataError(
                    f"{self.storage} is damaged: trial {number} of the study {brief(study.name)} "
                    f"has {len(held)} values for {count} objectives. Correct the operation that "
                    "recorded them."
                )
        objective_names(study.directions, study.metrics, self.storage)
        nothing = [np.nan] * count
        values = np.array([self.values[t] or nothing for t in trials], dtype=np.float64)
        trial_ids, ours = np.array(trials, dtype=np.int64), set(trials)
        return StudyRecords(
            trial_ids=trial_ids,
            states=states_of([self.states[trial] for trial in trials]),
            directions=study.directions,
            metrics=study.metrics,
            values=values.reshape(len(trials), len(study.directions)),
            violations=Violations.of(
                trial_ids, (entry for entry in self.attributes if entry[0] in ours)
            ),
            times=Times.between(
                seconds([self.started.get(trial) for trial in trials]),
                seconds([self.finished.get(trial) for trial in trials]),
            ),
        )

    def owner(self, trial: int) -> Study | None:
        """Return the study of a trial; None if it was deleted."""
        return self.studies.get(self.owners[trial])

    def is_open(self, trial: int) -> bool:
        """Return whether a trial exists and has not ended."""
        return trial < len(self.owners) and self.states[trial] not in _ENDED

    def drawing(self, study: Study) -> Callable[[], DrawingRecords] | None:
        """Return how the trials of a study were drawn; None if it is too large."""
        if len(study.trials) > MOST_RECORDED:
            return None
        records = self.log.records(study.trials, study.keys)
        return lambda: records


@dataclass(frozen=True, slots=True)
class ReplayedAttributes:
    """The requested attribute in the trials of one study."""

    replay: Replay
    trials: list[int]

    def recorded(self, attribute: Attribute) -> dict[int, Any]:
        held = self.replay.recorded
        return {row: held[trial] for row, trial in enumerate(self.trials) if trial in held}

    def known(self, attribute: Attribute) -> list[Any]:
        return sorted(self.replay.keys)

    def reported(self) -> Iterator[tuple[int, float, float]]:
        rows = {trial: row for row, trial in enumerate(self.trials)}
        for trial, step, value in self.replay.reports or ():
            if trial in rows:
                yield rows[trial], step, math.nan if value is None else float(value)
