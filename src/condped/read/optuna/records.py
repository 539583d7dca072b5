"""Optuna's records, shared by the readers of its storages.

A storage holds one record per trial and parameter. They are collected in arrays and split by
parameter at the end, without an object per trial.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from condped.arrays import FloatArray, IdArray, IntArray, ValueArray
from condped.errors import DataError, SettingsError
from condped.read.each_study import matching, unknown_study
from condped.read.expansion import check_cells
from condped.read.optuna.drawing import DrawingRecords
from condped.read.table.convert_values import nearest_integers
from condped.safe_text import brief
from condped.space.domain import Categorical, Domain, Float, Int, is_whole
from condped.trials.course.drawing import DeferredDrawing, Drawing
from condped.trials.course.times import Times
from condped.trials.table import (
    ABSENT,
    Objective,
    Parameter,
    State,
    TrialTable,
    all_complete,
    id_dtype,
)

STATES = {
    "COMPLETE": State.COMPLETE,
    "PRUNED": State.PRUNED,
    "FAIL": State.FAILED,
    "RUNNING": State.RUNNING,
    "WAITING": State.RUNNING,
}
# Names that Optuna gave to distributions before version 3, and what they are now.
_OLD_NAMES = {
    "UniformDistribution": ("Float", False),
    "LogUniformDistribution": ("Float", True),
    "DiscreteUniformDistribution": ("Float", False),
    "IntUniformDistribution": ("Int", False),
    "IntLogUniformDistribution": ("Int", True),
}


@dataclass(frozen=True, slots=True)
class Violations:
    """Constraint values of trials.

    Attributes
    ----------
    names
        Names of the constraints, in the order of the first trials that recorded them.
    values
        (trials, constraints), NaN where nothing is recorded; None without any.
    """

    names: tuple[str | int, ...] = ()
    values: FloatArray | None = None

    @classmethod
    def of(cls, trial_ids: IntArray, records: Iterable[tuple[int, str, Any]]) -> Violations:
        """Return the values from records of a trial, a key, and the value recorded under it."""
        names = _Numbering()
        trials: list[int] = []
        places: list[int] = []
        values: list[float] = []
        for trial, key, recorded in records:
            try:
                # Optuna 5 writes one number per constraint, before it was one list for all.
                several = (
                    dict(enumerate(recorded or ())) if key == "constraints" else {key: recorded}
                )
                numbers = {n: float(value) for n, value in several.items() if value is not None}
            except (OverflowError, TypeError, ValueError):
                row = int(np.searchsorted(trial_ids, trial))
                raise DataError(
                    f"Trial {row} of the study records {brief(key)} as {brief(recorded)}. It must "
                    "hold numbers, above 0 if the constraint is violated. Correct the trial.",
                    first_row=row,
                ) from None
            for name, number in numbers.items():
                trials.append(trial)
                places.append(names[name])
                values.append(number)
        if not values:
            return cls()
        rows, columns = np.searchsorted(trial_ids, trials), np.array(places)
        check_cells(len(trial_ids) * len(names), len(values), "The study's constraints", "values")
        found = np.full((len(trial_ids), len(names)), np.nan)
        found[rows, columns] = values
        _, first = np.unique(columns[np.argsort(rows, kind="stable")], return_index=True)
        order = np.argsort(first)
        known = tuple(names)
        return cls(tuple(known[place] for place in order), found[:, order])


@dataclass(frozen=True, slots=True)
class StudyRecords:
    """A study as a storage holds it, without its parameters."""

    trial_ids: IntArray  # ascending
    states: npt.NDArray[np.int8]
    directions: Sequence[str]  # Optuna's names
    metrics: Sequence[str] | None
    values: FloatArray  # (trials, objectives), NaN where nothing is recorded
    violations: Violations
    times: Times
    # How the trials were drawn, assembled on demand.
    recorded: Callable[[], DrawingRecords] | None = None

    def table(self, parameters: tuple[Parameter, ...]) -> TrialTable:
        """Return the study's trials."""
        return TrialTable(
            parameters=parameters,
            objectives=tuple(
                Objective(
                    name,
                    np.ascontiguousarray(self.values[:, place]),
                    "maximize" if word == "MAXIMIZE" else "minimize",
                )
                for place, (name, word) in enumerate(
                    zip(
                        objective_names(self.directions, self.metrics), self.directions, strict=True
                    )
                )
            ),
            states=self.states,
            violations=self.violations.values,
            drawing=self._drawing(parameters),
            times=self.times,
        )

    def _drawing(self, parameters: tuple[Parameter, ...]) -> Drawing | None:
        if self.recorded is None:
            return None
        recorded, values, times = self.recorded, self.values, self.times
        signs = [-1.0 if word == "MAXIMIZE" else 1.0 for word in self.directions]
        return DeferredDrawing(lambda: recorded().drawing(parameters, values, signs, times))


