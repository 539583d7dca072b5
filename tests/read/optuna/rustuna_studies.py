"""Studies of rustuna in each of its storages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rustuna


def new_study(kind: str, path: Path) -> Any:
    """Return a new study in memory, or in a file of this kind."""
    storages: dict[str, Any] = {
        "memory": rustuna.storages.InMemoryStorage,
        "sqlite": lambda: rustuna.storages.SQLite3Storage(str(path)),
        "journal": lambda: rustuna.storages.JournalFileStorage(str(path)),
    }
    return rustuna.create_study(storage=storages[kind](), study_name="rust")
