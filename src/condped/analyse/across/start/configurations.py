"""Configurations of a conditional space: which parameters are active, and what fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from condped.analyse.advice.narrow import in_order
from condped.analyse.branches.splits import holds_for
from condped.space.domain import Categorical, Domain, Int, Numeric, has_choice
from condped.space.nodes import COMPARE, Leaf, Node, ParameterComparison
from condped.space.simplify import simplified
from condped.space.space import Alternative, Space

Config = dict[str, Any]


def active_domain(entries: Sequence[Alternative], config: Mapping[str, Any]) -> Domain | None:
    """Return a parameter's domain, given the values of others; None if it is not active."""
    for entry in entries:
        if entry.when is None or meets(entry.when.root, config):
            return entry.domain
    return None


def meets(test: Node, config: Mapping[str, Any]) -> bool:
    """Return whether a configuration meets a condition."""
    return simplified(test, partial(_holds, config)) is True


def _holds(config: Mapping[str, Any], leaf: Leaf) -> bool:
    if any(name not in config for name in leaf.names):
        return False
    if isinstance(leaf, ParameterComparison):
        return bool(COMPARE[leaf.op](config[leaf.name], config[leaf.other]))
    return holds_for(leaf, config[leaf.name])


def configuration(
    space: Space, value: Callable[[str, Domain], Any], without: Collection[str] = ()
) -> Config:
    """Return a configuration with a value for each parameter that is active in it.

    It leaves out the parameters in ``without``, and those that only these switch on.
    """
    found: Config = {}
    for name in in_order(space):
        domain = None if name in without else active_domain(space[name], found)
        if domain is not None:
            found[name] = value(name, domain)
    return {name: found[name] for name in space if name in found}


def fits(domain: Domain, value: Any) -> bool:
    """Return whether a value is in a domain; steps are ignored."""
    if isinstance(domain, Categorical):
        return has_choice(domain, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return domain.low <= value <= domain.high


def uniform_value(domain: Domain, rng: np.random.Generator) -> Any:
    """Draw a value uniformly from a domain, on its own scale."""
    if isinstance(domain, Categorical):
        return domain.choices[int(rng.integers(len(domain.choices)))]
    half = 0.0 if domain.step is None else domain.step / 2 - 1e-9  # all steps are equally likely
    return value_between(domain, domain.low - half, domain.high + half, rng)


def value_between(
    domain: Numeric, first: float, last: float, rng: np.random.Generator
) -> float | int:
    """Draw a number of a domain uniformly between two others, on the domain's scale."""
    if domain.log:
        drawn = math.exp(rng.uniform(math.log(first), math.log(last)))
    else:
        drawn = float(rng.uniform(first, last))
    step = domain.step
    if step is not None:
        drawn = domain.low + round((drawn - domain.low) / step) * step
    drawn = min(max(drawn, domain.low), domain.high)
    if isinstance(domain, Int):
        return round(drawn)
    return drawn if step is None else float(f"{drawn:.12g}")
