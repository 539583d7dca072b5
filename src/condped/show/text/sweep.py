"""Importances over the target quantile as text: a table with a column per parameter."""

from __future__ import annotations

from condped.analyse.importance.sweep import SweepResult
from condped.safe_text import shortened
from condped.show.text.account import account_lines, headline
from condped.show.text.layout import table_lines, text_width, wrapped

# About ten quantiles and the parameters with the highest peaks.
_MOST_ROWS = 11
_MOST_NAME = 14


def sweep_text(curve: SweepResult) -> str:
    """Return the course of the importances, then what the numbers are based on."""
    lines = [*wrapped(headline(curve.account, curve.settings, None)), ""]
    if curve.status != "ok":
        lines += [*wrapped(f"Undetermined: {curve.reason}"), ""]
    peaks = curve.importance.max(axis=0, initial=0.0)
    most = max(1, (text_width() - 6) // (_MOST_NAME + 2))
    shown = sorted(range(len(curve.names)), key=lambda p: -peaks[p])[:most]
    every = len(curve.target_quantiles)
    points = min(every, _MOST_ROWS)
    quantiles = sorted({round((every - 1) * p / max(points - 1, 1)) for p in range(points)})
    header = ("γ'", *(shortened(curve.names[p], _MOST_NAME) for p in shown))
    rows = [
        (
            f"{curve.target_quantiles[t]:.3g}",
            *(f"{curve.importance[t, p]:.3f}" if curve.determined[t] else "?" for p in shown),
        )
        for t in quantiles
    ]
    lines += table_lines(header, rows, right=set(range(len(header))))
    if len(curve.names) > len(shown):
        lines.append(f"… and {len(curve.names) - len(shown)} more with lower peaks")
    unknown = int((~curve.determined).sum())
    if unknown and curve.status == "ok":
        reason = next(reason for reason in curve.reasons if reason is not None)
        lines += wrapped(f"? at {unknown} of {every} quantiles: {reason}")
    low, high = curve.target_sizes[0], curve.target_sizes[-1]
    sets = f"{low} to {high} in the target sets"
    return "\n".join([*lines, "", *account_lines(curve.account, curve.settings, sets)])
