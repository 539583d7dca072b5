"""A space as code for Hyperopt: ``hp.choice`` with what each choice switches on inside it.

Other conditions, such as those on numbers, become ``scope.switch`` on a comparison.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from condped.analyse.advice.code.known_space import (
    Unknown,
    known_parameters,
    labels_apart,
    step_values,
    unknown_lines,
)
from condped.analyse.advice.code.python_text import literal, literals
from condped.analyse.branches.splits import holds_for
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.nodes import (
    Comparison,
    Conjunction,
    Disjunction,
    Membership,
    Negation,
    Node,
    ParameterComparison,
    names_of,
)
from condped.space.space import Alternative, Space

_CONFIG_OF = '''

def config_of(drawn):
    """Return the drawn values by name."""
    found = {}
    for name, value in drawn.items():
        found |= config_of(value) if isinstance(value, dict) else {name: value}
    return found'''


def hyperopt_code(space: Space, unknown: Unknown | None = None) -> str:
    """Return the code of ``space``, and of ``config_of`` if it is nested."""
    unknown = unknown or {}
    tree = _Tree(space, known_parameters(space, unknown))
    lines = [*unknown_lines(space, unknown), "p = {}"]
    nested = [name for name in tree.names if tree.inside(name)]
    for name in tree.names:
        for entry, label in zip(space[name], tree.labels[name], strict=True):
            key = f"[{literal(label)}]"
            if label in tree.by_position:
                choices = len(getattr(entry.domain, "choices", ()))
                lines.append(f"position{key} = hp.randint({literal(label)}, {choices})")
            if name not in nested:
                lines.append(f"p{key} = {tree.node(label, entry.domain)}")
    if tree.by_position:
        lines.insert(lines.index("p = {}") + 1, "position = {}  # of choices that others depend on")
    for name in reversed(nested):  # inner ones first
        lines += tree.gate(name)
    lines += ["space = {", *(f"    {item}," for item in tree.items(None, None)), "}"]
    code = "\n".join(lines)
    if nested or any(place.rest for place in tree.places.values()):
        code += f"\n{_CONFIG_OF}"
    imports = ["from math import log", ""] if "log(" in code.replace("loguniform(", "") else []
    imports.append("from hyperopt import hp")
    imports += ["from hyperopt.pyll import scope"] if "scope." in code else []
    return "\n".join([*imports, "", code])


@dataclass(frozen=True)
class _Place:
    """Where an alternative belongs: inside which choices of which gate, and what else must hold."""

    gate: str | None
    choices: tuple[int, ...]
    rest: tuple[Node, ...]
    active: frozenset[str] = frozenset()  # parameters that are surely active where it holds


@dataclass
class _Tree:
    """Which parameters belong inside which choices."""

    space: Space
    names: list[str]
    labels: dict[str, list[str]] = field(init=False)
    places: dict[str, _Place] = field(default_factory=dict)  # by label
    by_position: set[str] = field(default_factory=set)  # labels of gates that tests depend on

    def __post_init__(self) -> None:
        taken = set(self.space)
        self.labels = {name: labels_apart(name, self.space[name], taken) for name in self.names}
        for name in self.names:
            for entry, label in zip(self.space[name], self.labels[name], strict=True):
                self.places[label] = self._place(entry)
        for place in self.places.values():
            for node in place.rest:
                self._mark_choices(node, self._active_parameters(place))

    def _mark_choices(self, node: Node, active: set[str]) -> None:
        """Mark the choices that a test depends on, and those that its parameters depend on."""
        for name in names_of(node):
            sure = name in active and len(self.space[name]) == 1
            for entry, label in zip(self.space[name], self.labels[name], strict=True):
                if isinstance(entry.domain, Categorical) and not entry.domain.single:
                    self.by_position.add(label)
                if entry.when is not None and not sure:
                    self._mark_choices(entry.when.root, active)

    def _place(self, entry: Alternative) -> _Place:
        parts = _conjuncts(entry)
        order = {name: place for place, name in enumerate(self.names)}
        gates = [gate for part in parts if (gate := self._gate(part)) is not None]
        if not gates:
            return self._place_of_condition(parts)
        gate = max(gates, key=lambda name: order[name])
        own = [part for part in parts if self._gate(part) == gate]
        domain = self.space[gate][0].domain
        assert isinstance(domain, Categorical)
        kept = [p for p, c in enumerate(domain.choices) if all(_true_of(part, c) for part in own)]
        implied = self._implied_conditions(gate)
        rest = tuple(part for part in parts if part not in own and part not in implied)
        return _Place(gate, tuple(kept), rest)

    def _place_of_condition(self, parts: tuple[Node, ...]) -> _Place:
        """Return the place of the last parameter that a condition needs: it is active there."""
        leaves = [part for part in parts if isinstance(part, Comparison | Membership)]
        needed = [leaf.name for leaf in leaves if len(self.space[leaf.name]) == 1]
        switched = [name for name in needed if self.space[name][0].when is not None]
        if not switched:
            return _Place(None, (), parts)
        last = max(switched, key=self.names.index)
        place = self.places[self.labels[last][0]]
        rest = (*place.rest, *(part for part in parts if part not in place.rest))
        return _Place(place.gate, place.choices, rest, place.active | {last})

    def _gate(self, part: Node) -> str | None:
        """Return the categorical gate that alone decides a condition; None if there is none."""
        names = names_of(part)
        if len(names) != 1 or len(self.space[names[0]]) > 1:
            return None
        entry = self.space[names[0]][0]
        if not isinstance(entry.domain, Categorical) or entry.domain.single:
            return None
        # A negation also holds where the gate is not active.
        return None if entry.when is not None and _negates(part) else names[0]

    def _implied_conditions(self, gate: str) -> set[Node]:
        """Return the conditions that hold wherever a gate is active."""
        if len(self.space[gate]) > 1:
            return set()
        found = set(_conjuncts(self.space[gate][0]))
        for part in tuple(found):
            if not _negates(part) and isinstance(part, Comparison | Membership):
                found |= self._implied_conditions(part.name)
        return found

    def inside(self, name: str) -> bool:
        """Return whether a gate has anything inside its choices."""
        return any(place.gate == name for place in self.places.values())

    def items(self, gate: str | None, choice: int | None) -> list[str]:
        """Return the entries inside a choice, or on the top level."""
        found = []
        for name in self.names:
            for label in self.labels[name]:
                place = self.places[label]
                if place.gate != gate or (choice is not None and choice not in place.choices):
                    continue
                own = f"p[{literal(label)}]"
                if not place.rest:
                    found.append(f"{literal(name)}: {own}")
                    continue
                active = self._active_parameters(place)
                test = " * ".join(f"({self.test(part, active)})" for part in place.rest)
                inner = f"{{{literal(name)}: {own}}}"
                found.append(f"{literal(label)}: scope.switch(scope.int({test}), {{}}, {inner})")
        return found

    def _active_parameters(self, place: _Place) -> set[str]:
        """Return which parameters are surely active at a place."""
        found = {name for name in self.names if self.space[name][0].when is None} | place.active
        gate = place.gate
        while gate is not None and gate not in found:
            found.add(gate)
            gate = self.places[self.labels[gate][0]].gate
        return found

    def gate(self, name: str) -> list[str]:
        """Return the lines of a gate, with what is inside its choices."""
        (label,), domain = self.labels[name], self.space[name][0].domain
        assert isinstance(domain, Categorical)
        start = f"hp.choice({literal(label)}, ["
        end = "])"
        if label in self.by_position:
            start, end = f"scope.switch(position[{literal(label)}], *[", "])"
        lines = [f"p[{literal(label)}] = {start}"]
        for place, choice in enumerate(domain.choices):
            inner = [f"{literal(name)}: {literal(choice)}", *self.items(name, place)]
            lines.append(f"    {{{', '.join(inner)}}},")
        return [*lines, end]

    def node(self, label: str, domain: Domain) -> str:
        """Return the expression that draws a value."""
        if not isinstance(domain, Categorical):
            return _number(literal(label), domain)
        if domain.single:
            return literal(domain.choices[0])
        if label in self.by_position:
            options = ", ".join(map(literal, domain.choices))
            return f"scope.switch(position[{literal(label)}], {options})"
        return f"hp.choice({literal(label)}, {literals(domain.choices)})"

    def test(self, node: Node, active: set[str]) -> str:
        """Return a condition as a number: 1 where it holds and 0 elsewhere."""
        if isinstance(node, Negation):
            return f"1 - ({self.test(node.part, active)})"
        if isinstance(node, Conjunction):
            return " * ".join(f"({self.test(part, active)})" for part in node.parts)
        if isinstance(node, Disjunction):
            return _any_of(self.test(part, active) for part in node.parts)
        if isinstance(node, ParameterComparison):
            return _any_of(
                f"{one}({left} {node.op} {right}){other}"
                if node.op not in ("==", "!=")
                else f"{one}({_equality_test(left, right, node.op)}){other}"
                for one, left in self._values(node.name, active)
                for other, right in self._values(node.other, active, before=False)
            )
        domains = [entry.domain for entry in self.space[node.name]]
        return _any_of(
            f"{guard}({self._leaf(node, label, domain, value)})"
            for (guard, value), label, domain in zip(
                self._values(node.name, active), self.labels[node.name], domains, strict=True
            )
        )

    def _values(
        self, name: str, active: set[str], *, before: bool = True
    ) -> Iterable[tuple[str, str]]:
        """Iterate over a parameter's domains: the test that it has the domain, and its value."""
        for entry, label in zip(self.space[name], self.labels[name], strict=True):
            value = f"p[{literal(label)}]"
            if entry.when is None or (name in active and len(self.space[name]) == 1):
                yield "", value
                continue
            there = f"({self.test(entry.when.root, active)})"
            yield (f"{there} * " if before else f" * {there}"), value

    def _leaf(self, node: Comparison | Membership, label: str, domain: Domain, value: str) -> str:
        if domain.single:
            only = domain.choices[0] if isinstance(domain, Categorical) else domain.low
            return str(int(holds_for(node, only)))
        if isinstance(domain, Categorical):
            held = [place for place, choice in enumerate(domain.choices) if holds_for(node, choice)]
            at = f"position[{literal(label)}]"
            return _any_of(_equality_test(at, str(place), "==") for place in held) if held else "0"
        if isinstance(node, Membership):
            among = _any_of(_equality_test(value, literal(one), "==") for one in node.values)
            return f"1 - ({among})" if node.negated else among
        if node.op in ("==", "!="):
            return _equality_test(value, literal(node.value), node.op)
        return f"{value} {node.op} {literal(node.value)}"


