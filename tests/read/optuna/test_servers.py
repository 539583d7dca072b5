"""Optuna's storages in PostgreSQL and MariaDB, read directly from real servers and by Optuna."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import optuna
import pytest
import sqlalchemy

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.opening import read_all
from condped.read.options import ReadOptions
from condped.read.optuna import pymysql as optuna_pymysql
from tests.read.optuna.studies import (
    assert_same_drawing,
    assert_same_importances,
    assert_same_table,
    check_optuna,
    run,
    write_two_studies,
)
from tests.servers.local import mariadb, silent_server
from tests.servers.postgresql import postgresql

# Optuna warns that naming metrics is experimental.
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@dataclass(frozen=True)
class Server:
    """A server with two studies that Optuna wrote."""

    reader: str
    storage: optuna.storages.RDBStorage
    urls: tuple[str, ...]  # the first as Optuna takes it, with the driver in it
    user: str  # as it stands in them

    def execute(self, *commands: str) -> None:
        """Run commands as the administrator."""
        engine = self.storage.engine.execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for command in commands:
                connection.execute(sqlalchemy.text(command))

    def url(self, *, user: str | None = None, database: str | None = None) -> str:
        """Return the URL for another user, or of another database."""
        found = self.urls[0]
        if database is not None:
            found = re.sub(r"@([^/]*)/\w+", rf"@\1/{database}", found)
        return found if user is None else found.replace(f"//{self.user}@", f"//{user}@")


@pytest.fixture(scope="module", params=["postgresql", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Start a server, and let Optuna write two studies."""
    folder = tmp_path_factory.mktemp(request.param)
    with postgresql() if request.param == "postgresql" else mariadb(folder) as url:
        urls: tuple[str, ...]
        if request.param == "postgresql":
            urls = url.replace("postgresql://", "postgresql+psycopg://"), url
        else:
            urls = url, url.replace("mysql+pymysql", "mariadb"), f"{url}?charset=utf8mb4"
        storage = optuna.storages.RDBStorage(urls[0])
        write_two_studies(storage)
        user = {"postgresql": "postgres:", "mysql": "root"}[request.param]
        yield Server(f"optuna-{request.param}", storage, urls, user)
        storage.remove_session()
        storage.engine.dispose()


def test_all_studies_are_read_at_once(server: Server) -> None:
    """Each as it is read by itself, or those that match a pattern."""
    found = read_all(server.urls[-1], ReadOptions())
    assert found is not None
    assert [name for name, _ in found] == ["tpe's", 'two"; --']
    for name, table in found:
        assert_same_table(table, condped.read(server.urls[-1], study=name))
    some = read_all(server.urls[-1], ReadOptions(patterns=("t?e*",)))
    assert some is not None
    assert [name for name, _ in some] == ["tpe's"]


@pytest.mark.parametrize("study", ["tpe's", 'two"; --'])
def test_table_is_what_optuna_reads(server: Server, study: str) -> None:
    """Values, domains, states, objectives and constraints agree with Optuna's own API."""
    loaded = optuna.load_study(study_name=study, storage=server.storage)
    check_optuna(server.reader, server.url(), loaded)
    theirs = condped.read(loaded)
    for address in server.urls:
        ours = condped.read(address, study=study)
        assert_same_table(ours, theirs)
        assert_same_drawing(ours.drawing, theirs.drawing)
        assert_same_importances(ours, theirs)


def test_a_user_who_can_only_read_is_enough(server: Server) -> None:
    """Nothing but SELECT is asked of the server, and odd passwords work."""
    if server.reader == "optuna-mysql":
        server.execute(
            r"CREATE USER reader IDENTIFIED BY 'p@ss\:word/?'", "GRANT SELECT ON optuna.* TO reader"
        )
    else:
        server.execute(
            r"CREATE ROLE reader LOGIN PASSWORD 'p@ss\:word/?'",
            "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
        )
    as_reader = server.url(user="reader:p%40ss%3Aword%2F%3F")
    assert as_reader != server.url()
    assert len(condped.read(as_reader, study="tpe's")) == 60


def test_reading_sees_one_moment_while_workers_write(server: Server) -> None:
    """Every trial that is read as complete has its value, however fast others are written."""
    growing = optuna.create_study(study_name="growing", storage=server.storage)
    worker = threading.Thread(target=run, args=(growing, 80))
    worker.start()
    sizes = []
    while worker.is_alive():
        table = condped.read(server.url(), study="growing")
        complete = table.states == 0
        assert not (complete & (table.objectives[0].values != table.objectives[0].values)).any()
        for parameter in table.parameters[:1]:  # the first suggestion of every trial
            assert (parameter.domain_ids[complete] >= 0).all()
        sizes.append(len(table))
    worker.join()
    assert sizes == sorted(sizes)
    assert sizes, "nothing was read while the worker ran"


def test_names_that_differ_only_by_case_are_two(server: Server) -> None:
    """To MySQL they are one, unless it is told otherwise."""
    study = optuna.create_study(study_name="case", storage=server.storage)
    for number in range(6):
        trial = study.ask({"lr": optuna.distributions.FloatDistribution(0, 1)})
        trial.set_user_attr("loss" if number % 2 else "Loss", number)
        study.tell(trial, number)
    for name in ("user_attrs_loss", "user_attrs_Loss"):
        ours = condped.read(server.url(), study="case", objective=name).objectives[0].values
        theirs = condped.read(study, objective=name).objectives[0].values
        assert np.array_equal(ours, theirs, equal_nan=True)


def test_what_is_not_there_is_told(server: Server) -> None:
    """An unknown study, and a database without Optuna's tables."""
    with pytest.raises(NameNotFoundError, match="Did you mean"):
        condped.read(server.url(), study="tpes")
    server.execute("CREATE DATABASE nothing")
    with pytest.raises(DataError, match="holds no Optuna studies"):
        condped.read(server.url(database="nothing"))


def test_servers_that_do_not_answer_are_told_without_the_password(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong password, no server, a silent one: one line each."""
    monkeypatch.setattr(optuna_pymysql, "_LONGEST", 1)
    with silent_server() as port:
        refused = (
            [server.url(user="me:secret"), f"mysql://me:secret@127.0.0.1:{port}/optuna"]
            if server.reader == "optuna-mysql"
            else [f"postgresql://me:secret@/none?host={tmp_path}"]
        )
        for address in refused:
            with pytest.raises(DataError, match="cannot be read") as caught:
                condped.read(address)
            assert "secret" not in str(caught.value)
            assert "\n" not in str(caught.value)


def test_options_that_pymysql_would_take_are_not_all_allowed() -> None:
    """Such as one that lets a server read files of this machine."""
    with pytest.raises(SettingsError, match="unknown option 'local_infile'"):
        condped.read("mysql://root@127.0.0.1/optuna?local_infile=1")
