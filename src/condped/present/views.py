"""What a picture shows, decided once for every library that draws it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray
from condped.importance.result import ImportanceResult, ParameterImportance
from condped.importance.summary import headline, shortened
from condped.importance.sweep import SweepResult

MOST_BARS = 20
MOST_CURVES = 8
_MOST_LABEL = 28


@dataclass(frozen=True, slots=True)
class Bar:
    """One parameter's bar, the part of each regime apart."""

    label: str
    value: float
    parts: tuple[tuple[str, float], ...]  # (regime, share of the bar); together the whole bar


@dataclass(frozen=True, slots=True)
class BarsView:
    """Importances as bars, the most important first."""

    title: str
    bars: tuple[Bar, ...]
    note: str | None  # what the picture leaves out, or why it shows nothing


@dataclass(frozen=True, slots=True)
class Curve:
    """One parameter's importance over the target quantiles."""

    label: str
    values: FloatArray


@dataclass(frozen=True, slots=True)
class CurvesView:
    """Importances over target quantiles."""

    title: str
    target_quantiles: FloatArray
    curves: tuple[Curve, ...]
    note: str | None


def bars_view(result: ImportanceResult) -> BarsView:
    """Return a result's bars; those beyond the most important are added up into one."""
    bars = [
        Bar(shortened(parameter.name, _MOST_LABEL), parameter.importance, _parts(parameter))
        for parameter in result.parameters
    ]
    if len(bars) > MOST_BARS:
        rest = bars[MOST_BARS - 1 :]
        bars = [
            *bars[: MOST_BARS - 1],
            Bar(f"{len(rest)} others together", sum(bar.value for bar in rest), ()),
        ]
    title = headline(result.account, result.settings, result.target_quantile)
    return BarsView(title, tuple(bars), result.reason)


def _parts(parameter: ParameterImportance) -> tuple[tuple[str, float], ...]:
    """Return what share of the variance each regime contributes, largest first."""
    if parameter.variance <= 0 or not parameter.regimes:
        return ()
    parts = [(regime.label, regime.contribution) for regime in parameter.regimes]
    # What the regimes do not contribute is the variance between them, where that counts.
    rest = parameter.variance - sum(contribution for _, contribution in parts)
    if rest > 1e-9 * parameter.variance:
        parts.append(("between regimes", rest))
    shares = [(label, part / parameter.variance) for label, part in parts if part > 0]
    return tuple(sorted(shares, key=lambda part: -part[1]))


def curves_view(curve: SweepResult) -> CurvesView:
    """Return a sweep's curves, the highest peak first and not more than can be told apart."""
    peaks = curve.importance.max(axis=0, initial=0.0)
    shown = sorted(range(len(curve.names)), key=lambda place: -peaks[place])[:MOST_CURVES]
    notes = []
    if len(curve.names) > len(shown):
        notes.append(f"{len(curve.names) - len(shown)} more with lower peaks not shown")
    if not curve.determined.all():
        notes.append("gaps: undetermined")
    known = np.where(curve.determined[:, None], curve.importance, np.nan)
    return CurvesView(
        title=headline(curve.account, curve.settings, None),
        target_quantiles=curve.target_quantiles,
        curves=tuple(
            Curve(shortened(curve.names[place], _MOST_LABEL), known[:, place]) for place in shown
        ),
        note="; ".join(notes) or None,
    )
