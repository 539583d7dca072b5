"""Options for reading a source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, TypedDict

import numpy.typing as npt

from condped.duplicates import first_duplicate
from condped.errors import SettingsError
from condped.options import check_choices, option
from condped.read.load_space import load_space
from condped.read.table.outside_domain import Outside
from condped.safe_text import brief
from condped.space.condition import Condition
from condped.space.space import Space
from condped.trials.columns import number_of
from condped.trials.groups import check_groups
from condped.trials.table import Direction, TrialTable
from condped.trials.where import parse_where

# Where trials are counted: all of them in memory, or in batches as they are read.
Engine = Literal["auto", "memory", "stream"]


class Reading(TypedDict, total=False):
    """The options of :func:`condped.read`, for functions that take them."""

    objective: str | int | Sequence[str] | None
    direction: Direction | Sequence[Direction] | None
    space: Any
    loss: npt.ArrayLike | Callable[[Any], float] | None
    state: str | None
    constraints: Sequence[str] | None
    parameters: Sequence[str] | None
    ignore: Sequence[str] | None
    groups: Mapping[str, Sequence[str]] | None
    study: str | Sequence[str] | None
    budget: float | str | None
    failure_values: Sequence[float] | None
    outside: Outside
    skip_corrupt: bool
    reader: str | None
    where: str | Condition | None
    order: str | None
    engine: Engine
    backend: str | None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of :func:`condped.read`, which describes them, checked and parsed.

    Readers can ignore ``failure_values`` and ``where``, which are applied afterwards, and
    ``engine`` and ``backend``, which were handled before.

    Examples
    --------
    >>> ReadOptions(budget=3).refuse("a log of mytool", "budget")
    Traceback (most recent call last):
      ...
    condped.errors.SettingsError: ...
    """

    objective: str | int | Sequence[str] | None = option(
        None,
        "What to explain: the objective, where it is not recorded, or several; or another metric, "
        "an attribute, or duration.",
        metavar="COLUMN",
    )
    direction: Direction | Sequence[Direction] | None = option(
        None, "Which way is better, one per objective; as recorded, or minimize, if not given."
    )
    space: Space | None = option(
        None,
        "The domains, such as a JSON file; as recorded, or inferred from the values, if not given.",
        metavar="FILE",
    )
    loss: npt.ArrayLike | Callable[[Any], float] | None = option(
        None, "Numbers to minimise in place of the objective, one per trial.", python_only=True
    )
    state: str | None = option(
        None, "How trials ended: complete, pruned, failed, running.", metavar="COLUMN"
    )
    constraints: Sequence[str] | None = option(
        None, "Constraints, each violated above 0.", metavar="COLUMN"
    )
    parameters: Sequence[str] | None = option(None, "Use these parameters only.", metavar="COLUMN")
    ignore: Sequence[str] | None = option(
        None, "Nuisance parameters that are left out, such as a seed.", metavar="NAME"
    )
    groups: Mapping[str, Sequence[str]] | None = option(
        None,
        "Parameters that are explained together, as one: a name, and its members.",
        metavar="NAME=A,B,…",
    )
    study: str | None = option(
        None, "The study or experiment, where a source holds several.", metavar="NAME"
    )
    budget: float | None = option(
        None,
        "The budget to use, where configurations were tried with several; the highest of each if "
        "not given.",
        metavar="NUMBER",
    )
    failure_values: tuple[float, ...] = option(
        (), "Objective values that stand for a failure.", metavar="NUMBER"
    )
    outside: Outside = option("error", "What to do with values outside their domains.")
    skip_corrupt: bool = option(False, "Skip lines that cannot be read, and count them.")
    reader: str | None = option(
        None, "The reader to use, of those that `condped sources` lists.", metavar="NAME"
    )
    where: Condition | None = option(
        None,
        "Only trials that meet this condition, such as \"model == 'svm' and depth > 3\".",
        metavar="CONDITION",
    )
    order: str | None = option(
        None,
        "Column with the order of the trials in time; the order of the rows if not given.",
        metavar="COLUMN",
    )
    engine: Engine = option(
        "auto", "Read all trials into memory, or count them in batches as they are read (stream)."
    )
    backend: str | None = option(
        None,
        "The database or cluster in which the source is the name of a table: duckdb://…, "
        "postgres://…, spark://….",
        metavar="URL",
    )

    study_column: str | None = None  # with the study of each row; an option of across only
    patterns: tuple[str, ...] = ()  # of the names of several studies; none: all of them
    reports: bool = False  # whether to read the results at every budget; not for callers

    def __post_init__(self) -> None:
        check_choices(self)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ReadOptions:
        """Check and parse what the caller gave."""
        options = {name: value for name, value in given.items() if value is not None}
        for name in ("parameters", "ignore"):
            check_parameters(options.get(name), name)
        if "parameters" in options and "ignore" in options:
            raise SettingsError("Give either parameters, those to use, or ignore, not both.")
        if "groups" in options:
            check_groups(options["groups"])
        if not isinstance(options.get("study", ""), str):
            raise SettingsError(
                f"study takes one name here (got {brief(options['study'])}). Name one study."
            )
        for name in ("order", "state"):
            if not isinstance(options.get(name, ""), str):
                raise SettingsError(
                    f"{name} must be the name of a column (got {brief(options[name])})."
                )
        if not isinstance(options.get("reader", ""), str):
            raise SettingsError(f"reader must be a name (got {brief(options['reader'])}).")
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

    @classmethod
    def of_several(cls, given: Mapping[str, Any]) -> ReadOptions:
        """Check and parse options for several studies, with names or patterns in ``study``."""
        study = given.get("study")
        patterns = [] if study is None else [study] if isinstance(study, str) else study
        if not isinstance(patterns, Sequence) or not all(isinstance(p, str) for p in patterns):
            raise SettingsError(
                "study must be a name or a pattern of names, or a list of these (got "
                f"{brief(study)})."
            )
        twice = first_duplicate(patterns)
        if twice is not None:
            raise SettingsError(f"study lists {brief(twice)} twice. List each study once.")
        return replace(cls.of({**given, "study": None}), patterns=tuple(patterns))

    def refuse(self, source: str, *names: str) -> None:
        """Raise if options are set that are recorded or meaningless in a source."""
        for name in names:
            if getattr(self, name) is not None:
                raise SettingsError(
                    f"{name} cannot be set for {source}: it is recorded or has no meaning there "
                    f"(got {brief(getattr(self, name))}). Leave {name} out."
                )


