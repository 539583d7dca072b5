"""Shared by all plotly pictures: texts shown verbatim, plain layouts, notes."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure

from condped.arrays import FloatArray
from condped.show.palette import INK, PALE
from condped.show.views.labels import lines_of
from condped.show.views.view import View

FIGURE = BaseFigure  # what can be drawn on, widgets included
# Markers of curves and results, in the order of the colours.
MARKERS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star")
LEGEND_BELOW = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 0, "yanchor": "top"}
NO_AXES = {"xaxis": {"visible": False}, "yaxis": {"visible": False}}  # of an empty picture
_LETTERS = 90  # characters on a line of a title


def literal(text: str) -> str:
    """Return text that is shown verbatim: no tags, no formulas."""
    return html.escape(text, quote=False).replace("$", "&#36;")


def with_gaps(values: FloatArray) -> list[float | None]:
    """Return numbers for JSON; None where they are not finite."""
    return [value if np.isfinite(value) else None for value in values.tolist()]


def figure() -> go.Figure:
    """Return an empty figure."""
    return go.Figure()


def laid_out(
    figure: go.Figure, view: View, *, height: float, below: float = 40, **layout: Any
) -> go.Figure:
    """Set the title, the size and a note on what is left out or why the picture is empty."""
    texts = [text for text in (view.first, view.title) if text]
    lines = [literal(line) for text in texts for line in lines_of(text, _LETTERS)]
    notes = [] if view.note is None else [literal(line) for line in lines_of(view.note, 100)]
    top = 30 + 20 * len(lines)
    if notes and not view.empty:
        lines += [f"<span style='font-size:12px'>{line}</span>" for line in notes]
        top += 18 * len(notes)
    figure.update_layout(
        title={
            "text": "<br>".join(lines), "x": 0.01, "xanchor": "left", "yref": "container",
            "y": 1 - (6 + 6 * len(lines)) / (height + top), "yanchor": "top", "font": {"size": 15},
        },
        height=height + top,
        margin={"l": 10, "r": 20, "t": top, "b": below},
        template="plotly_white",
        font={"color": INK},
        **layout,
    )  # fmt: skip
    if view.empty and notes:
        figure.add_annotation(
            text="<br>".join(notes), xref="paper", yref="paper", x=0.5, y=0.5, showarrow=False
        )
    return figure


def row_axis(labels: Sequence[str]) -> dict[str, Any]:
    """Return an axis with a row per label, the first on top; equal labels stay apart."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [literal(label) for label in labels],
        "range": [max(len(labels), 2) - 0.4, -0.6],
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
        "title": None,
        # Room between a label and what starts at 0.
        "ticks": "outside",
        "ticklen": 6,
        "tickcolor": "rgba(0,0,0,0)",
    }


def values_axis(
    choices: Sequence[str] | None, low: float, high: float, log: bool
) -> dict[str, Any]:
    """Return an axis of a parameter's values from low to high; choices are at 0, 1, 2, ..."""
    plain: dict[str, Any] = {"showgrid": False, "zeroline": False, "tickfont": {"size": 10}}
    if choices is not None:
        return plain | {
            "tickmode": "array", "tickvals": list(range(len(choices))),
            "ticktext": [literal(label) for label in choices], "range": [low, high],
        }  # fmt: skip
    if not log:
        return plain | {"range": [low, high], "nticks": 6}
    return plain | {
        "type": "log", "range": [math.log10(low), math.log10(high)], "exponentformat": "power",
        "dtick": max(1, round(math.log10(high / low) / 5)),
    }  # fmt: skip


def share_axis(title: str, highest: float, lowest: float = 0.0) -> dict[str, Any]:
    """Return an axis of importances, with ticks up to 1."""
    axis: dict[str, Any] = {
        "title": title, "range": [lowest, highest], "gridcolor": PALE, "zeroline": False,
        "showline": True, "linecolor": INK, "automargin": True,
    }  # fmt: skip
    if highest > 1:
        axis |= {"tickmode": "array", "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    return axis
