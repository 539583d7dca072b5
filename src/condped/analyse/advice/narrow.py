"""Smaller spaces: with smaller domains, and restricted to a condition."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from condped.analyse.branches.splits import holds_for, numbers_in, one_of
from condped.analyse.branches.structure import gates_of
from condped.errors import SettingsError
from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain, Float, Int, Numeric, has_choice
from condped.space.nodes import (
    Comparison,
    Conjunction,
    Leaf,
    Membership,
    Negation,
    Node,
    ParameterComparison,
    names_of,
)
from condped.space.simplify import Settled, alternative, condition_of, simplified
from condped.space.space import Alternative, Space

_FEW = 1000  # whole numbers, up to which each is checked
Restrictions = dict[tuple[str, Domain], Domain]


def in_order(space: Mapping[str, tuple[Alternative, ...]]) -> list[str]:
    """Return the parameters so that each comes after its gates, otherwise in the same order."""
    done: dict[str, None] = {}
    for name in space:
        # The path from a parameter to its gates and on to theirs, each with those still to visit.
        path = {} if name in done else {name: iter(gates_of(space[name]))}
        while path:
            last = next(reversed(path))
            new = (g for g in path[last] if g in space and g not in done and g not in path)
            gate = next(new, None)
            if gate is None:
                done[last] = None
                path.popitem()
            else:
                path[gate] = iter(gates_of(space[gate]))
    return list(done)


def narrowed(
    space: Space,
    proposals: Mapping[tuple[str, Domain], Domain],
    without: Collection[str] = (),
) -> tuple[Space, set[tuple[str, Domain]]]:
    """Return the space with proposed domains, and which of the old domains are still possible.

    It leaves out the parameters in ``without``, and those that only these switch on.
    """
    found: dict[str, tuple[Alternative, ...]] = {}
    possible: set[tuple[str, Domain]] = set()
    for name in in_order(space):
        if name in without:
            continue
        kept = []
        for entry in space[name]:
            domain = writable(proposals.get((name, entry.domain), entry.domain))
            when: Settled = True
            if entry.when is not None:
                when = simplified(entry.when.root, partial(_simplified_leaf, space=found))
            if when is not False:
                possible.add((name, entry.domain))
                kept.append(Alternative(domain, None if when is True else condition_of(when)))
        if kept:
            found[name] = _merge_alternatives(kept)
    return Space({name: found[name] for name in space if name in found}), possible


def _merge_alternatives(entries: list[Alternative]) -> tuple[Alternative, ...]:
    """Return the alternatives; only the first that always holds, if there is one."""
    always = [entry for entry in entries if entry.when is None]
    return (always[0],) if always else tuple(entries)


def writable(domain: Domain) -> Domain:
    """Return a domain as a space file may have it: a fixed number is the only choice."""
    if isinstance(domain, Categorical) or not domain.single:
        return domain
    return Categorical([domain.low])


def _simplified_leaf(leaf: Leaf, space: Mapping[str, tuple[Alternative, ...]]) -> Settled:
    """Simplify a comparison, given the domains that are left."""
    if isinstance(leaf, ParameterComparison):
        return leaf if leaf.name in space and leaf.other in space else False
    if leaf.name not in space:
        return False  # never active any more
    domains = [entry.domain for entry in space[leaf.name]]
    held = [_holds_in(leaf, domain) for domain in domains]
    if not any(some for some, _ in held):
        return False
    if all(every for _, every in held) and all(entry.when is None for entry in space[leaf.name]):
        return True
    return _without_lost_choices(leaf, domains)


def _holds_in(node: Node, domain: Domain) -> tuple[bool, bool]:
    """Return whether a condition on one parameter holds for some of its values, and for all."""
    values: Any
    if isinstance(domain, Categorical):
        values = domain.choices
    elif isinstance(domain, Int) and (domain.high - domain.low) // domain.step < _FEW:
        values = range(domain.low, domain.high + 1, domain.step)
    else:
        # Between the domain's bounds and the numbers in a condition, the condition does not change.
        numbers = [n for n in numbers_in(node) if domain.low < n < domain.high]
        points = sorted({domain.low, domain.high, *numbers})
        values = [*points, *((a + b) / 2 for a, b in pairwise(points))]
    held = [simplified(node, partial(_holds_for, value)) is True for value in values]
    return any(held), all(held)


def _holds_for(value: Any, leaf: Leaf) -> bool:
    assert not isinstance(leaf, ParameterComparison)  # which compares two parameters
    return holds_for(leaf, value)


def _without_lost_choices(leaf: Comparison | Membership, domains: list[Domain]) -> Node:
    """Return a comparison without choices that are gone."""
    if not all(isinstance(domain, Categorical) for domain in domains):
        return leaf
    choices = [c for domain in domains if isinstance(domain, Categorical) for c in domain.choices]
    named = leaf.values if isinstance(leaf, Membership) else (leaf.value,)
    if all(value in choices for value in named):
        return leaf
    if isinstance(leaf, Comparison) and leaf.op not in ("==", "!="):
        return leaf
    return one_of(leaf.name, [c for c in dict.fromkeys(choices) if holds_for(leaf, c)])


def given(space: Space, where: Condition | None) -> tuple[Space, Restrictions]:
    """Return the space without alternatives that a condition rules out, and smaller domains.

    A parameter in the condition must be active, so the conditions that switch it on hold as well.

    Examples
    --------
    >>> space = Space({"c": Float(0, 1), "x": Float(0, 9)})
    >>> given(space, Condition.parse("c <= 0.5"))[1][("c", Float(0, 1))].label
    '[0, 0.5]'
    """
    if where is None:
        return space, {}
    entries = {name: space[name] for name in space}
    smaller: Restrictions = {}
    todo: list[Node] = [where.root]
    done: set[Node] = set()
    while todo:
        node = todo.pop(0)
        if isinstance(node, Conjunction):
            todo += node.parts
            continue
        name = _name(node, where)
        if node in done or name not in entries:  # a parameter that was not selected
            continue
        done.add(node)
        kept: list[Alternative] = []
        for entry in entries[name]:
            before = smaller.get((name, entry.domain), entry.domain)
            after = _domain_meeting(before, node, where)
            if after is not None:
                smaller[name, entry.domain] = after
                kept.append(entry)
        if not kept:
            raise _narrowing_error(where, f"no domain of {name!r} has values that meet it")
        entries[name] = tuple(kept)
        whens = [entry.when.root for entry in kept if entry.when is not None]
        if len(whens) == len(kept):  # it is not always active, and has to be
            todo.append(alternative(whens))
    changed = {key: domain for key, domain in smaller.items() if domain != key[1]}
    return Space(entries, inferred=True), changed


def meet(one: Domain, other: Domain) -> Domain:
    """Return the intersection of two parts of a domain, which must not be empty."""
    if isinstance(other, Categorical) and not isinstance(one, Categorical):
        one, other = other, one
    if isinstance(one, Categorical):
        return Categorical([choice for choice in one.choices if _contains_value(other, choice)])
    assert not isinstance(other, Categorical)
    low, high = max(one.low, other.low), min(one.high, other.high)
    if isinstance(one, Int):
        return replace(one, low=int(low), high=int(high))
    return replace(one, low=float(low), high=float(high))


def _contains_value(domain: Domain, value: object) -> bool:
    if isinstance(domain, Categorical):
        return has_choice(domain, value)
    return isinstance(value, (int, float)) and domain.low <= value <= domain.high


def _name(node: Node, where: Condition) -> str:
    """Return the one parameter that a condition is about."""
    names = names_of(node)
    if isinstance(node, ParameterComparison | Negation) or len(names) != 1:
        raise _narrowing_error(
            where, f"{condition_of(node).text!r} is about more than one parameter"
        )
    return names[0]


def _narrowing_error(where: Condition, reason: str) -> SettingsError:
    return SettingsError(
        f"A new space cannot be limited to {where.text!r}: {reason}. Use comparisons of single "
        "parameters with values, joined by 'and', or use all trials."
    )


def _domain_meeting(domain: Domain, node: Node, where: Condition) -> Domain | None:
    """Return the part of a domain that meets a condition on its own values; None if none does."""
    if isinstance(domain, Categorical):
        left = [choice for choice in domain.choices if _holds(node, choice)]
        return Categorical(left) if left else None
    if isinstance(domain, Int) and (domain.high - domain.low) // domain.step < _FEW:
        return _whole_numbers(domain, node, where)
    some, every = _holds_in(node, domain)
    if every or not some:
        return domain if every else None
    if isinstance(node, Membership) and not node.negated:
        return Categorical([float(v) for v in node.values if _contains_value(domain, v)])
    if not isinstance(node, Comparison) or node.op == "!=":
        raise _narrowing_error(where, f"{condition_of(node).text!r} leaves gaps in {domain.label}")
    if node.op == "==":
        value = node.value
        return Categorical([int(value) if isinstance(domain, Int) else float(value)])
    return _cut_domain(domain, node.op, node.value)


def _whole_numbers(domain: Int, node: Node, where: Condition) -> Domain | None:
    values = range(domain.low, domain.high + 1, domain.step)
    kept = [value for value in values if _holds(node, value)]
    if len(kept) <= 1:
        return Categorical(kept) if kept else None
    if kept[-1] - kept[0] == (len(kept) - 1) * domain.step:
        return replace(domain, low=kept[0], high=kept[-1])
    if isinstance(node, Membership) and not node.negated:
        return Categorical(kept)
    raise _narrowing_error(where, f"{condition_of(node).text!r} leaves gaps in {domain.label}")


def _cut_domain(domain: Numeric, op: str, value: float) -> Domain:
    """Return the part of a domain on one side of a value, on the domain's steps."""
    below = op in ("<", "<=")
    if isinstance(domain, Float) and domain.step is None:
        edge = float(value)
        if op in ("<", ">"):  # the next float
            edge = math.nextafter(edge, -math.inf if below else math.inf)
        return replace(domain, high=edge) if below else replace(domain, low=edge)
    step = domain.step or 1
    places = (value - domain.low) / step
    near = round(places)
    if math.isclose(domain.low + near * step, value):  # on a step, apart from rounding
        place = near + {"<": -1, ">": 1}.get(op, 0)
    else:
        place = math.floor(places) if below else math.ceil(places)
    edge = domain.low + place * step
    if isinstance(domain, Int):
        whole = round(edge)
        return replace(domain, high=whole) if below else replace(domain, low=whole)
    return replace(domain, high=edge) if below else replace(domain, low=edge)


def _holds(node: Node, value: object) -> bool:
    some, _ = _holds_in(node, Categorical([value]))
    return some
