"""Folders and patterns of several files, space sidecars beside them, and links."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import condped
from condped.errors import CondpedError
from fuzz import mutate
from fuzz.door import DiffersError, Door
from fuzz.doors import tables

_NAMES = (
    "a.csv",
    "b.csv",
    "sub/c.csv",
    "d.jsonl",
    "e.csv.gz",
    "g[1].csv",
    ".hidden.csv",
    "größe.csv",
)
_SPACE = {"p0": {"type": "float", "low": 0, "high": 1}, "p1": {"type": "int", "low": 0, "high": 10}}


class Folders(Door):
    """Several files as one source, with a ``.space.json`` or none."""

    name = "folders"
    title = "Folders, patterns and space sidecars"
    weight = 2.5
    oracle = "the rows of the single files, one after another"

    def make(self, rng: Random) -> tuple[str, bytes]:
        columns: tables.Columns = {
            "loss": [rng.random() for _ in range(4)],
            "p0": [rng.random() for _ in range(4)],
            "p1": [rng.randrange(11) for _ in range(4)],
        }
        files: dict[str, bytes] = {}
        for name in rng.sample(_NAMES, rng.randrange(1, 4)):
            own: tables.Columns = dict(columns) if rng.random() < 0.7 else tables.table(rng)
            data = tables.json_lines_of(own) if "json" in name else tables.csv_of(own)
            if name.endswith(".gz"):
                import gzip  # noqa: PLC0415  (seldom)

                data = gzip.compress(data, 1, mtime=0)
            if rng.random() < 0.3:
                data = mutate.changed_bytes(rng, data)
            files[name] = data
        if rng.random() < 0.5:
            space: Any = _SPACE if rng.random() < 0.5 else mutate.changed_data(rng, _SPACE)
            name = rng.choice(("condped-space.json", "a.space.json", "space.json", ".space.json"))
            files[name] = mutate.written(space).encode()
        what = rng.choice(
            ("folder", "folder/*.csv", "folder/**/*", "folder/[ab].csv", "folder/a.csv")
        )
        return what, packed(files)

    def ask(self, what: str, data: bytes) -> Any:
        unpacked(data, Path("folder"))
        return tables.read(what, objective="loss", outside="drop")

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        files = files_of(data)
        if what != "folder/*.csv" or any(name.endswith("space.json") for name in files):
            return
        own = sorted(n for n in files if n.endswith(".csv") and "/" not in n and n[0] != ".")
        losses: list[float] = []
        for name in own:
            single = Path("folder", name)
            if "[" in name:
                continue
            try:
                losses += (
                    condped.read(single, objective="loss", outside="drop")
                    .objectives[0]
                    .values.tolist()
                )
            except CondpedError:
                return
        found = [repr(value) for value in answer.objectives[0].values.tolist()]
        if not any("[" in name for name in own) and found != [repr(value) for value in losses]:
            raise DiffersError(f"{own}: {found} instead of {losses}")


def packed(files: dict[str, bytes]) -> bytes:
    """Return files as one archive, without compression."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)
    return made.getvalue()


def files_of(data: bytes) -> dict[str, bytes]:
    """Return the files of an archive; those that are left of a changed one."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {one.filename: archive.read(one) for one in archive.infolist()}
    except (ValueError, zipfile.BadZipFile, EOFError, OSError, NotImplementedError):
        return {}


def unpacked(data: bytes, folder: Path) -> None:
    """Write the files of an archive into a folder that has nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files_of(data).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def lines_of(records: list[Any]) -> bytes:
    """Return records as lines of JSON."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
