"""Optuna's PostgreSQL storages, read directly from a real server and through Optuna itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import optuna
import psycopg
import pytest

import condped
from condped.errors import DataError, NameNotFoundError
from tests.read.optuna.studies import (
    assert_same_importances,
    assert_same_table,
    check_optuna,
    write_two_studies,
)
from tests.servers.postgresql import postgresql

# Optuna warns that naming metrics is experimental.
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a PostgreSQL server that a wheel brings along, and return its URL."""
    with postgresql(tmp_path_factory.mktemp("postgresql")) as url:
        yield url


@pytest.fixture(scope="module")
def url(server: str) -> str:
    """Return the server's URL as Optuna takes it, with SQLAlchemy's driver in it."""
    return server.replace("postgresql://", "postgresql+psycopg://")


@pytest.fixture(scope="module")
def storage(url: str) -> Iterator[optuna.storages.RDBStorage]:
    """Let Optuna write two studies."""
    written = optuna.storages.RDBStorage(url)
    write_two_studies(written)
    yield written
    written.remove_session()
    written.engine.dispose()


@pytest.mark.parametrize("study", ["tpe's", 'two"; --'])
def test_table_is_what_optuna_reads(
    storage: optuna.storages.RDBStorage, url: str, server: str, study: str
) -> None:
    """Values, domains, states, objectives and constraints agree with Optuna's own API."""
    loaded = optuna.load_study(study_name=study, storage=storage)
    check_optuna("optuna-postgresql", server, loaded)
    theirs = condped.read(loaded)
    for address in (url, server):
        ours = condped.read(address, study=study)
        assert_same_table(ours, theirs)
        assert_same_importances(ours, theirs)


@pytest.mark.usefixtures("storage")
def test_a_role_that_can_only_read_is_enough(server: str) -> None:
    """Nothing but SELECT is asked of the server."""
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute("CREATE ROLE reader LOGIN")
        admin.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    as_reader = server.replace("//postgres:@", "//reader@")
    assert as_reader != server
    assert len(condped.read(as_reader, study="tpe's")) == 60


@pytest.mark.usefixtures("storage")
def test_what_goes_wrong_is_told_without_the_password(server: str, tmp_path: Path) -> None:
    """An unknown study, no server, no Optuna tables: one line each."""
    with pytest.raises(NameNotFoundError, match="Did you mean"):
        condped.read(server, study="tpes")
    gone = f"postgresql://me:secret@/none?host={tmp_path}"
    with pytest.raises(DataError, match="cannot be read") as caught:
        condped.read(gone)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute("CREATE DATABASE empty")
    with pytest.raises(DataError, match="holds no Optuna studies"):
        condped.read(server.replace("/postgres?", "/empty?"))
