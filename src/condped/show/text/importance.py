"""Importances at one target quantile as text: a table with bars."""

from __future__ import annotations

import math
from collections.abc import Sequence

from condped.analyse.importance.parameter import ParameterImportance
from condped.analyse.importance.result import ImportanceResult
from condped.estimate.settings import BaselineSettings
from condped.safe_text import shortened
from condped.show.text.account import account_lines, headline
from condped.show.text.layout import percent, table_lines, text_width, width_of, wrapped

_MOST_ROWS = 30
_MOST_NAME = 32
_MOST_REGIMES = 72
_LEAST_LAST = 14  # columns of the last column, whatever the width
_BAR = 20
OVER = 1.0005  # from here on η² is no share
OVER_WORDS = "η² above 1 is no share: smoothing over-states it where trials are few."


def importance_text(result: ImportanceResult) -> str:
    """Return the parameters with a bar each, then what the numbers are based on."""
    evidence = result.ready_evidence
    lines = [*wrapped(headline(result.account, result.settings, result.target_quantile)), ""]
    if result.status != "ok":
        lines += [*wrapped(f"Undetermined: {result.reason}"), ""]
    header, rows = _columns(result)
    right = {1, 3}
    if evidence is not None:
        header.insert(4, "verdict")
        for row, parameter in zip(rows, result.parameters, strict=False):
            row.insert(4, evidence[parameter.name].verdict)
    if result.level is not None:
        header.insert(2, percent(result.level))
        for row, parameter in zip(rows, result.parameters, strict=False):
            row.insert(2, _interval(parameter))
        right = {1, 4}
    lines += table_lines(header, _last_fitted(header, rows), right=right)
    hidden = result.parameters[_MOST_ROWS:]
    if hidden:
        rest = sum(parameter.importance for parameter in hidden)
        lines.append(f"… and {len(hidden)} more with {rest:.3f} together")
    told = []
    if any(parameter.eta_squared >= OVER for parameter in result.parameters[:_MOST_ROWS]):
        told += wrapped(OVER_WORDS)
    if evidence is not None and result.status == "ok":
        told += wrapped(evidence.message)
    account = account_lines(result.account, result.settings, _target_set(result))
    return "\n".join([*lines, "", *told, *account])


def _target_set(result: ImportanceResult) -> str:
    """Return how large the target set is."""
    quantile = result.target_quantile
    ties = quantile and result.target_size > math.ceil(quantile * result.account.trials.used)
    return f"{result.target_size} in the target set{' (including ties)' if ties else ''}"


def _columns(result: ImportanceResult) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of what every result of this kind shows."""
    shown = result.parameters[:_MOST_ROWS]
    width = text_width()
    longest = _BAR if width >= 100 else _BAR // 2 if width >= 80 else 0
    most = _MOST_NAME if width >= 80 else _MOST_NAME // 2
    rows = [
        [shortened(p.name, most), f"{p.importance:.3f}", "█" * round(p.importance * longest)]
        for p in shown
    ]
    if isinstance(result.settings, BaselineSettings):
        for row, p in zip(rows, shown, strict=True):
            row.append(f"{p.variance:.4g}")
        return ["parameter", "importance", "", "score"], rows
    pooled = {entry.parameter for entry in result.account.pooled}
    for row, p in zip(rows, shown, strict=True):
        row += [
            "> 1" if p.eta_squared >= OVER else f"{p.eta_squared:.3f}",
            _regimes(p, p.name in pooled),
        ]
    return ["parameter", "importance", "", "η²", "active as"], rows


def _last_fitted(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows with the last column cut to what is left of the width."""
    before = [max(width_of(row[i]) for row in [header, *rows]) for i in range(len(header) - 1)]
    room = max(_LEAST_LAST, text_width() - sum(before) - 2 * len(before))
    return [[*row[:-1], _cut(row[-1], room)] for row in rows]


def _interval(parameter: ParameterImportance) -> str:
    if parameter.intervals is None:
        return ""
    interval = parameter.intervals.importance
    return f"{interval.low:.3f}–{interval.high:.3f}"


def _regimes(parameter: ParameterImportance, pooled: bool) -> str:
    if not parameter.regimes:
        return "–"
    mark = "pooled " if pooled else ""
    labels = [
        f"{mark if regime.domain else ''}{regime.label} ({percent(regime.region_share)})"
        for regime in parameter.regimes
    ]
    if len(labels) == 1:
        return shortened(parameter.regimes[0].label, _MOST_REGIMES)
    count = f"{len(labels)} regimes: " if len(labels) > 3 else ""
    return _cut(count + "; ".join(labels), _MOST_REGIMES)


def _cut(text: str, most: int) -> str:
    plain = shortened(text, len(text) + 9)
    return plain if len(plain) <= most else plain[: most - 1] + "…"
