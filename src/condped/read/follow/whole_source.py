"""Sources that can only be read as a whole, again once their files have changed."""

from __future__ import annotations

import glob
import time
from pathlib import Path
from typing import TypeAlias

from condped.errors import DataError
from condped.read.follow.same_trials import same_trials
from condped.read.opening import Recognised, unselected
from condped.read.options import ReadOptions
from condped.trials.table import TrialTable

# Path, size, time of the last change, and number of each file.
_Signature: TypeAlias = tuple[tuple[str, int, int, int], ...]
# File systems may record the same time for two changes within so many seconds.
_RESOLUTION = 2.0


class WholeSource:
    """A source that is read as a whole."""

    def __init__(self, found: Recognised, options: ReadOptions) -> None:
        self._found = found
        self._options = options
        self._signature: _Signature | None = None
        self._table: TrialTable | None = None
        self.fetched = 0

    def update(self) -> TrialTable | None:
        """Return all trials; None if nothing has changed."""
        signature = _signature(self._found)
        if signature is not None and signature == self._signature:
            self.fetched = 0
            return None
        try:
            table = unselected(self._found, self._options)
        except OSError as error:
            raise DataError(
                f"The source cannot be read at the moment: {error.strerror or error}."
            ) from error
        self.fetched = len(table)
        # Files that were changed a moment ago may change again at the same recorded time.
        self._signature = None if signature is None or _is_fresh(signature) else signature
        if self._table is not None and same_trials(self._table, table):
            return None
        self._table = table
        return table


def _signature(found: Recognised) -> _Signature | None:
    """Return a value that differs if files have changed; None for a source that is not a file."""
    if found.kind != "other" or not isinstance(found.source, str) or "://" in found.source:
        return None
    path = Path(found.source)
    if not path.exists():
        return None  # a pattern; or it is gone, as reading it will report
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    # There may be a space file beside it.
    stem = glob.escape(path.name.partition(".")[0])
    files += [] if path.is_dir() else sorted(path.parent.glob(f"{stem}*.json"))
    entries = []
    for file in files:
        try:
            known = file.stat()
        except OSError:  # it is being replaced
            return None
        entries.append((str(file), known.st_size, known.st_mtime_ns, known.st_ino))
    return tuple(entries)


def _is_fresh(signature: _Signature) -> bool:
    newest = max((changed for _, _, changed, _ in signature), default=0)
    return time.time() - newest / 1e9 < _RESOLUTION
