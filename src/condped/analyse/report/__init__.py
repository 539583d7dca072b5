"""A study as one page: everything that condped finds, put together for people."""

from condped.analyse.report.assemble import Report, report

__all__ = ["Report", "report"]
