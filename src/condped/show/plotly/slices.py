"""Slices: values against what trials reached, a panel per parameter and regime."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from condped.safe_text import percent
from condped.show.palette import GOOD, INK
from condped.show.plotly.dots import draw_dots, value_axis
from condped.show.plotly.figures import LEGEND_BELOW, NO_AXES, laid_out, literal, values_axis
from condped.show.plotly.panels import RowSizes, panel_domains, panel_words
from condped.show.views.slices import Slice, SlicesView

_SIZES = RowSizes(row=290)


def slices(view: SlicesView, figure: go.Figure) -> go.Figure:
    """Draw each slice on axes of its own; the figure's other axes must be free."""
    layout: dict[str, Any] = {}
    shown: set[str] = set()
    for place, one in enumerate(view.panels):
        number = "" if place == 0 else str(place + 1)
        across, up = panel_domains(place, view.columns, view.rows, _SIZES)
        values = values_axis(one.choices, one.low, one.high, one.log)
        layout[f"xaxis{number}"] = values | {"domain": across, "anchor": f"y{number}"}
        first = place % view.columns == 0
        layout[f"yaxis{number}"] = value_axis(view.axis) | {
            "domain": up, "anchor": f"x{number}", "tickfont": {"size": 10},
            "title": {
                "text": literal(view.objective) if first else "", "font": {"size": 11},
                "standoff": 2,
            },
        }  # fmt: skip
        _slice(figure, view, one, number, shown)
        panel_words(figure, (one.title, one.trials), one.words, (across, up), _SIZES)
    return laid_out(
        figure,
        view,
        height=_SIZES.row * max(view.rows, 1) + 30,
        below=30,
        legend=LEGEND_BELOW,
        **layout,
        **({} if view.panels else NO_AXES),
    )


def _slice(figure: go.Figure, view: SlicesView, one: Slice, number: str, shown: set[str]) -> None:
    axes: dict[str, Any] = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    for low, high in one.spans:
        figure.add_shape(
            type="rect", x0=low, x1=high, y0=0, y1=1, xref=f"x{number}", yref=f"y{number} domain",
            fillcolor=GOOD, opacity=0.15, layer="below", line={"width": 0},
        )  # fmt: skip
    draw_dots(figure, one.dots, view.objective, shown, **axes)
    _bands(figure, view, one, shown, axes)
    x: list[float | None] = []
    y: list[float | None] = []
    for step in one.steps:
        x += [step.left, step.right, None]
        y += [step.median, step.median, None]
    figure.add_scatter(
        x=x, y=y, mode="lines", name="median", legendgroup="median",
        showlegend="median" not in shown, line={"color": INK, "width": 2.5},
        hovertemplate="median %{y:.5g}<extra></extra>", **axes,
    )  # fmt: skip
    shown.add("median")


def _bands(
    figure: go.Figure, view: SlicesView, one: Slice, shown: set[str], axes: dict[str, Any]
) -> None:
    """Draw the intervals of the medians as boxes."""
    name = f"{percent(view.level)} interval"
    x: list[float | None] = []
    y: list[float | None] = []
    for step in one.steps:
        if step.low is not None and step.high is not None:
            x += [step.left, step.right, step.right, step.left, step.left, None]
            y += [step.low, step.low, step.high, step.high, step.low, None]
    if x:
        figure.add_scatter(
            x=x, y=y, mode="lines", fill="toself", fillcolor=INK, opacity=0.16,
            line={"width": 0, "color": INK}, name=name, legendgroup="interval",
            showlegend=name not in shown, hoverinfo="skip", **axes,
        )  # fmt: skip
        shown.add(name)
