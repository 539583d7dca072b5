"""Folders and patterns of several files, space sidecars beside them, and links."""

from __future__ import annotations

import glob
import io
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import condped
from condped.errors import CondpedError
from fuzz import mutate
from fuzz.door import DiffersError, Door
from fuzz.doors import tables
from fuzz.doors.text_files import SPACE

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
            space: Any = SPACE if rng.random() < 0.5 else mutate.changed_data(rng, SPACE)
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
        if any(name.endswith("space.json") or "[" in name for name in files):
            return
        losses: list[float] = []
        for path in _files_of(what):
            try:
                found = condped.read(path, objective="loss", outside="drop")
            except CondpedError:
                return  # what one file lacks others may have
            losses += found.objectives[0].values.tolist()
        found = answer.objectives[0].values.tolist()
        if list(map(repr, found)) != list(map(repr, losses)):
            raise DiffersError(f"{what} | {found} instead of {losses}")


def _files_of(what: str) -> list[str]:
    """Return the files that a folder or a pattern stands for, in the order of their names."""
    found = (
        [path for path in map(str, Path(what).rglob("*")) if "/." not in path]
        if what == "folder"
        else glob.glob(what, recursive=True)  # noqa: PTH207  (as people write patterns)
    )
    return sorted(path for path in found if Path(path).is_file())


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
    tables.emptied(folder)
    for name, content in files_of(data).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
