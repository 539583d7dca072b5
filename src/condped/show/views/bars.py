"""Importances as bars, divided by regime, and of several results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from condped.analyse.evidence.evidence import Evidence, Verdict
from condped.analyse.importance.parameter import ParameterImportance
from condped.analyse.importance.result import ImportanceResult
from condped.safe_text import percent, shortened
from condped.show.text.account import headline_of
from condped.show.views.labels import first_words, labels_of
from condped.show.views.view import View
from condped.show.words import (
    UNATTRIBUTED,
    count_of,
    gate_words,
    importance_label,
    is_shared,
    reason_of,
    regime_name,
    sum_words,
    without_evidence,
)

MOST_BARS = 20
_MOST_BREAKDOWNS = 15
_MOST_PARTS = 4  # that can be distinguished by their shade
_MOST_PART_LABEL = 40
_LETTER, _MOST_AFTER = 0.0095, 70  # share of the axis that a letter takes; letters after a bar


@dataclass(frozen=True, slots=True)
class Bar:
    """One parameter's importance in one result.

    Attributes
    ----------
    row
        The position of the parameter, from the top.
    label, name
        The text beside the bar, and the full name.
    low, high
        The ends of the interval; None if there is none.
    joint_low, joint_high
        The ends of the interval that holds for all bars at once.
    verdict
        None if nothing was tested, as for several parameters together.
    choice
        For a gate, where the target trials are: "svm: all 16"; empty for others.
    reason
        The reason of the verdict; empty if there is nothing to say.
    """

    row: int
    label: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None
    verdict: Verdict | None = None
    joint_low: float | None = None
    joint_high: float | None = None
    choice: str = ""
    reason: str = ""

    @property
    def end(self) -> float:
        """Where the bar and its intervals end."""
        return max(self.value, self.high or 0.0, self.joint_high or 0.0)

    @property
    def text(self) -> str:
        """The text after the bar."""
        text = importance_label(self.value, self.verdict)
        text += f"  {self.verdict}" if self.verdict else ""
        return text + (f"  ({self.choice})" if self.choice else "")

    @property
    def filled(self) -> bool:
        """Whether it is drawn as mattering: its verdict says so, or nothing was tested."""
        return self.verdict in ("matters", None)

    @property
    def grey(self) -> bool:
        """Whether there is no evidence of an effect: no colour may suggest one."""
        return without_evidence(self.verdict)


@dataclass(frozen=True, slots=True)
class BarsView(View):
    """Importances as bars, the most important first."""

    bars: tuple[Bar, ...]
    level: float | None  # of the intervals
    unattributed: float = 0.0  # the last bar, unless negligible

    @property
    def scale(self) -> str:
        """The label of the axis of importances."""
        words = "thick for each alone, thin for all together"
        level = "" if self.level is None else f"; {percent(self.level)} intervals: {words}"
        gates = "; in brackets: where the target trials are" if self.gates else ""
        return f"importance ({sum_words(self.unattributed)}){level}{gates}"

    @property
    def reach(self) -> float:
        """How far the axis has to extend for the texts after the bars."""
        ends = [bar.end / (1 - _LETTER * min(len(bar.text), _MOST_AFTER)) for bar in self.bars]
        return max(ends, default=0.0)

    @property
    def gates(self) -> bool:
        """Whether any parameter is a gate."""
        return any(bar.choice for bar in self.bars)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not any(bar.value for bar in self.bars)


@dataclass(frozen=True, slots=True)
class Part:
    """What one regime contributes, or several small ones together."""

    label: str
    share: float  # of the parameter's importance
    value: float  # the same as an importance
    target_share: float | None  # of the target set's trials; None if it is not a regime
    region_share: float | None  # of all trials

    @property
    def text(self) -> str:
        """The label with its share."""
        return f"{self.label}: {100 * self.share:.0f} %"


@dataclass(frozen=True, slots=True)
class Breakdown:
    """One parameter with its parts, from the largest to the smallest; they add up to the whole."""

    label: str
    name: str
    value: float
    parts: tuple[Part, ...]
    silent: int  # regimes that contribute nothing, absence aside
    grouped: bool = False  # several parameters together
    verdict: Verdict | None = None

    @property
    def grey(self) -> bool:
        """Whether there is no evidence of an effect, or it is not of one parameter."""
        return self.grouped or without_evidence(self.verdict)

    @property
    def text(self) -> str:
        """The text after the bar."""
        text = importance_label(self.value, self.verdict)
        return f"{text}  {self.verdict}" if without_evidence(self.verdict) else text

    @property
    def caption(self) -> str:
        """The parts, and how many regimes have none."""
        texts = [part.text for part in self.parts]
        if self.silent and self.parts:
            texts.append(f"{count_of(self.silent, 'regime')} without effect")
        return " · ".join(texts)


@dataclass(frozen=True, slots=True)
class BreakdownView(View):
    """Importances divided by regime, the most important parameter first."""

    rows: tuple[Breakdown, ...]
    unattributed: float = 0.0  # the last row, unless negligible

    @property
    def scale(self) -> str:
        """The label of the axis of importances."""
        return f"importance ({sum_words(self.unattributed)})"

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not any(row.value for row in self.rows)


def bars_view(result: ImportanceResult, most: int = MOST_BARS) -> BarsView:
    """Return a result's bars; those beyond the most important ones are added up into one."""
    evidence = result.evidence if result.has_evidence else None
    shown, rest, together = _split(result.parameters, most)
    labels = labels_of([parameter.name for parameter in shown])
    bars = [
        replace(bar_of(row, labels[row], parameter, evidence), choice=_choice(result, parameter))
        for row, parameter in enumerate(shown)
    ]
    if rest:
        bars.append(Bar(len(bars), together, together, sum(other.importance for other in rest)))
    if is_shared(result.unattributed):
        bars.append(Bar(len(bars), UNATTRIBUTED, UNATTRIBUTED, result.unattributed))
    return BarsView(
        title=headline_of(result),
        bars=tuple(bars),
        note=None if result.reason is None else f"Undetermined: {result.reason}",
        level=result.level,
        unattributed=result.unattributed,
        first=first_words(result.tie),
    )


