"""The trials of a source, study by study, where a column says which study each belongs to.

Studies are read in waves: one pass collects the trials of as many as fit into a fixed amount of
memory. One that is too large for that stays in its source, and every question about it is a pass of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic

import numpy as np

from condped.arrays import IntArray
from condped.trials.batch import Batch, Fold, Schema, Source, State, TableSource
from condped.trials.joining import joined
from condped.trials.notes import Notes
from condped.trials.studies import StudyLabels
from condped.trials.table import ABSENT, TrialTable
from condped.trials.where import only_where

VALUES_AT_A_TIME = 1 << 24  # in memory; 128 MiB of floats


@dataclass(slots=True)
class StudySizes:
    """How many trials studies have.

    Attributes
    ----------
    trials, first
        Of each study: how many trials it has, and where the first one is.
    unnamed
        Trials that belong to no study.
    noted
        The readers' notes on the rows.
    """

    trials: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    unnamed: int = 0
    noted: Notes = field(default_factory=Notes)

    def add(self, labels: StudyLabels, order: IntArray) -> None:
        """Add the trials of a batch."""
        counts = np.bincount(labels.codes + 1, minlength=len(labels.names) + 1).tolist()
        self.unnamed += counts[0]
        for place, name in enumerate(labels.names):
            if counts[place + 1]:
                start = int(order[int(np.argmax(labels.codes == place))])
                self._add(name, counts[place + 1], start)

    def merge(self, other: StudySizes) -> None:
        """Add the sizes that another worker found."""
        self.unnamed += other.unnamed
        self.noted.merge(other.noted)
        for name, count in other.trials.items():
            self._add(name, count, other.first[name])

    def _add(self, name: str, trials: int, start: int) -> None:
        self.trials[name] = self.trials.get(name, 0) + trials
        self.first[name] = min(start, self.first.get(name, start))


@dataclass(frozen=True, slots=True)
class SizesFold:
    """Counts the trials of each study."""

    what: str = "Looking for studies"

    @property
    def parameters(self) -> tuple[str, ...]:
        return ()

    def start(self) -> StudySizes:
        return StudySizes()

    def add(self, state: StudySizes, batch: Batch) -> None:
        state.noted.add(batch.notes)
        state.add(_labels(batch.table), batch.order)

    def merge(self, state: StudySizes, other: StudySizes) -> None:
        state.merge(other)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some trials of the studies that are collected, and their places in time."""

    table: TrialTable
    labels: StudyLabels
    order: IntArray


@dataclass(slots=True)
class CollectedTrials:
    """Trials of some studies, and the readers' notes on all rows."""

    parts: list[Part] = field(default_factory=list)
    noted: Notes = field(default_factory=Notes)


@dataclass(frozen=True, slots=True)
class CollectFold:
    """Collects the trials of some studies."""

    studies: frozenset[str]
    parameters: tuple[str, ...]
    what: str = "Collecting studies"

    def start(self) -> CollectedTrials:
        return CollectedTrials()

    def add(self, state: CollectedTrials, batch: Batch) -> None:
        state.noted.add(batch.notes)
        labels = _labels(batch.table)
        requested = np.array([*(name in self.studies for name in labels.names), False])
        rows = np.flatnonzero(requested[labels.codes])
        if rows.size:
            # Without what would keep columns of the source alive, such as notes and times.
            plain = replace(batch.table, notes=(), times=None, drawing=None, studies=None)
            state.parts.append(Part(plain.only(rows), labels.only(rows), batch.order[rows]))

    def merge(self, state: CollectedTrials, other: CollectedTrials) -> None:
        state.parts += other.parts
        state.noted.merge(other.noted)


@dataclass(frozen=True, slots=True)
class OneStudyFold(Generic[State]):
    """Passes only the trials of one study to a fold.

    Not the notes on a batch, nor how many of its trials were dropped: both are about the rows of
    all studies, and :attr:`GroupedSource.notes` has them once.
    """

    study: str
    fold: Fold[State]

    @property
    def what(self) -> str:
        return self.fold.what

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.fold.parameters

    def start(self) -> State:
        return self.fold.start()

    def add(self, state: State, batch: Batch) -> None:
        labels = _labels(batch.table)
        if self.study in labels.names:
            rows = np.flatnonzero(labels.codes == labels.names.index(self.study))
            table = replace(batch.table.only(rows), studies=None)
            self.fold.add(state, Batch(table, batch.first_row, batch.order[rows]))

    def merge(self, state: State, other: State) -> None:
        self.fold.merge(state, other)


