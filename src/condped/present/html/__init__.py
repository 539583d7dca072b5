"""The page of a report: one file of HTML, styles, script and data."""

from condped.present.html.page import page

__all__ = ["page"]
