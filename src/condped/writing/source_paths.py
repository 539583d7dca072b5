"""Which files and directories a source may refer to, whatever it turns out to be."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# What separates a scheme from a path; for all others as in sqlite:///study.db.
_SLASHES = {"duckdb": "//", "file": "//"}
# Attributes of these libraries' objects, or of these classes, that lead to where their data are.
_ATTRIBUTES = {
    "optuna": ("_storage", "_backend", "url", "_file_path"),
    "ray": ("experiment_path",),
    "LongTable": ("rows", "trials"),
}


def paths_of(source: Any) -> Iterator[str]:
    """Iterate over all paths that a source may mean; most of them do not exist.

    A text may be a path or a URL, with or without options and percent-encoding; objects of
    libraries may know where their data are.
    """
    if isinstance(source, str | os.PathLike):
        yield from dict.fromkeys(_readings(os.fsdecode(source)))
        return
    library = type(source).__module__.partition(".")[0]
    if library == "ibis":
        yield from _attached(source)
    for name in _ATTRIBUTES.get(library, _ATTRIBUTES.get(type(source).__name__, ())):
        part = None
        with suppress(Exception):  # what is wrong with it is reported when it is read
            part = getattr(source, name, None)
        if part is not None:
            yield from paths_of(part)


def _readings(text: str, *, url: bool = False) -> Iterator[str]:
    """Iterate over the ways to read a text, or the rest of a URL, as a path."""
    place = text.partition("?")[0]
    whole = not url or os.path.exists(text)  # noqa: PTH110  (options are no pattern)
    for part in filter(None, (text, place) if whole else (place,)):
        yield os.path.expanduser(part)  # noqa: PTH111  (which leaves ~nobody as it is)
        yield unquote(part)
    scheme = _SCHEME.match(text)
    if scheme:
        kind, rest = scheme[0][:-1].partition("+")[0].lower(), text[scheme.end() :]
        slashes = _SLASHES.get(kind, "///")
        if rest.startswith(slashes) or kind == "file":
            yield from _readings(rest.removeprefix(slashes), url=True)


def _attached(table: Any) -> Iterator[str]:
    """Iterate over the files of the database that an Ibis table is in."""
    with suppress(Exception):  # not in a database, or in a busy one: reported when it is read
        backend = table.get_backend()
        if backend.name in ("duckdb", "sqlite"):
            rows = backend.con.cursor().execute("PRAGMA database_list").fetchall()
            yield from (path for _, _, path in rows if path)
