"""The page of a report: one file of HTML, styles, script and data."""

from condped.show.report.page import framed, page

__all__ = ["framed", "page"]
