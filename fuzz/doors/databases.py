"""SQLite files of Optuna, MLflow and Trackio: flipped bytes, changed cells, changed tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import condped
from fuzz import mutate
from fuzz.door import DiffersError, Door
from fuzz.doors import optuna_studies, tables
from fuzz.seeds import seed

_CELLS = (
    None, "", "x", "1", "nan", "-inf", b"\x00\xff", 0, 1, -1, 2**63 - 1, -(2**63), 1e308,
    float("inf"),
    "{}", "[", '{"name": "FloatDistribution", "attributes": {"low": 0, "high": 1}}', "COMPLETE",
    "RUNNING", "2026-13-45 99:99:99", "9" * 5000, "\ud7ff", "größe", "svm", 0.5, 2, 3,
)  # fmt: skip


class Databases(Door):
    """``optuna-sqlite``, ``mlflow-sqlite`` and ``trackio``."""

    name = "databases"
    title = "SQLite databases of Optuna, MLflow and Trackio"
    weight = 1.2
    oracle = "Optuna 5.0.0 with the same file"
    batch = 300
    imports = ("optuna", "optuna.storages", "sqlalchemy.dialects.sqlite", "alembic.command")

    def prepare(self) -> None:
        self.seeds = {
            "optuna.db": seed("optuna")["study.db"],
            "mlflow.db": next(iter(seed("mlflow-sqlite").values())),
            "trackio.db": next(iter(seed("trackio").values())),
        }

    def make(self, rng: Random) -> tuple[str, bytes]:
        what = rng.choice(("optuna.db", "optuna.db", "mlflow.db", "trackio.db"))
        data = self.seeds[what]
        if rng.random() < 0.4:
            for _ in range(1 + int(rng.expovariate(0.4))):
                at = rng.randrange(len(data)) if rng.random() < 0.8 else rng.randrange(100)
                piece = mutate.changed_bytes(rng, data[at : at + 16])
                data = data[:at] + piece + data[at + 16 :]
            return what, data[: rng.randrange(len(data))] if rng.random() < 0.1 else data
        return what, self._changed(rng, data)

    def _changed(self, rng: Random, data: bytes) -> bytes:
        path = Path("changed.db")
        path.write_bytes(data)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute("PRAGMA ignore_check_constraints=ON")
            counts = [
                (name, connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'"
                ).fetchall()
            ]
            filled = [name for name, rows in counts if rows]
            for _ in range(1 + int(rng.expovariate(0.8))):
                with suppress(sqlite3.Error, OverflowError):
                    self._change(rng, connection, rng.choice(filled))
        return path.read_bytes()

    @staticmethod
    def _change(rng: Random, connection: sqlite3.Connection, name: str) -> None:
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')]
        rows = [row[0] for row in connection.execute(f'SELECT rowid FROM "{name}" LIMIT 200')]
        column, row = rng.choice(columns), rng.choice(rows)
        kind = rng.randrange(12)
        if kind == 0:
            connection.execute(f'DELETE FROM "{name}" WHERE rowid = ?', (row,))
        elif kind == 1 and rng.random() < 0.3:
            connection.execute(f'ALTER TABLE "{name}" RENAME COLUMN "{column}" TO "x{column}"')
        elif kind == 2 and rng.random() < 0.3:
            connection.execute(f'ALTER TABLE "{name}" RENAME TO "x{name}"')
        elif kind == 3 and rng.random() < 0.3:
            connection.execute(f'DELETE FROM "{name}"')
        elif kind == 4:
            other = f'SELECT "{column}" FROM "{name}" WHERE rowid = ?'
            query = f'UPDATE "{name}" SET "{column}" = ({other})'
            connection.execute(f"{query} WHERE rowid = ?", (rng.choice(rows), row))
        else:
            value = rng.choice(_CELLS)
            connection.execute(f'UPDATE "{name}" SET "{column}" = ? WHERE rowid = ?', (value, row))

    def ask(self, what: str, data: bytes) -> Any:
        Path(what).write_bytes(data)
        for beside in (f"{what}-wal", f"{what}-shm", f"{what}-journal"):
            Path(beside).unlink(missing_ok=True)
        if what == "optuna.db":
            return tables.read(f"sqlite:///{what}", study="tuning", objective=0)
        condped.studies(what)
        return tables.read(what, objective="loss")

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        left = {path.name for path in Path().glob(f"{what}-*")}
        if Path(what).read_bytes() != data or left:
            raise DiffersError(f"{what} was changed by reading: {sorted(left)}")
        if what != "optuna.db":
            return
        if _has_a_number_twice(what):
            return  # Optuna keeps one trial of each number
        import optuna  # noqa: PLC0415  (imported by workers only)

        storage = None
        try:
            storage = optuna.storages.RDBStorage(f"sqlite:///{what}")
            study = optuna.load_study(storage=storage, study_name="tuning")
            study.get_trials(deepcopy=False)
        except Exception:
            return  # Optuna has no answer
        finally:
            if storage is not None:
                storage.remove_session()
                storage.engine.dispose()
        optuna_studies.compare_with(study, answer)


def _has_a_number_twice(path: str) -> bool:
    """Return whether two trials of a study have the same number, which Optuna never writes."""
    with closing(sqlite3.connect(path)) as connection:
        twice = "SELECT 1 FROM trials GROUP BY study_id, number HAVING count(*) > 1"
        try:
            return connection.execute(twice).fetchone() is not None
        except sqlite3.Error:
            return False
