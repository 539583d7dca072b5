"""Files of DuckDB: flipped bytes, and tables, views and types that others may have made."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import condped
from fuzz import mutate
from fuzz.door import Door
from fuzz.doors import tables

_FILE = "trials.duckdb"
_BACKEND = f"duckdb://{_FILE}"
_TYPES = ("DOUBLE", "FLOAT", "INTEGER", "HUGEINT", "VARCHAR", "BOOLEAN", "DECIMAL(9,3)", "BLOB",
          "DATE",
          "TIMESTAMP", "INTEGER[]", "STRUCT(a INTEGER)", "ENUM('a','b')", "UUID",
          "INTERVAL")  # fmt: skip
_STREAMED: dict[str, Any] = {
    "backend": _BACKEND,
    "objective": "loss",
    "space": {
        "p0": {"type": "float", "low": 0, "high": 10},
        "p1": {"type": "int", "low": 0, "high": 12},
    },
}


class DuckDB(Door):
    """Tables in a ``.duckdb`` file."""

    name = "duckdb"
    title = "DuckDB files"
    weight = 0.5
    oracle = "batches for reading whole"
    batch = 150
    imports = ("duckdb", "ibis", "ibis.backends.duckdb")

    def make(self, rng: Random) -> tuple[str, bytes]:
        import duckdb  # noqa: PLC0415  (imported by workers only)

        path = Path("made.duckdb")
        path.unlink(missing_ok=True)
        with duckdb.connect(str(path), config={"threads": 1}) as connection:
            kinds = [rng.choice(_TYPES) for _ in range(rng.randrange(3))]
            columns = ["loss DOUBLE", "p0 DOUBLE", "p1 INTEGER"]
            columns += [f'"{_name(rng, place)}" {kind}' for place, kind in enumerate(kinds)]
            empty = ", NULL" * len(kinds)
            try:
                connection.execute(f"CREATE TABLE trials ({', '.join(columns)})")
            except duckdb.Error:  # one name twice
                kinds, empty = [], ""
                connection.execute(f"CREATE TABLE trials ({', '.join(columns[:3])})")
            for _ in range(rng.randrange(8)):
                loss, p0 = rng.choice((rng.random(), 1.0)), rng.choice((rng.random(), 7.0, "NULL"))
                connection.execute(
                    f"INSERT INTO trials VALUES ({loss}, {p0}, {rng.randrange(12)}{empty})"
                )
            if rng.random() < 0.2:
                query = rng.choice((
                    "SELECT * FROM trials", "SELECT 1 AS loss", "SELECT loss/0 AS loss FROM trials",
                    "SELECT error('no') AS loss",
                    "SELECT loss, CAST('x' AS INTEGER) AS p0 FROM trials",
                ))  # fmt: skip
                connection.execute(f"CREATE VIEW other AS {query}")
        data = path.read_bytes()
        if rng.random() < 0.5:
            # Most of the file is empty blocks: what counts begins with the headers and each block.
            at = rng.randrange(len(data) if rng.random() < 0.3 else min(len(data), 20_000))
            data = data[:at] + mutate.changed_bytes(rng, data[at : at + 64]) + data[at + 64 :]
        return rng.choice(("trials", "other", "stream")), data

    def ask(self, what: str, data: bytes) -> Any:
        Path(_FILE).write_bytes(data)
        if what == "stream":
            return condped.importance("trials", engine="stream", **_STREAMED)
        return tables.read(what, backend=_BACKEND, objective="loss", outside="drop")

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if what == "stream":
            # Batches need fewer columns of a damaged file.
            tables.agree_engines(answer, "trials", may_refuse=True, **_STREAMED)


def _name(rng: Random, place: int) -> str:
    text = rng.choice(mutate.TEXTS[:40]) or f"c{place}"
    return text.replace('"', '""').replace("\x00", "")
