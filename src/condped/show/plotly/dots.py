"""Single trials as dots, by set and state."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from condped.show.palette import DOTS, PALE
from condped.show.plotly.figures import literal
from condped.show.views.value_axis import KINDS, DotKind, Dots, ValueAxis

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
    """Draw trials; ``shown`` are the names already in the legend."""
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


def value_axis(axis: ValueAxis) -> dict[str, Any]:
    """Return the layout of an axis of objective values."""
    plain: dict[str, Any] = {"gridcolor": PALE, "zeroline": False}
    if not axis.log:
        return plain | {"range": [axis.low, axis.high], "nticks": 6}
    ends = [math.log10(axis.low), math.log10(axis.high)]
    return plain | {"type": "log", "range": ends, "dtick": "D2" if ends[1] - ends[0] < 3 else 1}
