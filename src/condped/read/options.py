"""What the caller tells a reader about a source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy.typing as npt

from condped.errors import SettingsError, not_found
from condped.trials import Direction


class Reading(TypedDict, total=False):
    """The options of :func:`condped.read`, for functions that pass them on."""

    objective: str | int | Sequence[str] | None
    direction: str | Sequence[str] | None
    space: Any
    loss: npt.ArrayLike | Callable[[Any], float] | None
    state: str | None
    constraints: Sequence[str] | None
    parameters: Sequence[str] | None
    study: str | None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a reader gets of these."""

    objective: str | int | Sequence[str] | None = None
    direction: str | Sequence[str] | None = None
    space: Any = None
    loss: Any | Callable[[Any], float] | None = None
    state: str | None = None
    constraints: Sequence[str] | None = None
    parameters: Sequence[str] | None = None
    study: str | None = None

    def refuse(self, source: str, *names: str) -> None:
        """Refuse options that a source settles by itself, rather than ignore them."""
        for name in names:
            if getattr(self, name) is not None:
                raise SettingsError(
                    f"{name} cannot be set for {source}, which records it itself "
                    f"(got {getattr(self, name)!r}). Leave {name} out."
                )


def check_reading(function: str, given: Mapping[str, Any]) -> None:
    """Refuse options that neither the function nor :func:`condped.read` knows."""
    for name in given:
        if name not in Reading.__annotations__:
            hint = not_found("option", name, Reading.__annotations__)
            raise TypeError(f"{function}() does not take {name!r}. {hint}")


def checked_direction(direction: object) -> Direction:
    """Return the direction, refusing anything but minimize and maximize."""
    if direction not in ("minimize", "maximize"):
        raise SettingsError(f"direction must be minimize or maximize (got {direction!r}).")
    return direction
