"""Engines and the places where their tables are, each started when a test first asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contracts.engines import ENGINES, Engine, in_files, in_place, open_reference
from tests.contracts.places import (
    Place,
    duckdb_place,
    postgresql_place,
    spark_place,
)
from tests.servers.spark import Sparks

PLACES = ("duckdb_place", "postgresql_place", "spark_place")


@pytest.fixture(scope="session", name="duckdb_place")
def _duckdb_place() -> Iterator[Place]:
    """Hold a DuckDB database."""
    with duckdb_place() as place:
        yield place


@pytest.fixture(scope="session", name="postgresql_place")
def _postgresql_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Run a PostgreSQL server."""
    with postgresql_place(tmp_path_factory.mktemp("postgresql")) as place:
        yield place


@pytest.fixture(name="spark_place")
def _spark_place(sparks: Sparks) -> Place:
    """Run a Spark session."""
    return spark_place(sparks)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    """Return each place in turn."""
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def reference() -> Engine:
    """Count in memory, in chunks."""
    return Engine("reference", open_reference)


@pytest.fixture(scope="session")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Stream Parquet files."""
    return in_files(tmp_path_factory.mktemp("parquet"), "parquet")


@pytest.fixture(scope="session")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Stream CSV files."""
    return in_files(tmp_path_factory.mktemp("csv"), "csv")


@pytest.fixture
def duckdb(duckdb_place: Place) -> Engine:
    """Count in DuckDB."""
    return in_place(duckdb_place)


@pytest.fixture
def postgresql(postgresql_place: Place) -> Engine:
    """Count in PostgreSQL."""
    return in_place(postgresql_place)


@pytest.fixture
def spark(spark_place: Place) -> Engine:
    """Count in Spark."""
    return in_place(spark_place)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return each engine in turn."""
    found: Engine = request.getfixturevalue(request.param)
    return found
