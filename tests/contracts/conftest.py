"""Engines, each started when a test first asks for it."""

from __future__ import annotations

import pytest

from tests.contracts.engines import Engine, open_reference

ENGINES = ("reference",)


@pytest.fixture(scope="session")
def reference() -> Engine:
    """Count in memory, in chunks."""
    return Engine("reference", open_reference)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return each engine in turn."""
    found: Engine = request.getfixturevalue(request.param)
    return found
