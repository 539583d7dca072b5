"""The trials of past studies as one table, on common domains, with common conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from condped.analyse.across.study import MOST_NAMES
from condped.analyse.advice.narrow import narrowed
from condped.analyse.branches.structure import Structure, structure_of
from condped.analyse.effects.trials import tried_value
from condped.analyse.importance.result import ImportanceResult
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.ranking import ranked
from condped.errors import DataError, SettingsError
from condped.safe_text import listed, shortened
from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Alternative, Space
from condped.trials.batch import Batch
from condped.trials.table import ABSENT, Objective, Parameter, TrialTable, all_complete, id_dtype

if TYPE_CHECKING:
    from condped.analyse.across.result import Across

# A study with fewer trials shows too little about where good configurations lie.
FEWEST_TRIALS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """The used trials of all past studies, one study after the other.

    Attributes
    ----------
    names
        The names of the studies.
    parameters
        On common domains, by name.
    study
        (trials,): the study of each trial, as a position in ``names``.
    number
        (trials,): its position within its study.
    order
        (trials,): the share of its study's trials that are better, from 0 for the best to below 1.
    structure
        The common space with its conditions.
    importances
        The mean of each parameter's importance over all studies.
    where
        The condition by which the trials were selected; None for all.
    """

    names: tuple[str, ...]
    parameters: dict[str, Parameter]
    study: IntArray
    number: IntArray
    order: FloatArray
    structure: Structure
    importances: dict[str, float]
    target_quantile: float
    notes: tuple[str, ...]
    where: Condition | None = None

    @property
    def regimes(self) -> list[tuple[str, Domain]]:
        """The parameters with each of their domains whose conditions are known."""
        space, unexplained = self.structure.space, self.structure.unexplained
        return [
            (name, domain)
            for name in space
            if name not in unexplained
            for domain in dict.fromkeys(entry.domain for entry in space[name])
            if domain in self.parameters[name].domains
        ]

    @property
    def known_space(self) -> Space:
        """The common space without parameters whose conditions are unknown."""
        return narrowed(self.structure.space, {}, self.structure.unexplained)[0]

    def having(self, name: str, domain: Domain) -> IntArray:
        """Return the positions of the trials in which a parameter has a domain."""
        parameter = self.parameters[name]
        return np.flatnonzero(parameter.domain_ids == parameter.domains.index(domain))

    def config(self, row: int) -> dict[str, Any]:
        """Return the values of one trial by name."""
        found = {}
        for name, parameter in self.parameters.items():
            place = int(parameter.domain_ids[row])
            if place >= 0:
                found[name] = tried_value(parameter.domains[place], parameter.values[row])
        return found

    @property
    def best(self) -> IntArray:
        """(studies,): the position of the best trial of each study."""
        return np.array([self.best_of(place) for place in range(len(self.names))], dtype=np.intp)

    def best_of(self, study: int) -> int:
        """Return the position of a study's best trial."""
        rows = np.flatnonzero(self.study == study)
        return int(rows[np.argmin(self.order[rows])])


def past_of(across: Across) -> Past:
    """Return the trials of past studies; raise if they are not available."""
    found, notes = [], []
    for study, result in zip(across.studies, across._results, strict=False):
        table = _table_of(result)
        if table is not None and table.groups:
            raise SettingsError("Starting points are about single parameters. Leave groups out.")
        if table is None:
            notes.append(f"{shortened(study.name)} is left out: its trials are only counted.")
        elif study.used < FEWEST_TRIALS:
            notes.append(
                f"{shortened(study.name)} is left out: it has {study.used} trials that count, and "
                f"{FEWEST_TRIALS} are needed to see where good ones lie."
            )
        else:
            found.append((study.name, result, table))
    if not found:
        why = " ".join(notes) or "A result that was saved and loaded no longer has them."
        raise DataError(f"No study has trials to start from. {why} Call condped.across again.")
    names = _common_names([table for _, _, table in found])
    tables = [_with_names(table, names) for _, _, table in found]
    left = {name for _, _, table in found for name in table.names} - set(names)
    if left:
        notes.append(
            f"Left out, because at most half of the studies have them: "
            f"{listed(sorted(left), MOST_NAMES)}."
        )
    joint, changed = _join_tables(tables)
    notes += changed
    structure = structure_of(joint)
    for name in structure.unexplained:
        notes.append(f"{shortened(name)}: its condition could not be inferred; left as it is.")
    return _past(across, found, joint, structure, notes)


def _past(
    across: Across,
    found: Sequence[tuple[str, ImportanceResult, TrialTable]],
    joint: TrialTable,
    structure: Structure,
    notes: Sequence[str],
) -> Past:
    """Return the used trials, ranked within each study."""
    orders = [_order(result, table) for _, result, table in found]
    counts = np.array([len(order) for order in orders])
    order = np.concatenate(orders)
    used = np.flatnonzero(np.isfinite(order))
    return Past(
        names=tuple(name for name, _, _ in found),
        parameters={one.name: one.only(used) for one in joint.parameters},
        study=np.repeat(np.arange(len(found)), counts)[used],
        number=np.concatenate([np.arange(count) for count in counts])[used],
        order=order[used],
        structure=structure,
        importances={one.name: one.importance for one in across.parameters},
        target_quantile=across.target_quantile,
        notes=tuple(notes),
        where=found[0][2].where,
    )


def _table_of(result: ImportanceResult) -> TrialTable | None:
    """Return the trials behind a result; None if they were only counted, or are gone."""
    trials = result._trials
    return None if trials is None else trials.given.in_memory


