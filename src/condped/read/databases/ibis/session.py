"""A connection to the engine behind Ibis."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from condped.errors import CondpedError
from condped.read.databases.engine_errors import failure
from condped.read.databases.ibis.batches import record_batches

# How engines are called that the tests run; others are taken, too.
_ENGINES = {"duckdb": "DuckDB", "postgres": "PostgreSQL", "pyspark": "Spark"}


class Session:
    """An engine.

    Attributes
    ----------
    shown
        The table, or where it is, for messages.
    secrets
        Texts that no message may hold.
    """

    def __init__(
        self,
        backend: Any,
        shown: str,
        *,
        secrets: Sequence[str] = (),
        end: Callable[[], None] | None = None,
    ) -> None:
        """Take a connection; ``end`` closes one that was opened here (None: the caller's)."""
        self.backend, self.shown, self.secrets = backend, shown, tuple(secrets)
        self._end = None if end is None else weakref.finalize(self, end)

    @property
    def engine(self) -> str:
        """What gives the rows, for messages."""
        return f"{_ENGINES.get(self.backend.name, self.backend.name)} through Ibis"

    def close(self) -> None:
        """Let go of the connection if it was opened here."""
        if self._end is not None:
            self._end()

    def rows(self, query: Any, step: str) -> list[tuple[Any, ...]]:
        """Run a query with few rows and return them; ``step`` says what for, should it fail."""
        with self.failing(step):
            batches = list(record_batches(self.backend, query))
        return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]

    @contextmanager
    def failing(self, step: str) -> Generator[None]:
        """Turn the engine's failures inside into errors that name the table."""
        try:
            yield
        except CondpedError:
            raise
        except Exception as error:
            raise failure(self.engine, self.shown, step, error, self.secrets) from error
