"""Importances as bars, with intervals and verdicts."""

from __future__ import annotations

from dataclasses import dataclass

from condped.analyse.importance.evidence import Verdict
from condped.analyse.importance.result import ImportanceResult
from condped.show.text.account import headline
from condped.show.views.labels import known_evidence, labels_of

MOST_BARS = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """One parameter's bar.

    Attributes
    ----------
    label, name
        What stands beside the bar, and the whole name.
    low, high
        The ends of the interval; None if there is none.
    verdict
        None if nothing was tested, as for several parameters together.
    """

    label: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None
    verdict: Verdict | None = None

    @property
    def end(self) -> float:
        """Where the bar and its interval end."""
        return self.value if self.high is None else max(self.value, self.high)

    @property
    def text(self) -> str:
        """What is said behind the bar."""
        return f"{self.value:.3f}" + (f"  {self.verdict}" if self.verdict else "")


@dataclass(frozen=True, slots=True)
class BarsView:
    """Importances as bars, the most important first."""

    title: str
    bars: tuple[Bar, ...]
    note: str | None  # why the picture shows nothing
    level: float | None  # of the intervals
    tested: bool  # whether there are verdicts


def bars_view(result: ImportanceResult, most: int = MOST_BARS) -> BarsView:
    """Return a result's bars; those beyond the most important are added up into one."""
    evidence = known_evidence(result)
    shown = result.parameters
    if len(shown) > most:
        shown = shown[: most - 1]
    rest = result.parameters[len(shown) :]
    bars = []
    labels = labels_of([parameter.name for parameter in shown])
    for parameter, label in zip(shown, labels, strict=True):
        interval = None if parameter.intervals is None else parameter.intervals.importance
        bars.append(
            Bar(
                label=label,
                name=parameter.name,
                value=parameter.importance,
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
                verdict=None if evidence is None else evidence[parameter.name].verdict,
            )
        )
    if rest:
        together = f"{len(rest)} others together"
        bars.append(Bar(together, together, sum(parameter.importance for parameter in rest)))
    return BarsView(
        title=headline(result.account, result.settings, result.target_quantile),
        bars=tuple(bars),
        note=None if result.reason is None else f"Undetermined: {result.reason}",
        level=result.level,
        tested=evidence is not None,
    )
