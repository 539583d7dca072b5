"""Every way into condped, one module per family."""

from __future__ import annotations

from importlib import import_module

from fuzz.door import Door

_HOMES = {
    "conditions": ("conditions", "Conditions"),
    "spaces": ("spaces", "Spaces"),
    "csv": ("text_files", "Csv"),
    "json": ("text_files", "Json"),
    "parquet": ("arrow_files", "Parquet"),
    "arrow": ("arrow_files", "Arrow"),
    "folders": ("folders", "Folders"),
    "journals": ("journals", "Journals"),
    "databases": ("databases", "Databases"),
    "duckdb": ("duckdb_files", "DuckDB"),
    "tools": ("tools", "Tools"),
    "saved": ("saved", "Saved"),
    "objects": ("objects", "Objects"),
    "studies": ("studies", "Studies"),
    "sizes": ("sizes", "Sizes"),
    "commands": ("commands", "Commands"),
    "server": ("server", "Server"),
    "agents": ("agents", "Agents"),
}


def door_named(name: str) -> type[Door]:
    """Return a door by its name, or by module:Class."""
    module, _, found = name.partition(":")
    if not found:
        home, found = _HOMES[name]
        module = f"fuzz.doors.{home}"
    door: type[Door] = getattr(import_module(module), found)
    return door


DOORS = {name: door_named(name) for name in _HOMES}
