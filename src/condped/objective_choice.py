"""Which objective a caller means: by its name, or by its position."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

from condped.errors import SettingsError, not_found
from condped.safe_text import brief


def objective_place(names: Sequence[str], objective: str | int, others: Sequence[str] = ()) -> int:
    """Return the position of an objective; messages also suggest the names of ``others``.

    Examples
    --------
    >>> objective_place(["loss", "time"], "time"), objective_place(["loss", "time"], -2)
    (1, 0)
    """
    if isinstance(objective, str):
        if objective not in names:
            raise not_found("objective", objective, [*names, *others])
        if names.count(objective) > 1:
            raise SettingsError(
                f"There are {names.count(objective)} objectives named {objective!r}. Choose "
                f"one by its position, 0 to {len(names) - 1}."
            )
        return names.index(objective)
    if isinstance(objective, bool) or not isinstance(objective, Integral):
        raise SettingsError(
            f"objective must be a name or a position (got {brief(objective)}). Available: "
            f"{', '.join(map(brief, names))}."
        )
    if not -len(names) <= objective < len(names):
        raise not_found("objective number", objective, range(len(names)))
    return int(objective) % len(names)
