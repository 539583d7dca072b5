"""Engines that the contract is tested on, and how a case's table gets to where they count it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

from condped.count.chunked import ChunkedPasses
from condped.count.passes import Passes
from condped.space.condition import Condition
from tests.contracts.case import Case
from tests.contracts.oracle import Oracle
from tests.count.table_chunks import TableChunks

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Engine:
    """A way to count, with a table put really there.

    Attributes
    ----------
    open
        Puts a case's table there and opens it.
    lacks
        Why it cannot hold a case, if it cannot: no engine is asked for what it cannot do.
    """

    name: str
    open: Callable[[Case], Passes]
    lacks: Callable[[Case], str | None] = lambda case: None

    def __str__(self) -> str:
        return self.name


def fresh_name() -> str:
    """Return a name that no table has yet."""
    return f"trials_{next(_NUMBERS)}"


def open_reference(case: Case) -> Passes:
    """Count a table in memory in chunks."""
    everything = Oracle.of(replace(case, where=None, parameters=None))
    source = TableChunks(everything.table, 37, everything.order)
    source.notes = everything.table.notes
    source.outline = replace(source.outline, ignored_columns=everything.table.ignored_columns)
    if case.parameters is not None:
        table = everything.table.with_parameters(case.parameters)
        domains = tuple(parameter.domains for parameter in table.parameters)
        source.outline = replace(source.outline, names=table.names, domains=domains)
    passes: Passes = ChunkedPasses(source)
    return passes if case.where is None else passes.where(Condition.parse(case.where))
