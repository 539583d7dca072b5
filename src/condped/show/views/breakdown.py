"""What each regime of a parameter contributes to its importance."""

from __future__ import annotations

from dataclasses import dataclass

from condped.analyse.importance.parameter import ParameterImportance
from condped.analyse.importance.result import ImportanceResult
from condped.safe_text import shortened
from condped.show.text.account import headline
from condped.show.views.labels import count_of, labels_of

MOST_ROWS = 15
_MOST_PARTS = 4  # that can be told apart by their shade
_MOST_PART_LABEL = 30


@dataclass(frozen=True, slots=True)
class Part:
    """What one regime contributes, or several small ones together."""

    label: str
    share: float  # of the parameter's importance
    value: float  # the same as an importance
    target_share: float | None  # of the target set's trials; None if it is no regime
    region_share: float | None  # of all trials

    @property
    def text(self) -> str:
        """The label with its share."""
        return f"{self.label} {100 * self.share:.0f} %"


@dataclass(frozen=True, slots=True)
class Breakdown:
    """One parameter, its parts from the largest to the smallest; together the whole."""

    label: str
    name: str
    value: float
    parts: tuple[Part, ...]
    silent: int  # regimes that contribute nothing, absence aside
    grouped: bool = False  # several parameters together

    @property
    def caption(self) -> str:
        """What its parts are, and how many regimes have none."""
        texts = [part.text for part in self.parts]
        if self.silent and self.parts:
            texts.append(f"{count_of(self.silent, 'regime')} without effect")
        return " · ".join(texts)


@dataclass(frozen=True, slots=True)
class BreakdownView:
    """Importances divided by regime, the most important parameter first."""

    title: str
    rows: tuple[Breakdown, ...]
    note: str | None


def breakdown_view(result: ImportanceResult, most: int = MOST_ROWS) -> BreakdownView:
    """Return a result's parameters with the parts of their regimes.

    Parameters beyond the most important are added up, and so are the smallest parts.
    """
    shown = result.parameters
    if len(shown) > most:
        shown = shown[: most - 1]
    rest = result.parameters[len(shown) :]
    labels = labels_of([parameter.name for parameter in shown])
    rows = [_row(label, parameter) for label, parameter in zip(labels, shown, strict=True)]
    if rest:
        together = f"{len(rest)} others together"
        value = sum(parameter.importance for parameter in rest)
        part = Part("all of their regimes", 1.0, value, None, None)
        rows.append(Breakdown(together, together, value, (part,) if value else (), 0, True))
    return BreakdownView(
        title=headline(result.account, result.settings, result.target_quantile),
        rows=tuple(rows),
        note=None if result.reason is None else f"Undetermined: {result.reason}",
    )


def _row(label: str, parameter: ParameterImportance) -> Breakdown:
    parts = _parts(parameter)
    present = [regime for regime in parameter.regimes if regime.domain is not None]
    silent = sum(regime.contribution <= 0 for regime in present)
    return Breakdown(label, parameter.name, parameter.importance, _grouped(parts), silent)


def _parts(parameter: ParameterImportance) -> list[Part]:
    """Return the regimes' parts, the largest first."""
    positive = [regime for regime in parameter.regimes if regime.contribution > 0]
    # What the regimes do not contribute is the variance between them, where that counts.
    rest = parameter.variance - sum(regime.contribution for regime in parameter.regimes)
    between = rest if rest > 1e-9 * parameter.variance else 0.0
    # A calibrated regime may fall below 0; what is shown is divided among those above.
    whole = sum(regime.contribution for regime in positive) + between
    if parameter.variance <= 0 or whole <= 0:
        return []
    parts = [
        Part(
            label=shortened(regime.label, _MOST_PART_LABEL),
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
