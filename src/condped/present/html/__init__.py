"""The page of a report: one file of HTML, styles, script and data."""

from condped.present.html.page import framed, page

__all__ = ["framed", "page"]
