"""Experiment directories of Syne Tune: only metadata.json and results.csv.zip are read."""

from __future__ import annotations

import csv
import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from condped.errors import DataError, SettingsError, SpaceError
from condped.read.expected_layout import expected_layout
from condped.read.files.decompress import bounded
from condped.read.files.json_object import json_object
from condped.read.files.many_files import check_unique_columns
from condped.read.files.text_columns import column_of_texts
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.tools.drawing import recorded_drawing, recorded_times
from condped.safe_text import brief
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Space
from condped.trials.columns import Column
from condped.trials.course.drawing import SamplerKind, SamplerRecord
from condped.trials.course.reports import Reports
from condped.trials.table import State, TrialTable

_RESULTS, _METADATA = "results.csv.zip", "metadata.json"
_MARK = "config_"
_EMPTY = frozenset({""})  # what pandas writes for a missing value
_INDEPENDENT = ("RandomSearch", "GridSearch")
_CHOICES = ("Categorical", "Ordinal", "OrdinalNearestNeighbor")


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of a Syne Tune experiment, each with its last reported values.

    With a ``budget`` the values reported at that resource (such as an epoch) count instead.
    """
    options.refuse("a Syne Tune experiment", "study")
    folder = Path(source)
    about = _Metadata.read(folder / _METADATA)
    reports = _Reports.read(folder / _RESULTS)
    last = _select_reports(reports, about, options.budget)
    space = about.space() if options.space is None else options.space

    def column(name: str) -> Column:
        place = reports.places[name]
        cells = [row[place] for row in last.values()]
        if name.startswith(_MARK):
            # Not the words for a missing value: a choice may be called none.
            return column_of_texts(cells, space, name.removeprefix(_MARK), missing_words=_EMPTY)
        return column_of_texts(cells, None, name)

    parameters = [name for name in reports.places if name.startswith(_MARK)]
    return build_runs(
        RawRuns(
            parameters=RawTable(
                tuple(name.removeprefix(_MARK) for name in parameters),
                len(last),
                lambda name: column(_MARK + name),
            ),
            metrics=RawTable(
                tuple(name for name in reports.places if not name.startswith(_MARK)),
                len(last),
                column,
            ),
            states=np.array(
                [_state(reports, about, row, options.budget) for row in last.values()], np.int8
            ),
            objectives=about.metrics,
            directions=about.directions,
            space=space,
            notes=_notes(reports, about, last),
            drawing=recorded_drawing(len(last), about.samplers()),
            times=recorded_times(
                [None] * len(last),
                [reports.number(row, "st_tuner_time") for row in last.values()],
                _worker_times(reports, last),
            ),
            reports=_all_reports(reports, about, last, options) if options.reports else None,
        ),
        options,
        f"the Syne Tune experiment {folder.name!r}",
    )


@dataclass(frozen=True, slots=True)
class _Metadata:
    """What Syne Tune records about an experiment when it starts."""

    metrics: tuple[str, ...]
    directions: tuple[str, ...]
    config_space: str | None  # as JSON
    resource: str | None  # the metric that counts the epochs, for schedulers that stop early
    most: float | None  # its highest value
    scheduler: str | None = None

    @classmethod
    def read(cls, path: Path) -> _Metadata:
        remedy = "Restore it, as Syne Tune wrote it."
        found = json_object(path, remedy)
        with expected_layout(f"The file {str(path)!r}", "Syne Tune", remedy):
            return cls._of(found, path)

    @classmethod
    def _of(cls, found: Mapping[str, Any], path: Path) -> _Metadata:
        names = found.get("metric_names") or ()
        metrics = (names,) if isinstance(names, str) else tuple(map(str, names))
        modes = found.get("metric_mode", "min")
        listed = [modes] * len(metrics) if isinstance(modes, str) else modes
        if len(listed) != len(metrics) or not set(listed) <= {"min", "max"}:
            raise DataError(
                f"The file {str(path)!r} must have one metric_mode, min or max, for each of its "
                f"{len(metrics)} metric_names (got {brief(modes)})."
            )
        scheduler = found.get("scheduler_kwargs") or {}
        most = scheduler.get("max_t")
        return cls(
            metrics,
            tuple("maximize" if mode == "max" else "minimize" for mode in listed),
            found.get("config_space"),
            None if (unit := scheduler.get("time_attr")) is None else str(unit),
            most if isinstance(most, (int, float)) else None,
            found.get("scheduler_name"),
        )

    def samplers(self) -> tuple[SamplerRecord, ...]:
        """Return the scheduler as the sampler: its name shows how it draws."""
        if not isinstance(self.scheduler, str):
            return ()
        kind: SamplerKind = "independent" if self.scheduler in _INDEPENDENT else "other"
        return (SamplerRecord(self.scheduler, kind, f"the scheduler in {_METADATA}"),)

    def space(self) -> Space | None:
        """Return the domains, if they are recorded."""
        if self.config_space is None:
            return None
        try:
            plain = json.loads(self.config_space)
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(
                f"The config_space in {_METADATA} is not valid JSON: {error}. Give the domains "
                "as a space."
            ) from error
        return space_of(plain) or None


@dataclass(frozen=True, slots=True)
class _Reports:
    """The rows of the results: one per report of a trial, in the order of time."""

    places: dict[str, int]  # of the columns in a row
    rows: list[list[str]]

    @classmethod
    def read(cls, path: Path) -> _Reports:
        try:
            with zipfile.ZipFile(path) as archive:
                (member,) = archive.namelist()
                with bounded(archive.open(member), str(path)) as file:
                    text = file.read().decode("utf-8")
            lines = csv.reader(io.StringIO(text, newline=""), strict=True)
            names = next(lines, [])
            rows = list(lines)
        except OSError as error:
            raise DataError(f"The file {str(path)!r} cannot be read: {error.strerror}.") from error
        except (
            zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError,
            lzma.LZMAError,
        ) as error:  # fmt: skip
            raise DataError(f"The file {str(path)!r} is not a zip file: {error}.") from error
        except (csv.Error, ValueError) as error:
            raise DataError(f"The file {str(path)!r} holds no table: {error}.") from error
        check_unique_columns(str(path), names)
        if "trial_id" not in names:
            raise DataError(f"The table in {str(path)!r} has no column 'trial_id'.")
        for line, row in enumerate(rows, start=2):
            if len(row) != len(names):
                raise DataError(
                    f"Line {line} of the table in {str(path)!r} has {len(row)} cells, the header "
                    f"has {len(names)}."
                )
        return cls({name: place for place, name in enumerate(names)}, rows)

    def cell(self, row: list[str], name: str | None) -> str:
        """Return a row's text in a column, empty if there is no such column."""
        return row[self.places[name]] if name in self.places else ""

    def number(self, row: list[str], name: str | None) -> float | None:
        """Return a row's number in a column, if it has one."""
        try:
            return float(self.cell(row, name))
        except ValueError:
            return None


