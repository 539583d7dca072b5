"""What a picture shows, decided once for every library that draws it."""

from __future__ import annotations

from dataclasses import dataclass

from condped.arrays import FloatArray
from condped.importance.result import ImportanceResult
from condped.importance.summary import shortened
from condped.importance.sweep import SweepResult

MOST_BARS = 20
MOST_CURVES = 8
_MOST_LABEL = 28


@dataclass(frozen=True, slots=True)
class Bar:
    """One parameter's bar, the part of each regime apart."""

    label: str
    value: float
    parts: tuple[tuple[str, float], ...]  # (regime, share of the bar), largest first


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
        Bar(
            shortened(parameter.name, _MOST_LABEL),
            parameter.importance,
            tuple(
                (regime.label, regime.contribution / parameter.variance)
                for regime in sorted(parameter.regimes, key=lambda r: -r.contribution)
                if parameter.variance > 0 and regime.contribution > 0
            ),
        )
        for parameter in result.parameters
    ]
    note = result.reason
    if len(bars) > MOST_BARS:
        rest = bars[MOST_BARS - 1 :]
        bars = [
            *bars[: MOST_BARS - 1],
            Bar(f"{len(rest)} others together", sum(bar.value for bar in rest), ()),
        ]
    percent = f"{100 * result.target_quantile:.3g} %"
    title = f"What mattered for reaching the best {percent} of {result.account.trials.used} trials"
    return BarsView(title, tuple(bars), note)


def curves_view(curve: SweepResult) -> CurvesView:
    """Return a sweep's curves, the highest peak first and not more than can be told apart."""
    peaks = curve.importance.max(axis=0)
    shown = sorted(range(len(curve.names)), key=lambda place: -peaks[place])[:MOST_CURVES]
    hidden = len(curve.names) - len(shown)
    return CurvesView(
        title=f"Importance over the target quantile ({curve.account.trials.used} trials)",
        target_quantiles=curve.target_quantiles,
        curves=tuple(
            Curve(shortened(curve.names[place], _MOST_LABEL), curve.importance[:, place])
            for place in shown
        ),
        note=f"{hidden} more with lower peaks not shown" if hidden else None,
    )
