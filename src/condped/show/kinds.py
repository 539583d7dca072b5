"""Which modules present each kind of result; loaded when one is presented."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal, NamedTuple

Form = Literal["text", "document"]


class _Kind(NamedTuple):
    """The beginning of its functions' names, and its modules of texts and of documents."""

    name: str
    text: str
    document: str


_KINDS = {
    "Across": _Kind("across", "several.across", "several"),
    "Advice": _Kind("advice", "advice", "advice"),
    "Branches": _Kind("branches", "branches", "branches"),
    "Budgets": _Kind("budgets", "budgets", "tables"),
    "Comparison": _Kind("comparison", "comparison", "tables"),
    "Difference": _Kind("difference", "several.difference", "several"),
    "Effects": _Kind("effects", "effects", "effects"),
    "Forecast": _Kind("forecast", "forecast", "tables"),
    "ImportanceResult": _Kind("importance", "tables", "importance"),
    "JointEffects": _Kind("joint", "tables", "tables"),
    "Prior": _Kind("prior", "several.start", "start"),
    "Report": _Kind("report", "tables", "importance"),
    "Robustness": _Kind("robustness", "tables", "tables"),
    "Sources": _Kind("sources", "tables", "tables"),
    "StartSpace": _Kind("start_space", "several.start", "start"),
    "Starts": _Kind("starts", "several.start", "start"),
    "Studies": _Kind("studies", "several.studies", "several"),
    "Summary": _Kind("summary", "summary", "summary"),
    "SweepResult": _Kind("sweep", "tables", "importance"),
}
_FOLDERS = {"text": "condped.show.text", "document": "condped.show.documents"}


def presenter(result: object, form: Form) -> Callable[[Any], Any]:
    """Return the function that presents such a result: ``across_text``, ``across_document``, ..."""
    names = (base.__name__ for base in type(result).__mro__)
    kind = next(_KINDS[name] for name in names if name in _KINDS)
    module = import_module(f"{_FOLDERS[form]}.{getattr(kind, form)}")
    found: Callable[[Any], Any] = getattr(module, f"{kind.name}_{form}")
    return found