def _all_reports(
    reports: _Reports, about: _Metadata, last: Mapping[str, list[str]], options: ReadOptions
) -> Reports:
    """Return what trials reported at each value of the resource."""
    chosen = options.objective if isinstance(options.objective, str) else about.metrics[0]
    resource = about.resource or "st_worker_iter"
    rows = {trial: row for row, trial in enumerate(last)}
    found = []
    for row in reports.rows:
        step, value = reports.number(row, resource), reports.number(row, chosen)
        if step is not None and value is not None:
            found.append((rows[reports.cell(row, "trial_id")], step, value))
    return Reports.of(len(last), found)


def _worker_times(reports: _Reports, last: Mapping[str, list[str]]) -> list[float | None]:
    """Return how long each trial had worked at its last report.

    The clock of a trial restarts when it resumes after a pause.
    """
    clocks: dict[str, float] = {}
    totals: dict[str, float] = {}
    done: set[str] = set()
    for row in reports.rows:
        trial, now = reports.cell(row, "trial_id"), reports.number(row, "st_worker_time")
        if now is not None and trial not in done:
            before = clocks.get(trial, 0.0)
            totals[trial] = totals.get(trial, 0.0) + (now - before if now >= before else now)
            clocks[trial] = now
        if row is last.get(trial):
            done.add(trial)
    return [totals.get(trial) for trial in last]


def _select_reports(
    reports: _Reports, about: _Metadata, budget: float | None
) -> dict[str, list[str]]:
    """Return the row that counts for each trial, in the order of their start."""
    if budget is None:
        last = {reports.cell(row, "trial_id"): row for row in reports.rows}
    else:
        seen = {reports.number(row, about.resource) for row in reports.rows} - {None}
        if budget not in seen:
            known = ", ".join(f"{value:g}" for value in sorted(v for v in seen if v is not None))
            raise SettingsError(
                f"budget must be a value of the resource that the scheduler records "
                f"(got {budget:g}). Available: {known or 'none'}."
            )
        last = {
            reports.cell(row, "trial_id"): row
            for row in reports.rows
            if reports.number(row, about.resource) == budget
        }
    return dict(sorted(last.items(), key=lambda entry: (len(entry[0]), entry[0])))


