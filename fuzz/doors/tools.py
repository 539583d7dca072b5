"""Folders and files of tools: one file changed as data, as text or as bytes, dropped or cut."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import condped
from fuzz import mutate
from fuzz.door import Door
from fuzz.doors import tables
from fuzz.doors.folders import packed, unpacked
from fuzz.seeds import seed

_TOOLS = ("smac", "ray", "mlflow-files", "syne-tune", "keras-tuner", "hpbandster", "ax")
_METRIC = {"smac": None, "ray": "loss", "mlflow-files": "loss", "ax": None}
_YAML = ("&a [*a]", "!!python/object/apply:os.system ['x']", "<<: *x", "- - -", "{", "|", "? x",
         "!!binary x",
         "2026-01-01", "1e999", "0o17", "~", ".nan", ".inf", "&x {a: *x}", "'", "\t")  # fmt: skip


class Tools(Door):
    """SMAC, Ray Tune, MLflow's files, Syne Tune, Keras Tuner, hpbandster and Ax."""

    name = "tools"
    title = "Folders of SMAC, Ray Tune, MLflow, Syne Tune, Keras Tuner, hpbandster and files of Ax"
    weight = 4
    batch = 1_000

    def make(self, rng: Random) -> tuple[str, bytes]:
        tool = rng.choice(_TOOLS)
        files = dict(seed(tool))
        for _ in range(1 + int(rng.expovariate(1.5))):
            if not files:
                break
            name = rng.choice(sorted(files))
            kind = rng.random()
            if kind < 0.05:
                del files[name]
            elif kind < 0.1:
                files[name] = files[rng.choice(sorted(files))]
            else:
                files[name] = _changed(rng, name, files[name])
        return tool, packed(files)

    def ask(self, what: str, data: bytes) -> Any:
        folder = Path("folder")
        unpacked(data, folder)
        source = folder / "ax.json" if what == "ax" else folder
        options: dict[str, Any] = {} if len(data) % 3 else {"reader": what}
        if _METRIC.get(what):
            options["objective"] = _METRIC[what]
        if what == "mlflow-files":
            options["study"] = "tuning"
        if len(data) % 5 == 0:
            condped.studies(source)
        return tables.read(str(source), **options)


def _changed(rng: Random, name: str, data: bytes) -> bytes:
    if name.endswith(".zip") and rng.random() < 0.7:
        return _changed_archive(rng, data)
    if rng.random() < 0.15:
        return mutate.changed_bytes(rng, data)
    text = data.decode("utf-8", "replace")
    if name.endswith(".yaml") or "/params/" in name or "/metrics/" in name:
        return mutate.changed_text(rng, text, (*mutate.TEXTS, *_YAML)).encode(
            "utf-8", "surrogatepass"
        )
    try:
        return mutate.written(_changed_inside(rng, json.loads(text))).encode()
    except ValueError:
        pass
    lines = text.splitlines()
    at = rng.randrange(len(lines)) if lines else 0
    try:
        lines[at] = mutate.written(mutate.changed_data(rng, json.loads(lines[at])))
    except (ValueError, IndexError):
        return mutate.changed_text(rng, text).encode("utf-8", "surrogatepass")
    return ("\n".join(lines) + "\n").encode()


def _changed_inside(rng: Random, data: Any) -> Any:
    """Change data, sometimes inside a text that is JSON itself."""
    if rng.random() < 0.3:
        inner = [
            (holder, key) for holder, key in mutate.places(data)
            if isinstance(holder[key], str) and holder[key][:1] in ("{", "[")
        ]  # fmt: skip
        if inner:
            holder, key = rng.choice(inner)
            with suppress(ValueError):
                holder[key] = mutate.written(mutate.changed_data(rng, json.loads(holder[key])))
            return data
    return mutate.changed_data(rng, data)


def _changed_archive(rng: Random, data: bytes) -> bytes:
    """Change the file inside an archive, or the archive's entry for it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            (name,) = archive.namelist()
            text = archive.read(name).decode("utf-8", "surrogatepass")
    except Exception:  # it was changed before
        return mutate.changed_bytes(rng, data)
    changed = mutate.changed_text(rng, text).encode("utf-8", "surrogatepass")
    made = io.BytesIO()
    with zipfile.ZipFile(
        made, "w", rng.choice((0, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
    ) as archive:
        archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), changed)
        if rng.random() < 0.1:
            archive.writestr("more.csv", "x")
    packed_again = made.getvalue()
    return packed_again if rng.random() < 0.7 else mutate.changed_bytes(rng, packed_again)
