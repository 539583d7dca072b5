"""What the caller tells a reader about a source."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypedDict

import numpy.typing as npt

from condped.errors import SettingsError, not_found
from condped.space.condition import Condition
from condped.space.space import Space
from condped.trials.columns import number_of
from condped.trials.table import Direction, TrialTable


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
    budget: float | str | None
    failure_values: Sequence[float] | None
    outside: str
    skip_corrupt: bool
    reader: str | None
    where: str | Condition | None
    order: str | None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a reader gets of these; see :func:`condped.read` for what they mean."""

    objective: str | int | Sequence[str] | None = None
    direction: str | Sequence[str] | None = None
    space: Space | None = None
    loss: Any | Callable[[Any], float] | None = None
    state: str | None = None
    constraints: Sequence[str] | None = None
    parameters: Sequence[str] | None = None
    study: str | None = None
    budget: float | None = None  # None: each configuration's highest
    outside: str = "error"
    skip_corrupt: bool = False
    order: str | None = None

    def refuse(self, source: str, *names: str) -> None:
        """Refuse options that a source settles by itself, rather than ignore them."""
        for name in names:
            if getattr(self, name) is not None:
                raise SettingsError(
                    f"{name} cannot be set for {source}: it is recorded or has no meaning there "
                    f"(got {reprlib.repr(getattr(self, name))}). Leave {name} out."
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


def checked_budget(budget: object) -> float | None:
    """Return the budget as a number; None stands for each configuration's highest."""
    if budget is None or budget == "highest":
        return None
    number = None if isinstance(budget, bool) else number_of(budget)
    if number is None or not number > 0:
        raise SettingsError(f"budget must be a number above 0 or 'highest' (got {budget!r}).")
    return number


def chosen_objective(table: TrialTable, options: ReadOptions, source: str) -> TrialTable:
    """Return a table that knows its objectives with what the caller wants explained."""
    if options.loss is not None:
        if options.objective is not None:
            raise SettingsError("Give either loss or objective, not both.")
        if callable(options.loss):
            raise SettingsError(
                f"loss must be one number per trial for {source} (got a function). Pass the "
                "numbers, or load an Optuna study with Optuna to use a function of its trials."
            )
        return table.with_loss(options.loss)
    if options.objective is None:
        return table
    if not isinstance(options.objective, (str, Integral)):
        raise SettingsError(
            f"objective must be one name or position for {source} (got {options.objective!r}). "
            "Leave it out to use all objectives."
        )
    return table.with_objective(options.objective)
