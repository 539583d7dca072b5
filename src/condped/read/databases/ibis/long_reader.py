"""Batches of a long table, whose values are texts, numbers, or positions of choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from condped.arrays import IdArray, ValueArray
from condped.errors import DataError, SettingsError, not_found
from condped.read.batches import BatchReader, View
from condped.read.files.text_columns import column_of_texts
from condped.read.options import ReadOptions
from condped.read.table.convert_values import (
    convert_column,
    encode_choices,
    encode_numbers,
    none_position,
)
from condped.read.table.outside_domain import raise_if_outside
from condped.read.table.raw import RawTable
from condped.read.table.row_errors import raise_for_rows
from condped.space.domain import Categorical, Domain
from condped.space.space import Alternative, Space
from condped.trials.columns import Column, LevelColumn, NumberColumn, UnusableColumn, select_rows
from condped.trials.table import ABSENT, Parameter, TrialTable, id_dtype


@dataclass(frozen=True, slots=True)
class _Position:
    """A position at which there is no choice: equal to no choice."""

    number: float

    def __repr__(self) -> str:
        return f"number {self.number:g}"


@dataclass(frozen=True, slots=True)
class SpacedReader(BatchReader):
    """Reader of a long table whose domains come from a space."""

    def table(self, raw: RawTable, options: ReadOptions) -> TrialTable:
        def column(name: str) -> Column:
            return _decoded(name, raw[name], self.space) if name in self.space else raw[name]

        return BatchReader.table(self, RawTable(raw.names, raw.rows, column), options)


def _decoded(name: str, column: Column, space: Space) -> Column:
    """Return the choices and numbers that the values of a parameter stand for."""
    if isinstance(column, LevelColumn):
        return _parsed(name, column, space)
    several = {alternative.domain for alternative in space[name]}
    categorical = [domain for domain in several if isinstance(domain, Categorical)]
    if not categorical or isinstance(column, UnusableColumn):
        return column
    if len(several) > 1:
        raise SettingsError(
            f"{name!r} has several categorical domains, so positions of choices are "
            "ambiguous. Record choices as texts."
        )
    choices = categorical[0].choices
    values = column.numbers()
    there = ~np.isnan(values)
    known = there & (values == np.rint(values)) & (values >= 0) & (values < len(choices))
    odd, places = np.unique(values[there & ~known], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[known] = values[known].astype(np.int64)
    codes[there & ~known] = len(choices) + places
    return LevelColumn(codes, (*choices, *map(_Position, odd.tolist())))


def _parsed(
    name: str, column: LevelColumn, space: Mapping[str, tuple[Alternative, ...]] | None
) -> Column:
    """Parse texts as choices or numbers, each distinct one once."""
    if not column.levels:
        return column
    found = column_of_texts(list(column.levels), space, name, missing_words=frozenset())
    gone = column.codes < 0
    if isinstance(found, LevelColumn):
        codes = np.append(found.codes, -1)[column.codes]
        return LevelColumn(codes, found.levels)
    assert isinstance(found, NumberColumn)
    absent = np.append(found.absent(), True)[column.codes]
    values = found.values[np.where(gone, 0, column.codes)]
    return NumberColumn(values, absent if absent.any() else None)


@dataclass(frozen=True, slots=True)
class RecordedReader(BatchReader):
    """Reader of a long table that records the domain of each value.

    Attributes
    ----------
    domains
        The distinct domains of each parameter.
    texts
        For each parameter, the texts that record domains, with the position of the domain.
    """

    domains: Mapping[str, tuple[Domain, ...]] = field(default_factory=dict)
    texts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def recording(
        cls,
        measured: Sequence[str],
        options: ReadOptions,
        domains: Mapping[str, tuple[Domain, ...]],
        texts: Mapping[str, Mapping[str, int]],
    ) -> RecordedReader:
        """Return the reader for these measurements and parameters."""
        for name in options.parameters or ():
            if name not in domains:
                raise not_found("parameter", name, domains)
        both = [name for name in measured if name in domains]
        if both:
            raise DataError(
                f"{both[0]!r} is both a parameter and an objective, state, constraint or order. "
                "Take it out of one of them.",
                column=both[0],
            )
        # A parameter has its only domain wherever it has a value, unless it may be None.
        ambiguous = [
            name
            for name, own in domains.items()
            if len(own) > 1 or none_position(own[0]) is not None
        ]
        names = (*measured, *domains, *map(domain_column, ambiguous))
        return cls(names, options, Space({}), None, {}, domains, texts)

    def view(self, parameters: Sequence[str]) -> View:
        needed = tuple(self.domains) if self.options.outside == "drop" else tuple(parameters)
        # Without a space the options' own parameters say which to make.
        reader = replace(self, options=replace(self.options, parameters=needed))
        return replace(BatchReader.view(reader, ()), parameters=tuple(parameters))

    def table(self, raw: RawTable, options: ReadOptions) -> TrialTable:
        table = BatchReader.table(self, raw, options)
        names = self.domains if options.parameters is None else options.parameters
        made = tuple(self._parameter(name, raw, options.outside) for name in names)
        return replace(table, parameters=made, space=None, ignored_columns=())

    def _parameter(self, name: str, raw: RawTable, outside: str) -> Parameter:
        domains, column = self.domains[name], raw[name]
        if isinstance(column, UnusableColumn):
            raise DataError(f"The values of {name!r} must be numbers or texts.", column=name)
        ids = self._ids(name, raw, column)
        kinds = np.array([isinstance(domain, Categorical) for domain in domains])
        values: ValueArray = np.zeros(len(ids))
        for kind, fit in ((True, _choices), (False, _numbers)):
            own = np.flatnonzero(kinds == kind)
            some = tuple(domains[place] for place in own)
            if len(own) == len(domains):
                values = fit(name, column, ids, some, outside)
            elif len(own):
                renumber = np.full(len(domains) + 1, ABSENT)
                renumber[own] = np.arange(len(own))
                rows = renumber[ids] >= 0
                part = select_rows(column, rows)
                values[rows] = fit(name, part, renumber[ids[rows]], some, outside)
        return Parameter(name, values, ids, domains)

    def _ids(self, name: str, raw: RawTable, column: NumberColumn | LevelColumn) -> IdArray:
        """Return the position of the domain in each trial."""
        domains, texts, missing = self.domains[name], self.texts[name], column.absent()
        dtype = id_dtype(len(domains))
        if domain_column(name) not in self.names:
            return np.where(missing, dtype(ABSENT), dtype(0))
        recorded = raw[domain_column(name)]
        assert isinstance(recorded, LevelColumn)
        places = np.array([*(texts[text] for text in recorded.levels), ABSENT], dtype=dtype)
        ids: IdArray = places[recorded.codes]
        takes_none = np.array([*(none_position(domain) is not None for domain in domains), False])
        return np.where(missing & ~takes_none[ids], dtype(ABSENT), ids)


def _choices(
    name: str, column: Column, ids: IdArray, domains: tuple[Domain, ...], outside: str
) -> ValueArray:
    """Return the position of each choice."""
    if isinstance(column, LevelColumn):
        levels = _parsed(name, column, {name: tuple(map(Alternative, domains))})
        assert isinstance(levels, LevelColumn)
        return encode_choices(name, levels, ids, domains, unknown_allowed=outside == "drop")
    assert isinstance(column, NumberColumn)
    sizes = [len(domain.choices) for domain in domains if isinstance(domain, Categorical)]
    values = column.numbers()
    gone = np.isnan(values)
    values[gone] = np.array([*(none_position(domain) or 0 for domain in domains), 0])[ids[gone]]
    fits = (values == np.rint(values)) & (values >= 0) & (values < np.array([*sizes, 0])[ids])
    unknown = (ids >= 0) & ~fits
    if unknown.any() and outside != "drop":
        first = int(np.argmax(unknown))
        raise_for_rows(
            name,
            unknown,
            f"has the unknown choice number {values[first]:g} of {domains[ids[first]].label}",
            "Correct the value or the domain; or set the option outside to 'drop' to leave such "
            "trials out",
        )
    return np.where(fits, values, -1).astype(np.int32)


def _numbers(
    name: str, column: Column, ids: IdArray, domains: tuple[Domain, ...], outside: str
) -> ValueArray:
    """Return the numbers, after checking that their domains allow them."""
    if isinstance(column, LevelColumn):
        column = _parsed(name, column, None)
    numbers = convert_column(name, column, (Alternative(domains[0]),))
    assert isinstance(numbers, NumberColumn)
    if outside == "error":
        raise_if_outside(name, numbers.values, ids, domains)
    return encode_numbers(name, numbers, ids, domains)


def domain_column(name: str) -> str:
    """Return the name for the column of a parameter's domains, which no parameter can have."""
    return f"{name}\0domain"
