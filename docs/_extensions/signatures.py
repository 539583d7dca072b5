"""Signatures in the reference: shared options with their types, results without their making."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from sphinx.application import Sphinx

import condped
from condped.options import options_of
from condped.space import Space
from condped.space.condition import Condition

_WORDS: dict[Any, str] = {
    Space: "Space, mapping or path",
    Condition: "str or condition",
    float: "number",
}
_BEFORE_NUMPYDOC = 100
_HEAD = "Other Parameters"


def written(annotation: Any) -> str:
    """Return an annotation as it is read aloud: ``sequence of str``, ``{'auto', 'tpe'}``.

    Examples
    --------
    >>> written(Literal["error", "drop"] | None)
    "{'error', 'drop'}"
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        kinds = dict.fromkeys(written(arm) for arm in arguments if arm is not type(None))
        several = {f"sequence of {kind}" for kind in kinds}
        named = [kind for kind in kinds if kind not in several]
        return " or ".join(named) + (", or several" if several & set(kinds) else "")
    if origin is Literal:
        return f"{{{', '.join(map(repr, arguments))}}}"
    if origin is Mapping:
        return f"mapping of {written(arguments[0])} to {written(arguments[1])}"
    if origin in (Sequence, tuple):
        return f"sequence of {written(arguments[0])}"
    if origin is Callable:
        return "callable"
    name = getattr(annotation, "__name__", "")
    return _WORDS.get(annotation) or (name if annotation in (str, int, bool) else "array")


def _list_options(
    _app: Sphinx, what: str, _name: str, entry: Any, _options: Any, lines: list[str]
) -> None:
    """Put the type behind each option of a docstring; list those of a class with the class.

    Help texts of options are also those of the command line, where code has single backticks.
    """
    function = entry.__init__ if what == "class" else entry
    try:
        known = {option.name: written(option.type) for option in options_of(function)}
    except (KeyError, TypeError):  # takes none of them
        return
    if what == "class":
        described = (inspect.getdoc(function) or "").splitlines()
        end = lines.index("Examples") if "Examples" in lines else len(lines)
        lines[end:end] = [*described[described.index(_HEAD) :], ""]
    start = lines.index(_HEAD)
    for number, line in enumerate(lines[start:], start):
        if line in known:
            lines[number] = f"{line} : {known[line]}"
        else:
            lines[number] = re.sub(r"(?<![:`])`([^`<>]+)`(?!`)", r"``\1``", line)


def _sign(
    _app: Sphinx, what: str, _name: str, entry: Any, _options: Any, signature: str, returned: str
) -> tuple[str, str] | None:
    """Say which result a function returns; leave out how results are made, which nobody calls."""
    if what == "class":
        made = getattr(entry, "__module__", "").startswith(
            ("condped.analyse", "condped.comparison")
        )
        return ("", "") if made else None
    kind = getattr(entry, "__annotations__", {}).get("return")
    return (signature, f"condped.{kind}") if signature and kind in condped.__all__ else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to docstrings, before numpydoc does."""
    app.connect("autodoc-process-docstring", _list_options, priority=_BEFORE_NUMPYDOC)
    app.connect("autodoc-process-signature", _sign, priority=_BEFORE_NUMPYDOC)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
