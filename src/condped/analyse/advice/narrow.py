"""A space with smaller domains: what can no longer happen falls out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from condped.analyse.branches.splits import holds_for
from condped.space.build_condition import Leaf, Settled, condition_of, simplified
from condped.space.condition import Between, Comparison, Condition, Membership, Node
from condped.space.domain import Categorical, Domain, Int
from condped.space.space import Alternative, Space

_FEW = 1000  # whole numbers, up to which each is looked at


def in_order(space: Mapping[str, tuple[Alternative, ...]]) -> list[str]:
    """Return the parameters so that each comes after its gates, otherwise in their order."""
    done: dict[str, None] = {}

    def visit(name: str, above: frozenset[str]) -> None:
        if name in done or name in above or name not in space:
            return
        for gate in gates_of(space[name]):
            visit(gate, above | {name})
        done[name] = None

    for name in space:
        visit(name, frozenset())
    return list(done)


def gates_of(alternatives: tuple[Alternative, ...]) -> Iterator[str]:
    """Iterate over the parameters that conditions name."""
    for entry in alternatives:
        if entry.when is not None:
            yield from entry.when.names


def narrowed(
    space: Space, proposals: Mapping[tuple[str, Domain], Domain]
) -> tuple[Space, set[tuple[str, Domain]]]:
    """Return the space with proposed domains, and which of the old domains are still possible."""
    found: dict[str, tuple[Alternative, ...]] = {}
    possible: set[tuple[str, Domain]] = set()
    for name in in_order(space):
        kept = []
        for entry in space[name]:
            domain = _writable(proposals.get((name, entry.domain), entry.domain))
            told = True if entry.when is None else _told(entry.when.root, found)
            if told is not False:
                possible.add((name, entry.domain))
                kept.append(Alternative(domain, None if told is True else condition_of(told)))
        if kept:
            found[name] = _merged(kept)
    return Space({name: found[name] for name in space if name in found}), possible


def _merged(entries: list[Alternative]) -> tuple[Alternative, ...]:
    """Return alternatives of which one that always holds stands alone."""
    always = [entry for entry in entries if entry.when is None]
    return (always[0],) if always else tuple(entries)


def _writable(domain: Domain) -> Domain:
    """Return a domain that a space file may have: a number that is fixed is its only choice."""
    if isinstance(domain, Categorical) or not domain.single:
        return domain
    return Categorical([domain.low])


def _told(root: Node, space: Mapping[str, tuple[Alternative, ...]]) -> Settled:
    return simplified(root, lambda leaf: _settled(leaf, space))


def _settled(leaf: Leaf, space: Mapping[str, tuple[Alternative, ...]]) -> Settled:
    """Return what a comparison comes to with the domains that are left."""
    if isinstance(leaf, Between):
        return leaf if leaf.name in space and leaf.other in space else False
    if leaf.name not in space:
        return False  # never active any more
    some, every = _outcomes(leaf, [entry.domain for entry in space[leaf.name]])
    if not some:
        return False
    if every and all(entry.when is None for entry in space[leaf.name]):
        return True
    return _reworded(leaf, [entry.domain for entry in space[leaf.name]])


def _outcomes(leaf: Comparison | Membership, domains: list[Domain]) -> tuple[bool, bool]:
    """Return whether a comparison holds for some values of the domains, and for all of them."""
    found = [holds_in(leaf, domain) for domain in domains]
    return any(some for some, _ in found), all(every for _, every in found)


def holds_in(node: Node, domain: Domain) -> tuple[bool, bool]:
    """Return whether a condition on one parameter holds for some of its values, and for all."""
    values: Any = None
    if isinstance(domain, Categorical):
        values = domain.choices
    elif isinstance(domain, Int) and (domain.high - domain.low) // domain.step < _FEW:
        values = range(domain.low, domain.high + 1, domain.step)
    if values is None:
        assert not isinstance(domain, Categorical)
        # Between its bounds and the numbers that it names a condition does not change.
        numbers = [n for n in _numbers(node) if domain.low < n < domain.high]
        points = sorted({domain.low, domain.high, *numbers})
        values = [*points, *((a + b) / 2 for a, b in pairwise(points))]
    held = [simplified(node, partial(_holds_for, value)) is True for value in values]
    return any(held), all(held)


def _holds_for(value: Any, leaf: Leaf) -> bool:
    assert not isinstance(leaf, Between)  # which is about two
    return holds_for(leaf, value)


def _numbers(node: Node) -> list[float]:
    leaves = Condition("", node).leaves()
    named = [
        value
        for leaf in leaves
        if not isinstance(leaf, Between)
        for value in (leaf.values if isinstance(leaf, Membership) else (leaf.value,))
    ]
    return [v for v in named if isinstance(v, (int, float)) and not isinstance(v, bool)]


def _reworded(leaf: Comparison | Membership, domains: list[Domain]) -> Node:
    """Return a comparison that names no choice that is gone."""
    choices = [c for domain in domains if isinstance(domain, Categorical) for c in domain.choices]
    if not choices or len(choices) < sum(1 for d in domains if isinstance(d, Categorical)):
        return leaf
    if any(not isinstance(domain, Categorical) for domain in domains):
        return leaf
    named = leaf.values if isinstance(leaf, Membership) else (leaf.value,)
    if all(value in choices for value in named):
        return leaf
    if isinstance(leaf, Comparison) and leaf.op not in ("==", "!="):
        return leaf
    held = [choice for choice in dict.fromkeys(choices) if holds_for(leaf, choice)]
    if len(held) == 1:
        return Comparison(leaf.name, "==", held[0])
    return Membership(leaf.name, tuple(held), negated=False)