def _order(result: ImportanceResult, table: TrialTable) -> FloatArray:
    """Return (trials,): the share of trials that are better than each; NaN if it is not used."""
    trials = result._trials
    assert trials is not None
    levels, used, _, _ = ranked(Batch(table), trials.top.ranking)
    rows = np.arange(len(table)) if used is None else np.flatnonzero(used)
    order = np.full(len(table), np.nan)
    order[rows[np.argsort(levels[rows], kind="stable")]] = np.arange(len(rows)) / len(rows)
    return order


def _common_names(tables: Sequence[TrialTable]) -> list[str]:
    """Return the parameters that more than half of the studies have, in order of appearance.

    Not only those that all have: a study need not have tried every branch.
    """
    every = dict.fromkeys(name for table in tables for name in table.names)
    return [name for name in every if 2 * sum(name in t.names for t in tables) > len(tables)]


def _with_names(table: TrialTable, names: Sequence[str]) -> TrialTable:
    """Return a table with these parameters; those that it does not have are absent."""
    known = {parameter.name: parameter for parameter in table.parameters}
    absent = np.broadcast_to(np.int8(ABSENT), len(table))
    empty = np.zeros(len(table))
    return replace(
        table,
        parameters=tuple(known.get(n, Parameter(n, empty, absent, ())) for n in names),
    )


def _join_tables(tables: Sequence[TrialTable]) -> tuple[TrialTable, list[str]]:
    """Return the trials of all studies on common domains, and notes on what was changed."""
    notes, parameters = [], []
    common: dict[str, dict[Domain, Domain]] = {}
    for parts in zip(*(table.parameters for table in tables), strict=True):
        name = parts[0].name
        common[name] = _common_domains(parts)
        domains = tuple(dict.fromkeys(common[name].values()))
        if len(common[name]) > len(domains):
            labels = listed([domain.label for domain in domains], MOST_NAMES)
            notes.append(f"{shortened(name)}: bounds or choices differ; used here: {labels}.")
        moved = [_on_common_domains(part, common[name], domains) for part in parts]
        parameters.append(
            Parameter(
                name,
                np.concatenate([values for values, _ in moved]),
                np.concatenate([ids for _, ids in moved]),
                domains,
            )
        )
    total = sum(map(len, tables))
    joint = TrialTable(
        parameters=tuple(parameters),
        objectives=(Objective("order", np.zeros(total)),),
        states=np.concatenate([np.asarray(table.states) for table in tables])
        if tables
        else all_complete(total),
        space=_common_space(tables, common),
    )
    return joint, notes


def _common_domains(parts: Sequence[Parameter]) -> dict[Domain, Domain]:
    """Return the common domain of each domain that some study has.

    If every study has one of the same kind and scale, it is the span of all.
    """
    every = tuple(dict.fromkeys(domain for part in parts for domain in part.domains))
    kinds = {_kind(domain) for domain in every}
    if len(every) < 2 or len(kinds) > 1 or any(len(part.domains) > 1 for part in parts):
        return {domain: domain for domain in every}
    return dict.fromkeys(every, _span(every))


def _kind(domain: Domain) -> tuple[Any, ...]:
    if isinstance(domain, Categorical):
        return (Categorical,)
    return type(domain), domain.log, domain.step


def _span(domains: Sequence[Domain]) -> Domain:
    first = domains[0]
    if isinstance(first, Categorical):
        seen: dict[tuple[type, Any], Any] = {}
        for domain in domains:
            assert isinstance(domain, Categorical)
            seen |= {(type(choice), choice): choice for choice in domain.choices}
        return Categorical(list(seen.values()))
    numeric = [domain for domain in domains if isinstance(domain, Float | Int)]
    low, high = min(one.low for one in numeric), max(one.high for one in numeric)
    if isinstance(first, Int):
        return replace(first, low=int(low), high=int(high))
    return replace(first, low=float(low), high=float(high))


def _on_common_domains(
    part: Parameter, common: dict[Domain, Domain], domains: tuple[Domain, ...]
) -> tuple[FloatArray, IntArray]:
    """Return a parameter's values and domain ids in one study, on the common domains."""
    values = part.values.copy()
    ids = np.full(len(values), ABSENT, dtype=id_dtype(len(domains)))
    for place, before in enumerate(part.domains):
        rows: BoolArray = np.asarray(part.domain_ids == place)
        after = common[before]
        ids[rows] = domains.index(after)
        if isinstance(before, Categorical) and isinstance(after, Categorical) and before != after:
            same = [(type(choice), choice) for choice in after.choices]
            codes = np.array([same.index((type(c), c)) for c in before.choices])
            values[rows] = codes[part.values[rows].astype(np.intp)]
    return values, ids


def _common_space(
    tables: Sequence[TrialTable], common: dict[str, dict[Domain, Domain]]
) -> Space | None:
    """Return the space that all studies record, on common domains; None if they do not agree."""
    made = [_space_of(table, common) for table in tables]
    if any(space is None or space != made[0] for space in made):
        return None
    return made[0]


def _space_of(table: TrialTable, common: dict[str, dict[Domain, Domain]]) -> Space | None:
    if table.space is None or not set(table.space) <= set(common):
        return None
    return Space(dict(_entries(table.space, common)), inferred=True)


def _entries(
    space: Space, common: dict[str, dict[Domain, Domain]]
) -> Iterator[tuple[str, list[Alternative]]]:
    for name, entries in space.items():
        known = common[name]
        yield name, [Alternative(known.get(e.domain, e.domain), e.when) for e in entries]
