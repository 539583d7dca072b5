"""Studies can be compared if good means the same in all of them."""

from __future__ import annotations

from collections.abc import Sequence

from condped.errors import DataError
from condped.safe_text import shortened
from condped.trials.batch import Goal


def require_same_goals(
    names: Sequence[str], goals: Sequence[tuple[Goal, ...]], *, same_names: bool = False
) -> None:
    """Raise if two studies have different directions or numbers of objectives.

    With ``same_names`` their objectives must have the same names, too.
    """
    one, other = goals
    both = [f"{shortened(name)!r}" for name in names]
    directions = [", ".join(goal.direction for goal in some) for some in goals]
    called = [", ".join(goal.name for goal in some) for some in goals]
    if len(one) != len(other) or (same_names and called[0] != called[1]):
        raise DataError(
            f"The studies {both[0]} ({called[0]}) and {both[1]} ({called[1]}) have different "
            "objectives. Set objective to what they share, by its name or its place, or leave one "
            "of them out."
        )
    if directions[0] != directions[1]:
        raise DataError(
            f"The studies {both[0]} ({directions[0]}) and {both[1]} ({directions[1]}) have "
            "different directions: what is good in one is bad in the other. Leave one of them out, "
            "or negate its objective."
        )
