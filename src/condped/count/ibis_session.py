"""A connection to the engine behind Ibis: queries in, rows out, and its failures in our words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ibis.expr.operations as ops
import ibis.expr.types as ir
from ibis.common.exceptions import (
    OperationNotDefinedError,
    UnsupportedOperationError,
)

from condped.errors import CondpedError, DataError, SettingsError

# Engines that the tests run. Others are taken if they say that they have all that is used here.
TESTED = {"duckdb": "DuckDB", "postgres": "PostgreSQL", "pyspark": "Spark"}
_USED = (
    ops.IfElse, ops.SimpleCase, ops.Cast, ops.IsNan, ops.IsNull, ops.Coalesce, ops.InValues,
    ops.Modulus, ops.Floor, ops.Ceil, ops.CountStar, ops.Sum, ops.Min, ops.Max,
)  # fmt: skip
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Session:
    """An engine and the table in it.

    Attributes
    ----------
    shown
        The table or files, for messages.
    secrets
        Texts that no message may hold.
    end
        Lets go of a connection that was opened here; None: it is the caller's.
    blame
        Looks for the file that a query failed at, where the engine does not say.
    """

    backend: Any
    shown: str
    secrets: tuple[str, ...] = ()
    end: Callable[[], None] | None = None
    blame: Callable[[str], str | None] | None = None

    @property
    def engine(self) -> str:
        """What counts, for messages."""
        return f"{TESTED.get(self.backend.name, self.backend.name)} through Ibis"

    @property
    def unnests(self) -> bool:
        """Whether one row can be counted under several codes."""
        has = self.backend.has_operation
        return bool(has(ops.Array) and has(ops.Unnest))

    def require(self) -> None:
        """Refuse an engine that cannot do what counting needs."""
        name = self.backend.name
        if name in TESTED:
            return
        lacking = [one.__name__ for one in _USED if not self.backend.has_operation(one)]
        if name == "polars" or not hasattr(self.backend, "raw_sql"):
            lacking.append("SQL")
        if lacking:
            raise SettingsError(
                f"The Ibis backend {name!r} cannot count trials: it lacks {', '.join(lacking)}. "
                f"Tested are {', '.join(TESTED.values())}; or read the rows with engine='memory' "
                "or 'stream'."
            )

    def rows(self, query: ir.Table, step: str) -> list[dict[str, Any]]:
        """Run a query and return its rows; ``step`` says what for, should it fail."""
        try:
            text = self.backend.compile(query)
        except RecursionError as error:
            raise SettingsError(
                f"The query for {step} is nested too deeply to be written. Simplify the "
                "conditions, or use engine='memory' or 'stream'."
            ) from error
        except (OperationNotDefinedError, UnsupportedOperationError) as error:
            raise SettingsError(
                f"{self.engine} lacks an operation that {step} needs ({self.plain(error)}). "
                "Use another engine."
            ) from error
        names = query.columns
        with self.failing(step):
            result = self._run(text)
            fetched = result.collect() if hasattr(result, "collect") else result.fetchall()
            if hasattr(result, "close") and result is not getattr(self.backend, "con", None):
                result.close()
        return [dict(zip(names, row, strict=True)) for row in fetched]

    def _run(self, text: str) -> Any:
        """Run a query; Spark would put the values of variables into names and texts with ${}."""
        run = self.backend.raw_sql
        if self.backend.name != "pyspark" or "${" not in text:
            return run(text)
        name = "spark.sql.variable.substitute"
        before = self.setting(name)
        run(f"SET {name}=false")
        try:
            return run(text)
        finally:
            run(f"SET {name}={before}")

    def setting(self, name: str) -> str:
        """Return a setting of Spark."""
        with self.failing("reading the settings"):
            return str(self.backend.raw_sql(f"SET {name}").collect()[0][1])

    def failing(self, step: str) -> Failing:
        """Return a context in which the engine's failures become errors that name the table."""
        return Failing(self, step)

    def plain(self, error: BaseException) -> str:
        """Return what the engine said in one line, without passwords and queries."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = lines[0] if lines else type(error).__name__
        said = "".join(letter if letter.isprintable() else "?" for letter in said)
        for secret in self.secrets:
            said = said.replace(secret, "***")
        return said if len(said) <= _LONGEST else f"{said[:_LONGEST]} …"

    def close(self) -> None:
        """Let go of the connection if it was opened here."""
        if self.end is not None:
            self.end()


@dataclass(frozen=True, slots=True)
class Failing:
    """Turns failures of an engine into errors of ours."""

    session: Session
    step: str

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, CondpedError) or not isinstance(error, Exception):
            return
        session = self.session
        said = session.plain(error).rstrip(".")
        if type(error).__name__ == "InterruptException" or said == "Query interrupted":
            raise KeyboardInterrupt from error  # DuckDB's, upon Ctrl-C
        if "is busy with another call" in said:
            raise DataError(
                f"The connection to {session.shown} is busy while {self.step}: a connection of "
                f"{session.engine} serves one call at a time. Give each thread its own, or let "
                "one call end before the next."
            ) from error
        file = None if session.blame is None else session.blame(said)
        where = session.shown if file is None else f"{session.shown} in {file!r}"
        raise DataError(
            f"{session.engine} failed at {where} while {self.step}: "
            f"{said}. Nothing was left behind; put it right and repeat the call."
        ) from error
