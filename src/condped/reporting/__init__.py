"""A study as one page: everything that condped finds, put together for people."""

from condped.reporting.report import Report, report

__all__ = ["Report", "report"]
