"""Joint effects of pairs of parameters as a heat map."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from condped.show.plotly.page import laid_out, literal, row_axis
from condped.show.views import JointView


def joint(view: JointView, figure: go.Figure | None = None) -> go.Figure:
    """Draw the η² of each pair as a cell, empty where two are never active together."""
    figure = go.Figure() if figure is None else figure
    places = list(range(len(view.names)))
    if places:
        names = [literal(name) for name in view.names]
        figure.add_heatmap(
            x=places,
            y=places,
            z=[[v if np.isfinite(v) else None for v in row] for row in view.values.tolist()],
            zmin=0.0,
            zmax=max(float(np.nanmax(view.values)), 1e-9),
            colorscale="Cividis",
            colorbar={"title": "η² beyond<br>both alone"},
            customdata=[[f"{one} × {other}" for other in names] for one in names],
            hovertemplate="%{customdata}: %{z:.3f}<extra></extra>",
        )
    rows = row_axis(view.labels)
    ends = [-0.5, max(len(places), 1) - 0.5]
    return laid_out(
        figure,
        view.title,
        view.note,
        height=160 + 24 * max(len(places), 6),
        empty=not places,
        xaxis=rows | {"range": ends, "tickangle": -40},
        yaxis=rows | {"range": ends[::-1]},
    )
