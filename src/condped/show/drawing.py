"""From a view to a figure: which library draws it, and on what."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal

from condped.errors import SettingsError
from condped.optional import load_optional
from condped.safe_text import brief

Backend = Literal["plotly", "matplotlib"]
_WHOLE_FIGURE = ("across", "pairs", "panels", "slices")  # pictures of several panels


def drawn(picture: str, view: Any, backend: Backend, on: Any, size: tuple[float, float]) -> Any:
    """Draw a view on ``on``, or on a new figure of the given size in inches."""
    library = _library(backend)
    draw = getattr(library, picture)
    if on is not None:
        _check_on(library, picture, backend, on)
    if backend == "plotly":
        return draw(view, library.figure() if on is None else on)
    if on is None:
        on = library.figure(*size)
        draw(view, on if picture in _WHOLE_FIGURE else on.subplots())
        return on
    draw(view, on)
    return on if picture in _WHOLE_FIGURE else on.get_figure(root=True)


def _check_on(library: ModuleType, picture: str, backend: Backend, on: Any) -> None:
    """Raise if the library cannot draw on ``on``."""
    canvas = library.FIGURE if backend == "plotly" or picture in _WHOLE_FIGURE else library.AXES
    if not isinstance(on, canvas):
        expected = "matplotlib axes"
        if canvas is library.FIGURE:
            expected = f"a {backend} figure"
        raise SettingsError(
            f"on must be {expected} for this picture (got {type(on).__name__}). Leave it out for a "
            "new figure."
        )


def _library(backend: object) -> ModuleType:
    extras = {"plotly": "plotly", "matplotlib": "plot"}
    if not isinstance(backend, str) or backend not in extras:
        raise SettingsError(f"backend must be 'plotly' or 'matplotlib' (got {brief(backend)}).")
    return load_optional(
        f"condped.show.{backend}",
        feature=f"A picture with {backend}",
        library=backend,
        extra=extras[backend],
    )
