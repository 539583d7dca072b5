"""Studies and a client in memory that the tests of agents share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from condped.live.agents.desk import Desk
from condped.live.agents.server import make_server
from tests.live.agents.asking import Asking, asking
from tests.live.agents.studies import write_running, write_studies


@pytest.fixture(scope="session")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal file with five studies."""
    return write_studies(tmp_path_factory.mktemp("agents") / "tuning.log")


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with a study that runs."""
    return write_running(tmp_path_factory.mktemp("running") / "live.db")


@pytest.fixture(scope="session")
def client(journal: Path, running: Path) -> Iterator[Asking]:
    """A client of a server that knows both."""
    desk = Desk([f"{journal}", f"now=sqlite:///{running}"])
    with asking(make_server(desk)) as found:
        yield found
    desk.close()
