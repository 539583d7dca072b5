"""A report as text: the importances that its page opens with."""

from __future__ import annotations

from condped.analyse.report.result import Report
from condped.show.text.importance import importance_text


def report_text(report: Report) -> str:
    """Return what a reader without scripts gets."""
    return importance_text(report.importance)
