"""Names for studies that were given without any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from condped.read.databases.urls import without_password


def names_of(sources: Sequence[Any]) -> list[str]:
    """Return a name for each source: its study's, its file's or directory's, or its number.

    Files of the same name are distinguished by the directories above them. All names differ.

    Examples
    --------
    >>> names_of(["a/trials.csv", "b/trials.csv", "c.parquet", [{"x": 1}]])
    ['a/trials', 'b/trials', 'c', 'study 4']
    >>> names_of(["a.csv", "a.parquet", "a 1.csv"])
    ['a 1.1', 'a 2', 'a 1']
    """
    parts = [_parts(source) for source in sources]
    depths = [_least_depth(part) for part in parts]
    while True:
        names = ["/".join(part[-depth:]) for part, depth in zip(parts, depths, strict=True)]
        times = Counter(names)
        deeper = [
            place
            for place, name in enumerate(names)
            if times[name] > 1 and depths[place] < len(parts[place])
        ]
        if not deeper:
            break
        for place in deeper:
            depths[place] += 1
    own = {name for name in names if name and times[name] == 1}
    found: list[str] = []
    for number, name in enumerate(names, start=1):
        text = name if name in own else f"{name or 'study'} {number}"
        while name not in own and (text in own or text in found):  # a study may be called 'a 1'
            text += f".{number}"
        found.append(text)
    return found


def _parts(source: Any) -> tuple[str, ...]:
    """Return the parts of a source's name, the most general one first; empty if it has none."""
    if isinstance(source, str | Path):
        text = without_password(str(source)) if "://" in str(source) else str(source)
        *above, last = Path(text).parts or (text,)
        return (*(part for part in above if part not in ("/", ".", "..")), _stem(last))
    name = getattr(source, "study_name", None)
    return (str(name),) if name else ()


def _least_depth(parts: tuple[str, ...]) -> int:
    """Return how many parts a name has at least: a seed alone, as SMAC names runs, says little."""
    return 2 if parts and parts[-1].isdecimal() else 1


def _stem(name: str) -> str:
    return name.partition(".")[0] or name
