"""Random spaces and values near edges are counted as the oracle counts them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.contracts.case import Case
from tests.contracts.checks import (
    check_counts,
    check_dealt,
    check_driven,
    check_series,
    check_tally,
    counter_of,
)
from tests.contracts.drawn import cases
from tests.contracts.engines import Engine
from tests.contracts.oracle import Oracle


@pytest.mark.parametrize("name", ["reference", "duckdb", "postgresql"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases())
def test_drawn_tables_are_counted_as_by_the_oracle(
    request: pytest.FixtureRequest, name: str, case: Case
) -> None:
    """All counts are the same integers."""
    engine: Engine = request.getfixturevalue(name)
    oracle = engine.oracle(Oracle.of(case))
    source = engine.open(case)
    try:
        counter = counter_of(source)
        check_tally(counter, oracle)
        check_series(counter, oracle)
        check_counts(counter, oracle)
        check_dealt(counter, oracle)
        check_driven(source, oracle)
    finally:
        source.close()
