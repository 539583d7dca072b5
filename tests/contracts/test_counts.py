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
    check_outline,
    check_series,
    check_tally,
)
from tests.contracts.engines import ENGINES, Engine, holds
from tests.contracts.oracle import Oracle

CASES = tuple(
    make() for make in (*numbers.CASES, *structures.CASES, structures.alike, *outside.CASES)
)
PAIRS = [(engine, case) for engine in ENGINES for case in CASES if holds(engine, case)]

# What a slow engine is asked in these cases only.
SERIES = ("edges", "kinds", "infinities", "conditional")
DRIVEN = ("conditional", "ended", "maximised", "outside_nearest")


@cache
def _oracle(case: Case) -> Oracle:
    return Oracle.of(case)


@pytest.mark.parametrize(("engine", "case"), PAIRS, indirect=["engine"], ids=str)
def test_counts_are_those_in_memory(engine: Engine, case: Case) -> None:
    """The account, order statistics and all counts of a case are the same integers."""
    oracle = _oracle(case)
    passes = engine.open(case)
    try:
        check_outline(passes, oracle)
        check_tally(passes, oracle)
        check_counts(passes, oracle)
        check_dealt(passes, oracle)
        if not engine.slow or case.name in SERIES:
            check_series(passes, oracle)
        if not engine.slow or case.name in DRIVEN:
            check_driven(passes, oracle)
    finally:
        passes.close()
