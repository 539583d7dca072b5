"""A study as one page: everything that condped finds, put together for people."""

from condped.analyse.report.assemble import report
from condped.analyse.report.result import Report

__all__ = ["Report", "report"]
