"""Importances over the target quantile, as curves."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from condped.show.palette import COLOURS, GREY, INK, PALE, WARNING
from condped.show.plotly.figures import MARKERS, laid_out, literal, with_gaps
from condped.show.views.curves import LOWEST_TIED, Curve, CurvesView
from condped.show.views.labels import QUANTILE_AXIS
from condped.show.words import UNATTRIBUTED

_DASHES = ("solid", "dash", "dashdot", "longdashdot")


def curves(view: CurvesView, figure: go.Figure) -> go.Figure:
    """Draw importances over the target quantile as lines, with bands and the exact truth."""
    # Lists, not arrays: older viewers cannot read plotly's packed arrays.
    quantiles = view.target_quantiles.tolist()
    for place, curve in enumerate(view.curves):
        colour = COLOURS[place % len(COLOURS)]
        # A click in the legend hides a curve with all that belongs to it.
        group = f"curve {place}"
        _band(figure, quantiles, curve, colour, group)
        if curve.truth is not None:
            figure.add_scatter(
                x=quantiles, y=curve.truth.tolist(), mode="lines",
                legendgroup=group, showlegend=False,
                line={"color": colour, "dash": "dot", "width": 1.6},
                hovertemplate=f"{literal(curve.label)}, exact: %{{y:.3f}}<extra></extra>",
            )  # fmt: skip
        every = max(len(quantiles) // 9, 1)
        sizes = [7 if t % every == place % every else 0 for t in range(len(quantiles))]
        figure.add_scatter(
            x=quantiles,
            y=with_gaps(curve.values),
            mode="lines+markers",
            name=literal(curve.label),
            legendgroup=group,
            line={"color": colour, "dash": _DASHES[place // 2 % len(_DASHES)], "width": 2},
            marker={"symbol": MARKERS[place % len(MARKERS)], "size": sizes, "opacity": 1},
            hovertemplate=(f"{literal(curve.name)}<br>γ' = %{{x:.3g}}: %{{y:.3f}}<extra></extra>"),
        )
    if view.unattributed is not None:
        figure.add_scatter(
            x=quantiles, y=with_gaps(view.unattributed), mode="lines", name=UNATTRIBUTED,
            line={"color": GREY, "width": 3},
            hovertemplate=f"{UNATTRIBUTED}<br>γ' = %{{x:.3g}}: %{{y:.3f}}<extra></extra>",
        )  # fmt: skip
    if any(curve.truth is not None for curve in view.curves):
        figure.add_scatter(
            x=[None], y=[None], mode="lines", name="exact",
            line={"color": INK, "dash": "dot", "width": 1.6},
        )  # fmt: skip
    if view.bands is not None:
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name=view.bands,
            marker={"symbol": "square", "size": 12, "color": INK, "opacity": 0.15},
        )  # fmt: skip
    for place, (low, high) in enumerate(view.flat):
        figure.add_scatter(
            x=[low, high], y=[-0.04, -0.04], mode="lines", name="same trials (ties)",
            legendgroup="flat", showlegend=place == 0, opacity=0.8,
            line={"color": WARNING, "width": 8},
            hovertemplate="ties: the same target set<extra></extra>",
        )  # fmt: skip
    return laid_out(
        figure,
        view,
        height=380,
        showlegend=True,
        xaxis={"title": QUANTILE_AXIS, "range": [0, 1], "gridcolor": PALE, "zeroline": False},
        yaxis={
            "title": "importance",
            "range": [LOWEST_TIED if view.flat else -0.02, 1.02],
            "gridcolor": PALE,
            "zeroline": False,
        },
    )


def _band(figure: go.Figure, quantiles: list[float], curve: Curve, colour: str, group: str) -> None:
    if curve.low is None or curve.high is None:
        return
    known = np.isfinite(curve.low) & np.isfinite(curve.high)
    places = np.flatnonzero(known)
    x = [quantiles[place] for place in places]
    figure.add_scatter(
        x=x + x[::-1], y=[*curve.high[known].tolist(), *curve.low[known].tolist()[::-1]],
        fill="toself", fillcolor=colour, opacity=0.15, line={"width": 0}, mode="lines",
        legendgroup=group, showlegend=False, hoverinfo="skip",
    )  # fmt: skip
