"""History: what each trial reached, and the best so far."""

from __future__ import annotations

import plotly.graph_objects as go

from condped.show.palette import COLOURS, INK, PALE
from condped.show.plotly.dots import draw_dots, value_axis
from condped.show.plotly.figures import laid_out, literal
from condped.show.views.history import HistoryView
from condped.show.views.labels import lines_of
from condped.show.views.value_axis import KINDS


def history(view: HistoryView, figure: go.Figure) -> go.Figure:
    """Draw trials as dots and the best so far as steps; the plateau at the end is shaded."""
    if view.plateau is not None:
        low, high = view.plateau
        figure.add_shape(
            type="rect", x0=low, x1=high, y0=0, y1=1, xref="x", yref="y domain", fillcolor=PALE,
            opacity=0.5, layer="below", line={"width": 0},
        )  # fmt: skip
    draw_dots(figure, view.dots, view.objective, set(), KINDS | {"other": "complete"})
    if view.x:
        figure.add_scatter(
            x=list(view.x), y=list(view.best), mode="lines+markers", name="best so far",
            line={"color": COLOURS[0], "width": 2.5, "shape": "hv"},
            marker={"size": [6] * (len(view.x) - 1) + [0], "opacity": 1},
            hovertemplate="best so far %{y:.5g}<extra></extra>",
        )  # fmt: skip
    if view.words is not None and not view.empty:
        figure.add_annotation(
            text="<br>".join(map(literal, lines_of(view.words, 60))), xref="paper", yref="paper",
            x=0.99, y=0.985, xanchor="right", yanchor="top", showarrow=False, align="right",
            font={"size": 12, "color": INK}, bgcolor="rgba(255,255,255,0.75)",
        )  # fmt: skip
    return laid_out(
        figure,
        view,
        height=380,
        showlegend=True,
        xaxis={"title": view.over, "gridcolor": PALE, "zeroline": False},
        yaxis=value_axis(view.axis) | {"title": literal(view.objective)},
    )  # fmt: skip
