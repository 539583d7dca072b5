"""What the caller says of a source whose rows stay where they are."""

from __future__ import annotations

from dataclasses import dataclass

from condped.space.condition import Condition
from condped.space.space import Space
from condped.trials.table import Direction

# How the names of files end that hold a database with tables.
DATABASES = (".duckdb", ".ddb")


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of reading that engines know; see :func:`condped.read` for what they mean.

    Attributes
    ----------
    space
        Required: domains are not guessed from rows that nobody reads. Long tables that record
        a domain with each value need none.
    order
        Column with the place of each trial in time (whole numbers); None: the order of the rows
        where they have one.
    """

    objective: str | None
    direction: Direction = "minimize"
    space: Space | None = None
    state: str | None = None
    constraints: tuple[str, ...] = ()
    parameters: tuple[str, ...] | None = None
    failure_values: tuple[float, ...] = ()
    outside: str = "error"
    skip_corrupt: bool = False
    where: Condition | None = None
    order: str | None = None
