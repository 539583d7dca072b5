"""``param_grid`` and ``param_distributions`` as a space; a list of dicts is a conditional one.

A candidate does not record which of the dicts it comes from. A parameter that all dicts list, with
different values in each of them (such as ``kernel``), identifies it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from condped.errors import SpaceError
from condped.read.table.infer_space import domain_of
from condped.read.tools.nested_spaces import distinct_choices, one_domain
from condped.read.tools.scikit_learn.choices import Choices
from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.nodes import Comparison, Membership, Node
from condped.space.simplify import alternative, condition_of, conjunction
from condped.space.space import Alternative, Space
from condped.trials.columns import object_column


@dataclass(frozen=True, slots=True)
class _Listed:
    """Values to choose from."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Unbounded:
    """A distribution without bounds, by its name."""

    name: str


_Content: TypeAlias = _Listed | Float | Int | _Unbounded


def space_of(grid: Any, choice: Choices | None = None) -> Space:
    """Return the space of a grid or of distributions, or of a list of these.

    Listed numbers give the range from the lowest to the highest, other lists their choices.
    Distributions without bounds are named in ``to_infer``.

    Examples
    --------
    >>> space = space_of([{"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": [0.1, 1.0]}])
    >>> space["gamma"][0].when.text
    "kernel == 'rbf'"
    """
    choice = Choices() if choice is None else choice
    dicts = [grid] if isinstance(grid, Mapping) else grid
    if (
        not isinstance(dicts, Sequence)
        or not dicts
        or not all(isinstance(entry, Mapping) for entry in dicts)
    ):
        raise SpaceError(
            "It must be a dict of lists or distributions, or a list of such dicts (got "
            f"{type(grid).__name__})."
        )
    return _Dicts(
        [{str(n): _content(n, c, choice) for n, c in entry.items()} for entry in dicts]
    ).space()


def _content(name: Any, content: Any, choice: Choices) -> _Content:
    if hasattr(content, "rvs"):
        return _distribution(content)
    if isinstance(content, str) or not isinstance(content, (Sequence, np.ndarray, Iterable)):
        raise SpaceError(
            f"Parameter {str(name)!r} must have a list of values or a distribution (got "
            f"{content!r})."
        )
    values = tuple(choice(value) for value in content)
    if not values:
        raise SpaceError(f"Parameter {str(name)!r} has no values. Give at least one.")
    return _Listed(values)


def _distribution(found: Any) -> Float | Int | _Unbounded:
    """Return the domain of a distribution of scipy: the numbers that it can give."""
    kind = getattr(found, "dist", found)
    name = str(getattr(kind, "name", type(found).__name__))
    try:
        low, high = (float(bound) for bound in found.support())
    except (AttributeError, TypeError, ValueError):
        return _Unbounded(name)
    if not (math.isfinite(low) and math.isfinite(high)):
        return _Unbounded(name)
    if hasattr(found, "pmf"):
        return Int(round(low), round(high))
    return Float(low, high, log=name in ("loguniform", "reciprocal") and low > 0)


def _domain(content: _Listed | Float | Int) -> Domain:
    if not isinstance(content, _Listed):
        return content
    numbers = [v for v in content.values if isinstance(v, (int, float)) and math.isfinite(v)]
    if len(numbers) < len(content.values) or any(isinstance(v, bool) for v in numbers):
        return distinct_choices(content.values)
    return domain_of("", object_column(numbers)) or distinct_choices(numbers)


