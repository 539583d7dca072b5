"""What can be printed and shown in a notebook, without knowing how.

Results are data; texts and pages are made by :mod:`condped.show`, which is loaded when a result is
first looked at.
"""

from __future__ import annotations

from importlib import import_module


class Presentable:
    """Something that ``print`` and notebooks show by the means of :mod:`condped.show`."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int | None = None) -> str:
        """Return what ``print`` shows, in so many columns; 100 if not given."""
        text: str = import_module("condped.show.text").text_of(self, width)
        return text

    def _repr_html_(self) -> str:
        html: str = import_module("condped.show.notebook").html_of(self)
        return html
