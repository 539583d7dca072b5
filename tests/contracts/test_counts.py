"""Every engine counts every case as memory does, to the last trial."""

from __future__ import annotations

from functools import cache

import pytest

from tests.contracts import numbers, outside, structures
from tests.contracts.case import Case
from tests.contracts.checks import (
    check_counts,
    check_dealt,
    check_driven,
    check_schema,
    check_series,
    check_tally,
    counter_of,
)
from tests.contracts.engines import ENGINES, Engine, holds
from tests.contracts.oracle import Oracle

CASES = tuple(
    make() for make in (*numbers.CASES, *structures.CASES, structures.alike, *outside.CASES)
)
PAIRS = [(engine, case) for engine in ENGINES for case in CASES if holds(engine, case)]


@cache
def _oracle(case: Case) -> Oracle:
    return Oracle.of(case)


@pytest.mark.parametrize(("engine", "case"), PAIRS, indirect=["engine"], ids=str)
def test_counts_are_those_of_the_oracle(engine: Engine, case: Case) -> None:
    """The account, order statistics and all counts of a case are the same integers."""
    oracle = engine.oracle(_oracle(case))
    source = engine.open(case)
    try:
        counter = counter_of(source)
        check_schema(counter, oracle)
        check_tally(counter, oracle)
        check_counts(counter, oracle)
        check_dealt(counter, oracle)
        check_series(counter, oracle)
        check_driven(source, oracle)
    finally:
        source.close()
