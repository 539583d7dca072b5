"""Optuna's other storages: objects of any kind, a gRPC proxy and a Redis server that really run."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import optuna
import pytest
from optuna.storages.journal import JournalFileBackend, JournalRedisBackend

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.optuna import storage as optuna_storage
from tests.read.optuna.studies import (
    assert_same_importances,
    assert_same_table,
    check_optuna,
    write_two_studies,
)
from tests.servers.local import free_port, redis_server, running

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@pytest.fixture(scope="module")
def in_memory() -> optuna.storages.InMemoryStorage:
    """Return two studies."""
    storage = optuna.storages.InMemoryStorage()
    write_two_studies(storage)
    return storage


@pytest.fixture(scope="module")
def grpc_url(
    in_memory: optuna.storages.InMemoryStorage, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Serve copies of them from a process of its own: gRPC and forking do not go together."""
    port = free_port()
    url = f"sqlite:///{tmp_path_factory.mktemp('grpc')}/studies.db"
    for study in ("tpe's", 'two"; --'):
        optuna.copy_study(from_study_name=study, from_storage=in_memory, to_storage=url)
    program = (
        "import sys, optuna; storage = optuna.storages.RDBStorage(sys.argv[1]); "
        "optuna.storages.run_grpc_proxy_server(storage, host='127.0.0.1', port=int(sys.argv[2]))"
    )
    command = [sys.executable, "-W", "ignore", "-c", program, url, str(port)]
    with running(command, lambda: socket.create_connection(("127.0.0.1", port), 1).close()):
        yield f"grpc://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a Redis server."""
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.mark.parametrize("study", ["tpe's", 'two"; --'])
def test_storage_objects_and_a_proxy_give_the_study(
    in_memory: optuna.storages.InMemoryStorage, grpc_url: str, study: str, tmp_path: Path
) -> None:
    """The table is that of the study which Optuna loads."""
    loaded = optuna.load_study(study_name=study, storage=in_memory)
    check_optuna("optuna-study", loaded, loaded)
    check_optuna("optuna-storage", in_memory, loaded)
    theirs = condped.read(loaded)
    journal = optuna.storages.JournalStorage(JournalFileBackend(str(tmp_path / "j.log")))
    optuna.copy_study(
        from_study_name=study, from_storage=in_memory, to_storage=journal, to_study_name=study
    )
    for source in (in_memory, grpc_url):
        ours = condped.read(source, study=study)
        assert_same_table(ours, theirs)
        assert_same_importances(ours, theirs)
    assert_same_importances(condped.read(journal), theirs)


@pytest.mark.parametrize("prefix", ["", "team"])
def test_a_journal_in_redis_is_replayed(redis_url: str, prefix: str) -> None:
    """The table is that of Optuna, and the pickled snapshot beside the journal is not opened."""
    backend = JournalRedisBackend(redis_url, prefix=prefix)
    storage = optuna.storages.JournalStorage(backend)
    write_two_studies(storage)
    backend.save_snapshot(b"cos\nsystem\n(S'exit 1'\ntR.")  # would be run by unpickling
    address = f"{redis_url}?prefix={prefix}" if prefix else redis_url
    for study in ("tpe's", 'two"; --'):
        ours = condped.read(address, study=study)
        theirs = condped.read(optuna.load_study(study_name=study, storage=storage))
        assert_same_table(ours, theirs)


def test_what_goes_wrong_is_one_line(
    in_memory: optuna.storages.InMemoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several studies, an unknown one, nobody listening; passwords are not shown."""
    with pytest.raises(SettingsError, match="holds 2 studies"):
        condped.read(in_memory)
    with pytest.raises(NameNotFoundError, match='Did you mean "tpe\'s"'):
        condped.read(in_memory, study="tpes")
    monkeypatch.setattr(optuna_storage, "_WAIT", 1)
    port = free_port()
    for url in (f"redis://:secret@127.0.0.1:{port}/0", f"grpc://127.0.0.1:{port}"):
        with pytest.raises(DataError, match="cannot be read") as caught:
            condped.read(url)
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("library", ["redis", "grpc"])
def test_a_library_that_is_missing_is_named_with_its_extra(library: str) -> None:
    """In a process of its own, in which the library cannot be imported."""
    program = (
        f"import sys; sys.modules[{library!r}] = None; import condped\n"
        f"try: condped.read('{library}://127.0.0.1:1')\n"
        "except condped.errors.MissingLibraryError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert f"needs {library}" in done.stdout
    assert f"condped[{library}]" in done.stdout
