"""Values as JSON and back: NaN and infinities, choices of any type, dataclasses."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from condped.errors import DataError, SpaceError
from condped.safe_text import brief
from condped.space.domain import Categorical, Float, Int, frozen_choice, plain_domain
from condped.space.space import Space

# JSON does not have these; a mapping with the only key "float" stands for them.
_NO_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_MOST = 1 << 63
_UNCHANGED = frozenset({str, bool, int, type(None)})
_DOMAINS = {"float": Float, "int": Int, "categorical": Categorical}


def plain(value: Any) -> Any:
    """Return a value in JSON's types; values of other types become text."""
    if type(value) in _UNCHANGED:  # most of a report's many values
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, (Float, Int, Categorical)):
        value = plain_domain(value)
    if isinstance(value, Space):
        value = value.to_dict()
    if hasattr(value, "_saved"):  # a result inside another one
        value = value._saved()
    if is_dataclass(value) and not isinstance(value, type):
        value = {entry.name: getattr(value, entry.name) for entry in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return plain(float(value))
    return value if type(value) in _UNCHANGED else str(value)


def survives(choice: Any) -> bool:
    """Return whether a choice survives the way to JSON and back."""
    if isinstance(choice, tuple):
        return all(map(survives, choice))
    kept = (str, bool, int, float, type(None))
    return isinstance(choice, np.generic) or type(choice) in kept


def restored(value: Any) -> Any:
    """Return what :func:`plain` was given; lists stay lists."""
    if isinstance(value, dict):
        if value.keys() == {"float"} and str(value["float"]) in _NO_NUMBERS:
            return _NO_NUMBERS[str(value["float"])]
        return {key: restored(entry) for key, entry in value.items()}
    return [restored(entry) for entry in value] if isinstance(value, list) else value


def rebuilt(kind: Any, value: Any, where: str) -> Any:
    """Return a value of an annotated type from plain data; raise, saying where, if it misfits."""
    if kind is Any:  # a choice
        return frozen_choice(value)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(inner, value, where)
    if origin is tuple:
        return _tuple(inner, value, where)
    if origin in (dict, Mapping):
        _require(isinstance(value, dict), value, where)
        return {key: rebuilt(inner[1], entry, where) for key, entry in value.items()}
    if origin is Literal:
        return _require(value in inner, value, where)
    return _object(kind, value, where)


def _object(kind: Any, value: Any, where: str) -> Any:
    """Return a value of a class."""
    if kind in _DOMAINS.values():
        return _domain(kind, value, where)
    if kind is Space:
        return Space(value)
    if hasattr(kind, "_loaded"):  # a result inside another one
        return kind._loaded(value)
    if is_dataclass(kind):
        return rebuilt_dataclass(kind, value, where)
    if kind is int:  # a count, or a trial's number
        return _require(type(value) is int and abs(value) < _MOST, value, where)
    whole = kind is float and type(value) is int
    return float(value) if whole else _require(type(value) is kind, value, where)


def _tuple(kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    _require(isinstance(value, list), value, where)
    each = [kinds[0]] * len(value) if kinds[-1] is ... else kinds
    _require(len(value) == len(each), value, where)
    return tuple(rebuilt(kind, entry, where) for kind, entry in zip(each, value, strict=True))


def _one_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    present = [kind for kind in kinds if kind is not type(None)]
    if isinstance(value, dict) and "type" in value:
        present = [kind for kind in present if kind is _DOMAINS.get(str(value["type"]))] or present
    return rebuilt(present[0], value, where)


def _domain(kind: type, value: Any, where: str) -> Any:
    _require(isinstance(value, dict) and _DOMAINS.get(str(value.get("type"))) is kind, value, where)
    try:
        return kind(**{key: entry for key, entry in value.items() if key != "type"})
    except (TypeError, SpaceError) as error:
        raise DataError(f"{where} is not a domain: {error}") from None


def rebuilt_dataclass(kind: Any, value: Any, where: str) -> Any:
    """Return a dataclass from its public fields."""
    _require(isinstance(value, dict), value, where)
    hints = _hints(kind)
    names = [entry.name for entry in fields(kind) if not entry.name.startswith("_")]
    # Fields with a default may be missing: they are newer than some files.
    needed = [entry.name for entry in fields(kind) if entry.default is MISSING]
    wrong = sorted((set(value) - set(names)) | (set(needed) - set(value)))
    if wrong:
        raise DataError(f"{where} must have {', '.join(names)} (differs in {', '.join(wrong)}).")
    return kind(**{name: rebuilt(hints[name], value[name], f"{where}.{name}") for name in value})


# Cached, since looking them up compiles an expression for each field.
_hints = cache(get_type_hints)


def _require(fits: bool, value: Any, where: str) -> Any:
    if not fits:
        raise DataError(f"{where} cannot be {brief(value)}.")
    return value
