"""Disks that are full, and ones that cannot be written."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz.faults.processes import MarkedProcesses, ended, marked
from fuzz.faults.rows import Row
from fuzz.faults.storages import places
from fuzz.faults.studies import filled

_SIZE = 8 << 20
_SMALL = 16 << 10  # the largest size of a file, where nothing can be mounted
OUTPUTS = {
    ".html": "report",
    ".json": "importance",
    ".csv": "importance",
    ".parquet": "importance",
    ".md": "importance",
}


@contextmanager
def _disk(folder: Path) -> Iterator[Path | None]:
    """Mount a small disk; None if this is not allowed."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "none", str(folder)]
    root = os.geteuid() == 0
    mounted = root and not subprocess.run(command, capture_output=True, check=False).returncode
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def _sources(folder: Path) -> list[str]:
    """Copy the same study in each form that is a file into a folder."""
    found = []
    with places(["SQLite", "SQLite with WAL", "journal file"]) as made:
        for place in made:
            place.create()
            filled(place.source, 60)
            if place.kind == "SQLite with WAL":
                # As when all have closed it: nothing is left in another file.
                with sqlite3.connect(place.file) as database:
                    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                database.close()
            copy = folder / f"{place.folder.name}{place.file.suffix}"
            shutil.copy(place.file, copy)
            found.append(f"sqlite:///{copy}" if copy.suffix == ".db" else str(copy))
    return found


def _write_every_form(
    own: MarkedProcesses, row: Row, folder: Path, source: str, **options: object
) -> None:
    """Write every form into a folder where that fails; old files stay, nothing is left."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for ending, command in OUTPUTS.items():
        for name in (f"old{ending}", f"new{ending}"):
            asked = ("condped", command, source, "--output", str(folder / name))
            end = ended(own.start(*asked, **options))
            row.add(end.kind, end.said)
            row.expect(end.kind == "error", f"{name}: {end.kind}, though it cannot be written")
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    gone = {name for name in before if after.get(name) != before[name]}
    row.expect(not gone, f"no longer as they were: {sorted(gone)}")
    row.expect(not set(after) - set(before), f"left behind: {sorted(set(after) - set(before))}")


def _read(own: MarkedProcesses, row: Row, sources: list[str]) -> None:
    for source in sources:
        for command in ("importance", "studies"):
            end = ended(own.start("condped", command, source))
            row.add(end.kind, end.said)
            row.expect(end.kind == "answer", f"{source} cannot be read: {end.said}")


def full_disk() -> list[Row]:
    """Read from and write to a disk without a free byte, temporary files included."""
    writing, reading = Row("full disk", "writing outputs"), Row("full disk", "reading")
    with TemporaryDirectory(prefix="condped-faults-") as name, marked() as own:
        (outside := Path(name) / "outside").mkdir()
        source = _sources(outside)[0]
        with _disk(Path(name) / "disk") as disk:
            if disk is None:
                reading.skipped = "nothing can be mounted here"
                folder = Path(name)
                for ending in OUTPUTS:
                    (folder / f"old{ending}").write_text("old")

                def limit() -> None:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (_SMALL, _SMALL))

                _write_past_limit(own, writing, folder, source, limit)
                return [writing, reading]
            inside = _sources(disk)
            for ending in OUTPUTS:
                (disk / f"old{ending}").write_text("old")
            full = MarkedProcesses(disk, own.mark)  # where temporary files go, too
            _fill(disk)
            _read(full, reading, inside)
            _write_every_form(full, writing, disk, source)
    return [writing, reading]


def _write_past_limit(
    own: MarkedProcesses, row: Row, folder: Path, source: str, limit: object
) -> None:
    """Write the form that is larger than a file may be."""
    target = folder / "old.html"
    end = ended(own.start("condped", "report", source, "--output", str(target), preexec_fn=limit))
    row.add(end.kind, end.said)
    row.expect(end.kind == "error", f"{end.kind}, though it cannot be written")
    row.expect(target.read_text() == "old", "the old file is gone")


def _fill(disk: Path) -> None:
    with (disk / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def read_only() -> list[Row]:
    """Read from and write to a file system that is mounted read-only, or a folder like that."""
    writing, reading = Row("read-only", "writing outputs"), Row("read-only", "reading")
    with (
        TemporaryDirectory(prefix="condped-faults-") as name,
        marked() as own,
        _disk(Path(name) / "disk") as disk,
    ):
        if disk is None and os.geteuid() == 0:
            reason = "root writes everywhere, and nothing can be mounted here"
            writing.skipped = reading.skipped = reason
            return [writing, reading]
        folder = disk or Path(name) / "disk"
        inside = _sources(folder)
        for ending in OUTPUTS:
            (folder / f"old{ending}").write_text("old")
        if disk is not None:
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        else:
            folder.chmod(0o555)
        _read(own, reading, inside)
        _write_every_form(own, writing, folder, inside[0])
        if disk is None:
            folder.chmod(0o755)
    return [writing, reading]