def objective_names(
    directions: Sequence[str], metrics: Sequence[str] | None, place: str = "The study"
) -> tuple[str, ...]:
    """Return the names of objectives: those recorded, or else those of Optuna's dataframe."""
    count = len(directions)
    if metrics:
        if len(metrics) != count:
            raise DataError(
                f"{place} is damaged: a study has {count} directions, but names {len(metrics)} "
                "metrics (study:metric_names). Name all of its objectives, or none."
            )
        return tuple(metrics)
    return ("value",) if count == 1 else tuple(f"values_{place}" for place in range(count))


def states_of(names: Sequence[str]) -> npt.NDArray[np.int8]:
    """Return the states of trials from Optuna's names."""
    if all(name == "COMPLETE" for name in names):
        return all_complete(len(names))
    return np.array([STATES[name] for name in names], dtype=np.int8)


def select_study(names: Sequence[str], requested: str | None, place: str) -> str:
    """Return the study to read: the requested one, or the only one."""
    if requested is not None:
        if requested not in names:
            raise unknown_study("study", requested, names)
        return requested
    if len(names) == 1:
        return names[0]
    if not names:
        raise DataError(f"{place} holds no study.")
    listed = ", ".join(map(repr, names[:12]))
    raise SettingsError(
        f"{place} holds {len(names)} studies: name one with the option study, on the command "
        f"line --study ({listed})."
    )


def choose_studies(names: Sequence[str], patterns: Sequence[str], place: str) -> list[str]:
    """Return the studies to read: those whose names match patterns such as ``xgb-*``, or all."""
    if not names:
        raise DataError(f"{place} holds no study.")
    return matching(names, patterns)


def domain_of(text: str) -> Domain:
    """Return the domain of a distribution's JSON, of any version of Optuna."""
    try:
        return _domain_of(text)
    except KeyError as error:
        reason = f"it lacks {error}"
    except (AttributeError, ArithmeticError, RecursionError, TypeError, ValueError) as error:
        reason = str(error).rstrip(".")
    raise DataError(f"the distribution {brief(text)} is not one of Optuna's: {reason}.")


def _domain_of(text: str) -> Domain:
    record = json.loads(text)
    fields: dict[str, Any] = record.get("attributes", record)
    kind = record.get("name") or record["type"]
    kind = kind if kind.endswith("Distribution") else f"{kind.capitalize()}Distribution"
    if kind == "CategoricalDistribution":
        return Categorical(fields["choices"])
    if kind in _OLD_NAMES:
        name, log = _OLD_NAMES[kind]
    elif kind in ("FloatDistribution", "IntDistribution"):
        name, log = kind.removesuffix("Distribution"), fields.get("log", False)
    else:
        raise DataError(f"unknown type {brief(kind)}")
    step = fields.get("step", fields.get("q"))
    if name == "Int":
        return Int(fields["low"], fields["high"], log, 1 if log or step is None else step)
    return Float(fields["low"], fields["high"], log, step)