def _number(name: str, domain: Float | Int) -> str:
    """Return the expression that draws a number."""
    steps = [domain.low] if domain.single else step_values(domain)
    if steps is not None and len(steps) == 1:
        return literal(domain.low)
    if steps is not None:
        drawn = f"{domain.low!r} + {domain.step!r} * hp.randint({name}, {len(steps)})"
        return f"scope.int({drawn})" if isinstance(domain, Int) else drawn
    low, high = (f"log({end!r})" if domain.log else repr(end) for end in (domain.low, domain.high))
    if not isinstance(domain, Int):
        return f"hp.{'log' if domain.log else ''}uniform({name}, {low}, {high})"
    if domain.log:
        return f"scope.int(hp.qloguniform({name}, {low}, {high}, 1))"
    return f"hp.uniformint({name}, {low}, {high})"


def _conjuncts(entry: Alternative) -> tuple[Node, ...]:
    if entry.when is None:
        return ()
    root = entry.when.root
    return root.parts if isinstance(root, Conjunction) else (root,)


def _negates(node: Node) -> bool:
    if isinstance(node, Conjunction | Disjunction):
        return any(map(_negates, node.parts))
    return isinstance(node, Negation)


def _true_of(node: Node, value: object) -> bool:
    """Return whether a condition on one parameter holds for a value of it."""
    if isinstance(node, Conjunction | Disjunction):
        decide = all if isinstance(node, Conjunction) else any
        return decide(_true_of(part, value) for part in node.parts)
    if isinstance(node, Negation):
        return not _true_of(node.part, value)
    assert isinstance(node, Comparison | Membership)
    return holds_for(node, value)


def _equality_test(left: str, right: str, op: str) -> str:
    """Return a test that numbers are equal, or not: Hyperopt's expressions have none."""
    same = f"({left} >= {right}) * ({left} <= {right})"
    return same if op == "==" else f"1 - {same}"


def _any_of(tests: Iterable[str]) -> str:
    parts = list(tests)
    if len(parts) == 1:
        return parts[0]
    return f"({' + '.join(f'({part})' for part in parts)}) > 0"
