"""Optuna's other storages, through Optuna itself: storage objects, gRPC proxies, Redis journals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import optuna
from optuna.storages.journal import JournalRedisBackend

from condped.errors import DataError, MissingLibraryError, SettingsError
from condped.read.databases.urls import split_url, without_password
from condped.read.each_study import read_each
from condped.read.options import ReadOptions
from condped.read.optuna import study as optuna_study
from condped.read.optuna.journal import replay_journal, replay_studies
from condped.read.optuna.journals.operations import checked
from condped.read.optuna.records import choose_studies, select_study
from condped.trials.table import TrialTable

_GRPC_PORT = 13000  # Optuna's own default
_WAIT = 10  # seconds for a server to answer
_BATCH = 4096
Found = TypeVar("Found")


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return the trials of a study in a storage object, or at a grpc:// or redis:// URL."""
    if isinstance(source, str) and "://" not in source:
        raise TypeError("a text is not a storage")  # this reader was chosen by name
    return _read(source, options, _from_storage, replay_journal)


def read_all(source: Any, options: ReadOptions) -> list[tuple[str, TrialTable]]:
    """Return the trials of all studies in a storage, or of those that match a pattern."""
    return _read(source, options, _all_from_storage, replay_studies)


def _read(
    source: Any,
    options: ReadOptions,
    from_storage: Callable[[Any, ReadOptions, str], Found],
    from_journal: Callable[[Any, ReadOptions, str], Found],
) -> Found:
    """Read a storage object, or what is at a URL: a server's storage, or a journal in Redis."""
    if not isinstance(source, str):
        return from_storage(source, options, f"The storage {type(source).__name__}")
    place = f"The storage {without_password(source)}"
    scheme = "grpc" if urlsplit(source).scheme == "grpc" else "redis"
    with _converted_errors(place, library=scheme):
        if scheme == "grpc":
            with _grpc(source) as storage:
                return from_storage(storage, options, place)
        return from_journal(checked(_operations(source, place), place), options, place)


def _all_from_storage(
    storage: Any, options: ReadOptions, place: str
) -> list[tuple[str, TrialTable]]:
    names = choose_studies(optuna.get_all_study_names(storage), options.patterns, place)
    return read_each(
        names, lambda name: _from_storage(storage, replace(options, study=name), place)
    )


def _from_storage(storage: Any, options: ReadOptions, place: str) -> TrialTable:
    names = optuna.get_all_study_names(storage)
    name = select_study(names, options.study, place)
    study = optuna.load_study(study_name=name, storage=storage)
    return optuna_study.read(study, replace(options, study=None))


@contextmanager
def _grpc(source: str) -> Iterator[Any]:
    from optuna.storages import GrpcStorageProxy  # noqa: PLC0415  (since Optuna 4.2)

    parts = split_url(source)
    storage = GrpcStorageProxy(host=parts.hostname or "localhost", port=parts.port or _GRPC_PORT)
    try:
        storage.wait_server_ready(timeout=_WAIT)
        yield storage
    finally:
        storage.close()


def _operations(source: str, place: str) -> Iterator[list[dict[str, Any]]]:
    """Return the operations of a journal in Redis, many at a time.

    Optuna would start from a pickled snapshot found there, which is never opened here.
    """
    parts = split_url(source)
    query = {"socket_connect_timeout": str(_WAIT), **dict(parse_qsl(parts.query))}
    prefix = query.pop("prefix", "")  # of the keys, as Optuna's JournalRedisBackend takes it
    address = urlunsplit(parts._replace(query=urlencode(query)))
    try:
        backend = JournalRedisBackend(address, prefix=prefix)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{place} has an option that Redis does not take: {error}.") from error
    operations = backend.read_logs(0)
    return iter(lambda: list(islice(operations, _BATCH)), [])


@contextmanager
def _converted_errors(place: str, library: str) -> Iterator[None]:
    """Convert errors of Optuna and its drivers into errors of condped."""
    try:
        with warnings.catch_warnings():
            # Optuna's experimental API is our choice, not the user's.
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    except ImportError as error:
        raise MissingLibraryError(feature=place, library=library, extra=library) from error
    except Exception as error:
        if not type(error).__module__.startswith(("redis", "grpc")) and not isinstance(
            error, OSError
        ):
            raise
        reason = " ".join(str(error).split())
        raise DataError(f"{place} cannot be read: {reason}.") from error
