"""Domains: what values a parameter may take in one regime."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from condped.errors import SpaceError
from condped.safe_text import brief, text_of

# Values that a tool computed (exp of a log, low plus steps) may exceed a bound by rounding.
_TOLERANCE = 1e-9
# ... as may bounds stored in single precision.
_SINGLE = 2.0**-24
_INT64 = 1 << 63
_MOST_CHOICES = 10_000_000
_MOST_LEVELS = 20  # of lists in lists that are one choice


@dataclass(frozen=True, slots=True)
class Float:
    """An interval of real numbers.

    Parameters
    ----------
    low, high
        The bounds, both included.
    log
        Whether values are spread evenly on a log scale; ``low`` is then above 0.
    step
        The distance between values, if there is one: ``high`` is lowered to the highest value that
        the steps reach. Not with ``log``.

    Examples
    --------
    >>> Float(1e-5, 1e-1, log=True)
    Float(low=1e-05, high=0.1, log=True, step=None)
    >>> Float(0, 1, step=0.3).high
    0.9
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None

    def __post_init__(self) -> None:
        _require_flag(self)
        for field in ("low", "high"):
            _require_number(self, field, getattr(self, field))
            object.__setattr__(self, field, float(getattr(self, field)))
        _require_order(self)
        if self.step is not None:
            _require_number(self, "step", self.step)
            if self.step <= 0 or self.log:
                raise SpaceError(
                    "A float domain takes a step above 0, which cannot be combined with log "
                    f"(got step={brief(self.step)}, log={self.log}). Correct the step or drop log."
                )
            object.__setattr__(self, "step", float(self.step))
            # Decimal, so that steps of 0.3 add up exactly.
            low, high, step = (Decimal(str(v)) for v in (self.low, self.high, self.step))
            with localcontext(prec=700):  # enough for any two floats
                steps = (high - low) // step
                # One step more if it reaches the same float as the given end.
                steps += float(low + (steps + 1) * step) <= self.high
                object.__setattr__(self, "high", float(low + steps * step))

    @property
    def single(self) -> bool:
        """Whether there is only one value."""
        return self.low == self.high

    @property
    def label(self) -> str:
        """A short text for people."""
        return f"[{self.low:.4g}, {self.high:.4g}]{_scale_label(self.log, self.step)}"


