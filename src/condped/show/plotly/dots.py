"""Single trials as dots, by set and state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from condped.show.palette import DOTS
from condped.show.plotly.figures import literal
from condped.show.views.value_axis import KINDS, DotKind, Dots

_MARKS: Mapping[DotKind, Mapping[str, Any]] = {
    "other": {"symbol": "circle", "size": 5, "opacity": 0.5},
    "target": {"symbol": "circle", "size": 6, "opacity": 0.95},
    "pruned": {"symbol": "diamond-open", "size": 6, "opacity": 0.95},
    "infeasible": {"symbol": "triangle-down-open", "size": 7, "opacity": 0.95},
    "failed": {"symbol": "x-thin-open", "size": 7, "opacity": 0.95},
}


def draw_dots(
    figure: go.Figure,
    dots: Sequence[Dots],
    objective: str,
    shown: set[str],
    labels: Mapping[DotKind, str] = KINDS,
    **axes: Any,
) -> None:
    """Draw trials; ``shown`` are the names that the legend has already."""
    for one in dots:
        name = labels[one.kind]
        reached = "no value" if one.kind == "failed" else f"{literal(objective)} %{{y:.5g}}"
        figure.add_scatter(
            x=list(one.x), y=list(one.y), mode="markers", name=name, legendgroup=name,
            showlegend=name not in shown, customdata=list(one.numbers),
            marker={"color": DOTS[one.kind], **_MARKS[one.kind]},
            hovertemplate=f"trial %{{customdata}}: %{{x:.5g}}<br>{reached}<extra>{name}</extra>",
            **axes,
        )  # fmt: skip
        shown.add(name)
