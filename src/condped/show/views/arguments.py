"""What callers choose to draw: parameters by their names, an objective by its name or position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral

from condped.errors import SettingsError, not_found
from condped.safe_text import brief


def checked_names(parameters: Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the given parameters without repeats; all if none are given."""
    if parameters is None:
        return tuple(known)
    if isinstance(parameters, str) or not isinstance(parameters, Iterable):
        raise SettingsError(f"parameters must be a list of names (got {brief(parameters)}).")
    names = list(parameters)
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise not_found("parameter", name, known)
    return tuple(dict.fromkeys(names))


def objective_place(names: Sequence[str], objective: str | int | None) -> int:
    """Return the position of the objective to draw; the first if none is given."""
    if objective is None:
        return 0
    if isinstance(objective, str):
        if objective not in names:
            raise not_found("objective", objective, names)
        return names.index(objective)
    if not isinstance(objective, Integral) or isinstance(objective, bool):
        raise SettingsError(
            f"objective must be a name or a position (got {brief(objective)}). Names: "
            f"{', '.join(map(brief, names))}."
        )
    if not -len(names) <= objective < len(names):
        raise not_found("objective number", objective, range(len(names)))
    return objective % len(names)
