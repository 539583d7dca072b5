"""A space as code for ConfigSpace, which SMAC takes: hyperparameters and conditions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from condped.analyse.advice.code.known_space import (
    Unknown,
    known_parameters,
    labels_apart,
    step_values,
    unknown_lines,
)
from condped.analyse.advice.code.python_text import literal, literals, text_inside
from condped.analyse.branches.splits import holds_for
from condped.errors import SettingsError
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.nodes import (
    COMPARE,
    Comparison,
    Conjunction,
    Disjunction,
    Membership,
    Negation,
    Node,
    ParameterComparison,
)
from condped.space.space import Space

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_EXPORTS = (
    "AndConjunction", "CategoricalHyperparameter", "Configuration", "ConfigurationSpace",
    "Constant", "EqualsCondition", "GreaterThanCondition", "InCondition", "LessThanCondition",
    "NotEqualsCondition", "OrConjunction", "OrdinalHyperparameter", "UniformFloatHyperparameter",
    "UniformIntegerHyperparameter",
)  # fmt: skip


def configspace_code(
    space: Space,
    unknown: Unknown | None = None,
    configurations: Sequence[Mapping[str, tuple[Domain, Any]]] = (),
) -> str:
    """Return the code of ``space``, and of ``config_of`` if its names or values differ.

    ``configurations``, domains and values by name, become ``initial_configurations``.
    """
    unknown = unknown or {}
    written = _Hyperparameters(space, known_parameters(space, unknown))
    lines = [*unknown_lines(space, unknown), "p = {}"]
    conditions: list[str] = []
    comments: list[str] = []
    for name in written.names:
        labels = written.labels[name]
        for entry, label in zip(space[name], labels, strict=True):
            lines.append(f"p[{literal(label)}] = {written.hyperparameter(label, entry.domain)}")
            if entry.when is None:
                continue
            try:
                made = written.condition(entry.when.root, label)
            except SettingsError as error:
                comments += [
                    f"# {text_inside(label)} is always drawn: ConfigSpace cannot express",
                    f"# {text_inside(entry.when.text)} ({error}). Ignore it elsewhere.",
                ]
                written.always[label] = entry.domain
            else:
                conditions.append(made)
    lines += ["space = ConfigurationSpace()", "space.add(*p.values())", *comments]
    lines += [f"space.add({one})" for one in conditions]
    lines += written.back()
    if configurations:
        lines += ["", "initial_configurations = ["]
        for one in configurations:
            values = ", ".join(
                f"{literal(k)}: {literal(v)}" for k, v in written.values(one).items()
            )
            lines.append(f"    Configuration(space, values={{{values}}}),")
        lines.append("]")
    code = "\n".join(lines)
    used = [name for name in _EXPORTS if f"{name}(" in code]
    imports = ["from ConfigSpace import (", *(f"    {name}," for name in used), ")", ""]
    return "\n".join([*imports, code])


@dataclass
class _Hyperparameters:
    """The hyperparameters of a space, under labels of their own."""

    space: Space
    names: list[str]
    labels: dict[str, list[str]] = field(init=False)
    coded: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # choices by position
    always: dict[str, Domain] = field(default_factory=dict)  # drawn whether active or not

    def __post_init__(self) -> None:
        taken = set(self.space)
        self.labels = {name: labels_apart(name, self.space[name], taken) for name in self.names}
        for name in self.names:
            for entry, label in zip(self.space[name], self.labels[name], strict=True):
                if isinstance(entry.domain, Categorical) and _confusable(entry.domain.choices):
                    self.coded[label] = entry.domain.choices

    def hyperparameter(self, label: str, domain: Domain) -> str:
        name = literal(label)
        if isinstance(domain, Categorical):
            if domain.single:
                return f"Constant({name}, {literal(domain.choices[0])})"
            values = literals(self._choices(label, domain))
            return f"CategoricalHyperparameter({name}, {values})"
        if domain.single:
            return f"Constant({name}, {domain.low!r})"
        steps = step_values(domain)
        if steps is not None:
            return f"OrdinalHyperparameter({name}, {literals(steps)})"
        kind = "Integer" if isinstance(domain, Int) else "Float"
        log = ", log=True" if domain.log else ""
        return f"Uniform{kind}Hyperparameter({name}, {domain.low!r}, {domain.high!r}{log})"

    def _choices(self, label: str, domain: Categorical) -> list[Any]:
        return list(range(len(domain.choices)) if label in self.coded else domain.choices)

    def condition(self, node: Node, child: str) -> str:
        """Return the code of a hyperparameter's condition; raise if it cannot be expressed."""
        if isinstance(node, Conjunction | Disjunction):
            made = list(dict.fromkeys(self.condition(part, child) for part in node.parts))
            return _combine_conditions("And" if isinstance(node, Conjunction) else "Or", made)
        if isinstance(node, Negation):
            return self.condition(self._negated(node.part), child)
        if isinstance(node, ParameterComparison):
            raise SettingsError("it compares two parameters")
        made = [
            one
            for entry, label in zip(self.space[node.name], self.labels[node.name], strict=True)
            if (one := self._comparison(node, child, label, entry.domain)) is not None
        ]
        if not made:
            raise SettingsError("it never holds")
        return _combine_conditions("Or", made)

    def _negated(self, node: Node) -> Node:
        """Return the opposite of a condition on parameters that are always active."""
        if isinstance(node, Negation):
            return node.part
        if isinstance(node, Conjunction | Disjunction):
            kind = Disjunction if isinstance(node, Conjunction) else Conjunction
            return kind(tuple(map(self._negated, node.parts)))
        if any(self.space[name][0].when is not None for name in node.names):
            raise SettingsError("it holds where a parameter is not active")
        if isinstance(node, Membership):
            return Membership(node.name, node.values, not node.negated)
        if isinstance(node, ParameterComparison):
            return ParameterComparison(node.name, _OPPOSITE[node.op], node.other)
        return Comparison(node.name, _OPPOSITE[node.op], node.value)

    def _comparison(
        self, node: Comparison | Membership, child: str, parent: str, domain: Domain
    ) -> str | None:
        """Return a comparison with one domain of a parameter; None if it never holds."""
        both = f"p[{literal(child)}], p[{literal(parent)}]"
        if isinstance(domain, Categorical):
            held = [place for place, c in enumerate(domain.choices) if holds_for(node, c)]
            return _one_of(both, [self._choices(parent, domain)[place] for place in held])
        steps = [domain.low] if domain.single else step_values(domain)
        if steps is not None:
            return _one_of(both, [value for value in steps if holds_for(node, value)])
        if isinstance(node, Membership) and not node.negated:
            inside = [v for v in node.values if _is_number(v) and domain.low <= v <= domain.high]
            return _one_of(both, inside)
        if isinstance(node, Membership):
            parts = [_numeric(both, "!=", value, domain) for value in node.values]
            return (
                None
                if None in parts
                else _combine_conditions("And", [part for part in parts if part])
            )
        return _numeric(both, node.op, node.value, domain)

    def values(self, configuration: Mapping[str, tuple[Domain, Any]]) -> dict[str, Any]:
        """Return the values of a configuration by label."""
        found = {
            label: domain.choices[0] if isinstance(domain, Categorical) else domain.low
            for label, domain in self.always.items()
        }
        for name, (domain, value) in configuration.items():
            if name in self.labels:
                own = [entry.domain for entry in self.space[name]].index(domain)
                label = self.labels[name][own]
                found[label] = self._value(label, domain, value)
        return found

    def _value(self, label: str, domain: Domain, value: Any) -> Any:
        if label in self.coded:
            return [(type(one), one) for one in self.coded[label]].index((type(value), value))
        steps = None if isinstance(domain, Categorical) else step_values(domain)
        # Ordinals compare exactly, and sums of steps are rounded.
        return value if steps is None else min(steps, key=lambda one: abs(one - value))

    def back(self) -> list[str]:
        """Return a function from a configuration to values by name, if these differ."""
        names = {label: name for name, own in self.labels.items() for label in own if label != name}
        if not names and not self.coded:
            return []
        lines = ["", "", "def config_of(configuration):"]
        if names:
            entries = ", ".join(f"{literal(a)}: {literal(b)}" for a, b in names.items())
            lines.append(f"    names = {{{entries}}}  # ConfigSpace allows a name one domain")
        if self.coded:
            entries = ", ".join(f"{literal(a)}: {literals(b)}" for a, b in self.coded.items())
            lines.append(f"    choices = {{{entries}}}  # which ConfigSpace considers equal")
        name = "names.get(name, name)" if names else "name"
        value = "choices[name][value] if name in choices else value" if self.coded else "value"
        lines.append(
            f"    return {{{name}: {value} for name, value in dict(configuration).items()}}"
        )
        return lines


