"""The space with its conditions: as given, or as inferred from the trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

from condped.analyse.branches.inferred import inferred_from, span
from condped.count.absences import absences
from condped.count.some_trials import Claims, some_trials
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.space.nodes import Disjunction, Leaf, leaves, names_of
from condped.space.space import Alternative, Space
from condped.trials.joining import joined
from condped.trials.table import TrialTable

FoundFrom = Literal["data", "space"]
# Trials to infer from if trials are only counted, and how often contradicting ones are added.
_SAMPLE, _ATTEMPTS = 20_000, 5
_CONTRADICTED = (
    "conditions inferred from some of the trials are contradicted by others. Add the conditions to "
    "the space."
)


@dataclass(frozen=True)
class Structure:
    """Which parameter switches which.

    Attributes
    ----------
    space
        All parameters with their domains and conditions.
    parents
        Each conditional parameter's gates: those that its conditions name, without gates of gates.
    found_from
        ``space`` if the conditions were given or recorded, ``data`` if they were inferred.
    unexplained
        Parameters whose activity or domain varies, by a condition that could not be inferred.
    inactive
        Parameters that no trial has, and whose conditions are unknown; not in the space.
    """

    space: Space
    parents: dict[str, tuple[str, ...]]
    found_from: FoundFrom
    unexplained: tuple[str, ...]
    inactive: tuple[str, ...]

    @cached_property
    def gates(self) -> dict[str, tuple[str, ...]]:
        """Return the parameters that each gate switches, in the order of the space."""
        found: dict[str, list[str]] = {}
        for child, above in self.parents.items():
            for gate in above:
                found.setdefault(gate, []).append(child)
        return {gate: tuple(children) for gate, children in found.items()}

    @property
    def roots(self) -> tuple[str, ...]:
        """Return the parameters that nothing switches."""
        return tuple(name for name in self.space if name not in self.parents)


def structure_of(trials: TrialTable | Trials) -> Structure:
    """Return the conditions of a space; where it has none, those inferred from the trials.

    If trials are only counted, conditions are inferred from some of them, and checked on all.
    """
    trials = Trials.of(trials)
    if trials.counter.in_memory:
        return _structure_of(trials.table("The conditional structure"))
    if trials.space is None:
        raise SettingsError(
            "The conditional structure can only be inferred from trials in memory (these are only "
            "counted). Give a space with conditions."
        )
    given = _structure_of_some(trials.space, trials.names)
    plain = [n for n, entries in given.space.items() if entries[0].when is None]
    plain = [name for name in plain if name not in given.unexplained]
    absent = [name for name, count in absences(trials.counter, plain).items() if count]
    return _structure_of_counted(trials, given, absent) if absent else given


def _structure_of_counted(trials: Trials, given: Structure, absent: Sequence[str]) -> Structure:
    """Return the conditions inferred from some of the trials that no trial contradicts.

    ``absent`` are parameters without a condition that not all trials have.
    """
    always: Claims = dict.fromkeys(absent, ((0, None),))
    some = partial(some_trials, trials.counter, trials.names, _SAMPLE)
    sample = some() or some(always)
    for attempt in range(_ATTEMPTS):
        table = replace(joined(sample), space=given.space)
        found = _structure_of(table)
        never = [p.name for p in table.parameters if not (p.domain_ids >= 0).any()]
        claims = {
            name: tuple((trials.domains[name].index(e.domain), e.when) for e in found.space[name])
            for name in absent
            if name not in found.unexplained
        }
        claims |= {name: () for name in absent if name in never}
        # What pruned trials lack is checked only once: a condition may hold without that.
        others = some(claims, strict=attempt == 0) if claims else []
        if not others:
            return _with_unexplained(found, given.unexplained)
        sample += others
    trials.note([f"{', '.join(claims)}: {_CONTRADICTED}"])
    return _with_unexplained(given, (*found.unexplained, *claims))


def _with_unexplained(structure: Structure, more: Sequence[str]) -> Structure:
    missing = {*structure.unexplained, *more}
    return replace(structure, unexplained=tuple(n for n in structure.space if n in missing))


def _structure_of_some(space: Space, names: Sequence[str]) -> Structure:
    """Return the conditions of some parameters; those without their gates are unexplained."""
    unexplained = tuple(name for name in names if not set(gates_of(space[name])) <= set(names))
    entries: dict[str, Any] = {
        name: span(name, tuple(entry.domain for entry in space[name]))
        if name in unexplained
        else space[name]
        for name in names
    }
    some = Space(entries, inferred=True)
    return Structure(some, _parents(some), "space", unexplained, ())


def _structure_of(table: TrialTable) -> Structure:
    given: Mapping[str, tuple[Alternative, ...]] = table.space or {}
    conditional = {name for name in given if given[name][0].when is not None}
    inferred = inferred_from(table, known=conditional, given=set(given))
    entries: dict[str, Any] = {}
    for name in table.names:
        if name in given and name not in inferred.explained:
            entries[name] = given[name]
        elif name not in inferred.inactive:
            entries[name] = inferred.entries[name]
    # A domain that was tried may have a single value, which a given space may not have.
    space = Space(entries, inferred=True)
    found_from: FoundFrom = (
        "space" if conditional or not (inferred.explained or inferred.unexplained) else "data"
    )
    if table.space is None:
        found_from = "data"
    return Structure(space, _parents(space), found_from, inferred.unexplained, inferred.inactive)


def gates_of(alternatives: Sequence[Alternative]) -> tuple[str, ...]:
    """Return the parameters that conditions name."""
    named = (gate for entry in alternatives if entry.when for gate in entry.when.names)
    return tuple(dict.fromkeys(named))


def _parents(space: Space) -> dict[str, tuple[str, ...]]:
    return {name: direct for name in space if (direct := _direct_gates(name, space))}


def _direct_gates(name: str, space: Space) -> tuple[str, ...]:
    """Return the parameters that a parameter's conditions name, without gates of these gates.

    Each path to it has its own: with ``a == 'x' or (a == 'y' and b == 'v')``, where ``a == 'y'``
    switches b, these are a and b.
    """
    roots = [entry.when.root for entry in space[name] if entry.when]
    paths = [path for r in roots for path in (r.parts if isinstance(r, Disjunction) else (r,))]
    found: dict[str, None] = {}
    for path in paths:
        named = names_of(path)
        if len(named) == 1:  # whatever its own gates are
            found |= dict.fromkeys(named)
            continue
        implied = set().union(*(_gate_comparisons(gate, name, space) for gate in named))
        direct = [gate for leaf in leaves(path) if leaf not in implied for gate in leaf.names]
        found |= dict.fromkeys([gate for gate in named if gate in direct] or named)
    return tuple(found)


def _gate_comparisons(gate: str, name: str, space: Space) -> set[Leaf]:
    """Return the comparisons that a gate's activity may depend on, directly or indirectly."""
    found: set[Leaf] = set()
    todo, seen = [gate], {name}
    while todo:
        above = todo.pop()
        if above in seen:
            continue
        seen.add(above)
        for entry in space[above]:
            found |= set(entry.when.leaves()) if entry.when else set()
        todo += gates_of(space[above])
    return found
