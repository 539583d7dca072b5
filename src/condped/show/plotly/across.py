"""Importances of several studies as a heat map, with the pooled ones beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from condped.safe_text import percent
from condped.show.palette import ABSENT_EVIDENCE, BLUES, INK, PALE, UNCLEAR_BLUES, WARNING
from condped.show.plotly.figures import laid_out, literal, row_axis, with_gaps
from condped.show.views.across import AcrossView

_SIDE = 0.16  # of the width, for the pooled importances
_DARK = 0.55  # of the colour scale, above which text is white
_SCALES = {
    verdict: [[place / (len(colours) - 1), colour] for place, colour in enumerate(colours)]
    for verdict, colours in (("unclear", UNCLEAR_BLUES), ("matters", BLUES))
}


def across(view: AcrossView, figure: go.Figure) -> go.Figure:
    """Draw a cell per parameter and study, and the pooled importances on the right."""
    if not view.empty:
        _cells(view, figure)
        _marks(view, figure)
        _pooled(view, figure)
    rows, count = len(view.labels), len(view.studies)
    note = view.key if view.note is None else f"{view.key}. {view.note}"
    columns = row_axis(view.studies if view.labelled else ()) | {
        "range": [-0.5, max(count, 1) - 0.5],
        "domain": [0.0, 1 - _SIDE - 0.02],
        "tickangle": -40 if count <= 12 else -90,
        "title": None if view.labelled else f"{count} studies, similar ones side by side",
    }
    end = max([one.high for one in view.pooled] + [0.05])
    side: dict[str, Any] = {
        "domain": [1 - _SIDE, 1.0], "title": {"text": view.scale, "font": {"size": 11}},
        "range": [-0.04 * end, 1.05 * end],
        "gridcolor": PALE, "zeroline": False, "nticks": 4,
    }  # fmt: skip
    beside = row_axis([one.matters for one in view.pooled]) | {
        "range": [max(rows, 1) - 0.5, -0.5], "side": "right", "overlaying": "y", "anchor": "x2",
        "matches": "y",
    }  # fmt: skip
    return laid_out(
        figure, replace(view, note=note), height=150 + 24 * max(rows, 4),
        below=110 if view.labelled else 60, xaxis=columns, xaxis2=side, yaxis2=beside,
        yaxis=row_axis(view.labels) | {"range": [max(rows, 1) - 0.5, -0.5]}, showlegend=False,
    )  # fmt: skip


def _cells(view: AcrossView, figure: go.Figure) -> None:
    """Draw the colours: blue where it matters, paler if unclear, grey without evidence."""
    grey = np.array([[v in ("no evidence", "not testable") for v in row] for row in view.verdicts])
    words = [
        [
            f"{literal(name)} in {literal(study)}<br>{_cell_words(value, verdict)}"
            for study, value, verdict in zip(view.study_names, values, verdicts, strict=True)
        ]
        for name, values, verdicts in zip(view.names, view.values, view.verdicts, strict=True)
    ]
    columns, rows = list(range(len(view.studies))), list(range(len(view.labels)))
    gap = 1 if len(columns) <= 60 else 0
    common: dict[str, Any] = {
        "x": columns, "y": rows, "zmin": 0.0, "customdata": words, "xgap": gap, "ygap": gap,
        "hovertemplate": "%{customdata}<extra></extra>", "hoverongaps": False,
    }  # fmt: skip
    figure.add_heatmap(
        z=[[0.0 if known else None for known in row] for row in grey], zmax=1.0, showscale=False,
        colorscale=[[0.0, ABSENT_EVIDENCE], [1.0, ABSENT_EVIDENCE]], **common,
    )  # fmt: skip
    for verdict, colours in _SCALES.items():
        values = np.where(np.array(view.verdicts) == verdict, view.values, np.nan)
        figure.add_heatmap(
            z=[with_gaps(row) for row in values], zmax=view.highest, colorscale=colours,
            showscale=verdict == "matters" and not view.numbered,
            colorbar={"title": "importance", "x": 1.12, "thickness": 14}, **common,
        )  # fmt: skip


def _cell_words(value: float, verdict: str) -> str:
    if verdict == "?":
        return "no conclusion is possible for this study"
    return f"importance {value:.3f}: {verdict}" if verdict else "not a parameter of this study"


def _marks(view: AcrossView, figure: go.Figure) -> None:
    """Draw what verdicts add to the colours, and outline what is odd."""
    texts: list[tuple[int, int, str, str]] = []
    dots: list[tuple[int, int]] = []
    for row, line in enumerate(view.verdicts):
        for column, verdict in enumerate(line):
            value = view.values[row, column]
            if verdict == "unclear":
                dots.append((column, row))
            if verdict in ("not testable", "?"):
                texts.append((column, row, "–" if verdict == "not testable" else "?", INK))
            elif view.numbered and np.isfinite(value):
                dark = verdict == "matters" and value > _DARK * view.highest
                texts.append((column, row, f"{value:.2f}", "white" if dark else INK))
    if texts and view.spacious:
        figure.add_scatter(
            x=[one[0] for one in texts], y=[one[1] for one in texts], mode="text",
            text=[one[2] for one in texts], textfont={"size": 10, "color": [t[3] for t in texts]},
            hoverinfo="skip",
        )  # fmt: skip
    if dots:
        shift = (0.34, 0.28) if view.numbered else (0.0, 0.0)
        figure.add_scatter(
            x=[column + shift[0] for column, _ in dots], y=[row - shift[1] for _, row in dots],
            mode="markers", hoverinfo="skip",
            marker={"color": "white", "size": 5, "line": {"color": INK, "width": 1}},
        )  # fmt: skip
    for row, column in view.odd:
        figure.add_shape(
            type="rect", x0=column - 0.5, x1=column + 0.5, y0=row - 0.5, y1=row + 0.5,
            line={"color": WARNING, "width": 2.5},
        )  # fmt: skip


def _pooled(view: AcrossView, figure: go.Figure) -> None:
    """Draw the means with their intervals."""
    differs = [one.agreement == "differs" for one in view.pooled]
    figure.add_scatter(
        x=[one.value for one in view.pooled], y=list(range(len(view.pooled))),
        xaxis="x2", yaxis="y2", mode="markers",
        marker={
            "color": [WARNING if far else BLUES[-1] for far in differs], "size": 8,
            "symbol": ["diamond" if far else "circle" for far in differs],
        },
        error_x={
            "type": "data", "symmetric": False, "color": INK, "thickness": 1.4, "width": 0,
            "array": [one.high - one.value for one in view.pooled],
            "arrayminus": [one.value - one.low for one in view.pooled],
        },
        customdata=[
            f"{literal(name)}: {one.value:.3f} ({one.low:.3f}–{one.high:.3f}, "
            f"{percent(view.level)})<br>matters in {one.matters} studies; "
            f"between studies: {one.agreement}"
            for name, one in zip(view.names, view.pooled, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    figure.add_annotation(
        text="matters in", xref="paper", yref="paper", x=1.0, y=1.0, xanchor="center", xshift=22,
        yanchor="bottom", showarrow=False, font={"size": 11},
    )  # fmt: skip