def _confusable(choices: tuple[Any, ...]) -> bool:
    """Return whether ConfigSpace considers some choices equal, or rejects one."""
    if any(isinstance(choice, float) and math.isnan(choice) for choice in choices):
        return True
    return any(a == b for place, a in enumerate(choices) for b in choices[:place])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _one_of(both: str, values: list[Any]) -> str | None:
    if not values:
        return None
    if len(values) == 1:
        return f"EqualsCondition({both}, {literal(values[0])})"
    return f"InCondition({both}, {literals(values)})"


def _numeric(both: str, op: str, value: Any, domain: Float | Int) -> str | None:
    """Return a comparison with a number; None if it never holds."""
    if not _is_number(value):
        return None
    if isinstance(domain, Int):
        value, op = _with_whole_number(value, op)
    ends = [COMPARE[op](end, value) for end in (domain.low, domain.high)]
    if op not in ("==", "!="):
        if not any(ends):
            return None
        return (
            _order_condition(both, op, value, domain)
            if not all(ends)
            else _always_true(both, domain)
        )
    inside = domain.low <= value <= domain.high and not (isinstance(domain, Int) and value % 1)
    if op == "==":
        return f"EqualsCondition({both}, {_number(value, domain)})" if inside else None
    if not inside:
        return _always_true(both, domain)
    # Not NotEqualsCondition, which also holds where the parent is not active.
    sides = [side for side in "<>" if _numeric(both, side, value, domain) is not None]
    return _combine_conditions(
        "Or", [_order_condition(both, side, value, domain) for side in sides]
    )


