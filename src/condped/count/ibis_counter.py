"""Counting parameters: what is looked at first, what is counted together, what is remembered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import ibis.expr.types as ir

from condped.arrays import IntArray
from condped.count.ibis_codes import Coded, Plan, coded_counts, in_groups
from condped.count.ibis_parameters import ParameterColumn
from condped.count.ibis_session import Session
from condped.count.ibis_slots import Slots
from condped.count.ibis_spans import edges_of, put_together
from condped.count.passes import Outline, Wanted


@dataclass(slots=True)
class Seen:
    """What is known of the table once it has been looked at; shared by selections of it."""

    checked: set[str] = field(default_factory=set)  # parameters whose values are right
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of each of these
    keys: bool = False  # whether trials are known to stand once

    def add(self, names: Iterable[str], found: Mapping[str, Coded]) -> None:
        """Remember that values were looked at."""
        for name in names:
            self.notes[name] = found[name].notes
            self.checked.add(name)

    def told(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return what is to be said of these parameters."""
        return tuple(note for name in names for note in self.notes.get(name, ()))


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts parameters of a table, and looks at each one's values the first time.

    Attributes
    ----------
    owner
        The column that names the parameter of a row, where each row has one only.
    """

    session: Session
    table: ir.Table
    parameters: Mapping[str, ParameterColumn]
    outline: Outline
    seen: Seen
    most: int
    owner: ir.Value | None = None

    def counts(self, wanted: Wanted, slots: Slots) -> dict[str, IntArray]:
        """Return (places, slots) for each parameter that is wanted."""
        names = self.outline.names
        places = range(len(names)) if wanted.parameters is None else wanted.parameters
        unchecked = [name for name in self.parameters if name not in self.seen.checked]
        only_looked = [Plan(name, None, check=True) for name in unchecked]
        if self.outline.outside == "nearest" and (wanted.edges is not None or wanted.spanned):
            # The nearest cell of the domain's own grid is known; among other cells it is not.
            self.seen.add(unchecked, self._run(only_looked, slots))
            unchecked, only_looked = [], []
        plans = []
        for place in places:
            name = names[place]
            edges = edges_of(wanted, place, name, self.parameters[name].domains)
            plans.append(Plan(name, edges, name in unchecked))
        counted = {plan.name for plan in plans}
        # Values that are not counted are looked at all the same, as the reader in memory does.
        plans += [plan for plan in only_looked if plan.name not in counted]
        found = self._run(plans, slots)
        self.seen.add(unchecked, found)
        return {
            name: put_together(found[name].counts, wanted, name, self.parameters[name].domains)
            for name in counted
        }

    def _run(self, plans: Sequence[Plan], slots: Slots) -> dict[str, Coded]:
        found: dict[str, Coded] = {}
        for some in in_groups(plans, self.parameters, slots.size, self.most):
            found |= coded_counts(
                self.session, self.table, self.parameters, some, slots=slots, owner=self.owner
            )
        return found
