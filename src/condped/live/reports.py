"""The two reports of a running study: numbers at once, verdicts when they are ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import condped
from condped.live.looks import Verdicts


def numbers(
    table: condped.TrialTable, verdicts: Verdicts | None, options: Mapping[str, Any]
) -> condped.Report:
    """Return what is quick to compute, with the verdicts of an earlier look."""
    report = condped.report(table, verdicts=False, **options)
    if verdicts is None or verdicts.report is None:
        return report
    report = report.with_verdicts_of(verdicts.report)
    forecast = verdicts.forecast_at(table.finished)
    return report if forecast is None else report.with_forecast(forecast)


def verdicts(table: condped.TrialTable, trials: int, options: Mapping[str, Any]) -> Verdicts:
    """Return what is slow to compute, for the table as of a scheduled look."""
    report = condped.report(table, **{**options, "looks": "repeated"})
    return Verdicts.of(trials, report.importance, report)