def _with_whole_number(value: float, op: str) -> tuple[float, str]:
    """Return an equivalent comparison of whole numbers with a whole number."""
    if op in ("<", "<="):
        return (math.ceil(value) - 1 if op == "<" else math.floor(value)), "<="
    if op in (">", ">="):
        return (math.floor(value) + 1 if op == ">" else math.ceil(value)), ">="
    return value, op


def _order_condition(both: str, op: str, value: float, domain: Float | Int) -> str:
    """Return a comparison that holds for some numbers of a domain, but not for all."""
    if isinstance(domain, Int):
        value, op = _with_whole_number(value, op)
    number = _number(value, domain)
    kind = "LessThan" if op in ("<", "<=") else "GreaterThan"
    strict, equal = f"{kind}Condition({both}, {number})", f"EqualsCondition({both}, {number})"
    if op in ("<", ">"):
        return strict
    # Nothing lies beyond the ends.
    end = domain.low if op == "<=" else domain.high
    return equal if value == end else f"OrConjunction({strict}, {equal})"


def _always_true(both: str, domain: Float | Int) -> str:
    """Return a condition that holds wherever the parent is active."""
    return _order_condition(both, "<=", domain.high, domain)


def _number(value: float, domain: Float | Int) -> str:
    return repr(int(value) if isinstance(domain, Int) else float(value))


def _combine_conditions(kind: str, parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{kind}Conjunction({', '.join(parts)})"
