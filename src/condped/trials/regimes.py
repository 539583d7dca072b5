"""Fewer regimes: the domains of a parameter merged into one that spans them all, or pooled.

Domains that vary smoothly with other parameters are pooled into a few regimes. x ∈ [0, c] has a
different domain in every trial; as regimes they would hold one trial each and be uninformative.
Neighbouring domains become one regime, in which values are used twice: unchanged (raw), and by
their position between the bounds of their own domain (unit).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.errors import SettingsError
from condped.space.domain import Categorical, Domain, Float, Int
from condped.trials.table import ABSENT, Parameter, TrialTable

# A parameter is pooled if more than half of its active trials are in regimes smaller than _SMALL,
# if it has at least _MANY regimes, and fewer than _FEW trials in each on average: a handful of
# domains is no smooth variation.
_SMALL = 10
_MANY = 8
_FEW = 5
# Trials that a pool should have, and how many pools there are at most.
_PER_POOL, _MOST_POOLS = 50, 3


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
        return _spanning_interval(domains)
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


def _spanning_interval(domains: tuple[Domain, ...]) -> Float | Int:
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


@dataclass(frozen=True, slots=True)
class PooledDomains:
    """A parameter whose domains were pooled."""

    parameter: str
    domains: int  # distinct ones, before pooling
    regimes: int  # after pooling


@dataclass(frozen=True, slots=True, eq=False)
class PooledTables:
    """A table with pooled domains, once with raw values and once with unit values."""

    raw: TrialTable
    unit: TrialTable
    domains: tuple[PooledDomains, ...]


def no_pooling(name: str, domains: int, source: str) -> SettingsError:
    """Return the error for domains that would have to be pooled in trials that are only counted."""
    return SettingsError(
        f"Parameter {name!r} has {domains} domains to pool, which needs the trials in memory; "
        f"these are only counted (source: {source}). Set pooling to 'never' to keep them apart, "
        "or read a subset that fits into memory."
    )


def pool_domains(table: TrialTable, *, all_varying: bool = False) -> PooledTables | None:
    """Pool the domains of parameters with too many for their trials; None if there are none.

    ``all_varying`` pools every numeric parameter that has more than one domain.
    """
    raw, unit, pooled = [], [], []
    for parameter in table.parameters:
        varying = (
            all_varying and _is_varying_numeric(parameter) and (parameter.domain_ids >= 0).any()
        )
        if _has_too_many_domains(parameter) or varying:
            in_raw, in_unit = _pool_domains(parameter)
            pooled.append(
                PooledDomains(parameter.name, len(parameter.domains), len(in_raw.domains))
            )
        else:
            in_raw = in_unit = parameter
        raw.append(in_raw)
        unit.append(in_unit)
    if not pooled:
        return None
    return PooledTables(
        replace(table, parameters=tuple(raw)), replace(table, parameters=tuple(unit)), tuple(pooled)
    )


def _is_varying_numeric(parameter: Parameter) -> bool:
    domains = parameter.domains
    return len(domains) > 1 and not any(isinstance(domain, Categorical) for domain in domains)


def _has_too_many_domains(parameter: Parameter) -> bool:
    if not may_be_smooth(parameter.domains):
        return False
    ids = parameter.domain_ids[parameter.domain_ids >= 0]
    return vary_smoothly(np.bincount(ids, minlength=len(parameter.domains)))


def may_be_smooth(domains: tuple[Domain, ...]) -> bool:
    """Return whether a parameter has enough domains to vary smoothly."""
    return len(domains) >= _MANY and not any(isinstance(d, Categorical) for d in domains)


def vary_smoothly(sizes: IntArray) -> bool:
    """Return whether domains with these numbers of trials should be pooled."""
    used = np.count_nonzero(sizes)
    smooth = used >= _MANY and sizes.sum() < _FEW * used
    return bool(smooth and 2 * sizes[sizes < _SMALL].sum() > sizes.sum())


def _pool_domains(parameter: Parameter) -> tuple[Parameter, Parameter]:
    """Return a parameter with pooled domains, its values raw and unit."""
    rows = np.flatnonzero(parameter.domain_ids >= 0)
    ids = parameter.domain_ids[rows]
    numeric = [d for d in parameter.domains if not isinstance(d, Categorical)]
    log = all(domain.log for domain in numeric)
    bounds = np.array([(domain.low, domain.high) for domain in numeric], dtype=np.float64)
    scaled = np.log(bounds) if log else bounds
    pool = _pools(scaled[ids])
    values = parameter.values[rows].astype(np.float64)
    low, high = scaled[ids, 0], scaled[ids, 1]
    place = (np.log(values) if log else values) - low
    width = np.where(high > low, high - low, 1.0)
    unit = np.zeros(len(parameter.values))
    unit[rows] = np.clip(np.where(high > low, place / width, 0.5), 0.0, 1.0)
    new_ids = np.full(len(parameter.values), ABSENT, dtype=np.int8)
    new_ids[rows] = pool
    whole = all(isinstance(domain, Int) for domain in numeric)
    spans = tuple(
        _span(bounds[ids[pool == one]], log=log, whole=whole) for one in range(int(pool.max()) + 1)
    )
    # Equal domains would be one regime: slightly different ones keep as many regimes as pools.
    units: tuple[Domain, ...] = tuple(
        Float(0.0, float(np.nextafter(1.0 + one * 1e-12, 2.0))) for one in range(len(spans))
    )
    return (
        replace(parameter, domain_ids=new_ids, domains=_distinct_spans(spans)),
        Parameter(parameter.name, unit, new_ids, units),
    )


def _pools(bounds: FloatArray) -> IntArray:
    """Return the pool of each trial by where its bounds lie along their main direction."""
    count = int(np.clip(len(bounds) // _PER_POOL, 1, _MOST_POOLS))
    spread = bounds.std(axis=0)
    standard = (bounds - bounds.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    axis = np.linalg.svd(standard, full_matrices=False)[2][0]
    axis = axis if axis[np.argmax(np.abs(axis))] > 0 else -axis
    scores = standard @ axis
    edges = np.quantile(scores, np.arange(1, count) / count)
    found = np.searchsorted(edges, scores, side="left")
    # Ties may leave a pool empty.
    return np.unique(found, return_inverse=True)[1]


def _span(bounds: FloatArray, *, log: bool, whole: bool) -> Domain:
    low, high = float(bounds[:, 0].min()), float(bounds[:, 1].max())
    return Int(int(low), int(high), log=log) if whole else Float(low, high, log=log)


def _distinct_spans(spans: tuple[Domain, ...]) -> tuple[Domain, ...]:
    """Return the spans, each widened by one ulp where it equals an earlier one."""
    found: list[Domain] = []
    for span in spans:
        widened = span
        while widened in found and isinstance(widened, (Float, Int)):
            widened = Float(widened.low, float(np.nextafter(widened.high, np.inf)), log=widened.log)
        found.append(widened)
    return tuple(found)