def _state(reports: _Reports, about: _Metadata, row: list[str], budget: float | None) -> State:
    """Return the state of a trial after a report.

    The scheduler's decision comes first, since the status was recorded before it. It is STOP at
    the highest resource, too, where the trial is complete.
    """
    if budget is not None:
        return State.COMPLETE
    reached = reports.number(row, about.resource)
    whole = about.most is not None and reached is not None and reached >= about.most
    decision, status = reports.cell(row, "st_decision"), reports.cell(row, "st_status")
    if whole or status == "Completed":
        return State.COMPLETE
    if status == "Failed":
        return State.FAILED
    if decision in ("STOP", "PAUSE") or status in ("Stopped", "Stopping", "Paused"):
        return State.PRUNED
    # Before the highest resource of the scheduler: cut off with the experiment.
    return State.COMPLETE if about.most is None or reached is None else State.RUNNING


def _notes(reports: _Reports, about: _Metadata, last: Mapping[str, list[str]]) -> tuple[str, ...]:
    notes = []
    open_ended = [row for row in last.values() if reports.cell(row, "st_status") == "InProgress"]
    if open_ended and about.most is None:
        notes.append(
            "Syne Tune does not record what happened to a trial after its last report; trials in "
            f"progress at that time count as complete with its values: {len(open_ended)}."
        )
    known = {reports.cell(row, "trial_id") for row in reports.rows}
    if len(known) > len(last):
        notes.append(f"Trials without a report at this budget left out: {len(known) - len(last)}.")
    numbers = [int(trial) for trial in known if trial.isdecimal()]
    silent = max(numbers, default=-1) + 1 - len(numbers)
    if silent > 0:
        notes.append(
            f"Trials that reported nothing, which Syne Tune does not record: {silent} or more."
        )
    return tuple(notes)


def space_of(plain: Mapping[str, Any]) -> Space:
    """Return the domains of a Syne Tune ``config_space``; constants are not parameters."""
    domains: dict[str, Domain] = {}
    notes = []
    for name, entry in plain.items():
        if not isinstance(entry, Mapping):  # a constant
            continue
        try:
            domain = _domain(entry)
        except (KeyError, TypeError, ValueError) as error:
            raise SpaceError(
                f"The domain of {name!r} in Syne Tune's config_space cannot be read ({error}). "
                "Give the domains as a space."
            ) from error
        if not domain.single:
            domains[name] = domain
        if "Quantized" in str(entry.get("sampler_cls")):
            notes.append(
                f"{' '.join(name.split())}: taken as linear; Syne Tune does not record the scale "
                "of quantized ranges."
            )
    return Space(domains, notes=notes)


def _domain(entry: Mapping[str, Any]) -> Domain:
    kind, fields = entry["domain_cls"], entry["domain_kwargs"]
    if kind in _CHOICES:
        return Categorical(fields["categories"])
    log = entry.get("sampler_cls") == "LogUniform"
    if kind == "Float":
        return Float(fields["lower"], fields["upper"], log=log)
    if kind == "Integer":
        return Int(fields["lower"], fields["upper"], log=log)
    if kind == "FiniteRange":
        return _finite_range(fields)
    raise ValueError(f"unknown kind {kind!r}")


def _finite_range(fields: Mapping[str, Any]) -> Domain:
    low, high, whole = fields["lower"], fields["upper"], bool(fields["cast_int"])
    if fields["log_scale"]:
        if whole:
            return Int(round(low), round(high), log=True)
        return Float(low, high, log=True)
    step = (high - low) / max(fields["size"] - 1, 1)
    if whole:  # rounded values lie on steps only if the steps are whole
        exact = step >= 1 and step == int(step) and low == int(low)
        return Int(round(low), round(high), step=int(step) if exact else 1)
    if step == 0:
        return Float(low, high)
    # By rounding, the last step may fall short of the upper end.
    domain = Float(low, high, step=step)
    return domain if domain.high > high - step / 2 else Float(low, high)
