"""Importing modules that need an optional library."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from condped.errors import MissingLibraryError


def load_optional(module: str, *, feature: str, library: str, extra: str) -> ModuleType:
    """Import a module of ours that needs ``library``; if that is missing, name the extra."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        known = [name.split(".")[0] for name in library.split(" and ")]
        if error.name is None or error.name.split(".")[0] not in known:
            raise  # another import failed: do not blame the optional library
        raise MissingLibraryError(feature=feature, library=library, extra=extra) from error
