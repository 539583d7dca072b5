"""One parameter of a wide table as expressions: which domain holds, which cell a value is in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np

from condped.arrays import ValueArray
from condped.count.edges import is_whole
from condped.count.ibis_columns import Cells, Numbers, choice_places, numbers_of, whole_check
from condped.count.ibis_conditions import ChoiceGate, Gate, NumberGate
from condped.count.ibis_marks import Kind, Mark, Marks, Owner
from condped.count.ibis_steps import between_steps
from condped.count.ibis_trees import (
    all_of,
    any_of,
    below,
    bound,
    choose,
    code,
    more_than_one,
    real,
    stepwise,
)
from condped.errors import ConditionError, DataError, SettingsError
from condped.read.table.convert import none_place
from condped.read.table.outside import bounds_of
from condped.space.domain import Categorical, Domain, Int
from condped.space.space import Alternative

# What was tried: with more, a query takes minutes to be put together.
_MOST_DOMAINS = 1_000
_MOST_CHOICES = 10_000


@dataclass(frozen=True)
class ParameterColumn:
    """A column and the domains of the parameter that it holds.

    Attributes
    ----------
    domains
        The distinct ones, in order.
    applies
        Where each of them does, by the conditions alone; None (of the only one): everywhere.
    conditions
        The texts of the conditions, for messages.
    finished
        Which trials ended; None: all.
    positions
        Whether choices are given by their positions.
    """

    cells: Cells
    domains: tuple[Domain, ...]
    applies: tuple[ir.BooleanValue | None, ...]
    outside: str
    conditions: tuple[str, ...] = ()
    finished: ir.BooleanValue | None = None
    positions: bool = False

    def __post_init__(self) -> None:
        choices = sum(len(d.choices) for d in self.domains if isinstance(d, Categorical))
        for count, most, what in (
            (len(self.domains), _MOST_DOMAINS, "domains"),
            (choices, _MOST_CHOICES, "choices"),
        ):
            if count > most:
                raise SettingsError(
                    f"Parameter {self.cells.name!r} has {count} {what}, too many for one query "
                    f"(at most {most}). Use engine='memory' or 'stream', or leave it out of the "
                    "space."
                )
        ints = [domain for domain in self.domains if isinstance(domain, Int)]
        if is_whole(self.domains) and any(d.low < -(2**63) or d.high >= 2**63 for d in ints):
            raise DataError(
                f"Parameter {self.cells.name!r} has whole numbers beyond 64 bits. Scale them.",
                column=self.cells.name,
            )

    @cached_property
    def owner(self) -> Owner:
        """What messages say of it."""
        return Owner(self.cells.name, self.domains, self.conditions, self.outside)

    @cached_property
    def numbers(self) -> Numbers | None:
        """The values as numbers; None for a categorical."""
        if all(isinstance(domain, Categorical) for domain in self.domains):
            return None
        return numbers_of(self.cells, as_whole=is_whole(self.domains))

    def choices(self, domain: Categorical) -> list[tuple[Any, int]]:
        """Return (literal to compare with, position of the choice) for what the column may hold."""
        if self.positions:
            return [(real(place), place) for place in range(len(domain.choices))]
        return choice_places(self.cells, domain.choices)

    def active(self, domain: int) -> ir.BooleanValue:
        """Return where it has a value of one of its domains; -1 stands for any of them."""
        if domain < 0:
            found = any_of(self.active(place) for place in range(len(self.domains)))
            assert found is not None
            return found
        applies = self.applies[domain]
        if none_place(self.domains[domain]) is None:
            present = ~self.cells.missing
            return present if applies is None else present & applies
        return ibis.literal(True) if applies is None else applies

    def sizes(self, edges: Mapping[int, ValueArray]) -> list[int]:
        """Return how many cells each domain has, given the edges of the numeric ones."""
        return [
            len(domain.choices)
            if isinstance(domain, Categorical)
            else len(edges.get(place, ())) + 1
            for place, domain in enumerate(self.domains)
        ]

    def codes(
        self, offset: int, edges: Mapping[int, ValueArray], *, check: bool
    ) -> tuple[ir.Value, Marks]:
        """Return each row's place (from ``offset`` on, absence last), and the codes behind those.

        Without ``check`` the values are known to be right.
        """
        sizes = self.sizes(edges)
        starts = [offset, *(offset + np.cumsum(sizes)).tolist()]
        marks = Marks(starts[-1] + 1)
        absent, missing = code(starts[-1]), self.cells.missing

        def marked(kind: Kind, domain: int = -1, place: int | None = None) -> ir.Value:
            return code(marks.number(Mark(kind, domain, place)))

        placed: Any = absent
        if check and self.applies[0] is not None:
            placed = choose(missing, absent, marked(Kind.AGAINST))
        branches: list[tuple[Any, Any]] = []
        for domain in range(len(self.domains)):
            present = self._cell(domain, starts[domain], edges.get(domain), marks, check=check)
            none = none_place(self.domains[domain])
            nothing = absent if none is None else code(starts[domain] + none)
            if none is None and check and self.applies[domain] is not None:
                lacking = marked(Kind.MISSING, domain, starts[-1])
                nothing = (
                    lacking if self.finished is None else choose(self.finished, lacking, absent)
                )
            branches.append((self.applies[domain], choose(missing, nothing, present)))
        placed = branches[0][1] if self.applies[0] is None else ibis.cases(*branches, else_=placed)
        if check:
            clash = more_than_one(self.applies)
            if clash is not None:
                placed = choose(clash, marked(Kind.CLASH), placed)
            if self.numbers is not None and self.numbers.wrong is not None:
                wrong = ~missing & self.numbers.wrong.fill_null(False)
                numeric = [
                    applies
                    for domain, applies in zip(self.domains, self.applies, strict=True)
                    if not isinstance(domain, Categorical)
                ]
                if len(numeric) < len(self.domains):
                    wrong = all_of([wrong, any_of(numeric)])
                placed = choose(wrong, marked(Kind.TEXT), placed)
        return placed, marks

    def _cell(
        self, place: int, start: int, edges: ValueArray | None, marks: Marks, *, check: bool
    ) -> ir.Value:
        """Return the code of a value that is there while a domain applies."""
        domain = self.domains[place]
        if isinstance(domain, Categorical):
            drop = self.outside == "drop"
            unknown = Mark(Kind.OUTSIDE if drop else Kind.UNKNOWN, place)
            other = code(marks.number(unknown) if check else marks.start - 1)
            known = self.choices(domain)
            if not known:
                return other
            branches = [(literal, code(start + position)) for literal, position in known]
            return self.cells.value.cases(*branches, else_=other)
        assert self.numbers is not None
        value = self.numbers.value
        cuts: ValueArray = np.zeros(0) if edges is None else edges
        cells = [code(start + cell) for cell in range(len(cuts) + 1)]
        found = stepwise(value, cuts, cells)
        return self._checked(place, start, len(cells), found, marks) if check else found

    def _checked(
        self, place: int, start: int, cells: int, found: ir.Value, marks: Marks
    ) -> ir.Value:
        """Return the code of a number with its faults told apart, the first one that applies."""
        assert self.numbers is not None
        domain, value = self.domains[place], self.numbers.value
        assert not isinstance(domain, Categorical)
        nearest, refused = self.outside == "nearest", self.outside == "error"

        def outside(found: ir.Value) -> ir.Value:
            low, high = bounds_of(domain)
            ends = [start, start + cells - 1] if nearest else [None, None]
            lower, upper = (code(marks.number(Mark(Kind.OUTSIDE, place, end))) for end in ends)
            inside = choose(value <= bound(value, high), found, upper)
            return choose(below(value, low), lower, inside)

        def fitting(found: ir.Value) -> ir.Value:
            step = between_steps(value, domain)
            found = choose(step, code(marks.number(Mark(Kind.STEP, place))), found)
            if not isinstance(domain, Int):
                return found
            if is_whole(self.domains) and value.type().is_floating() and not refused:
                inside = (value > real(-(2.0**63))) & (value < real(2.0**63))
                found = choose(inside, found, code(marks.number(Mark(Kind.BEYOND, place))))
            fraction = self.numbers.fraction if self.numbers else None
            fraction = whole_check(value) if fraction is None else fraction
            return choose(fraction, code(marks.number(Mark(Kind.FRACTION, place))), found)

        return outside(fitting(found)) if refused else fitting(outside(found))

    def is_outside(self) -> ir.BooleanValue | None:
        """Return where a value is outside its domain, an unknown choice included; never null."""
        found = []
        for place, domain in enumerate(self.domains):
            applies, present = self.applies[place], ~self.cells.missing
            if isinstance(domain, Categorical):
                known = [literal for literal, _ in self.choices(domain)]
                out = present & ~self.cells.value.isin(known).fill_null(False) if known else present
            else:
                assert self.numbers is not None
                value = self.numbers.value
                low, high = bounds_of(domain)
                beyond = below(value, low) | (value > bound(value, high))
                out = present & beyond.fill_null(False)
            found.append(out if applies is None else out & applies)
        return any_of(found)

    def gate(self) -> Gate:
        """Return the parameter as conditions see it once domains and choices are settled."""
        present = self.active(-1)
        kinds = {isinstance(domain, Categorical) for domain in self.domains}
        if len(kinds) > 1:
            raise ConditionError(
                f"{self.cells.name!r} has numeric and categorical domains, which conditions cannot "
                "tell apart. Leave it out of the condition."
            )
        if self.numbers is not None:
            return NumberGate(self.numbers.value, present)
        choices = []
        for place, domain in enumerate(self.domains):
            assert isinstance(domain, Categorical)
            active = self.active(place)
            having = _having(self.cells, domain.choices, self.choices(domain))
            choices += [(c, active & here) for c, here in having]
        return ChoiceGate(choices, present)


def raw_gate(cells: Cells, alternatives: tuple[Alternative, ...]) -> Gate:
    """Return a column as the conditions of other parameters see it, whatever its own say."""
    domains = [alternative.domain for alternative in alternatives]
    kinds = {isinstance(domain, Categorical) for domain in domains}
    if len(kinds) > 1:
        raise DataError(
            f"Parameter {cells.name!r} has numeric and categorical domains, which one column "
            "cannot hold apart. Split it into two parameters.",
            column=cells.name,
        )
    if False in kinds:
        numbers = numbers_of(cells, as_whole=cells.value.type().is_integer())
        present = ~cells.missing
        if numbers.wrong is not None:
            present = present & ~numbers.wrong.fill_null(False)
        return NumberGate(numbers.value, present)
    choices: list[Any] = []
    for domain in domains:
        assert isinstance(domain, Categorical)
        choices += [choice for choice in domain.choices if choice is not None]
    having = _having(cells, choices, choice_places(cells, choices))
    if alternatives[0].when is None and none_place(domains[0]) is not None:
        # Always active, so a missing value is the choice None, to conditions as well.
        return ChoiceGate([*having, (None, cells.missing)], ibis.literal(True))
    return ChoiceGate(having, ~cells.missing)


def _having(
    cells: Cells, choices: Sequence[Any], known: Sequence[tuple[Any, int]]
) -> list[tuple[Any, ir.BooleanValue]]:
    """Return where a column has each of the choices; never null."""
    found: list[tuple[Any, ir.BooleanValue]] = []
    if None in choices:
        found.append((None, cells.missing))
    for literal, place in known:
        here = ~cells.missing & (cells.value == literal).fill_null(False)
        found.append((choices[place], here))
    return found
