"""Densities of the target and the region set, a panel per parameter and regime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from condped.safe_text import shortened
from condped.show.palette import COLOURS, GOOD, GREY, GREYS, PALE, WARNING
from condped.show.plotly.figures import LEGEND_BELOW, NO_AXES, laid_out, literal, values_axis
from condped.show.views.panels import Panel, PanelsView


@dataclass(frozen=True, slots=True)
class RowSizes:
    """Pixels of a row of panels, and of the texts above and below its axes."""

    row: int = 250
    titles: int = 40
    words: int = 62
    font: int = 12  # of the titles
    letters: int = 84  # of titles side by side
    lines: int = 2  # of the text below
    gap: float = 0.08  # between columns, as a share of the width
    scales: bool = True  # whether the y axes have titles


def panels(view: PanelsView, figure: go.Figure, sizes: RowSizes | None = None) -> go.Figure:
    """Draw each panel on axes of its own; the figure's other axes must be free."""
    sizes = RowSizes() if sizes is None else sizes
    columns, rows = view.columns, view.rows
    layout: dict[str, Any] = {}
    for place, panel in enumerate(view.panels):
        number = "" if place == 0 else str(place + 1)
        across, domain = panel_domains(place, columns, rows, sizes)
        layout[f"xaxis{number}"] = _x_axis(panel) | {"domain": across, "anchor": f"y{number}"}
        layout[f"yaxis{number}"] = {
            "domain": domain, "anchor": f"x{number}", "rangemode": "tozero", "gridcolor": PALE,
            "zeroline": False, "tickfont": {"size": 10}, "nticks": 5,
            "title": {
                "text": panel.scale if sizes.scales else None, "font": {"size": 10}, "standoff": 2,
            },
        }  # fmt: skip
        _panel(figure, panel, number, first=place == 0)
        panel_words(figure, (panel.title, panel.trials), panel.good, (across, domain), sizes)
    return laid_out(
        figure,
        view,
        height=sizes.row * max(rows, 1) + 30,
        below=30,
        barmode="group",
        bargap=0.25,
        legend=LEGEND_BELOW,
        **layout,
        **({} if view.panels else NO_AXES),
    )


def _x_axis(panel: Panel) -> dict[str, Any]:
    if panel.edges is None:
        labels = panel.choices or ()
        return values_axis(labels, -0.6, len(labels) - 0.4, log=False)
    return values_axis(None, float(panel.edges[0]), float(panel.edges[-1]), panel.log)


def _panel(figure: go.Figure, panel: Panel, number: str, *, first: bool) -> None:
    axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    shown = {"showlegend": first}
    mark = WARNING if panel.outcome else GOOD
    reached = GREYS[0] if panel.grey else COLOURS[0]
    for span in panel.spans:
        figure.add_shape(
            type="rect", x0=span.low, x1=span.high, y0=0, y1=1, xref=f"x{number}",
            yref=f"y{number} domain", fillcolor=mark, opacity=0.18, layer="below",
            line={"color": mark, "width": 1.2, "dash": "dot"},
        )  # fmt: skip
    if panel.edges is None:
        for name, shares, colour, shape in (
            ("all trials", panel.region, GREY, ""),
            ("target set", panel.target, reached, "/"),
        ):
            figure.add_bar(
                x=list(range(len(shares))), y=shares.tolist(), name=name, legendgroup=name,
                **axes, **shown,
                marker={"color": colour, "pattern": {"shape": shape, "fgcolor": "white"}},
                customdata=[literal(label) for label in panel.choices or ()],
                hovertemplate=f"%{{customdata}}: %{{y:.1%}} of {name}<extra></extra>",
            )  # fmt: skip
        return
    # A step per cell: each edge is the end of one and the start of the next.
    x = np.repeat(panel.edges, 2)[1:-1].tolist()
    for name, density, style in (
        ("all trials", panel.region, {"fill": "tozeroy", "line": {"width": 0, "color": GREY}}),
        ("target set", panel.target, {"line": {"width": 2, "color": reached}}),
    ):
        figure.add_scatter(
            x=x, y=np.repeat(density, 2).tolist(), mode="lines", name=name, legendgroup=name,
            **axes, **shown, **style,
            hovertemplate=f"%{{x:.4g}}: %{{y:.2f}} times uniform, {name}<extra></extra>",
        )  # fmt: skip


def panel_domains(
    place: int, columns: int, rows: int, sizes: RowSizes
) -> tuple[list[float], list[float]]:
    """Return the horizontal and vertical extent of a panel's axes."""
    row, column = divmod(place, columns)
    width = (1 - (columns - 1) * sizes.gap) / columns
    left, below = column * (width + sizes.gap), 1 - (row + 1) / rows
    every = sizes.row * rows
    up = [below + sizes.words / every, 1 - row / rows - sizes.titles / every]
    return [left, left + width], up


def panel_words(
    figure: go.Figure,
    titles: tuple[str, str],
    words: str,
    axes: tuple[list[float], list[float]],
    sizes: RowSizes,
) -> None:
    """Write the name of a panel and its trials above its axes, and ``words`` below."""
    (left, right), (bottom, top) = axes
    letters = int(sizes.letters * (right - left))
    lines = [": ".join(titles)]
    if len(lines[0]) > letters:  # in two lines
        lines = [shortened(titles[0], letters), titles[1]]
    shared = {"xref": "paper", "yref": "paper", "x": left, "xanchor": "left", "align": "left"}
    figure.add_annotation(
        text="<br>".join(map(literal, lines)), y=top, yanchor="bottom", showarrow=False,
        font={"size": sizes.font}, **shared,
    )  # fmt: skip
    below = words.split("\n")[: sizes.lines]
    figure.add_annotation(
        text="<br>".join(map(literal, below)), y=bottom, yanchor="top", yshift=-18, showarrow=False,
        font={"size": min(10, sizes.font)}, **shared,
    )  # fmt: skip