class _Dicts:
    """The dicts of a grid, and the parameters that distinguish them."""

    def __init__(self, dicts: Sequence[Mapping[str, _Content]]) -> None:
        self.dicts = dicts
        self.notes: list[str] = []
        self.gates = self._find_gates()

    def space(self) -> Space:
        """Return all parameters with their domains and conditions."""
        found: dict[str, list[Alternative]] = {}
        to_infer: list[str] = []
        for name in dict.fromkeys(name for entry in self.dicts for name in entry):
            contents = {k: entry[name] for k, entry in enumerate(self.dicts) if name in entry}
            unbounded = [c.name for c in contents.values() if isinstance(c, _Unbounded)]
            for kind in dict.fromkeys(unbounded):
                self.notes.append(
                    f"{name}: is drawn from the distribution {kind}, which has no bounds."
                )
            bounded = {k: c for k, c in contents.items() if not isinstance(c, _Unbounded)}
            alternatives = None if unbounded else self._alternatives(name, bounded)
            if alternatives is None:
                to_infer.append(name)
            elif all(entry.domain.single for entry in alternatives):
                label = alternatives[0].domain.label
                self.notes.append(f"{name}: left out, since it has a single value: {label}.")
            else:
                found[name] = alternatives
        return Space(found, notes=self.notes, to_infer=to_infer)

    def _alternatives(
        self, name: str, contents: Mapping[int, _Listed | Float | Int]
    ) -> list[Alternative] | None:
        """Return the domains with their conditions; None if they must be inferred."""
        places: dict[Domain, list[int]] = {}
        for place, content in contents.items():
            places.setdefault(_domain(content), []).append(place)
        kinds = {isinstance(domain, Categorical) for domain in places}
        apart = len(kinds) == 1 and not any(domain.single for domain in places)
        if name not in self.gates and (apart or len(places) == 1):
            conditions = {domain: self._condition(where) for domain, where in places.items()}
            if len(places) == 1 or all(when is not None for when in conditions.values()):
                if len(contents) < len(self.dicts) and None in conditions.values():
                    self._note_unknown(name, next(iter(places)))
                return [Alternative(domain, when) for domain, when in conditions.items()]
            self.notes.append(
                f"{name}: has {len(places)} domains in dicts that no other parameter "
                "identifies; one domain is used for all of them."
            )
        merged = self._merged(name, contents)
        if merged is None:
            return None
        ranges = [d for d in places if not d.single and not isinstance(d, Categorical)]
        if name in self.gates and ranges and len(places) > 1:
            self.notes.append(
                f"{name}: has {len(places)} domains and identifies its dicts; one domain, "
                f"{merged.label}, is used for all of them."
            )
        when = self._condition(list(contents))
        if when is None and len(contents) < len(self.dicts):
            self._note_unknown(name, merged)
        return [Alternative(merged, when)]

    def _note_unknown(self, name: str, domain: Domain) -> None:
        self.notes.append(
            f"{name}: is in some of the dicts only, and the condition could not be inferred, since "
            "no other parameter identifies these; taken as active wherever it has a value."
        )
        if isinstance(domain, Categorical) and None in domain.choices:
            self.notes.append(f"{name}: where it is inactive it counts as the choice None.")

    def _merged(self, name: str, contents: Mapping[int, _Listed | Float | Int]) -> Domain | None:
        """Return one domain for the values of all dicts."""
        if all(isinstance(content, _Listed) for content in contents.values()):
            listed = [c.values for c in contents.values() if isinstance(c, _Listed)]
            return _domain(_Listed(tuple(value for values in listed for value in values)))
        merged = one_domain([_domain(content) for content in contents.values()])
        if merged is None:
            self.notes.append(f"{name}: its dicts hold values of different kinds.")
        return merged

    def _find_gates(self) -> tuple[str, ...]:
        """Return parameters that distinguish dicts, as few as needed, choices before numbers."""
        shared = [n for n in self.dicts[0] if all(n in entry for entry in self.dicts)]
        pairs = {
            name: {
                pair for pair in combinations(range(len(self.dicts)), 2) if self._differ(name, pair)
            }
            for name in shared
        }
        candidates = [name for name in shared if pairs[name]]
        gates: list[str] = []
        open_pairs = {pair for name in candidates for pair in pairs[name]}
        while open_pairs:
            best = max(
                candidates,
                key=lambda n: (
                    len(pairs[n] & open_pairs) > 0,
                    self._are_choices(n),
                    len(pairs[n] & open_pairs),
                ),
            )
            gates.append(best)
            open_pairs -= pairs[best]
        return tuple(gates)

    def _are_choices(self, name: str) -> bool:
        """Return whether a parameter has values that are not numbers."""
        contents = [entry[name] for entry in self.dicts]
        values = [v for c in contents if isinstance(c, _Listed) for v in c.values]
        return any(isinstance(v, (str, bool)) for v in values)

    def _differ(self, name: str, pair: tuple[int, int]) -> bool:
        """Return whether two dicts list values of a parameter, none of them in both."""
        one, other = (self.dicts[place][name] for place in pair)
        if not isinstance(one, _Listed) or not isinstance(other, _Listed):
            return False
        plain = (str, bool, int, float)
        return all(isinstance(v, plain) for v in one.values + other.values) and not any(
            a == b for a in one.values for b in other.values
        )

    def _condition(self, places: Sequence[int]) -> Condition | None:
        """Return the condition that a candidate comes from one of these dicts.

        None if it always does, or if no parameter identifies them.
        """
        others = [place for place in range(len(self.dicts)) if place not in places]
        if not others:
            return None
        for gate in self.gates:  # a single one, if possible
            if all(self._differ(gate, (k, m)) for k in places for m in others):
                return condition_of(self._test(gate, places))
        parts: list[Node] = []
        for place in places:
            tests: list[Node] = []
            left = list(others)
            for gate in self.gates:
                if any(self._differ(gate, (place, m)) for m in left):
                    tests.append(self._test(gate, [place]))
                    left = [m for m in left if not self._differ(gate, (place, m))]
            part = conjunction(*tests)
            if left or part is None:
                return None
            parts.append(part)
        return condition_of(alternative(parts))

    def _test(self, gate: str, places: Sequence[int]) -> Node:
        contents = [self.dicts[place][gate] for place in places]
        values = [v for c in contents if isinstance(c, _Listed) for v in c.values]
        kept = tuple(dict.fromkeys(values))
        if len(kept) == 1:
            return Comparison(gate, "==", kept[0])
        return Membership(gate, kept, negated=False)
