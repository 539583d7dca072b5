"""Nested spaces: what each branch says of a name, brought together into one space.

A choice among mappings opens a branch for each of them. A trial does not record which branch was
taken; an entry that all of them hold as a constant, a different one in each, tells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

from condped.read.tools.branch_conditions import Test, reached_by
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Alternative, Space


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is not drawn."""

    value: Any


@dataclass(frozen=True, slots=True)
class OpenEnded:
    """What is drawn without a domain, and how."""

    drawn: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One of the branches of a choice: its name, the branch, and how many there are."""

    choice: str
    branch: int
    branches: int


Way: TypeAlias = tuple[Turn, ...]
Content: TypeAlias = Domain | Constant | OpenEnded


@dataclass(slots=True)
class Entries:
    """All that a nested space says, by name: what a name holds, and on which way."""

    by_name: dict[str, list[tuple[Way, Content]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, way: Way, content: Content) -> None:
        """Note what stands at the end of a way."""
        self.by_name.setdefault(name, []).append((way, content))

    def space(self) -> Space:
        """Return the space; what cannot be said in one is said in its notes."""
        found: dict[str, Any] = {}
        to_infer: list[str] = []
        self._note_untold()
        for name, entries in self.by_name.items():
            contents = [content for _, content in entries]
            for reason in dict.fromkeys(c.drawn for c in contents if isinstance(c, OpenEnded)):
                self.notes.append(f"{name}: {reason}, which has no bounds.")
                to_infer.append(name)
            if name in to_infer or not _varies(contents):
                continue
            alternatives = self._alternatives(name, entries)
            if alternatives is None:
                to_infer.append(name)
            elif all(alternative.domain.single for alternative in alternatives):
                label = alternatives[0].domain.label
                self.notes.append(f"{name}: left out, since it has the one value {label}.")
            else:
                found[name] = alternatives
        return Space(found, notes=self.notes, to_infer=list(dict.fromkeys(to_infer)))

    def _alternatives(
        self, name: str, entries: Sequence[tuple[Way, Content]]
    ) -> list[Alternative] | None:
        """Return a name's domains with their conditions; None if only its values can tell them."""
        ways: dict[Domain, list[Way]] = {}
        merged = _one_domain([content for _, content in entries])
        apart = not any(isinstance(content, Constant) for _, content in entries)
        for way, content in entries:
            domain = content if apart else merged
            idle = content == Constant(None) and not isinstance(merged, Categorical)
            if isinstance(domain, (Float, Int, Categorical)) and not idle:
                ways.setdefault(domain, []).append(way)
        self._note_constants(name, entries)
        tests = {domain: self._tests(reduced(taken)) for domain, taken in ways.items()}
        kinds = {isinstance(domain, Categorical) for domain in ways}
        told = {domain: found for domain, found in tests.items() if found is not None}
        fine = len(ways) == 1 or not any(domain.single for domain in ways)
        if len(kinds) == 1 and len(told) == len(ways) and fine:
            return [Alternative(domain, reached_by(found)) for domain, found in told.items()]
        if merged is None:
            self.notes.append(f"{name}: its branches hold values of different kinds.")
            return None
        if len(ways) > 1:
            self.notes.append(
                f"{name}: has {len(ways)} domains in branches that no constant entry tells apart; "
                f"one domain for all of them is taken, {merged.label}."
            )
        if isinstance(merged, Categorical) and None in merged.choices:
            self.notes.append(
                f"{name}: where it is inactive it counts as the choice None, since no constant "
                "entry tells the branches apart."
            )
        return [Alternative(merged)]

    def _note_untold(self) -> None:
        """Say which choices among branches leave no trace of themselves."""
        ways = [way for entries in self.by_name.values() for way, _ in entries]
        turns = dict.fromkeys((way[:k], way[k]) for way in ways for k in range(len(way)))
        names = [turn.choice for before, turn in turns if self._test(before, turn) is None]
        for name in dict.fromkeys(names):
            self.notes.append(
                f"{name}: the choice of a branch is no parameter, since no constant entry tells "
                "which one was taken; what is inside the branches is."
            )

    def _note_constants(self, name: str, entries: Sequence[tuple[Way, Content]]) -> None:
        fixed = [c.value for _, c in entries if isinstance(c, Constant) and c.value is not None]
        if fixed and len(fixed) < len(entries):
            shown = ", ".join(map(repr, dict.fromkeys(fixed)))
            self.notes.append(
                f"{name}: is fixed in some branches ({shown}), which count as values of its domain."
            )

    def _tests(self, ways: Iterable[Way]) -> list[tuple[Test, ...]] | None:
        """Return what tells each way from all others; None if one cannot be told."""
        found = []
        for way in ways:
            tests = [self._test(way[:place], turn) for place, turn in enumerate(way)]
            told = tuple(test for test in tests if test is not None)
            if len(told) < len(tests):
                return None
            found.append(told)
        return found

    def _test(self, before: Way, turn: Turn) -> Test | None:
        """Return an entry that is constant in all branches of a choice, and different in each."""
        siblings = [(*before, Turn(turn.choice, k, turn.branches)) for k in range(turn.branches)]
        for name, entries in self.by_name.items():
            here = {way: c.value for way, c in entries if isinstance(c, Constant)}
            if len(entries) != len(siblings) or set(here) != set(siblings):
                continue
            values = list(here.values())
            plain = all(isinstance(value, (str, bool, int, float)) for value in values)
            if plain and all(one != other for one, other in combinations(values, 2)):
                return name, here[siblings[turn.branch]]
        return None


