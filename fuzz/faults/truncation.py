"""Files that are cut while condped reads them."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet

from fuzz.faults.processes import MarkedProcesses, ended, marked
from fuzz.faults.rows import Row
from fuzz.faults.storages import places
from fuzz.faults.studies import filled

_ROWS = 60_000


def _files(folder: Path) -> list[Path]:
    """Write the same trials in each form that is one file."""
    rng = np.random.default_rng(0)
    columns = {name: rng.random(_ROWS) for name in ("x", "y", "z")}
    columns["loss"] = columns["x"] ** 2 + rng.normal(size=_ROWS) / 10
    lines = [",".join(columns)]
    lines += [",".join(map(repr, row)) for row in zip(*(c.tolist() for c in columns.values()),
                                                     strict=True)]  # fmt: skip
    text = ("\n".join(lines) + "\n").encode()
    (folder / "trials.csv").write_bytes(text)
    (folder / "trials.csv.gz").write_bytes(gzip.compress(text, 1))
    records = [dict(zip(columns, map(float, line.split(",")), strict=True)) for line in lines[1:]]
    (folder / "trials.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    table = pa.table(columns)
    parquet.write_table(table, folder / "trials.parquet", row_group_size=5_000)
    feather.write_feather(table, str(folder / "trials.feather"), compression="uncompressed")
    with pa.ipc.new_file(str(folder / "trials.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=5_000)
    with places(["SQLite", "journal file"]) as made:
        for place in made:
            place.create()
            filled(place.source, 1500)
            (folder / place.file.name).write_bytes(place.file.read_bytes())
    return sorted(folder.iterdir())


def truncated(times: int, seed: int) -> list[Row]:
    """Cut each file at a random place and moment while a command reads it."""
    rng, rows = random.Random(seed), []
    with TemporaryDirectory(prefix="condped-faults-") as name, marked() as own:
        (folder := Path(name) / "files").mkdir()
        for path in _files(folder):
            row = Row("cut while read", path.name)
            whole = path.read_bytes()
            begun = time.monotonic()
            end = ended(_start_command(own, path))
            row.add(end.kind, end.said)
            row.expect(end.kind == "answer", f"the whole file: {end.said}")
            longest = time.monotonic() - begun
            for _ in range(times):
                path.write_bytes(whole)
                process = _start_command(own, path)
                time.sleep(rng.uniform(0.3, 1.0) * longest)
                os.truncate(path, rng.choice([0, rng.randrange(len(whole)), len(whole) - 1]))
                end = ended(process)
                row.add(end.kind, end.said)
            row.expect(own.left() == [], f"left behind: {own.left()}")
            rows.append(row)
    return rows


def _start_command(own: MarkedProcesses, path: Path) -> subprocess.Popen[str]:
    source = f"sqlite:///{path}" if path.suffix == ".db" else str(path)
    table = [] if path.suffix in (".db", ".log") else ["--objective", "loss"]
    return own.start("condped", "importance", source, *table)
