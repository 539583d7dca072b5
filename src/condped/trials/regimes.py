"""Merging the regimes of a parameter into one domain that spans them all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from condped.errors import SettingsError
from condped.space.domain import Categorical, Domain, Float, Int
from condped.trials.table import Parameter, TrialTable


def expand_domains(table: TrialTable) -> TrialTable:
    """Give each parameter one domain that spans all of its domains: no regimes but absence.

    This is how methods without conditions see the trials.
    """
    return replace(table, parameters=tuple(expand_parameter(p) for p in table.parameters))


def spanning_domain(name: str, domains: tuple[Domain, ...]) -> Domain:
    """Return the one domain that spans all domains of a parameter."""
    if len(domains) == 1:
        return domains[0]
    choices = [domain for domain in domains if isinstance(domain, Categorical)]
    if not choices:
        return _span(domains)
    if len(choices) < len(domains):
        raise SettingsError(
            f"Parameter {name!r} is numeric in some regimes and categorical in others: "
            "no single domain spans both. Use a method that keeps regimes apart, or leave it out."
        )
    return Categorical(list(dict.fromkeys(c for domain in choices for c in domain.choices)))


def expand_parameter(parameter: Parameter) -> Parameter:
    """Give a parameter one domain that spans all of its domains."""
    domains = parameter.domains
    if len(domains) <= 1:
        return parameter
    spanning = spanning_domain(parameter.name, domains)
    ids = np.where(parameter.domain_ids < 0, -1, 0).astype(np.int8)
    if not isinstance(spanning, Categorical):
        return replace(parameter, domain_ids=ids, domains=(spanning,))
    choices = [domain for domain in domains if isinstance(domain, Categorical)]
    union = spanning.choices
    # One row per domain: the positions of its choices in the union.
    places = np.zeros((len(choices), max(len(domain.choices) for domain in choices)), np.int32)
    for row, domain in enumerate(choices):
        places[row, : len(domain.choices)] = [union.index(choice) for choice in domain.choices]
    values = np.where(ids < 0, 0, parameter.values)
    return Parameter(parameter.name, places[parameter.domain_ids, values], ids, (spanning,))


def _on_steps(distance: float, step: float) -> bool:
    """Return whether a distance is a whole number of steps, up to rounding."""
    steps = distance / step
    return abs(steps - round(steps)) < 1e-9 * max(1.0, abs(steps))


def _span(domains: tuple[Domain, ...]) -> Float | Int:
    numeric = [domain for domain in domains if isinstance(domain, (Float, Int))]
    low, high = min(d.low for d in numeric), max(d.high for d in numeric)
    log = all(domain.log for domain in numeric)
    # A step is kept only if all domains share it and lie on the same steps.
    steps = {domain.step for domain in numeric}
    step = steps.pop() if len(steps) == 1 else None
    if step is not None and not all(_on_steps(domain.low - low, step) for domain in numeric):
        step = None
    if all(isinstance(domain, Int) for domain in numeric):
        return Int(int(low), int(high), log=log, step=int(step or 1))
    return Float(low, high, log=log, step=step)