def check_parameters(parameters: object, option: str = "parameters") -> None:
    """Raise if an option is not a list of names."""
    if parameters is not None and (
        isinstance(parameters, str)
        or not isinstance(parameters, Sequence)
        or not all(isinstance(name, str) for name in parameters)
    ):
        raise SettingsError(f"{option} must be a list of names (got {brief(parameters)}).")


def numbers_of(option: str, given: Any) -> list[float]:
    """Return an option's number or numbers as a list."""
    entries = [given] if isinstance(given, Real) else given
    if not isinstance(entries, Sequence) or not all(
        isinstance(entry, Real) and not isinstance(entry, bool) for entry in entries
    ):
        raise SettingsError(f"{option} must be a list of numbers (got {brief(given)}).")
    try:
        return [float(entry) for entry in entries]
    except OverflowError:
        raise SettingsError(f"{option} must hold numbers that fit into floats.") from None


def checked_direction(direction: object) -> Direction:
    """Return the direction; raise if it is neither minimize nor maximize."""
    if direction not in ("minimize", "maximize"):
        raise SettingsError(f"direction must be minimize or maximize (got {brief(direction)}).")
    return direction


def checked_budget(budget: object) -> float | None:
    """Return the budget as a number; None stands for each configuration's highest."""
    if budget is None or (isinstance(budget, str) and budget == "highest"):
        return None
    number = None if isinstance(budget, bool) else number_of(budget)
    if number is None or not number > 0:
        raise SettingsError(f"budget must be a number above 0 or 'highest' (got {brief(budget)}).")
    return number


def chosen_objective(table: TrialTable, options: ReadOptions, source: str) -> TrialTable:
    """Return a table that has its objectives with the requested objective or loss."""
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
            f"objective must be one name or position for {source} (got "
            f"{brief(options.objective)}). Leave it out to use all objectives."
        )
    return table.with_objective(options.objective)
