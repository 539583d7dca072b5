"""What all tests share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import optuna
import pytest
from hypothesis import settings
from sqlalchemy import Engine, event

if TYPE_CHECKING:
    from tests.servers.spark import Sparks

optuna.logging.set_verbosity(optuna.logging.ERROR)

# The same examples in every run: a red test on one machine is red on all.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@event.listens_for(Engine, "connect")
def _without_waiting_for_the_disk(connection: object, _: object) -> None:
    """Let tools write the same SQLite files without waiting for the disk at every trial."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF")


@pytest.fixture(scope="session", name="all_sparks")
def _all_sparks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sparks]:
    from tests.servers.local import lacking  # noqa: PLC0415
    from tests.servers.spark import Sparks  # noqa: PLC0415

    if find_spec("pyspark") is None:
        lacking("pyspark is NOT installed, so nothing was tested here.")
    several = Sparks(tmp_path_factory.mktemp("spark"))
    yield several
    several.stop()


@pytest.fixture
def sparks(all_sparks: Sparks) -> Iterator[Sparks]:
    """Start and stop Spark sessions; one that a test has ended is cleared away."""
    yield all_sparks
    all_sparks.clear()