@dataclass(frozen=True, slots=True, eq=False)
class OneStudy:
    """One study of a source, whose trials stay in the source."""

    source: Source
    study: str
    notes: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        return self.source.schema

    def fold(self, fold: Fold[State]) -> State:
        return self.source.fold(OneStudyFold(self.study, fold))

    def close(self) -> None:
        """Nothing to release: the source belongs to all of its studies."""


class GroupedSource:
    """A source with trials of several studies.

    Attributes
    ----------
    sizes
        How many trials each study has.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.sizes = source.fold(SizesFold())
        self._noted: Notes | None = None  # by the first pass over all parameters

    @property
    def names(self) -> tuple[str, ...]:
        """The studies, by their first rows; alphabetically if rows are not in order of time."""
        schema, sizes = self.source.schema, self.sizes
        if schema.order_given or not schema.ordered:
            return tuple(sorted(sizes.trials))
        return tuple(sorted(sizes.trials, key=lambda name: (sizes.first[name], name)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the rows of all studies."""
        noted = self.sizes.noted if self._noted is None else self._noted
        return (*self.source.notes, *noted.sentences(self.source.schema.names))

    def studies(self, names: Sequence[str]) -> Iterator[tuple[str, Callable[[], Source]]]:
        """Iterate over some studies, each with a function that opens it, wave by wave."""
        each = len(self.source.schema.names) + 2  # values of a trial, with its result and place
        wave: list[str] = []
        values = 0
        for name in names:
            size = self.sizes.trials[name] * each
            if size > VALUES_AT_A_TIME:
                yield name, partial(OneStudy, self.source, name)
                continue
            if values + size > VALUES_AT_A_TIME:
                yield from self._collect_studies(wave)
                wave, values = [], 0
            wave.append(name)
            values += size
        if wave:
            yield from self._collect_studies(wave)

    def _collect_studies(self, names: Sequence[str]) -> Iterator[tuple[str, Callable[[], Source]]]:
        schema = self.source.schema
        conditions = () if schema.where is None else schema.where.names
        needed = tuple(dict.fromkeys((*schema.names, *conditions)))
        found = self.source.fold(CollectFold(frozenset(names), needed))
        self._noted = self._noted or found.noted
        places = {name: place for place, name in enumerate(names)}
        codes = np.concatenate([part.labels.places(places) for part in found.parts])
        order = np.concatenate([part.order for part in found.parts])
        table = replace(
            joined([part.table for part in found.parts]),
            order_given=schema.order_given,
            some_parameters=schema.some_parameters,
            studies=StudyLabels(tuple(names), codes),
        )
        found.parts.clear()
        for name, own in split(table, order):
            yield name, partial(_source_of, own, schema)


def _source_of(table: TrialTable, schema: Schema) -> Source:
    """Return the trials of a study that meet the condition, with the parameters that it has."""
    chosen = table if schema.where is None else only_where(table, schema.where)
    return TableSource.of(chosen.with_parameters(_present(chosen, schema.names)))


def split(table: TrialTable, order: IntArray | None = None) -> Iterator[tuple[str, TrialTable]]:
    """Iterate over the studies of a table, their trials in ``order``, without copying each."""
    labels = _labels(table)
    keys = (labels.codes,) if order is None else (order, labels.codes)
    rows = np.lexsort(keys)
    if not (rows[1:] > rows[:-1]).all():
        table, labels = table.only(rows), labels.only(rows)
    ends = np.searchsorted(labels.codes, np.arange(len(labels.names) + 1))
    for name, start, stop in zip(labels.names, ends[:-1], ends[1:], strict=True):
        if stop > start:
            yield name, replace(table.only(slice(start, stop)), studies=None)


def present(table: TrialTable) -> TrialTable:
    """Return a study without the parameters that only other studies have."""
    names = _present(table, table.names)
    return table if len(names) == len(table.names) else table.with_parameters(names)


def _present(table: TrialTable, names: tuple[str, ...]) -> tuple[str, ...]:
    known = {parameter.name: parameter for parameter in table.parameters}
    return tuple(
        name
        for name in names
        if known[name].everywhere or bool((known[name].domain_ids != ABSENT).any())
    )


def _labels(table: TrialTable) -> StudyLabels:
    assert table.studies is not None
    return table.studies
