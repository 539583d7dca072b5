"""From what people have to several studies with names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from condped.errors import DataError, SettingsError
from condped.safe_text import shortened


def named_sources(studies: Any) -> list[tuple[str, Any]]:
    """Return the sources with their names, or raise if there is none, or one twice."""
    if isinstance(studies, Mapping):
        found = [(str(name), source) for name, source in studies.items()]
    elif isinstance(studies, Iterable) and not isinstance(studies, str | bytes):
        sources = list(studies)
        found = list(zip(_names(sources), sources, strict=True))
    else:
        raise SettingsError(
            f"Several studies are wanted (got {type(studies).__name__}). Pass a mapping from names "
            "to sources, or a list of sources."
        )
    if not found:
        raise DataError("There are no studies: at least one is needed.")
    _require_distinct(found)
    return found


def _names(sources: Sequence[Any]) -> list[str]:
    """Return a name for each source: its own, that of its file, or its number."""
    own = [_own_name(source) for source in sources]
    times = Counter(name for name in own if name is not None)
    return [
        name if name is not None and times[name] == 1 else f"{name or 'study'} {number}"
        for number, name in enumerate(own, start=1)
    ]


def _own_name(source: Any) -> str | None:
    if isinstance(source, str | Path):
        return Path(str(source)).name.partition(".")[0] or str(source)
    name = getattr(source, "study_name", None)
    return str(name) if name else None


def _require_distinct(found: Sequence[tuple[str, Any]]) -> None:
    """Raise if two names stand for one source."""
    seen: dict[object, str] = {}
    for name, source in found:
        key = str(source) if isinstance(source, str | Path) else id(source)
        if key in seen:
            raise DataError(
                f"The studies {shortened(seen[key])!r} and {shortened(name)!r} are the same: it "
                "would count twice. List it once."
            )
        seen[key] = name
