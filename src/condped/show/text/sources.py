"""What can be read, as text."""

from __future__ import annotations

from condped.analyse.sources import SourceKind, Sources


def sources_text(sources: Sources) -> str:
    """Return a line per kind of source."""
    width = max(len(kind.reader) for kind in sources.kinds)
    return "\n".join(
        f"{kind.reader:<{width}}  {kind.description}{_needs(kind)}" for kind in sources.kinds
    )


def _needs(kind: SourceKind) -> str:
    """Say what a reader needs beyond condped itself."""
    if kind.extra is None:
        return ""
    extra = f"condped[{kind.extra}]"
    return f" [{extra}, installed]" if kind.installed else f" [needs: pip install '{extra}']"
