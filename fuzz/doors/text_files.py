"""CSV and JSON files, changed as texts, as bytes and as data; compressed ones equal plain ones."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import condped
from condped.errors import CondpedError
from fuzz import mutate
from fuzz.door import DiffersError, Door
from fuzz.doors import tables

_CELLS = (*mutate.TEXTS, *map(str, mutate.NUMBERS[:-3]), ",", ";", "\t", "\n", '"', '""', "\r")
SPACE = {
    "p0": {"type": "float", "low": 0.0, "high": 1.0},
    "p1": {"type": "int", "low": 0, "high": 10},
}


class Csv(Door):
    """CSV and TSV: in memory, compressed, and batch by batch."""

    name = "csv"
    title = "CSV, plain, gzip and Zstandard"
    weight = 4
    oracle = "the plain file for compressed ones, batches for reading whole"
    endings: ClassVar[tuple[str, ...]] = (".csv", ".tsv")

    def make(self, rng: Random) -> tuple[str, bytes]:
        ending = rng.choice(self.endings)
        if rng.random() < 0.15:
            return self.streamed(rng)
        columns = tables.table(rng)
        data = self.written(rng, columns, ending)
        kind = rng.random()
        if kind < 0.4:
            data = mutate.changed_bytes(rng, data)
        elif kind < 0.8:
            text = mutate.changed_text(rng, data.decode("utf-8", "surrogatepass"), _CELLS)
            data = text.encode("utf-8", "surrogatepass")
        if rng.random() < 0.25:
            packing, data = tables.packed(rng, data)
            if rng.random() < 0.5:
                data = mutate.changed_bytes(rng, data)
            return f"trials{ending}{packing}", data
        return f"trials{ending}", data

    def written(self, rng: Random, columns: tables.Columns, ending: str) -> bytes:
        """Return a table in the form of an ending."""
        return tables.csv_of(columns, "\t" if ending == ".tsv" else rng.choice(",,,;"))

    def streamed(self, rng: Random) -> tuple[str, bytes]:
        """Return a table that can be counted in batches, seldom changed."""
        rows = rng.randrange(1, 60)
        columns: tables.Columns = {
            "loss": [rng.choice((rng.random(), 1.0, 0.0)) for _ in range(rows)],
            "p0": [rng.choice((None, rng.random(), 0.5)) for _ in range(rows)],
            "p1": [rng.randrange(11) for _ in range(rows)],
        }
        data = tables.csv_of(columns)
        if rng.random() < 0.6:
            data = mutate.changed_text(rng, data.decode(), _CELLS).encode("utf-8", "surrogatepass")
        return "stream:trials.csv", data

    def ask(self, what: str, data: bytes) -> Any:
        name = what.rpartition(":")[2]
        Path(name).write_bytes(data)
        if what.startswith("stream:"):
            return condped.importance(name, objective="loss", space=SPACE, engine="stream")
        return tables.read(name, objective="loss", outside="drop")

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if what.startswith("stream:"):
            compare_engines(what.rpartition(":")[2], answer)
        elif what.endswith((".gz", ".zst")):
            plain = what.rpartition(".")[0]
            Path(plain).write_bytes(_unpacked(what, data))
            try:
                expected = condped.read(plain, objective="loss", outside="drop")
            except CondpedError as error:
                raise DiffersError(f"compressed it is read, plain it is not: {error}") from error
            tables.same(answer, expected, what)
        else:
            packed = f"{what}.gz"
            Path(packed).write_bytes(gzip.compress(data, 1, mtime=0))
            try:
                expected = condped.read(packed, objective="loss", outside="drop")
            except CondpedError as error:
                raise DiffersError(f"plain it is read, compressed it is not: {error}") from error
            tables.same(answer, expected, what)


class Json(Csv):
    """JSON lines and lists of objects."""

    name = "json"
    title = "JSON and JSON lines, plain, gzip and Zstandard"
    weight = 5
    oracle = "the plain file for compressed ones, the same records in memory"
    endings = (".jsonl", ".ndjson", ".json")

    def make(self, rng: Random) -> tuple[str, bytes]:
        if rng.random() < 0.01:
            return "trials.json", mutate.nested(rng).encode()
        return super().make(rng)

    def written(self, rng: Random, columns: tables.Columns, ending: str) -> bytes:
        records: Any = tables.records_of(columns)
        if rng.random() < 0.5:
            records = mutate.changed_data(rng, records)
        if ending == ".json" or not isinstance(records, list):
            return mutate.written(records).encode()
        return b"".join(mutate.written(record).encode() + b"\n" for record in records)

    def streamed(self, rng: Random) -> tuple[str, bytes]:
        columns = tables.table(rng)
        return "records:trials.jsonl", tables.json_lines_of(columns)

    def ask(self, what: str, data: bytes) -> Any:
        name = what.rpartition(":")[2]
        Path(name).write_bytes(data)
        return tables.read(name, objective="loss", outside="drop")

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if not what.startswith("records:"):
            super().compare(what, data, answer)
            return
        import json  # noqa: PLC0415  (the oracle's)

        records = [json.loads(line) for line in data.splitlines()]
        try:
            expected = condped.read(records, objective="loss", outside="drop")
        except CondpedError as error:
            raise DiffersError(f"the file is read, its records are not: {error}") from error
        tables.same(answer, expected, what)


def compare_engines(name: str, answer: Any, *, needed_only: bool = False) -> None:
    """Compare what batches say with what the whole table says.

    ``needed_only``: batches read only the columns that they need, and damage may be in others.
    """
    try:
        whole = condped.importance(name, objective="loss", space=SPACE, engine="memory")
    except CondpedError as error:
        if needed_only:
            return
        raise DiffersError(f"batches are counted, the whole is not read: {error}") from error
    if answer.to_dict() != whole.to_dict() or str(answer.status) != str(whole.status):
        raise DiffersError(f"batches: {answer.to_dict()}, whole: {whole.to_dict()}")


def _unpacked(what: str, data: bytes) -> bytes:
    if what.endswith(".gz"):
        return gzip.decompress(data)
    from backports import zstd  # noqa: PLC0415  (imported by workers only)

    return zstd.decompress(data)
