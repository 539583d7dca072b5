"""CSV and JSON files, changed as texts, as bytes and as data; compressed ones equal plain ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import condped
from fuzz import mutate
from fuzz.door import Door
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
        """Return a table that can be counted in batches, rarely changed."""
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
        return read_or_stream(what, data)

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if what.startswith("stream:"):
            name = what.rpartition(":")[2]
            tables.agree_engines(answer, name, objective="loss", space=SPACE)
        else:
            twin = _write_twin(what, data)
            tables.agree(answer, lambda: _read(twin), "plain and compressed")


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

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if what.startswith("records:"):
            records = list(map(json.loads, data.splitlines()))
            tables.agree(answer, lambda: _read(records), "file and records")
        else:
            super().compare(what, data, answer)


def read_or_stream(what: str, data: bytes) -> Any:
    """Write a file and read it whole; batch by batch if ``what`` begins with ``stream:``."""
    name = what.rpartition(":")[2]
    Path(name).write_bytes(data)
    if what.startswith("stream:"):
        return condped.importance(name, objective="loss", space=SPACE, engine="stream")
    return tables.read(name, objective="loss", outside="drop")


def _read(source: Any) -> Any:
    return condped.read(source, objective="loss", outside="drop")


def _write_twin(what: str, data: bytes) -> str:
    """Write the same file compressed, or plain if it is compressed; return its name."""
    if what.endswith((".gz", ".zst")):
        name, data = what.rpartition(".")[0], _unpacked(what, data)
    else:
        name, data = f"{what}.gz", gzip.compress(data, 1, mtime=0)
    Path(name).write_bytes(data)
    return name


def _unpacked(what: str, data: bytes) -> bytes:
    if what.endswith(".gz"):
        return gzip.decompress(data)
    from backports import zstd  # noqa: PLC0415  (imported by workers only)

    return zstd.decompress(data)
