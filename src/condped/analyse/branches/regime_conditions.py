"""What is known about conditions: the gates, and when a parameter has each of its domains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from condped.analyse.branches.gates import Gate, gates_with_targets
from condped.analyse.branches.structure import structure_of
from condped.count.target_sets import NestedSets
from condped.count.trials import Trials
from condped.errors import CondpedError
from condped.space.domain import Domain
from condped.space.nodes import Node
from condped.space.simplify import alternative, text_of
from condped.space.space import Space

MOST_TRIALS = 200_000  # with more, inferring conditions takes too long


@dataclass(frozen=True, slots=True)
class RegimeCondition:
    """What holds in the trials in which a parameter has a domain."""

    parameter: str
    domain: Domain
    condition: str


@dataclass(frozen=True)
class GatesAndConditions:
    """Gates with what they decide, and conditions of domains; empty if nothing is known."""

    gates: tuple[Gate, ...] = ()
    conditions: tuple[RegimeCondition, ...] = ()

    def condition(self, name: str, domain: Domain | None) -> str | None:
        """Return when a parameter has a domain; None if that is always, or unknown."""
        return None if domain is None else self._conditions.get((name, domain))

    def gate(self, name: str) -> Gate | None:
        """Return what a parameter's choice decides; None if it switches nothing."""
        return self._gates.get(name)

    @cached_property
    def _conditions(self) -> dict[tuple[str, Domain], str]:
        return {(one.parameter, one.domain): one.condition for one in self.conditions}

    @cached_property
    def _gates(self) -> dict[str, Gate]:
        return {gate.parameter: gate for gate in self.gates}


def conditional(trials: Trials, top: NestedSets) -> GatesAndConditions:
    """Return what is known about the conditions of trials with these sets.

    If the trials are not in memory, or so many that inferring would take long, only what the space
    says.
    """
    try:
        if not trials.counter.in_memory or top.counts.used > MOST_TRIALS:
            space = trials.space
            return (
                GatesAndConditions()
                if space is None
                else GatesAndConditions((), regime_conditions(space))
            )
        structure = structure_of(trials)
        known = regime_conditions(structure.space, structure.unexplained)
        return GatesAndConditions(
            gates_with_targets(structure, trials, top) if top.counts.used else (), known
        )
    except CondpedError:  # a structure that conditions cannot describe; numbers need none
        return GatesAndConditions()


def regime_conditions(
    space: Space, unexplained: tuple[str, ...] = ()
) -> tuple[RegimeCondition, ...]:
    """Return the conditions of a space's domains, in its order; equal domains have one."""
    found = []
    for name, entries in space.items():
        ways: dict[Domain, list[Node]] = {}
        for entry in entries if name not in unexplained else ():
            if entry.when is not None:
                ways.setdefault(entry.domain, []).append(entry.when.root)
        for domain, roots in ways.items():
            found.append(RegimeCondition(name, domain, text_of(alternative(roots)) or ""))
    return tuple(found)
