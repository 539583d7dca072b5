"""Random spaces and values near edges: engines that answer at once count them as memory does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.contracts.case import Case
from tests.contracts.checks import check_counts, check_dealt, check_driven, check_series
from tests.contracts.checks import check_tally as check_account
from tests.contracts.drawn import cases
from tests.contracts.engines import Engine
from tests.contracts.oracle import Oracle


@pytest.mark.parametrize("name", ["reference", "duckdb"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases())
def test_drawn_tables_are_counted_as_in_memory(
    request: pytest.FixtureRequest, name: str, case: Case
) -> None:
    """All counts are the same integers."""
    engine: Engine = request.getfixturevalue(name)
    oracle = Oracle.of(case)
    passes: Any = engine.open(case)
    try:
        check_account(passes, oracle)
        check_series(passes, oracle)
        check_counts(passes, oracle)
        check_dealt(passes, oracle)
        check_driven(passes, oracle)
        if name == "reference":
            # With room for few numbers the search for order statistics takes many passes.
            check_driven(replace(passes, most_bins=64, most_levels=8), oracle)
    finally:
        passes.close()
