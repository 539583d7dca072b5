"""Pairs: the share of target trials over the values of two parameters."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from condped.show.palette import PALE
from condped.show.plotly.figures import NO_AXES, laid_out, literal, with_gaps
from condped.show.plotly.panels import RowSizes, panel_domains, panel_words
from condped.show.views.pairs import CellAxis, PairPanel, PairsView

_SIZES = RowSizes(row=310, titles=44, words=64, letters=96, gap=0.13)
_FEWEST_COLUMNS = 2
_DOT = 6.0  # pixels of a dot for one trial


def pairs(view: PairsView, figure: go.Figure) -> go.Figure:
    """Draw each pair on axes of its own; the figure's other axes must be free."""
    layout: dict[str, Any] = {}
    # The scale explains the colours of pairs with evidence, if there are any.
    named = next((p for p in view.panels if not p.grey), view.panels[0] if view.panels else None)
    columns = max(view.columns, _FEWEST_COLUMNS)  # one alone would be very wide
    for place, panel in enumerate(view.panels):
        number = "" if place == 0 else str(place + 1)
        across, up = panel_domains(place, columns, view.rows, _SIZES)
        layout[f"xaxis{number}"] = _axis(panel.across) | {"domain": across, "anchor": f"y{number}"}
        layout[f"yaxis{number}"] = _axis(panel.up) | {"domain": up, "anchor": f"x{number}"}
        _panel(figure, panel, number, view.highest, scale=panel is named)
        panel_words(figure, (panel.title, panel.words), "", (across, up), _SIZES)
    return laid_out(
        figure,
        view,
        height=_SIZES.row * max(view.rows, 1) + 10,
        below=10,
        showlegend=False,
        plot_bgcolor=PALE,
        **layout,
        **({} if view.panels else NO_AXES),
    )


def _axis(own: CellAxis) -> dict[str, Any]:
    return {
        "tickmode": "array", "tickvals": [place for place, _ in own.ticks],
        "ticktext": [literal(text) for _, text in own.ticks], "tickfont": {"size": 10},
        "range": [-0.5, own.cells - 0.5], "showgrid": False, "zeroline": False, "automargin": True,
        "title": {"text": literal(own.label), "font": {"size": 11}, "standoff": 4},
    }  # fmt: skip


def _panel(
    figure: go.Figure, panel: PairPanel, number: str, highest: float, *, scale: bool
) -> None:
    axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    title = {"text": "share of trials in the target set", "side": "right", "font": {"size": 11}}
    figure.add_heatmap(
        z=[with_gaps(row) for row in panel.shares], zmin=0.0, zmax=highest,
        colorscale="Greys" if panel.grey else "Cividis", showscale=scale,
        colorbar={"title": title, "thickness": 12},
        hovertemplate="%{z:.2f} of the trials here reach the target set<extra></extra>", **axes,
    )  # fmt: skip
    if panel.dots:
        across, up, trials = (list(entries) for entries in zip(*panel.dots, strict=True))
        figure.add_scatter(
            x=across, y=up, mode="markers", customdata=trials,
            marker={
                "size": [min(_DOT * math.sqrt(count), 3 * _DOT) for count in trials],
                "color": "white", "line": {"color": "black", "width": 0.8}, "opacity": 0.9,
            },
            hovertemplate="%{customdata} in the target set<extra></extra>", **axes,
        )  # fmt: skip
