"""Results in files: JSON under a schema with a version."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from condped.analyse.saving.plain import plain, restored
from condped.errors import DataError, SourceError


def write_result(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write plain data as one line of JSON; a file that is there is replaced as a whole."""
    # Escaped: names may hold letters that no encoding has.
    write_whole(json.dumps(plain(data), allow_nan=False) + "\n", path)


def write_whole(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text into a file; one that is there is replaced as a whole."""
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8")


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a file to write beside another one, which it replaces when it is written."""
    target = Path(path)
    if not target.parent.is_dir():
        raise DataError(
            f"There is no directory {str(target.parent)!r} to write {target.name!r} in. Make it, "
            "or name another."
        )
    # Under another name first: a full disk must not leave half a file where there was a whole one.
    beside = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        yield beside
        beside.replace(target)
    except OSError as error:  # of a full disk the error does not say where
        raise OSError(error.errno, error.strerror, str(target)) from error
    finally:
        beside.unlink(missing_ok=True)


def read_result(path: str | os.PathLike[str], known: Sequence[str]) -> dict[str, Any]:
    """Return a saved result's data, if its schema is one of the known ones."""
    shown = os.fspath(path)
    try:
        data = restored(json.loads(Path(path).read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise SourceError(f"There is no file {shown!r}.") from None
    except IsADirectoryError:
        raise SourceError(f"{shown!r} is a directory. Name the file of a saved result.") from None
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{shown!r} holds no JSON ({error}). It was cut off or changed: save the result again."
        ) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema in known:
        return dict(data)
    name, _, version = schema.rpartition("/") if isinstance(schema, str) else ("", "", "")
    versions = [entry.rpartition("/")[2] for entry in known if entry.rpartition("/")[0] == name]
    if versions:
        raise DataError(
            f"{shown!r} has version {version!r} of the schema {name!r}, and this condped reads "
            f"version {', '.join(versions)}. Update condped, or save the result with this one."
        )
    raise DataError(
        f"{shown!r} holds no saved result (its schema is {schema!r}; known are "
        f"{', '.join(known)}). Trials are read by condped.read."
    )