def reduced(ways: Iterable[Way]) -> list[Way]:
    """Return the ways with those that take all branches of a choice replaced by what led there."""
    left = dict.fromkeys(ways)
    for way in sorted(left, key=len, reverse=True):
        if not way or way not in left:
            continue
        turn = way[-1]
        siblings = [(*way[:-1], Turn(turn.choice, k, turn.branches)) for k in range(turn.branches)]
        if all(sibling in left for sibling in siblings):
            for sibling in siblings:
                del left[sibling]
            return reduced([*left, way[:-1]])
    return list(left)


def _varies(contents: Sequence[Content]) -> bool:
    """Return whether there is anything to choose: a domain, or different constants."""
    if any(not isinstance(content, Constant) for content in contents):
        return True
    return len({_key(c.value) for c in contents if isinstance(c, Constant)}) > 1


def _one_domain(contents: Sequence[Content]) -> Domain | None:
    """Return the smallest domain that holds all others; None if numbers and choices are mixed."""
    constants = [c.value for c in contents if isinstance(c, Constant)]
    domains = [c for c in contents if isinstance(c, (Float, Int, Categorical))]
    if all(isinstance(domain, Categorical) for domain in domains):
        choices = [c for d in domains if isinstance(d, Categorical) for c in d.choices]
        return distinct_choices([*choices, *constants])
    numbers = [value for value in constants if value is not None]  # None: inactive
    numeric = [domain for domain in domains if isinstance(domain, (Float, Int))]
    if len(numeric) < len(domains) or not all(
        isinstance(v, (int, float)) and not isinstance(v, bool) for v in numbers
    ):
        return None
    if len(set(numeric)) == 1 and all(_holds(numeric[0], v) for v in numbers):
        return numeric[0]
    whole = all(isinstance(d, Int) for d in numeric) and all(v == int(v) for v in numbers)
    low = min([*numbers, *(domain.low for domain in numeric)])
    high = max([*numbers, *(domain.high for domain in numeric)])
    log = all(domain.log for domain in numeric) and low > 0
    return Int(int(low), int(high), log=log) if whole else Float(low, high, log=log)


def _holds(domain: Float | Int, number: float) -> bool:
    """Return whether a number lies in a domain and on its steps."""
    steps = 0.0 if domain.step is None else (number - domain.low) / domain.step
    return domain.low <= number <= domain.high and abs(steps - round(steps)) < 1e-9


def distinct_choices(values: Iterable[Any]) -> Categorical:
    """Return a categorical domain of the values, each once."""
    return Categorical(list({_key(value): value for value in values}.values()))


def _key(value: Any) -> tuple[type, Any]:
    try:
        hash(value)
    except TypeError:
        return type(value), repr(value)
    return type(value), value
