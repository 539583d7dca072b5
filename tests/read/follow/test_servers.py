"""Studies in PostgreSQL and MariaDB, followed on real servers that come and go."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import optuna
import psycopg
import pytest

import condped
from condped.errors import CondpedError
from tests.optuna_version import needs_optuna_5
from tests.read.follow.same import assert_same_as_read
from tests.read.follow.worker import running_worker
from tests.read.optuna.studies import run
from tests.servers.local import free_port, mariadb
from tests.servers.postgresql import postgresql

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@pytest.fixture(scope="module", params=["postgresql", "mysql"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a server; its URL as Optuna takes it."""
    folder = tmp_path_factory.mktemp(request.param)
    with postgresql() if request.param == "postgresql" else mariadb(folder) as found:
        yield found.replace("postgresql://", "postgresql+psycopg://")


@contextmanager
def _storage(url: str) -> Iterator[optuna.storages.RDBStorage]:
    storage = optuna.storages.RDBStorage(url)
    try:
        yield storage
    finally:
        storage.remove_session()
        storage.engine.dispose()


@needs_optuna_5
def test_a_followed_table_is_what_a_full_read_gives(url: str) -> None:
    """While a worker of another process writes, and whenever it pauses."""
    with _storage(url) as storage:
        study = optuna.create_study(study_name="followed", storage=storage)
        followed = condped.follow(url, study="followed")
        with running_worker(url, "followed", 0) as worker:
            for _ in range(3):
                worker.start(12)
                study.enqueue_trial({"n_läyers": 3})
                for _ in range(10):
                    followed.update()
                worker.wait()
                followed.update()
                assert_same_as_read(followed, url, study="followed")
                assert not followed.update()
                assert followed.fetched < 12
        optuna.delete_study(study_name="followed", storage=storage)
        with pytest.raises(CondpedError, match="no study 'followed'"):
            followed.update()
        assert len(followed.table) >= 36
        run(optuna.create_study(study_name="followed", storage=storage), 4)
        assert followed.update()
        assert_same_as_read(followed, url, study="followed")


@needs_optuna_5
def test_studies_are_listed_as_optuna_counts_them(url: str) -> None:
    """Trials in each state, the best value, and when the last one ended."""
    with _storage(url) as storage:
        study = optuna.create_study(study_name="listed", storage=storage, direction="maximize")
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=7)
        study.ask()
        (row,) = condped.studies(url, study="listed").rows()
        assert (row["trials"], row["complete"], row["running"]) == (8, 7, 1)
        assert row["best"] == study.best_value
        assert row["last_finished"] is not None


def test_a_server_that_was_away_is_read_again(tmp_path: Path) -> None:
    """An update raises while nobody answers, names no password, and the next one reconnects."""
    with mariadb(tmp_path) as direct, _storage(direct) as storage:
        study = optuna.create_study(study_name="a", storage=storage)
        run(study, 5)
        port = int(re.search(r":(\d+)/", direct)[1])  # type: ignore[index]
        own = free_port()
        url = direct.replace("root@", "root:@").replace(f":{port}/", f":{own}/")
        with _forwarded(own, port):
            followed = condped.follow(url)
        run(study, 3)
        for _ in range(2):
            with pytest.raises(CondpedError, match="cannot be read"):
                followed.update()
        assert len(followed.table) == 5
        with _forwarded(own, port):
            assert followed.update()
            assert_same_as_read(followed, url)


@contextmanager
def _forwarded(own: int, port: int) -> Iterator[None]:
    """Hand everything that is sent to one port on to another, until the block ends."""
    listening = socket.create_server(("127.0.0.1", own))
    open_sockets: list[socket.socket] = []

    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while received := source.recv(65536):
                target.sendall(received)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(("127.0.0.1", port))
                open_sockets.extend((near, far))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        accepting.join()
        for one in open_sockets:
            one.close()


def test_no_transaction_stays_open_between_updates() -> None:
    """PostgreSQL knows of no session that follows a study, so nothing holds back its clean-up."""
    with postgresql() as address:
        url = address.replace("postgresql://", "postgresql+psycopg://")
        with _storage(url) as storage:
            run(optuna.create_study(study_name="a", storage=storage), 3)
        followed = condped.follow(address)
        followed.update()
        with closing(psycopg.connect(address)) as connection:
            ((others,),) = connection.execute(
                "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND backend_type = 'client backend' "
                "AND state LIKE 'idle in transaction%'"
            ).fetchall()
        assert others == 0
