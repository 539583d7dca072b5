"""Several results side by side: methods, studies, target sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from condped.analyse.importance.evidence import Verdict
from condped.analyse.importance.result import ImportanceResult
from condped.errors import SettingsError
from condped.show.views.labels import MOST_LABEL, known_evidence, labels_of

MOST_RESULTS = 8
MOST_ROWS = 15


@dataclass(frozen=True, slots=True)
class Point:
    """One parameter's importance in one result."""

    row: int  # place of the parameter
    name: str
    value: float
    low: float | None
    high: float | None
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Series:
    """One of the results; a parameter that it does not have has no point."""

    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """Parameters as rows, the one with the highest importance anywhere first."""

    title: str
    labels: tuple[str, ...]  # of the rows
    series: tuple[Series, ...]
    note: str | None


def comparison_view(
    results: Mapping[str, ImportanceResult], most: int = MOST_ROWS
) -> ComparisonView:
    """Return results by their labels; parameters beyond the most important are added up."""
    if not isinstance(results, Mapping) or not 1 <= len(results) <= MOST_RESULTS:
        got = len(results) if isinstance(results, Mapping) else type(results).__name__
        raise SettingsError(
            f"A comparison takes a mapping from labels to 1 to {MOST_RESULTS} results (got {got})."
        )
    best: dict[str, float] = {}
    for result in results.values():
        for parameter in result:
            best[parameter.name] = max(best.get(parameter.name, 0.0), parameter.importance)
    order = sorted(best, key=lambda name: -best[name])
    names = order if len(order) <= most else order[: most - 1]
    rest = set(order[len(names) :])
    labels = labels_of(names)
    if rest:
        labels = (*labels, f"{len(rest)} others together")
    shown = labels_of([str(label) for label in results], MOST_LABEL)
    unknown = [
        label
        for label, result in zip(shown, results.values(), strict=True)
        if result.status != "ok"
    ]
    return ComparisonView(
        title="How importances compare",
        labels=labels,
        series=tuple(
            Series(label, _points(result, names, rest))
            for label, result in zip(shown, results.values(), strict=True)
        ),
        note=f"Undetermined: {', '.join(unknown)}" if unknown else None,
    )


def _points(result: ImportanceResult, names: list[str], rest: set[str]) -> tuple[Point, ...]:
    evidence = known_evidence(result)
    points = []
    for row, name in enumerate(names):
        if name in result:
            parameter = result[name]
            interval = None if parameter.intervals is None else parameter.intervals.importance
            points.append(
                Point(
                    row=row,
                    name=name,
                    value=parameter.importance,
                    low=None if interval is None else interval.low,
                    high=None if interval is None else interval.high,
                    verdict=None if evidence is None else evidence[name].verdict,
                )
            )
    others = [parameter.importance for parameter in result if parameter.name in rest]
    if others:
        points.append(
            Point(len(names), f"{len(others)} others together", sum(others), None, None, None)
        )
    return tuple(points)
