"""What the caller tells a reader about a source."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypedDict

import numpy.typing as npt

from condped.errors import SettingsError, not_found
from condped.read.load_space import load_space
from condped.read.table.outside_domain import check_outside
from condped.space.condition import Condition
from condped.space.space import Space
from condped.trials.columns import number_of
from condped.trials.table import Direction, TrialTable
from condped.trials.where import parse_where


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
    """The same, checked and parse_where; see :func:`condped.read` for what they mean.

    A reader need not look at ``failure_values`` and ``where``, which are seen to afterwards.
    """

    objective: str | int | Sequence[str] | None = None
    direction: str | Sequence[str] | None = None
    space: Space | None = None
    loss: Any | Callable[[Any], float] | None = None
    state: str | None = None
    constraints: Sequence[str] | None = None
    parameters: Sequence[str] | None = None
    study: str | None = None
    budget: float | None = None  # None: each configuration's highest
    failure_values: tuple[float, ...] = ()
    outside: str = "error"
    skip_corrupt: bool = False
    reader: str | None = None
    where: Condition | None = None
    order: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ReadOptions:
        """Check and parse what the caller gave."""
        options = {name: value for name, value in given.items() if value is not None}
        check_parameters(options.get("parameters"))
        check_outside(options.get("outside", "error"))
        if not isinstance(options.get("reader", ""), str):
            raise SettingsError(f"reader must be a name (got {options['reader']!r}).")
        if "where" in options:
            options["where"] = parse_where(options["where"])
        if "space" in options:
            options["space"] = load_space(options["space"])
        if "failure_values" in options:
            options["failure_values"] = tuple(
                numbers_of("failure_values", options["failure_values"])
            )
        options["budget"] = checked_budget(options.get("budget"))
        return cls(**options)

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


def check_parameters(parameters: object) -> None:
    """Raise if ``parameters`` is not a list of names."""
    if parameters is not None and (
        isinstance(parameters, str)
        or not isinstance(parameters, Sequence)
        or not all(isinstance(name, str) for name in parameters)
    ):
        raise SettingsError(f"parameters must be a list of names (got {parameters!r}).")


def numbers_of(option: str, given: Any) -> list[float]:
    """Return the number or numbers that an option was given."""
    entries = [given] if isinstance(given, Real) else given
    if not isinstance(entries, Sequence) or not all(
        isinstance(entry, Real) and not isinstance(entry, bool) for entry in entries
    ):
        raise SettingsError(f"{option} must be a list of numbers (got {given!r}).")
    return [float(entry) for entry in entries]


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
