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

from condped.arrays import FloatArray, IntArray, ValueArray
from condped.errors import DataError, SettingsError
from condped.read.each_study import matching, unknown_study
from condped.read.optuna.drawing import DrawingRecords
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
class StudyRecords:
    """A study as a storage holds it, without its parameters."""

    trial_ids: IntArray  # ascending
    states: npt.NDArray[np.int8]
    directions: Sequence[str]  # Optuna's names
    metrics: Sequence[str] | None
    values: FloatArray  # (trials, objectives), NaN where nothing is recorded
    # Trial, key, and what is recorded: one number per constraint, or a list for all of them.
    constraints: Iterable[tuple[int, str, Any]]
    times: Times
    # How the trials were drawn, put together if asked for.
    recorded: Callable[[], DrawingRecords] | None = None

    def table(self, parameters: tuple[Parameter, ...]) -> TrialTable:
        """Return the study's trials."""
        count = len(self.directions)
        # Without recorded names, what Optuna's dataframe calls them.
        unnamed = ["value"] if count == 1 else [f"values_{place}" for place in range(count)]
        return TrialTable(
            parameters=parameters,
            objectives=tuple(
                Objective(
                    name,
                    np.ascontiguousarray(self.values[:, place]),
                    "maximize" if word == "MAXIMIZE" else "minimize",
                )
                for place, (name, word) in enumerate(
                    zip(self.metrics or unnamed, self.directions, strict=True)
                )
            ),
            states=self.states,
            violations=_violations(self.trial_ids, self.constraints),
            drawing=self._drawing(parameters),
            times=self.times,
        )

    def _drawing(self, parameters: tuple[Parameter, ...]) -> Drawing | None:
        if self.recorded is None:
            return None
        recorded, values, times = self.recorded, self.values, self.times
        signs = [-1.0 if word == "MAXIMIZE" else 1.0 for word in self.directions]
        return DeferredDrawing(lambda: recorded().drawing(parameters, values, signs, times))


def states_of(names: Sequence[str]) -> npt.NDArray[np.int8]:
    """Return how trials ended, from Optuna's names."""
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
        f"{place} holds {len(names)} studies: name one with the option study ({listed})."
    )


def choose_studies(names: Sequence[str], patterns: Sequence[str], place: str) -> list[str]:
    """Return the studies to read: those whose names match patterns such as ``xgb-*``, or all."""
    if not names:
        raise DataError(f"{place} holds no study.")
    return matching("study", names, patterns)


def domain_of(text: str) -> Domain:
    """Return the domain of a distribution's JSON, of any version of Optuna."""
    record = json.loads(text)
    fields: dict[str, Any] = record.get("attributes", record)
    kind = record.get("name") or record["type"]
    kind = kind if kind.endswith("Distribution") else f"{kind.capitalize()}Distribution"
    if kind == "CategoricalDistribution":
        return Categorical(fields["choices"])
    if kind in _OLD_NAMES:
        name, log = _OLD_NAMES[kind]
    elif kind in ("FloatDistribution", "IntDistribution"):
        name, log = kind.removesuffix("Distribution"), bool(fields.get("log", False))
    else:
        raise DataError(f"The study uses an unknown distribution {kind!r}: {text}")
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
    """Records of (trial, parameter, value, distribution), gathered block by block."""

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
        """Split the records by parameter; ``trial_ids`` ascend, and others' records are skipped."""
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
        # Texts that describe the same domain share its number.
        known = _Numbering()
        places, used = np.unique(domains[order], return_inverse=True)
        texts = list(self.texts)
        numbers = np.array([known[domain_of(texts[place])] for place in places], dtype=np.int64)
        found, own = tuple(known), numbers[used]
        made = []
        for name, start, end in zip(self.names, edges[:-1], edges[1:], strict=True):
            part = order[start:end]
            if len(part):
                parameter = _RecordsOfParameter(len(trial_ids), rows[part], own[start:end], found)
                made.append(parameter.build(name, values[part]))
        return tuple(made)

    def _join(self) -> None:
        """Make all blocks one, sorted by trial: each study's records are then found at once."""
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
        if len(domains) == 1 and len(self.rows) == self.trials:
            ids = np.broadcast_to(ids.dtype.type(0), self.trials)
        spread: ValueArray = np.zeros(self.trials)
        spread[self.rows] = values
        kinds = {type(domain) for domain in domains}
        if kinds == {Int}:
            spread = np.rint(spread)
            spread = spread.astype(np.int64) if is_whole(domains) else spread
        elif kinds == {Categorical}:  # the position of the choice is what is recorded
            spread = spread.astype(np.int32)
        return Parameter(name, spread, ids, domains)


def _violations(trial_ids: IntArray, records: Iterable[tuple[int, str, Any]]) -> FloatArray | None:
    """Return constraint values from the trials' records of them."""
    names = _Numbering()
    trials: list[int] = []
    places: list[int] = []
    values: list[float] = []
    for trial, key, recorded in records:
        # Optuna 5 writes one number per constraint, before it was one list for all.
        several = dict(enumerate(recorded or ())) if key == "constraints" else {key: recorded}
        for name, value in several.items():
            if value is not None:
                trials.append(trial)
                places.append(names[name])
                values.append(float(value))
    if not values:
        return None
    violations = np.full((len(trial_ids), len(names)), np.nan)
    violations[np.searchsorted(trial_ids, trials), places] = values
    return violations
