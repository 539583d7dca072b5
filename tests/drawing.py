"""Drawing configurations from a space, one value after the other, as a person would."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from condped import Categorical, Int, Space
from condped.space import Domain
from condped.space.nodes import (
    Comparison,
    Conjunction,
    Disjunction,
    Negation,
    Node,
    ParameterComparison,
)

COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def meets(node: Node, drawn: dict[str, Any]) -> bool:
    """Return whether a configuration meets a condition; an absent parameter compares false."""
    if isinstance(node, Conjunction | Disjunction):
        decide = all if isinstance(node, Conjunction) else any
        return decide(meets(part, drawn) for part in node.parts)
    if isinstance(node, Negation):
        return not meets(node.part, drawn)
    names = (node.name, node.other) if isinstance(node, ParameterComparison) else (node.name,)
    if not set(names) <= set(drawn):
        return False
    if isinstance(node, ParameterComparison):
        return bool(COMPARE[node.op](drawn[node.name], drawn[node.other]))
    value = drawn[node.name]
    if isinstance(node, Comparison):
        return bool(COMPARE[node.op](value, node.value))
    return (value in node.values) != node.negated


def draw(space: Space, rng: np.random.Generator) -> dict[str, Any]:
    """Return a configuration; gates must stand before what they switch."""
    drawn: dict[str, Any] = {}
    for name, alternatives in space.items():
        for entry in alternatives:
            if entry.when is None or meets(entry.when.root, drawn):
                drawn[name] = value_of(entry.domain, rng)
                break
    return drawn


def value_of(domain: Domain, rng: np.random.Generator) -> Any:
    """Return a value of a domain."""
    if isinstance(domain, Categorical):
        return domain.choices[rng.integers(len(domain.choices))]
    if isinstance(domain, Int):
        return int(rng.choice(np.arange(domain.low, domain.high + 1, domain.step)))
    if domain.log:
        return float(np.exp(rng.uniform(np.log(domain.low), np.log(domain.high))))
    return float(rng.uniform(domain.low, domain.high))


def holds_of(space: Space, drawn: dict[str, Any]) -> bool:
    """Return whether a configuration has exactly what the space says, inside its domains."""
    for name, alternatives in space.items():
        active = [a.domain for a in alternatives if a.when is None or meets(a.when.root, drawn)]
        if (name in drawn) != bool(active):
            return False
        for domain in active:
            if not fits(domain, drawn[name]):
                return False
    return set(drawn) <= set(space)


def fits(domain: Domain, value: Any) -> bool:
    """Return whether a value is in a domain."""
    if isinstance(domain, Categorical):
        return value in domain.choices
    return bool(domain.low <= value <= domain.high)


def model_selection() -> tuple[Space, dict[str, str]]:
    """Return a space of 30 parameters, of which 24 are switched, and by which each is."""
    space: dict[str, Any] = {
        "learner": {"type": "categorical", "choices": list("abcde")},
        "seed": {"type": "int", "low": 0, "high": 99},
        "scaling": {"type": "categorical", "choices": ["none", "unit", "rank"]},
        "fraction": {"type": "float", "low": 0, "high": 1},
        "optimizer": {"type": "categorical", "choices": ["adam", "sgd"]},
        "dropout": {"type": "float", "low": 0, "high": 1},
    }
    gates: dict[str, str] = {}

    def add(name: str, gate: str, test: str, **domain: Any) -> None:
        space[name] = {"when": f"`{gate}` {test}", **domain}
        gates[name] = gate

    for learner in "abcde":
        for place in range(3):
            name = f"{learner}.{place}"
            add(name, "learner", f"== '{learner}'", type="float", low=0, high=1)
    add("a.kernel", "learner", "== 'a'", type="categorical", choices=["rbf", "poly", "linear"])
    add("a.gamma", "a.kernel", "== 'rbf'", type="float", low=0, high=1)
    add("a.degree", "a.kernel", "== 'poly'", type="int", low=2, high=5)
    add("b.layers", "learner", "== 'b'", type="int", low=1, high=4)
    add("b.units", "b.layers", ">= 3", type="int", low=8, high=64)
    add("b.rate", "b.layers", "", type="float")
    space["b.rate"] = [
        {"when": "`b.layers` <= 2", "type": "float", "low": 0.001, "high": 1, "log": True},
        {"when": "`b.layers` >= 3", "type": "float", "low": 1e-5, "high": 0.1, "log": True},
    ]
    add("momentum", "optimizer", "== 'sgd'", type="float", low=0, high=1)
    add("warm_up", "optimizer", "== 'adam'", type="categorical", choices=[True, False])
    add("where", "dropout", ">= 0.4", type="categorical", choices=["in", "out"])
    return Space(space), gates
