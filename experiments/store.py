"""Where results are kept: one file per experiment and seed, whole or not there at all.

``OUTPUT/full/figure-1/seed-42.parquet``, with ``settings.json`` and ``report.json`` beside it.
A quick run has a folder of its own, so that it never mixes with a full one.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from condped.errors import DataError
from experiments.registry import Experiment, Row

LIBRARIES = ("condped", "numpy", "optuna", "optuna-integration", "scikit-learn", "shap")


@dataclass(frozen=True)
class Store:
    """The results below one folder, of full or of quick runs."""

    output: Path
    quick: bool

    @property
    def folder(self) -> Path:
        """Where the experiments of this kind of run lie."""
        return self.output / ("quick" if self.quick else "full")

    def of(self, name: str) -> Path:
        """Return the folder of an experiment."""
        return self.folder / name

    def seed_file(self, name: str, seed: int) -> Path:
        """Return where a seed's rows lie."""
        return self.of(name) / f"seed-{seed}.parquet"

    def missing(self, experiment: Experiment) -> list[int]:
        """Return the seeds that are still to be computed."""
        return [
            seed
            for seed in experiment.seeds_for(self.quick)
            if not self.seed_file(experiment.name, seed).exists()
        ]

    def write(self, name: str, seed: int, rows: Sequence[Row], seconds: float) -> None:
        """Write a seed's rows, with how long they took."""
        table = pa.Table.from_pylist(list(rows))
        table = table.replace_schema_metadata(
            {"seconds": repr(seconds), "versions": json.dumps(versions())}
        )
        write_whole(self.seed_file(name, seed), lambda path: pq.write_table(table, path))

    def rows(self, name: str) -> list[Row]:
        """Return the rows of all seeds that were run, by seed."""
        files = sorted(self.of(name).glob("seed-*.parquet"))
        if not files:
            quick = " --quick" if self.quick else ""
            raise DataError(
                f"The experiment {name!r} has not been run. "
                f"Run: python -m experiments run {name}{quick}."
            )
        return [row for file in files for row in _read(file, pq.read_table).to_pylist()]

    def seconds(self, name: str) -> dict[str, float]:
        """Return how long each seed took."""
        found = {}
        for file in sorted(self.of(name).glob("seed-*.parquet")):
            metadata = _read(file, pq.read_schema).metadata or {}
            found[file.stem.removeprefix("seed-")] = float(metadata.get(b"seconds", b"nan"))
        return found

    def versions(self, name: str) -> list[dict[str, str | None]]:
        """Return the versions that an experiment's seeds were computed with, each set once.

        Files without them were written beside settings that have them.
        """
        before = self.read_json(name, "settings.json") or {}
        found = []
        for file in sorted(self.of(name).glob("seed-*.parquet")):
            told = (_read(file, pq.read_schema).metadata or {}).get(b"versions")
            one = before.get("versions", {}) if told is None else json.loads(told)
            if one not in found:
                found.append(one)
        return found

    def settings(self, experiment: Experiment) -> dict[str, Any]:
        """Return what the experiment's rows depend on, and what they were made with."""
        decisive = {
            "experiment": experiment.name,
            "quick": self.quick,
            "parameters": json.loads(json.dumps(dict(experiment.settings))),
        }
        return {
            **decisive,
            "place": experiment.place,
            "seeds": list(experiment.seeds_for(self.quick)),
            "fingerprint": hashlib.sha256(
                json.dumps(decisive, sort_keys=True).encode()
            ).hexdigest()[:16],
            "versions": versions(),
        }

    def prepare(self, experiment: Experiment, *, again: bool = False) -> bool:
        """Prepare the folder; return whether rows of other settings were removed."""
        folder, now = self.of(experiment.name), self.settings(experiment)
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(".*.part*"):
            left.unlink()  # of a run that was killed
        before = self.read_json(experiment.name, "settings.json")
        other = before is not None and before.get("fingerprint") != now["fingerprint"]
        if other or again:
            for file in (*folder.glob("seed-*.parquet"), folder / "report.json"):
                file.unlink(missing_ok=True)
        if before is None or other or again:
            self.write_json(experiment.name, "settings.json", now)
        return other

    def read_json(self, name: str, file: str) -> dict[str, Any] | None:
        """Return a JSON file of an experiment, None if it is not there."""
        path = self.of(name) / file
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise _broken(path, error) from None
        if not isinstance(found, dict):
            raise _broken(path, "not an object")
        return found

    def write_json(self, name: str, file: str, data: Any) -> None:
        """Write a JSON file of an experiment."""
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        write_whole(self.of(name) / file, lambda path: path.write_text(text, encoding="utf-8"))


def _read(path: Path, read: Callable[[Path], Any]) -> Any:
    """Read a seed's file; if that fails, raise an error that names it."""
    try:
        return read(path)
    except (pa.ArrowException, OSError) as error:
        raise _broken(path, error) from None


def _broken(path: Path, why: object) -> DataError:
    first = str(why).splitlines()[0] if str(why) else type(why).__name__
    return DataError(f"{path} cannot be read: {first}. Remove it and run the experiment again.")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name and rename it, so that it is never seen half-written."""
    part = path.with_name(f".{path.name}.part-{os.getpid()}")
    try:
        write(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def versions() -> dict[str, str | None]:
    """Return the versions of everything that the numbers may depend on."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = None
    return found
