"""Importances of several studies as a heat map, with the pooled ones beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.across.result import Across, ComparedStudy
from condped.arrays import FloatArray
from condped.safe_text import percent
from condped.show.text.several.across import across_headline
from condped.show.views.labels import labels_of
from condped.show.views.view import View

_MOST_ROWS = 30
_MOST_STUDIES = 200
_MOST_STUDY = 18  # letters of a study's name
_LABELLED = 60  # studies, up to which each is named
_MOST_ORDERED = 2_000  # studies, up to which similar ones are put side by side
_SPACIOUS = 40  # studies, up to which cells are large enough for marks
_NUMBERED = 12  # studies, up to which cells have room for numbers
_LEAST = 0.05  # importance that the colour scale reaches at least


@dataclass(frozen=True, slots=True)
class PooledRow:
    """The importance of a parameter over all studies."""

    value: float
    low: float
    high: float
    matters: str  # in how many studies: "5 of 6"
    agreement: str


@dataclass(frozen=True, slots=True, eq=False)
class AcrossView(View):
    """Parameters as rows, the most important first, and studies as columns, similar ones together.

    Attributes
    ----------
    values
        (rows, studies): importances; NaN where a study does not have the parameter, or no
        conclusion is possible.
    verdicts
        (rows, studies): "" where a study does not have the parameter.
    odd
        (row, study) of each odd cell.
    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    studies: tuple[str, ...]
    study_names: tuple[str, ...]
    values: FloatArray
    verdicts: tuple[tuple[str, ...], ...]
    odd: tuple[tuple[int, int], ...]
    pooled: tuple[PooledRow, ...]
    level: float

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not self.labels or not self.studies

    @property
    def highest(self) -> float:
        """The importance with the strongest colour."""
        known = self.values[np.isfinite(self.values)]
        return float(max(_LEAST, known.max(initial=0.0)))

    @property
    def labelled(self) -> bool:
        """Whether each column has the name of its study below."""
        return len(self.studies) <= _LABELLED

    @property
    def spacious(self) -> bool:
        """Whether cells are large enough for hatching and dashes."""
        return len(self.studies) <= _SPACIOUS

    @property
    def numbered(self) -> bool:
        """Whether cells have room for their numbers."""
        return len(self.studies) <= _NUMBERED

    @property
    def key(self) -> str:
        """What the marks in this picture mean."""
        verdicts = {verdict for row in self.verdicts for verdict in row}
        parts = ["colour: importance"]
        if "unclear" in verdicts:
            parts.append("paler, with a dot: unclear")
        if "not testable" in verdicts and not self.spacious:
            parts.append("grey: no evidence, or not testable")
        elif "no evidence" in verdicts:
            parts.append("grey: no evidence")
        if "not testable" in verdicts and self.spacious:
            parts.append("dash: not testable")
        if "?" in verdicts:
            parts.append("?: no conclusion is possible for the study")
        if "" in verdicts:
            parts.append("blank: not a parameter of the study")
        if self.odd:
            parts.append("outlined: odd")
        if any(one.agreement == "differs" for one in self.pooled):
            parts.append("diamond: studies differ")
        return "; ".join(parts)

    @property
    def scale(self) -> str:
        """The label below the pooled importances."""
        return f"mean, {percent(self.level)}"


def across_view(across: Across) -> AcrossView:
    """Return the most important parameters and at most 200 studies; a note counts the rest."""
    shown = across.parameters[:_MOST_ROWS]
    studies = [across.studies[place] for place in alike_first(across)][:_MOST_STUDIES]
    cells = [[across.cell(one.name, study.name) for study in studies] for one in shown]
    verdicts = tuple(
        tuple(
            "" if cell is None else "?" if study.reason is not None else cell.verdict
            for cell, study in zip(row, studies, strict=True)
        )
        for row in cells
    )
    values = [
        [np.nan if c is None or v == "?" else c.importance for c, v in zip(row, line, strict=True)]
        for row, line in zip(cells, verdicts, strict=True)
    ]
    left = []
    if len(across) > len(shown):
        left.append(f"{len(across) - len(shown)} less important parameters")
    if len(across.studies) > len(studies):
        left.append(f"{len(across.studies) - len(studies)} studies")
    return AcrossView(
        title=across_headline(across),
        labels=labels_of([one.name for one in shown]),
        names=tuple(one.name for one in shown),
        studies=labels_of([study.name for study in studies], _MOST_STUDY),
        study_names=tuple(study.name for study in studies),
        values=np.array(values, dtype=float).reshape(len(shown), len(studies)),
        verdicts=verdicts,
        odd=tuple(
            (row, column)
            for row, line in enumerate(cells)
            for column, cell in enumerate(line)
            if cell is not None and cell.odd
        ),
        pooled=tuple(
            PooledRow(
                one.importance,
                one.low,
                one.high,
                f"{one.matters_in} of {one.studies}",
                one.agreement,
            )
            for one in shown
        ),
        level=across.level,
        note=f"Not shown: {' and '.join(left)}." if left else None,
    )


def alike_first(across: Across) -> list[int]:
    """Return the studies' positions, ordered so that each is followed by the most similar one.

    The first is the least similar to the average; what a study does not have counts as 0. Thousands
    are not reordered: nobody looks for neighbours among them.
    """
    names = across.names
    if not 3 <= len(across.studies) <= _MOST_ORDERED or not names:
        return list(range(len(across.studies)))
    points = np.array(
        [[_importance(across, name, study) for name in names] for study in across.studies]
    ).reshape(len(across.studies), len(names))
    left = list(range(len(points)))
    here = int(np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=1)))
    order = [here]
    left.remove(here)
    while left:
        apart = ((points[left] - points[here]) ** 2).sum(axis=1)
        here = left.pop(int(np.argmin(apart)))
        order.append(here)
    return order


def _importance(across: Across, name: str, study: ComparedStudy) -> float:
    cell = across.cell(name, study.name)
    return 0.0 if cell is None else cell.importance
