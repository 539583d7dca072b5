"""Which parameters of a space code can express, in order, and which have unknown conditions."""

from __future__ import annotations

from collections.abc import Mapping

from condped.analyse.advice.code.python_text import text_inside
from condped.analyse.advice.narrow import in_order
from condped.analyse.branches.structure import gates_of
from condped.space.domain import Float, Int
from condped.space.grid import steps_of
from condped.space.space import Alternative, Space

Unknown = Mapping[str, tuple[int, int]]  # in how many of how many trials a parameter was active


def known_parameters(space: Space, unknown: Unknown) -> list[str]:
    """Return the parameters with known conditions, each after its gates.

    Those that a parameter with an unknown condition switches are unknown, too.
    """
    found: list[str] = []
    for name in in_order(space):
        if name not in unknown and set(gates_of(space[name])) <= set(found):
            found.append(name)
    return found


def unknown_lines(space: Space, unknown: Unknown) -> list[str]:
    """Say in comments which parameters are left to the user, and why."""
    known = set(known_parameters(space, unknown))
    lines = []
    for name in in_order(space):
        if name in known:
            continue
        domains = " or ".join(entry.domain.label for entry in space[name])
        if name not in unknown:
            why = "what switches it is unknown"
        elif unknown[name][0] == unknown[name][1]:
            why = "its domain varies for an unknown reason"
        else:
            active, trials = unknown[name]
            why = f"its condition is unknown: it was active in {active} of {trials} trials"
        lines.append(f"# {text_inside(name)} is left out, {why}.")
        lines.append(f"# Add it where it belongs, with {text_inside(domains)}.")
    return lines


def labels_apart(name: str, entries: tuple[Alternative, ...], taken: set[str]) -> list[str]:
    """Return a label for each domain of a parameter, unique in the space."""
    if len(entries) == 1:
        return [name]
    found = []
    for entry in entries:
        label = f"{name} ({entry.when.text})" if entry.when else name
        while label in taken:
            label += "_"
        taken.add(label)
        found.append(label)
    return found


def step_values(domain: Float | Int) -> list[float] | list[int] | None:
    """Return the values of a domain with steps; None if it has none, or whole steps of 1."""
    if domain.step is None or (isinstance(domain, Int) and domain.step == 1):
        return None
    count = steps_of(domain) + 1
    if isinstance(domain, Int):
        return [domain.low + place * domain.step for place in range(count)]
    return [float(f"{domain.low + place * domain.step:.12g}") for place in range(count)]
