"""Codes beside the places of a parameter: values that are not right, or that are worth a word."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from condped.errors import DataError
from condped.space.domain import Categorical, Domain


class Kind(enum.IntEnum):
    """What is the matter, in the order in which the reader in memory looks for it."""

    TEXT = 0  # no number where one must be
    CLASH = 1  # two domains at once
    AGAINST = 2  # a value although no condition holds
    OUTSIDE = 3
    FRACTION = 4
    BEYOND = 5  # a whole number that 64 bits do not hold
    STEP = 6  # between two steps
    UNKNOWN = 7  # no choice
    MISSING = 8  # no value although a condition holds: only worth a word


@dataclass(frozen=True, slots=True)
class Mark:
    """A code of its own.

    Attributes
    ----------
    place
        Where such trials count nevertheless; None: nowhere.
    """

    kind: Kind
    domain: int = -1
    place: int | None = None


@dataclass(slots=True)
class Marks:
    """The codes of one parameter behind its places, numbered from ``start``."""

    start: int
    entries: list[Mark] = field(default_factory=list)

    def number(self, mark: Mark) -> int:
        """Return the code of a mark, a new one if need be."""
        if mark not in self.entries:
            self.entries.append(mark)
        return self.start + self.entries.index(mark)

    @property
    def stop(self) -> int:
        """The first number that is not taken."""
        return self.start + len(self.entries)


@dataclass(frozen=True, slots=True)
class Owner:
    """The parameter that marks belong to, for messages."""

    name: str
    domains: Sequence[Domain]
    conditions: Sequence[str]
    outside: str

    def is_wrong(self, mark: Mark) -> bool:
        """Return whether such values are refused."""
        if mark.kind == Kind.MISSING:
            return False
        return mark.kind != Kind.OUTSIDE or self.outside == "error"

    def refuse(self, mark: Mark, count: int, example: Any) -> NoReturn:
        """Raise an error for values that are not right, in the words of the reader in memory."""
        what, remedy = self._wording(mark, example)
        rows = "1 row" if count == 1 else f"{count} rows"
        raise DataError(
            f"Parameter {self.name!r} {what} (in {rows}). {remedy}.", column=self.name, count=count
        )

    def note(self, mark: Mark, count: int, example: Any) -> str:
        """Return what to say of values that are counted all the same, or left out."""
        name = " ".join(self.name.split())
        if mark.kind == Kind.MISSING:
            return (
                f"{name}: missing in {count} finished trials whose conditions say that it is "
                "active; taken as inactive there."
            )
        domain = self.domains[mark.domain]
        nearest = self.outside == "nearest"
        how = "counted in the nearest cell" if nearest else "these trials were left out"
        if isinstance(domain, Categorical):
            return f"{name}: {count} choices not in {domain.label}; {how}."
        return (
            f"{name}: {count} values outside the domain (such as {example}, outside "
            f"{domain.label}); {how}."
        )

    def _wording(self, mark: Mark, example: Any) -> tuple[str, str]:
        domain = self.domains[mark.domain] if mark.domain >= 0 else None
        label = "" if domain is None else domain.label
        texts = ", ".join(map(repr, self.conditions))
        wording = {
            Kind.TEXT: (
                f"must be numeric, but a row holds {example!r}",
                "Correct the value or the domain's type",
            ),
            Kind.CLASH: (
                f"has two domains at once: more than one of its conditions holds ({texts})",
                "Make the conditions exclude each other",
            ),
            Kind.AGAINST: (
                f"has a value where no condition of its holds ({texts})",
                "Correct the conditions, or leave the value empty where the parameter is inactive",
            ),
            Kind.OUTSIDE: (
                f"has the value {example} outside its domain {label}",
                "Widen the domain or correct the value; or set the option outside to 'nearest' to "
                "count it in the nearest cell, or to 'drop' to leave such trials out",
            ),
            Kind.FRACTION: (
                f"is an int but has the value {example}",
                "Correct the value or make the domain a float",
            ),
            Kind.BEYOND: ("has whole numbers beyond 64 bits", "Scale them"),
            Kind.STEP: (
                f"has the value {example} between the steps of {label}",
                "Correct the value or the step",
            ),
        }
        if mark.kind != Kind.UNKNOWN:
            return wording[mark.kind]
        assert isinstance(domain, Categorical)
        shown = ", ".join(repr(choice) for choice in domain.choices[:8])
        more = "" if len(domain.choices) <= 8 else f" and {len(domain.choices) - 8} more"
        alike = [choice for choice in domain.choices if str(choice) == str(example)]
        hint = f"; the choice {alike[0]!r} is of another type" if alike else ""
        return (
            f"has the unknown choice {example!r} (allowed: {shown}{more}{hint})",
            "Add it to the choices or correct the value; or set the option outside to 'drop' to "
            "leave such trials out",
        )
