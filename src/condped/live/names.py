"""Names given to sources on the command line: NAME=SOURCE."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from condped.duplicates import first_duplicate
from condped.errors import SettingsError


def split_name(source: str) -> tuple[str | None, str]:
    """Return a source's name, if it has one, and where it is.

    Examples
    --------
    >>> split_name("adult=runs/adult.csv"), split_name("runs/lr=0.1.csv")
    (('adult', 'runs/adult.csv'), (None, 'runs/lr=0.1.csv'))
    """
    name, mark, place = source.partition("=")
    # An equals sign in a path or after the question mark of a URL does not follow a name.
    plain = mark and name and place and not any(sign in name for sign in "/\\:?*")
    return (name, place) if plain and not Path(source).exists() else (None, source)


def check_names(names: Iterable[str]) -> None:
    """Raise if two sources have the same name."""
    twice = first_duplicate(names)
    if twice is not None:
        raise SettingsError(f"The name {twice!r} is given to two sources. Give each its own.")
