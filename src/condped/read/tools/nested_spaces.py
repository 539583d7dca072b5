"""Nested spaces: the entries of all branches, merged into one space.

A choice among mappings has one branch for each of them. A trial does not record which branch was
taken; an entry that is constant in each branch, with different values, identifies it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.nodes import Comparison
from condped.space.simplify import alternative, condition_of, conjunction
from condped.space.space import Alternative, Space

# A parameter and its value in a branch.
Test: TypeAlias = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is not sampled."""

    value: Any


@dataclass(frozen=True, slots=True)
class OpenEnded:
    """A value sampled without a domain, and how."""

    drawn: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One of the branches of a choice: its name, the branch, and how many there are."""

    choice: str
    branch: int
    branches: int


BranchPath: TypeAlias = tuple[Turn, ...]
Content: TypeAlias = Domain | Constant | OpenEnded


@dataclass(slots=True)
class Entries:
    """The entries of a nested space, by name: their contents, and the path to each."""

    by_name: dict[str, list[tuple[BranchPath, Content]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, path: BranchPath, content: Content) -> None:
        """Add the content at the end of a path."""
        self.by_name.setdefault(name, []).append((path, content))

    def space(self) -> Space:
        """Return the space, with notes on what it cannot express."""
        found: dict[str, Any] = {}
        to_infer: list[str] = []
        self._note_unrecorded()
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
                self.notes.append(f"{name}: left out, since it has a single value: {label}.")
            else:
                found[name] = alternatives
        return Space(found, notes=self.notes, to_infer=list(dict.fromkeys(to_infer)))

    def _alternatives(
        self, name: str, entries: Sequence[tuple[BranchPath, Content]]
    ) -> list[Alternative] | None:
        """Return a name's domains with their conditions; None if they must be inferred."""
        paths: dict[Domain, list[BranchPath]] = {}
        merged = one_domain([content for _, content in entries])
        apart = not any(isinstance(content, Constant) for _, content in entries)
        for path, content in entries:
            domain = content if apart else merged
            idle = content == Constant(None) and not isinstance(merged, Categorical)
            if isinstance(domain, (Float, Int, Categorical)) and not idle:
                paths.setdefault(domain, []).append(path)
        self._note_constants(name, entries)
        tests = {domain: self._tests(reduced(taken)) for domain, taken in paths.items()}
        kinds = {isinstance(domain, Categorical) for domain in paths}
        identified = {domain: found for domain, found in tests.items() if found is not None}
        fine = len(paths) == 1 or not any(domain.single for domain in paths)
        if len(kinds) == 1 and len(identified) == len(paths) and fine:
            return [Alternative(domain, reached_by(found)) for domain, found in identified.items()]
        if merged is None:
            self.notes.append(f"{name}: its branches hold values of different kinds.")
            return None
        if len(paths) > 1:
            self.notes.append(
                f"{name}: has {len(paths)} domains in branches that no constant entry identifies; "
                f"one domain is used for all of them, {merged.label}."
            )
        if isinstance(merged, Categorical) and None in merged.choices:
            self.notes.append(
                f"{name}: where it is inactive it counts as the choice None, since no constant "
                "entry identifies the branches."
            )
        return [Alternative(merged)]

    def _note_unrecorded(self) -> None:
        """Note the choices of a branch that trials do not record."""
        paths = [path for entries in self.by_name.values() for path, _ in entries]
        turns = dict.fromkeys((path[:k], path[k]) for path in paths for k in range(len(path)))
        names = [turn.choice for before, turn in turns if self._test(before, turn) is None]
        for name in dict.fromkeys(names):
            self.notes.append(
                f"{name}: the choice of a branch is not a parameter, since no constant entry "
                "identifies the branch; the entries of the branches are."
            )

    def _note_constants(self, name: str, entries: Sequence[tuple[BranchPath, Content]]) -> None:
        fixed = [c.value for _, c in entries if isinstance(c, Constant) and c.value is not None]
        if fixed and len(fixed) < len(entries):
            listed = ", ".join(map(repr, dict.fromkeys(fixed)))
            self.notes.append(
                f"{name}: is fixed in some branches ({listed}), which count as values of its "
                "domain."
            )

    def _tests(self, paths: Iterable[BranchPath]) -> list[tuple[Test, ...]] | None:
        """Return the tests that identify each path; None if one cannot be identified."""
        found = []
        for path in paths:
            tests = [self._test(path[:place], turn) for place, turn in enumerate(path)]
            identified = tuple(test for test in tests if test is not None)
            if len(identified) < len(tests):
                return None
            found.append(identified)
        return found

    def _test(self, before: BranchPath, turn: Turn) -> Test | None:
        """Return an entry that is constant in each branch of a choice, with different values."""
        siblings = [(*before, Turn(turn.choice, k, turn.branches)) for k in range(turn.branches)]
        for name, entries in self.by_name.items():
            constants = {path: c.value for path, c in entries if isinstance(c, Constant)}
            if len(entries) != len(siblings) or set(constants) != set(siblings):
                continue
            values = list(constants.values())
            plain = all(isinstance(value, (str, bool, int, float)) for value in values)
            if plain and all(one != other for one, other in combinations(values, 2)):
                return name, constants[siblings[turn.branch]]
        return None


def reduced(paths: Iterable[BranchPath]) -> list[BranchPath]:
    """Return the paths, those through all branches of a choice replaced by the path to it."""
    left = dict.fromkeys(paths)
    for path in sorted(left, key=len, reverse=True):
        if not path or path not in left:
            continue
        turn = path[-1]
        siblings = [(*path[:-1], Turn(turn.choice, k, turn.branches)) for k in range(turn.branches)]
        if all(sibling in left for sibling in siblings):
            for sibling in siblings:
                del left[sibling]
            return reduced([*left, path[:-1]])
    return list(left)


def _varies(contents: Sequence[Content]) -> bool:
    """Return whether the value varies: a domain, or different constants."""
    if any(not isinstance(content, Constant) for content in contents):
        return True
    return len({_key(c.value) for c in contents if isinstance(c, Constant)}) > 1


def one_domain(contents: Sequence[Content]) -> Domain | None:
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


def reached_by(paths: Iterable[tuple[Test, ...]]) -> Condition | None:
    """Return the condition that one of the paths was taken; None if one of them is unconditional.

    Examples
    --------
    >>> reached_by([(("learner", "svm"), ("kernel", "rbf")), (("learner", "net"),)]).text
    "(learner == 'svm' and kernel == 'rbf') or learner == 'net'"
    """
    parts = [
        conjunction(*(Comparison(name, "==", value) for name, value in path)) for path in paths
    ]
    found = [part for part in parts if part is not None]
    return condition_of(alternative(found)) if len(found) == len(parts) else None


def plain_value(value: Any) -> Any:
    """Return a value as a choice, the same from an object and from JSON.

    Lists and arrays become tuples, numpy's scalars those of Python.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    return tuple(map(plain_value, value)) if isinstance(value, (list, tuple)) else value
