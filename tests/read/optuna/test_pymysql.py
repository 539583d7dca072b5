"""Optuna's storages in MySQL and MariaDB, read directly from a real server and through Optuna."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import optuna
import pymysql
import pytest

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.optuna import pymysql as optuna_pymysql
from tests.read.optuna.studies import (
    assert_same_importances,
    assert_same_table,
    check_optuna,
    run,
    write_two_studies,
)
from tests.servers.local import mariadb, silent_server

# Optuna warns that naming metrics is experimental.
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a MariaDB server and return its URL as Optuna takes it."""
    with mariadb(tmp_path_factory.mktemp("mariadb")) as address:
        yield address


@pytest.fixture(scope="module")
def storage(url: str) -> Iterator[optuna.storages.RDBStorage]:
    """Let Optuna write two studies."""
    written = optuna.storages.RDBStorage(url)
    write_two_studies(written)
    yield written
    written.remove_session()
    written.engine.dispose()


def as_user(url: str, user: str) -> str:
    """Return the URL for another user."""
    return url.replace("//root@", f"//{user}@")


@pytest.mark.parametrize("study", ["tpe's", 'two"; --'])
def test_table_is_what_optuna_reads(
    storage: optuna.storages.RDBStorage, url: str, study: str
) -> None:
    """Values, domains, states, objectives and constraints agree with Optuna's own API."""
    loaded = optuna.load_study(study_name=study, storage=storage)
    check_optuna("optuna-mysql", url, loaded)
    theirs = condped.read(loaded)
    for address in (url, url.replace("mysql+pymysql", "mariadb"), f"{url}?charset=utf8mb4"):
        ours = condped.read(address, study=study)
        assert_same_table(ours, theirs)
        assert_same_importances(ours, theirs)


@pytest.mark.usefixtures("storage")
def test_a_user_who_can_only_read_is_enough(url: str) -> None:
    """Nothing but SELECT is asked of the server, and odd passwords work."""
    root = pymysql.connect(
        host="127.0.0.1",
        port=int(url.rsplit(":", maxsplit=1)[-1].split("/", maxsplit=1)[0]),
        user="root",
    )
    with root, root.cursor() as cursor:
        cursor.execute("CREATE USER reader IDENTIFIED BY 'p@ss:word/?'")
        cursor.execute("GRANT SELECT ON optuna.* TO reader")
    assert len(condped.read(as_user(url, "reader:p%40ss%3Aword%2F%3F"), study="tpe's")) == 60


def test_reading_sees_one_moment_while_workers_write(
    storage: optuna.storages.RDBStorage, url: str
) -> None:
    """Every trial that is read as complete has its value, however fast others are written."""
    growing = optuna.create_study(study_name="growing", storage=storage)
    worker = threading.Thread(target=run, args=(growing, 80))
    worker.start()
    sizes = []
    while worker.is_alive():
        table = condped.read(url, study="growing")
        complete = table.states == 0
        assert not (complete & (table.objectives[0].values != table.objectives[0].values)).any()
        for parameter in table.parameters[:1]:  # the first suggestion of every trial
            assert (parameter.domain_ids[complete] >= 0).all()
        sizes.append(len(table))
    worker.join()
    assert sizes == sorted(sizes)
    assert sizes, "nothing was read while the worker ran"


def test_names_that_differ_only_by_case_are_two(
    storage: optuna.storages.RDBStorage, url: str
) -> None:
    """To MySQL they are one, unless it is told otherwise."""
    study = optuna.create_study(study_name="case", storage=storage)
    for number in range(6):
        trial = study.ask({"lr": optuna.distributions.FloatDistribution(0, 1)})
        trial.set_user_attr("loss" if number % 2 else "Loss", number)
        study.tell(trial, number)
    for name in ("user_attrs_loss", "user_attrs_Loss"):
        ours = condped.read(url, study="case", objective=name).objectives[0].values
        theirs = condped.read(study, objective=name).objectives[0].values
        assert np.array_equal(ours, theirs, equal_nan=True)


@pytest.mark.usefixtures("storage")
def test_what_goes_wrong_is_told_without_the_password(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown study, a wrong password, no server, a silent one, no tables: one line each."""
    with pytest.raises(NameNotFoundError, match="Did you mean"):
        condped.read(url, study="tpes")
    with pytest.raises(SettingsError, match="unknown option 'local_infile'"):
        condped.read(f"{url}?local_infile=1")
    with pytest.raises(DataError, match="holds no Optuna studies"):
        condped.read(url.replace("/optuna", "/mysql"))
    monkeypatch.setattr(optuna_pymysql, "_LONGEST", 1)
    with silent_server() as port:
        for address in (as_user(url, "me:secret"), f"mysql://me:secret@127.0.0.1:{port}/optuna"):
            with pytest.raises(DataError, match="cannot be read") as caught:
                condped.read(address)
            assert "secret" not in str(caught.value)
            assert "\n" not in str(caught.value)
