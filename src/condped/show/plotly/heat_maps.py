"""Heat maps: importances over the target quantile, joint effects of pairs of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from condped.show.plotly.figures import laid_out, literal, row_axis, with_gaps
from condped.show.views.heat_maps import HeatView
from condped.show.views.labels import QUANTILE_AXIS


def heat(view: HeatView, figure: go.Figure) -> go.Figure:
    """Draw importances over the target quantile as a heat map, a row per parameter."""
    assert view.target_quantiles is not None
    columns = view.target_quantiles.tolist()
    names = [[literal(name)] * len(columns) for name in view.names]
    return _cells(
        view, figure, columns, names, words="γ' = %{x:.3g}: %{z:.3f}", scale="importance",
        height=100 + 20 * max(len(view.labels), 6),
        xaxis={"title": QUANTILE_AXIS, "showgrid": False, "zeroline": False},
    )  # fmt: skip


def joint(view: HeatView, figure: go.Figure) -> go.Figure:
    """Draw the η² of each pair as a cell, empty if both are never active together."""
    names, columns = [literal(name) for name in view.names], list(range(len(view.names)))
    verdicts = view.verdicts or ()
    pairs = [
        [f"{one} × {other}: {verdict}" for other, verdict in zip(names, row, strict=True)]
        for one, row in zip(names, verdicts, strict=True)
    ]
    ends = [-0.5, max(len(columns), 1) - 0.5]
    figure = _cells(
        view, figure, columns, pairs, words="η² %{z:.3f}", scale="η² beyond<br>both alone",
        height=160 + 24 * max(len(columns), 6),
        xaxis=row_axis(view.labels) | {"range": ends, "tickangle": -40},
    )  # fmt: skip
    dots = [
        (column, row)
        for row, line in enumerate(verdicts)
        for column, verdict in enumerate(line)
        if verdict == "matters"
    ]
    if dots:
        figure.add_scatter(
            x=[column for column, _ in dots], y=[row for _, row in dots], mode="markers",
            marker={"color": "white", "size": 8, "line": {"color": "black", "width": 1}},
            hoverinfo="skip", showlegend=False,
        )  # fmt: skip
    return figure


def _cells(
    view: HeatView,
    figure: go.Figure,
    columns: Sequence[float],
    names: list[list[str]],
    *,
    words: str,
    scale: str,
    **layout: Any,
) -> go.Figure:
    """Draw the values with a row per label; ``words`` is the rest of a cell's hover text."""
    if not view.empty:
        figure.add_heatmap(
            x=list(columns),
            y=list(range(len(view.labels))),
            z=[with_gaps(row) for row in view.values],
            zmin=0.0,
            zmax=view.highest,
            colorscale="Cividis",
            colorbar={"title": scale},
            customdata=names,
            hovertemplate=f"%{{customdata}}<br>{words}<extra></extra>",
        )
    rows = row_axis(view.labels) | {"range": [max(len(view.labels), 1) - 0.5, -0.5]}
    return laid_out(figure, view, yaxis=rows, **layout)
