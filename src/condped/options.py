"""Options, declared once: as fields of dataclasses, each with its default, type and help.

Functions take them as ``**options`` and check them here; their docstrings and the command line list
what is declared.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from numbers import Integral, Real
from textwrap import fill
from types import UnionType
from typing import Any, Literal, TypeGuard, TypeVar, Union, get_args, get_origin, get_type_hints

from condped.errors import SettingsError, not_found
from condped.safe_text import brief

Function = TypeVar("Function", bound=Callable[..., Any])
Declaration = TypeVar("Declaration")
# The typed dictionary of a function's options, and the dataclasses that declare them.
_TAKEN: dict[Callable[..., Any], tuple[type, tuple[type, ...]]] = {}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a function.

    Attributes
    ----------
    type
        The type of its value, as an annotation.
    metavar
        The placeholder for its value on the command line.
    python_only
        Whether its value cannot be given as text.
    """

    name: str
    type: Any
    default: Any
    help: str
    metavar: str | None
    python_only: bool


def option(
    default: Any, help: str, *, metavar: str | None = None, python_only: bool = False
) -> Any:
    """Return the field that declares an option."""
    about = {"help": help, "metavar": metavar, "python_only": python_only}
    return field(default=default, metadata=about)


def takes(options: type, *declarations: type) -> Callable[[Function], Function]:
    """Declare which options a function takes; its docstring lists them.

    ``options`` is the typed dictionary of its ``**options``, ``declarations`` the dataclasses whose
    fields these are.
    """

    def taking(function: Function) -> Function:
        _TAKEN[function] = options, declarations
        before, examples, after = (function.__doc__ or "").partition("    Examples\n")
        listed = "".join(_described(one) for one in _fields(options, declarations))
        head = "    Other Parameters\n    ----------------\n"
        function.__doc__ = (
            f"{before.rstrip()}\n\n{head}{listed}\n{'    '}{examples.lstrip()}{after}"
        )
        return function

    return taking


def options_of(function: Callable[..., Any]) -> tuple[Option, ...]:
    """Return the options that a function shares with others, in the order of their declarations.

    Examples
    --------
    >>> import condped
    >>> [option.name for option in options_of(condped.importance)][:3]
    ['objective', 'direction', 'space']
    """
    options, declarations = _TAKEN[function]
    types = {name: kind for one in declarations for name, kind in _types(one).items()}
    return tuple(
        Option(one.name, types[one.name], one.default, **one.metadata)
        for one in _fields(options, declarations)
    )


def check_options(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise if a function does not take one of these options."""
    name = function.__qualname__.removesuffix(".__init__")
    check_names(name, given, _names_taken(function))


def check_names(function: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise if one of these options is unknown to a function."""
    for name in given:
        if name not in known:
            hint = not_found("option", name, known)
            raise TypeError(f"{function}() does not take {name!r}. {hint}")


def declared(kind: type[Declaration], given: Mapping[str, Any]) -> Declaration:
    """Return a declaration filled with the given options that belong to it."""
    names = _names_declared(kind)  # type: ignore[arg-type]
    return kind(**{name: value for name, value in given.items() if name in names})


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number, numpy's included; a bool is not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole_number(value: object, least: int) -> bool:
    """Return whether a value is a whole number of at least ``least``; a bool is not."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def check_choices(options: Any) -> None:
    """Raise if an option of a declaration is not one of its choices."""
    for name, allowed in _choices(options.__class__).items():
        value = getattr(options, name)
        # By type first: arrays compare entry by entry.
        if not any(isinstance(value, type(one)) and value == one for one in allowed):
            shown = ", ".join(map(str, allowed))
            raise SettingsError(f"{name} must be one of {shown} (got {brief(value)}).")


@cache
def _names_taken(function: Callable[..., Any]) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    own = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    return (*own, *_TAKEN[function][0].__annotations__)


@cache
def _names_declared(kind: Any) -> frozenset[str]:
    return frozenset(one.name for one in fields(kind) if "help" in one.metadata)


def _fields(options: type, declarations: tuple[type, ...]) -> Iterator[Field[Any]]:
    for kind in declarations:
        for one in fields(kind):
            if "help" in one.metadata and one.name in options.__annotations__:
                yield one


def _described(one: Field[Any]) -> str:
    default = "" if one.default in (None, ()) else f" Default: {one.default!r}."
    text = fill(f"{one.metadata['help']}{default}", 92, initial_indent=" " * 8,
                subsequent_indent=" " * 8)  # fmt: skip
    return f"    {one.name}\n{text}\n"


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _choices(kind: type) -> dict[str, tuple[Any, ...]]:
    """Return the allowed values of fields that have only a few."""
    found = {}
    for name, annotation in _types(kind).items():
        union = get_origin(annotation) in (Union, UnionType)
        arms = get_args(annotation) if union else (annotation,)
        literals = [arm for arm in arms if get_origin(arm) is Literal]
        if literals and all(arm in (*literals, type(None)) for arm in arms):
            none = (None,) if type(None) in arms else ()
            found[name] = (*(value for arm in literals for value in get_args(arm)), *none)
    return found