class _Numbering(dict[Any, int]):
    """Numbers things in order of first appearance."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number


@dataclass(slots=True)
class ParameterRecords:
    """Records of (trial, parameter, value, distribution), gathered block by block.

    ``place`` is the name of the storage in messages.
    """

    place: str
    names: _Numbering = field(default_factory=_Numbering)
    texts: _Numbering = field(default_factory=_Numbering)  # distributions as JSON
    trials: list[IntArray] = field(default_factory=list)
    owners: list[IntArray] = field(default_factory=list)  # numbers of names
    domains: list[IntArray] = field(default_factory=list)  # numbers of texts
    values: list[FloatArray] = field(default_factory=list)

    def add(
        self,
        trials: Sequence[int],
        names: Iterable[str],
        values: Sequence[float],
        texts: Iterable[str],
    ) -> None:
        """Add a block of records."""
        count = len(trials)
        self.trials.append(np.fromiter(trials, np.int64, count))
        self.owners.append(np.fromiter(map(self.names.__getitem__, names), np.int64, count))
        self.domains.append(np.fromiter(map(self.texts.__getitem__, texts), np.int64, count))
        self.values.append(np.fromiter(values, np.float64, count))

    def parameters(self, trial_ids: IntArray) -> tuple[Parameter, ...]:
        """Split the records of trials (in order of id) by parameter; others are skipped."""
        if not self.trials or not len(trial_ids):
            return ()
        self._join()
        between = slice(*np.searchsorted(self.trials[0], [trial_ids[0], trial_ids[-1] + 1]))
        trials, owners = self.trials[0][between], self.owners[0][between]
        domains, values = self.domains[0][between], self.values[0][between]
        rows = np.searchsorted(trial_ids, trials)
        rows[rows == len(trial_ids)] = 0
        ours = trial_ids[rows] == trials
        order = np.flatnonzero(ours)[np.argsort(owners[ours], kind="stable")]
        edges = np.searchsorted(owners[order], np.arange(len(self.names) + 1))
        columns = int(np.count_nonzero(np.diff(edges)))
        check_cells(len(trial_ids) * columns, len(order), self.place, "values of parameters")
        # Texts that describe the same domain share its number.
        known = _Numbering()
        places, first, used = np.unique(domains[order], return_index=True, return_inverse=True)
        texts, names = list(self.texts), list(self.names)
        numbers = np.zeros(len(places), dtype=np.int64)
        for number, (place, one) in enumerate(zip(places, order[first], strict=True)):
            try:
                numbers[number] = known[domain_of(texts[place])]
            except DataError as error:
                reason = str(error).rstrip(".")
                raise self._damage_error(names[owners[one]], rows[one], reason) from None
        found, own = tuple(known), numbers[used]
        made = {}
        for name, start, end in zip(names, edges[:-1], edges[1:], strict=True):
            part = order[start:end]
            if len(part):
                recorded, places = values[part], own[start:end]
                self._check_positions(name, rows[part], recorded, places, found)
                parameter = _RecordsOfParameter(len(trial_ids), rows[part], places, found)
                made[part[0]] = parameter.build(name, recorded)
        # In the order of the first trial that has each, whenever it was recorded.
        return tuple(made[first] for first in sorted(made))

    def _check_positions(
        self,
        name: str,
        rows: IntArray,
        values: FloatArray,
        places: IntArray,
        known: tuple[Domain, ...],
    ) -> None:
        """Raise if a choice is not recorded as its position; ``places`` are in ``known``."""
        for place in np.unique(places).tolist():
            domain = known[place]
            if isinstance(domain, Categorical):
                count = len(domain.choices)
                wrong = (places == place) & ~np.isin(values, np.arange(count))
                if wrong.any():
                    one = int(np.argmax(wrong))
                    what = f"a choice is recorded as its position from 0 to {count - 1}"
                    raise self._damage_error(name, rows[one], f"{what} (got {values[one]:g})")

    def _damage_error(self, name: str, row: int, what: str) -> DataError:
        """Return the error for a parameter of a trial that is not recorded as Optuna does."""
        return DataError(
            f"{self.place} is damaged: in trial {row} the parameter {brief(name)} cannot be read: "
            f"{what}. Restore it, or correct what is recorded.",
            column=name,
            first_row=int(row),
        )

    def keep(self, trials: IntArray) -> None:
        """Forget the records of all other trials."""
        if self.trials:
            self._join()
            kept = np.isin(self.trials[0], trials)
            self.trials, self.owners = [self.trials[0][kept]], [self.owners[0][kept]]
            self.domains, self.values = [self.domains[0][kept]], [self.values[0][kept]]

    def count(self, trials: IntArray) -> int:
        """Return the number of records of some trials."""
        return sum(int(np.isin(block, trials).sum()) for block in self.trials)

    def _join(self) -> None:
        """Join all blocks into one, sorted by trial: the records of a study are then a slice."""
        if len(self.trials) > 1 or (np.diff(self.trials[0]) < 0).any():
            order = np.argsort(np.concatenate(self.trials), kind="stable")
            self.trials = [np.concatenate(self.trials)[order]]
            self.owners = [np.concatenate(self.owners)[order]]
            self.domains = [np.concatenate(self.domains)[order]]
            self.values = [np.concatenate(self.values)[order]]


@dataclass(frozen=True, slots=True)
class _RecordsOfParameter:
    """One parameter's records, to be placed in the rows of their trials."""

    trials: int
    rows: IntArray  # of the trials that have it
    places: IntArray  # of their domains in ``known``
    known: tuple[Domain, ...]

    def build(self, name: str, values: FloatArray) -> Parameter:
        """Return the parameter, its domains in order of first appearance."""
        used, first, inverse = np.unique(self.places, return_index=True, return_inverse=True)
        by_appearance = np.argsort(first)
        domains = tuple(self.known[place] for place in used[by_appearance])
        ids = np.full(self.trials, ABSENT, dtype=id_dtype(len(domains)))
        ids[self.rows] = np.argsort(by_appearance)[inverse]
        spread = np.zeros(self.trials)
        spread[self.rows] = values
        # Not the number of records: a trial may have several, of which the last one counts.
        return parameter_of(name, spread, ids, domains, int(np.count_nonzero(ids != ABSENT)))


def parameter_of(
    name: str, numbers: FloatArray, ids: IdArray, domains: tuple[Domain, ...], present: int
) -> Parameter:
    """Return a parameter that ``present`` trials have, from the numbers that Optuna records."""
    if len(domains) == 1 and present == len(ids):
        ids = np.broadcast_to(ids.dtype.type(0), len(ids))
    values: ValueArray = numbers
    kinds = {type(domain) for domain in domains}
    if kinds == {Int}:
        values = np.rint(numbers)
        if is_whole(domains):
            values = nearest_integers(values)
    elif kinds == {Categorical}:  # recorded as the position of the choice
        values = numbers.astype(np.int32)
    return Parameter(name, values, ids, domains)
