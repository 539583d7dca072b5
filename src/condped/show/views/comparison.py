"""Importances of several results side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from condped.analyse.importance.result import ImportanceResult
from condped.errors import SettingsError
from condped.show.views.bars import Bar, bar_of
from condped.show.views.labels import first_words, labels_of
from condped.show.views.view import View
from condped.show.words import UNATTRIBUTED, is_shared

_MOST_RESULTS = 8
_MOST_COMPARED = 15
_SHORTEST = 0.05  # length of an axis of importances


@dataclass(frozen=True, slots=True)
class Series:
    """One of several results; a parameter that it does not have has no point.

    ``shift`` is its distance from the centre of a row, so that equal points do not hide each
    other.
    """

    label: str
    points: tuple[Bar, ...]
    shift: float


@dataclass(frozen=True, slots=True)
class ComparisonView(View):
    """Parameters as rows, ordered by their highest importance in any result."""

    labels: tuple[str, ...]  # of the rows
    series: tuple[Series, ...]

    @property
    def scale(self) -> str:
        """The label of the axis of importances, and what the marks mean."""
        text = "importance (each result sums to 1); hollow: not statistically significant"
        grey = any(point.grey for one in self.series for point in one.points)
        return f"{text}; grey: no evidence" if grey else text

    @property
    def highest(self) -> float:
        """Where the axis of importances may end."""
        return max([_SHORTEST, *(point.end for one in self.series for point in one.points)])

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not any(point.end for one in self.series for point in one.points)


def comparison_view(results: Mapping[str, ImportanceResult]) -> ComparisonView:
    """Return results by their labels; parameters beyond the most important ones are added up."""
    if not isinstance(results, Mapping) or not 1 <= len(results) <= _MOST_RESULTS:
        got = len(results) if isinstance(results, Mapping) else type(results).__name__
        raise SettingsError(
            f"A comparison takes a mapping from labels to 1 to {_MOST_RESULTS} results (got {got})."
        )
    best: dict[str, float] = {}
    for result in results.values():
        for parameter in result:
            best[parameter.name] = max(best.get(parameter.name, 0.0), parameter.importance)
    order = sorted(best, key=lambda name: -best[name])
    names = order if len(order) <= _MOST_COMPARED else order[: _MOST_COMPARED - 1]
    rest = set(order[len(names) :])
    labels = labels_of(names)
    if rest:
        labels = (*labels, f"{len(rest)} others together")
    if any(is_shared(result.unattributed) for result in results.values()):
        labels = (*labels, UNATTRIBUTED)
    shown = labels_of([str(label) for label in results])
    each = list(zip(shown, results.values(), strict=True))
    unknown = [label for label, result in each if result.status != "ok"]
    between = max(len(each) - 1, 1)
    first = (first_words(result.tie) for result in results.values())
    return ComparisonView(
        title="How importances compare",
        labels=labels,
        series=tuple(
            Series(
                label,
                _points(result, names, rest),
                shift=0.6 * (place / between - 0.5) if len(each) > 1 else 0.0,
            )
            for place, (label, result) in enumerate(each)
        ),
        note=f"Undetermined: {', '.join(unknown)}" if unknown else None,
        first=" ".join(dict.fromkeys(filter(None, first))) or None,
    )


def _points(result: ImportanceResult, names: list[str], rest: set[str]) -> tuple[Bar, ...]:
    evidence = result.evidence if result.has_evidence else None
    points = [
        bar_of(row, name, result[name], evidence)
        for row, name in enumerate(names)
        if name in result
    ]
    others = [parameter.importance for parameter in result if parameter.name in rest]
    if others:
        together = f"{len(others)} others together"
        points.append(Bar(len(names), together, together, sum(others)))
    if is_shared(result.unattributed):
        last = len(names) + bool(rest)
        points.append(Bar(last, UNATTRIBUTED, UNATTRIBUTED, result.unattributed))
    return tuple(points)
