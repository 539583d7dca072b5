"""Every engine counts every case as memory does, to the last trial."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.contracts import numbers, outside, structures
from tests.contracts.case import Case
from tests.contracts.checks import (
    check_counts,
    check_dealt,
    check_outline,
    check_ranked,
    check_series,
    check_tally,
)
from tests.contracts.engines import Engine
from tests.contracts.oracle import Oracle

CASES = (*numbers.CASES, *structures.CASES, structures.alike, *outside.CASES)


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_counts_are_those_in_memory(engine: Engine, make: Callable[[], Case]) -> None:
    """The account, order statistics and all counts of a case are the same integers."""
    case = make()
    reason = engine.lacks(case)
    if reason is not None:
        pytest.skip(reason)
    oracle = Oracle.of(case)
    passes = engine.open(case)
    try:
        check_outline(passes, oracle)
        check_tally(passes, oracle)
        check_series(passes, oracle)
        check_counts(passes, oracle)
        check_dealt(passes, oracle)
        check_ranked(passes, oracle)
    finally:
        passes.close()
