"""What operations of a journal must hold, so that damage is reported with its line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from condped.errors import DataError
from condped.read.optuna.records import domain_of
from condped.safe_text import brief

Operation = dict[str, Any]
_MOST = 1 << 63
_CREATE_TRIAL, SET_PARAMETER = 4, 5
# The fields of operations that set a parameter.
COLUMNS = ("trial_id", "param_name", "param_value_internal", "distribution")


class OperationCheck:
    """Finds what is wrong with operations; remembers valid distributions."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def __call__(self, operations: list[Operation]) -> str:
        """Return what is wrong with the first damaged operation; empty if all are valid."""
        # Most operations set parameters; these are checked together.
        setting = [entry for entry in operations if entry["op_code"] == SET_PARAMETER]
        if self._surely_valid(setting):
            operations = [entry for entry in operations if entry["op_code"] != SET_PARAMETER]
        return next(filter(None, map(self._problem, operations)), "")

    def _surely_valid(self, setting: list[Operation]) -> bool:
        """Return whether operations that set parameters are valid; if False, they may still be."""
        try:
            trials, names, values, texts = (list(map(itemgetter(c), setting)) for c in COLUMNS)
            return (
                set(map(type, trials)) <= {int}
                and min(trials, default=0) >= 0
                and max(trials, default=0) < _MOST
                and set(map(type, names)) | set(map(type, texts)) <= {str}
                and set(map(type, values)) <= {int, float}
                and all(map(math.isfinite, values))
                and self._known.issuperset(texts)
            )
        except (KeyError, OverflowError):
            return False

    def _problem(self, operation: Operation) -> str:
        code = operation["op_code"]
        if type(code) is not int:
            return f"its 'op_code' must be a whole number (got {brief(code)})"
        for field in _FIELDS.get(code, ()):
            if field.name not in operation:
                if field.needed:
                    return f"it lacks {field.name!r}"
            elif not field.fits(operation[field.name]):
                got = brief(operation[field.name])
                return f"its {field.name!r} must be {field.what} (got {got})"
        if code == SET_PARAMETER:
            return self._distribution(operation["distribution"])
        return self._parameters(operation) if code == _CREATE_TRIAL else ""

    def _parameters(self, operation: Operation) -> str:
        """Return what is wrong with the parameters of a trial that was added as a whole."""
        texts = operation.get("distributions") or {}
        for name in operation.get("params") or ():
            if name not in texts:
                return f"its 'distributions' lack {brief(name)}"
            if problem := self._distribution(texts[name]):
                return problem
        return ""

    def _distribution(self, text: str) -> str:
        if text not in self._known:
            try:
                domain_of(text)
            except DataError as error:
                return str(error).rstrip(".")
            self._known.add(text)
        return ""


def checked(batches: Iterable[list[Operation]], place: str) -> Iterator[list[Operation]]:
    """Iterate over batches of operations; raises for the first that is damaged."""
    check, before = OperationCheck(), 0
    for operations in batches:
        if check(operations):
            problems = ((number, check([one])) for number, one in enumerate(operations, before + 1))
            number, problem = next(entry for entry in problems if entry[1])
            raise DataError(
                f"{place} is damaged: operation {number} of its journal cannot be replayed: "
                f"{problem}."
            )
        before += len(operations)
        yield operations


class _Field(NamedTuple):
    """A field of an operation, and what it must be."""

    name: str
    fits: Callable[[Any], bool]
    what: str
    needed: bool = True


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _is_step(value: Any) -> bool:
    return type(value) is int and abs(value) < _MOST


def _is_number(value: Any) -> bool:
    try:
        return isinstance(value, (int, float)) and not math.isnan(float(value))
    except OverflowError:
        return False


def _is_number_or_null(value: Any) -> bool:
    return value is None or isinstance(value, float) or _is_number(value)


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_number_or_null, value))


def _are_values(value: Any) -> bool:
    return value is None or (_are_numbers(value) and None not in value)


def _is_state(value: Any) -> bool:
    return type(value) is int and 0 <= value <= 4


def _are_directions(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_id(v) and v <= 2 for v in value)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_study_attribute(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    names = value.get("study:metric_names", [])
    return names is None or (isinstance(names, list) and all(map(_is_text, names)))


def _is_trial_attribute(value: Any) -> bool:
    return isinstance(value, dict) and all(
        recorded is None or _are_numbers(recorded)
        if key == "constraints"
        else not key.startswith("constraints:") or _is_number_or_null(recorded)
        for key, recorded in value.items()
    )


def _are_reports(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_whole_text(step) and _is_number_or_null(number) for step, number in value.items()
    )


def _is_whole_text(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 19


_STUDY = _Field("study_id", _is_id, "the number of a study")
_TRIAL = _Field("trial_id", _is_id, "the number of a trial")
_STATE = _Field("state", _is_state, "the number of a state, from 0 to 4")
_VALUES = _Field("values", _are_values, "a list of numbers")
_TRIAL_ATTRIBUTE = _Field(
    "system_attr", _is_trial_attribute, "an object with numbers as constraints"
)
# Other operations are not read.
_FIELDS: dict[int, tuple[_Field, ...]] = {
    0: (
        _Field("study_name", _is_text, "a string"),
        _Field("directions", _are_directions, "a list of numbers from 0 to 2"),
    ),
    1: (_STUDY,),
    3: (_STUDY, _Field("system_attr", _is_study_attribute, "an object with metric names")),
    4: (
        _STUDY,
        _STATE._replace(needed=False),
        _VALUES._replace(needed=False),
        _Field("value", _is_number_or_null, "a number", needed=False),
        _Field("params", lambda v: _is_object(v) and all(map(_is_number, v.values())),
               "an object of numbers", needed=False),
        _Field("distributions", lambda v: _is_object(v) and all(map(_is_text, v.values())),
               "an object of strings", needed=False),
        _TRIAL_ATTRIBUTE._replace(name="system_attrs", needed=False),
        _Field("user_attrs", _is_object, "an object", needed=False),
        _Field("intermediate_values", _are_reports, "an object of steps and numbers", needed=False),
    ),
    5: (
        _TRIAL,
        _Field("param_name", _is_text, "a string"),
        _Field("param_value_internal", _is_number, "a number"),
        _Field("distribution", _is_text, "a string"),
    ),
    6: (_TRIAL, _STATE, _VALUES),
    7: (
        _TRIAL,
        _Field("step", _is_step, "a whole number"),
        _Field("intermediate_value", _is_number_or_null, "a number"),
    ),
    8: (_TRIAL, _Field("user_attr", _is_object, "an object")),
    9: (_TRIAL, _TRIAL_ATTRIBUTE),
}  # fmt: skip
