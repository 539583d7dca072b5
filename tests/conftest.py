"""What all tests share."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import optuna
import pytest
from hypothesis import settings
from sqlalchemy import Engine, event
from xdist.scheduler import LoadFileScheduling

from tests.servers.local import lacking

if TYPE_CHECKING:
    from tests.servers.spark import Sparks

# What a shell runs in the background ignores interrupts, and so would everything that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

optuna.logging.set_verbosity(optuna.logging.ERROR)

# The same examples in every run: a red test on one machine is red on all.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


# Spark and Ray take long to start: the files that need them are run by one process, and first.
CLUSTERS = (
    "tests/contracts/",
    "tests/read/databases/test_spark.py",
    "tests/read/databases/test_ray_data.py",
    "tests/read/tools/ray/",
    "tests/analyse/across/test_archive.py",
)


class _Scheduling(LoadFileScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return "clusters" if nodeid.startswith(CLUSTERS) else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _Scheduling:
    """Hand out whole files, in the order in which they were collected."""
    config.option.loadscopereorder = False
    return _Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no process is left alone with it."""
    items.sort(key=lambda item: not item.nodeid.startswith(CLUSTERS))


@pytest.fixture(autouse=True)
def _heard() -> None:
    """Let tests hear our logs: commands keep theirs to themselves, and tools switch all off."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("condped")]
    for logger in map(logging.getLogger, ("condped", *names)):
        logger.disabled, logger.propagate, logger.handlers[:] = False, True, []
        # One of its own for the first, whatever the root logger's is; those below it have none.
        logger.setLevel(logging.WARNING if logger.name == "condped" else logging.NOTSET)
    logging.disable(logging.NOTSET)


@event.listens_for(Engine, "connect")
def _without_waiting_for_the_disk(connection: object, _: object) -> None:
    """Let tools write the same SQLite files without waiting for the disk at every trial."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF")


@pytest.fixture(scope="session", autouse=True)
def _without_synchronising() -> Iterator[None]:
    """Let tools that write journals not wait for the disk either."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture(scope="session", name="all_sparks")
def _all_sparks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sparks]:
    from tests.servers.spark import Sparks  # noqa: PLC0415

    if find_spec("pyspark") is None:
        lacking("pyspark is NOT installed, so nothing was tested here.")
    several = Sparks(tmp_path_factory.mktemp("spark"))
    yield several
    several.stop()


@pytest.fixture(scope="session")
def ray_workers() -> Iterator[Any]:
    """Run Ray with two workers."""
    from tests.servers.ray import ray_cluster  # noqa: PLC0415

    if find_spec("ray") is None:
        lacking("ray is NOT installed, so nothing was tested here.")
    with ray_cluster() as ray:
        yield ray


@pytest.fixture
def sparks(all_sparks: Sparks) -> Iterator[Sparks]:
    """Start and stop Spark sessions; one that a test has ended is cleared away."""
    yield all_sparks
    all_sparks.clear()
