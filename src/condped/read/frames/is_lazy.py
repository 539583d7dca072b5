"""Which frames hold no rows yet, as far as narwhals takes them."""

from __future__ import annotations

from typing import Any


def is_frame(source: Any) -> bool:
    """Return whether narwhals takes an object for a frame, lazy or not."""
    import narwhals as nw  # noqa: PLC0415  (only objects that nothing else takes are worth it)

    if isinstance(source, str):
        return False
    try:
        found = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:  # its reader says which column stands twice
        return True
    return isinstance(found, nw.DataFrame | nw.LazyFrame)


def is_lazy(source: Any) -> bool:
    """Return whether a frame is computed when its rows are asked for."""
    import narwhals as nw  # noqa: PLC0415

    try:
        return isinstance(nw.from_native(source, pass_through=True), nw.LazyFrame)
    except nw.exceptions.DuplicateError:
        return False