def _choice(result: ImportanceResult, own: ParameterImportance) -> str:
    gate = result.gate(own.name) if result.status == "ok" else None
    return "" if gate is None else gate_words(gate)


def bar_of(row: int, label: str, own: ParameterImportance, evidence: Evidence | None) -> Bar:
    """Return one parameter's bar, with its interval and verdict if there are any."""
    interval = None if own.intervals is None else own.intervals.importance
    tested = None if evidence is None else evidence[own.name]
    return Bar(
        row=row,
        label=label,
        name=own.name,
        value=own.importance,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        verdict=None if tested is None else tested.verdict,
        reason="" if tested is None else reason_of(tested),
        joint_low=None if interval is None else interval.joint_low,
        joint_high=None if interval is None else interval.joint_high,
    )


def _split(
    every: tuple[ParameterImportance, ...], most: int
) -> tuple[Sequence[ParameterImportance], Sequence[ParameterImportance], str]:
    """Return which to show, which to add up, and the label of the latter."""
    shown = every if len(every) <= most else every[: most - 1]
    rest = every[len(shown) :]
    return shown, rest, f"{len(rest)} others together"


def breakdown_view(result: ImportanceResult, most: int = _MOST_BREAKDOWNS) -> BreakdownView:
    """Return a result's parameters with the parts of their regimes.

    Parameters beyond the most important ones are added up, and so are the smallest parts.
    """
    shown, rest, together = _split(result.parameters, most)
    labels = labels_of([parameter.name for parameter in shown])
    rows = [_row(label, result, parameter) for label, parameter in zip(labels, shown, strict=True)]
    if rest:
        value = sum(parameter.importance for parameter in rest)
        part = Part("all of their regimes", 1.0, value, None, None)
        rows.append(Breakdown(together, together, value, (part,) if value else (), 0, True))
    if is_shared(result.unattributed):
        part = Part("to any parameter", 1.0, result.unattributed, None, None)
        rows.append(Breakdown(UNATTRIBUTED, UNATTRIBUTED, result.unattributed, (part,), 0, True))
    return BreakdownView(
        title=headline_of(result),
        rows=tuple(rows),
        note=None if result.reason is None else f"Undetermined: {result.reason}",
        unattributed=result.unattributed,
        first=first_words(result.tie),
    )


def _row(label: str, result: ImportanceResult, parameter: ParameterImportance) -> Breakdown:
    parts = _parts(result, parameter)
    present = [regime for regime in parameter.regimes if regime.domain is not None]
    silent = sum(regime.contribution <= 0 for regime in present)
    verdict = result.evidence[parameter.name].verdict if result.has_evidence else None
    return Breakdown(
        label, parameter.name, parameter.importance, _grouped(parts), silent, verdict=verdict
    )


def _parts(result: ImportanceResult, parameter: ParameterImportance) -> list[Part]:
    """Return the regimes' parts, the largest first."""
    positive = [regime for regime in parameter.regimes if regime.contribution > 0]
    # The rest is the variance between regimes, if the measure includes it.
    rest = parameter.variance - sum(regime.contribution for regime in parameter.regimes)
    between = rest if rest > 1e-9 * parameter.variance else 0.0
    # A calibrated contribution may be below 0; shares are of the positive ones.
    whole = sum(regime.contribution for regime in positive) + between
    if parameter.variance <= 0 or whole <= 0:
        return []
    parts = [
        Part(
            label=shortened(regime_name(result, parameter.name, regime.domain), _MOST_PART_LABEL),
            share=regime.contribution / whole,
            value=parameter.importance * regime.contribution / whole,
            target_share=regime.target_share,
            region_share=regime.region_share,
        )
        for regime in positive
    ]
    if between:
        value = parameter.importance * between / whole
        parts.append(Part("between regimes", between / whole, value, None, None))
    return sorted(parts, key=lambda part: -part.share)


def _grouped(parts: list[Part]) -> tuple[Part, ...]:
    if len(parts) <= _MOST_PARTS:
        return tuple(parts)
    kept, small = parts[: _MOST_PARTS - 1], parts[_MOST_PARTS - 1 :]
    together = Part(
        label=f"{len(small)} other regimes",
        share=sum(part.share for part in small),
        value=sum(part.value for part in small),
        target_share=sum(part.target_share or 0.0 for part in small),
        region_share=sum(part.region_share or 0.0 for part in small),
    )
    return (*kept, together)
