"""Engines and the places where their tables are, each started when a test first asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contracts.engines import (
    ENGINES,
    Engine,
    as_dask,
    as_polars,
    as_relation,
    in_batches,
    in_files,
    in_memory,
    in_place,
    on_ray,
    on_spark,
)
from tests.contracts.places import Place, duckdb_place, postgresql_place, require
from tests.servers.spark import Sparks

PLACES = ("duckdb_place", "postgresql_place")


@pytest.fixture(scope="session", name="duckdb_place")
def _duckdb_place() -> Iterator[Place]:
    """Hold a DuckDB database."""
    with duckdb_place() as place:
        yield place


@pytest.fixture(scope="session", name="postgresql_place")
def _postgresql_place() -> Iterator[Place]:
    """Run a PostgreSQL server."""
    with postgresql_place() as place:
        yield place


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    """Return each place in turn."""
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def reference() -> Engine:
    """Count a table in memory in batches."""
    return Engine("reference", in_batches, whole=True)


@pytest.fixture(scope="session")
def memory() -> Engine:
    """Count a table in memory as one batch."""
    return Engine("memory", in_memory, by_rows=True, whole=True)


@pytest.fixture(scope="session")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Stream Parquet files."""
    return in_files(tmp_path_factory.mktemp("parquet"), "parquet")


@pytest.fixture(scope="session")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Stream CSV files."""
    return in_files(tmp_path_factory.mktemp("csv"), "csv")


@pytest.fixture(scope="session")
def duckdb(duckdb_place: Place) -> Engine:
    """Scan tables of DuckDB through Ibis."""
    return in_place(duckdb_place)


@pytest.fixture(scope="session")
def relation(duckdb_place: Place) -> Engine:
    """Fetch relations of DuckDB."""
    return as_relation(duckdb_place)


@pytest.fixture(scope="session")
def postgresql(postgresql_place: Place) -> Engine:
    """Fetch tables of PostgreSQL."""
    return in_place(postgresql_place)


@pytest.fixture(scope="session")
def polars() -> Engine:
    """Fetch lazy frames of Polars."""
    require("polars")
    return Engine("polars", as_polars)


@pytest.fixture(scope="session")
def dask() -> Engine:
    """Fetch frames of Dask."""
    require("dask")
    return Engine("dask", as_dask)


@pytest.fixture
def spark(sparks: Sparks) -> Engine:
    """Count frames of Spark on its workers."""
    return on_spark(sparks)


@pytest.fixture(scope="session")
def ray(ray_workers: Any) -> Engine:
    """Count datasets of Ray Data on its workers."""
    return on_ray()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return each engine in turn."""
    found: Engine = request.getfixturevalue(request.param)
    return found
