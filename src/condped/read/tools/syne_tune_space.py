"""Search spaces as Syne Tune saves them, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from condped.errors import SpaceError
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Space

_CHOICES = ("Categorical", "Ordinal", "OrdinalNearestNeighbor")


def space_of(plain: Mapping[str, Any]) -> Space:
    """Return the domains of a Syne Tune ``config_space``; constants are not parameters."""
    domains: dict[str, Domain] = {}
    notes = []
    for name, entry in plain.items():
        if not isinstance(entry, Mapping):  # a constant
            continue
        try:
            domain = _domain(entry)
        except (KeyError, TypeError, ValueError) as error:
            raise SpaceError(
                f"The domain of {name!r} in Syne Tune's config_space cannot be read ({error}). "
                "Give the domains as a space."
            ) from error
        if not domain.single:
            domains[name] = domain
        if "Quantized" in str(entry.get("sampler_cls")):
            notes.append(
                f"{' '.join(name.split())}: taken as linear; Syne Tune does not record the scale "
                "of quantized ranges."
            )
    return Space(domains, notes=notes)


def _domain(entry: Mapping[str, Any]) -> Domain:
    kind, fields = entry["domain_cls"], entry["domain_kwargs"]
    if kind in _CHOICES:
        return Categorical(fields["categories"])
    log = entry.get("sampler_cls") == "LogUniform"
    if kind == "Float":
        return Float(fields["lower"], fields["upper"], log=log)
    if kind == "Integer":
        return Int(fields["lower"], fields["upper"], log=log)
    if kind == "FiniteRange":
        return _finite_range(fields)
    raise ValueError(f"unknown kind {kind!r}")


def _finite_range(fields: Mapping[str, Any]) -> Domain:
    low, high, whole = fields["lower"], fields["upper"], bool(fields["cast_int"])
    if fields["log_scale"]:
        if whole:
            return Int(round(low), round(high), log=True)
        return Float(low, high, log=True)
    step = (high - low) / max(fields["size"] - 1, 1)
    if whole:  # rounded values lie on steps only if the steps are whole
        exact = step >= 1 and step == int(step) and low == int(low)
        return Int(round(low), round(high), step=int(step) if exact else 1)
    if step == 0:
        return Float(low, high)
    # Counted in decimals the last step may fall short of the upper end by rounding.
    domain = Float(low, high, step=step)
    return domain if domain.high > high - step / 2 else Float(low, high)