@dataclass(frozen=True, slots=True)
class Int:
    """An interval of integers.

    Parameters
    ----------
    low, high
        The bounds, both included; ``high`` is lowered to the highest value that the steps reach.
    log
        Whether values are spread evenly on a log scale; ``low`` is then at least 1.
    step
        The distance between values; 1 on a log scale.

    Examples
    --------
    >>> Int(1, 10, step=4).high
    9
    """

    low: int
    high: int
    log: bool = False
    step: int = 1

    def __post_init__(self) -> None:
        _require_flag(self)
        for field in ("low", "high", "step"):
            value = getattr(self, field)
            _require_number(self, field, value)
            if value != int(value):
                raise SpaceError(
                    f"An int domain takes whole numbers (got {field}={brief(value)}). "
                    f"Round {field}, or use a float domain."
                )
            object.__setattr__(self, field, int(value))
        _require_order(self)
        if self.step < 1 or (self.log and self.step != 1):
            raise SpaceError(
                f"An int domain takes a step of at least 1, and 1 on a log scale "
                f"(got step={brief(self.step)}, log={self.log}). Correct the step or drop log."
            )
        object.__setattr__(self, "high", self.low + (self.high - self.low) // self.step * self.step)

    @property
    def single(self) -> bool:
        """Whether there is only one value."""
        return self.low == self.high

    @property
    def label(self) -> str:
        """A short text for people."""
        scale = _scale_label(self.log, self.step if self.step != 1 else None)
        return f"{{{self.low}..{self.high}}}{scale}"


@dataclass(frozen=True, slots=True)
class Categorical:
    """A list of choices, without an order.

    Parameters
    ----------
    choices
        Strings, numbers, booleans or None, each once.

    Examples
    --------
    >>> Categorical(["adam", "sgd"]).choices
    ('adam', 'sgd')
    """

    choices: tuple[Any, ...]

    def __init__(self, choices: Iterable[Any]) -> None:
        if isinstance(choices, str):
            raise SpaceError(
                f"choices must be a list (got the text {brief(choices)}). Write "
                f"choices=[{brief(choices)}]."
            )
        if not isinstance(choices, Iterable) or isinstance(choices, Mapping):
            raise SpaceError(f"choices must be a list (got {brief(choices)}).")
        entries = tuple(islice(choices, _MOST_CHOICES + 1))
        if len(entries) > _MOST_CHOICES:
            raise SpaceError(f"A categorical domain takes at most {_MOST_CHOICES:,} choices.")
        if not entries:
            raise SpaceError("A categorical domain needs at least one choice (got none).")
        object.__setattr__(self, "choices", tuple(map(frozen_choice, entries)))

    @property
    def single(self) -> bool:
        """Whether there is only one value."""
        return len(self.choices) == 1

    @property
    def label(self) -> str:
        """A short text for people."""
        labels = ", ".join(choice_labels(self.choices[:4]))
        more = f", … {len(self.choices)} choices" if len(self.choices) > 4 else ""
        return f"{{{labels}{more}}}"


def has_choice(domain: Categorical, value: object) -> bool:
    """Return whether a value is one of the choices; True is not 1."""
    return any(type(one) is type(value) and one == value for one in domain.choices)


def choice_labels(choices: Sequence[Any]) -> tuple[str, ...]:
    """Return a short text for each choice; an ambiguous one is quoted.

    Examples
    --------
    >>> choice_labels([None, True, 1, "True", "adam", "1"])
    ('None', 'True', '1', "'True'", 'adam', "'1'")
    """
    plain = [" ".join(text_of(choice).split()) for choice in choices]
    times = Counter(plain)
    return tuple(
        text_of(choice, quoted=True) if times[text] > 1 or _is_ambiguous(choice) else text
        for choice, text in zip(choices, plain, strict=True)
    )


def _is_ambiguous(choice: Any) -> bool:
    """Return whether a choice is a text that reads like another value, or like several."""
    if not isinstance(choice, str):
        return False
    if choice != " ".join(choice.split()) or "," in choice or choice[:1] in ("", "'", '"'):
        return True
    try:
        float(choice)
    except ValueError:
        return choice.lower() in ("none", "true", "false")
    return True


def frozen_choice(choice: Any, levels: int = _MOST_LEVELS) -> Any:
    """Return a hashable choice: lists as tuples, dicts as tuples of pairs, one NaN.

    NaN does not equal itself, but equal domains must compare equal.
    """
    if isinstance(choice, (list, tuple, dict)):
        if levels == 0:
            raise SpaceError(
                f"A choice is nested more than {_MOST_LEVELS} levels deep, or contains itself. "
                "Give it a name instead."
            )
        if isinstance(choice, dict):
            return tuple((name, frozen_choice(v, levels - 1)) for name, v in choice.items())
        return tuple(frozen_choice(entry, levels - 1) for entry in choice)
    return math.nan if isinstance(choice, float) and math.isnan(choice) else choice


Numeric: TypeAlias = Float | Int
Domain: TypeAlias = Float | Int | Categorical


def plain_domain(domain: Domain) -> dict[str, Any]:
    """Return a domain as plain data, as in a space file."""
    plain: dict[str, Any] = {"type": type(domain).__name__.lower()}
    if isinstance(domain, Categorical):
        return {**plain, "choices": list(domain.choices)}
    plain |= {"low": domain.low, "high": domain.high}
    if domain.log:
        plain["log"] = True
    if domain.step is not None and not (isinstance(domain, Int) and domain.step == 1):
        plain["step"] = domain.step
    return plain


def _scale_label(log: bool, step: float | None) -> str:
    if log:
        return " log"
    return "" if step is None else f" step {step:g}"


def _require_flag(domain: Numeric) -> None:
    if not isinstance(domain.log, bool):
        raise SpaceError(f"log must be true or false (got {brief(domain.log)}).")


def _require_number(domain: Numeric, field: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        # numpy scalars are numbers too, but not Python's.
        item = value.item() if isinstance(value, np.generic) else None
        if isinstance(item, bool) or not isinstance(item, (int, float)):
            raise SpaceError(
                f"{field} of a {type(domain).__name__.lower()} domain must be a number "
                f"(got {brief(value)})."
            )
    try:
        finite = math.isfinite(float(value))  # type: ignore[arg-type]
    except OverflowError:
        finite = False
    if not finite:
        raise SpaceError(
            f"{field} of a {type(domain).__name__.lower()} domain must be finite "
            f"(got {brief(value)}). Give the bound that the search actually used."
        )


def _require_order(domain: Numeric) -> None:
    if domain.low > domain.high:
        raise SpaceError(
            f"low must not be above high (got low={domain.low}, high={domain.high}). Swap them."
        )
    if domain.log and domain.low <= 0:
        raise SpaceError(
            f"A log domain needs low above 0 (got low={domain.low}). Raise low, or drop log."
        )


def bounds_of(domain: Domain) -> tuple[float, float]:
    """Return the lowest and highest number that count as inside, with a tolerance for rounding."""
    if isinstance(domain, Categorical):
        return 0, len(domain.choices) - 1
    if isinstance(domain, Int):
        return domain.low, domain.high
    slack = 0.0 if domain.log else _TOLERANCE * (domain.high - domain.low)
    return (
        domain.low - max(slack, _SINGLE * abs(domain.low)),
        domain.high + max(slack, _SINGLE * abs(domain.high)),
    )


def is_whole(domains: Sequence[Domain]) -> bool:
    """Return whether a parameter with these domains has int64 values; float64 otherwise.

    Ints that int64 cannot hold are floats.
    """
    ints = [domain for domain in domains if isinstance(domain, Int)]
    if len(ints) < len(domains) or not ints:
        return not domains
    low, high = min(domain.low for domain in ints), max(domain.high for domain in ints)
    return low >= -_INT64 and high < _INT64
