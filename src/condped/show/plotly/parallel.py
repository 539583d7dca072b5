"""Parallel coordinates: trials as lines over their parameters."""

from __future__ import annotations

import plotly.graph_objects as go

from condped.show.palette import COLOURS, GREY, INK
from condped.show.plotly.figures import LEGEND_BELOW, laid_out, literal
from condped.show.views.parallel import ABSENT, ParallelLine, ParallelView

_NAMES = 0.2  # above the axes, for their names


def parallel(view: ParallelView, figure: go.Figure) -> go.Figure:
    """Draw each trial as a line over the axes, the target set on top."""
    _lines(figure, view.others, GREY, 0.35, "other trials")
    _lines(figure, view.target, COLOURS[0], 0.8, "target set")
    for place, axis in enumerate(view.axes if not view.empty else ()):
        figure.add_shape(
            type="line", x0=place, x1=place, y0=0, y1=1, line={"color": INK, "width": 1.2}
        )
        if axis.absent:
            figure.add_shape(
                type="line", x0=place - 0.06, x1=place + 0.06, y0=ABSENT, y1=ABSENT,
                line={"color": INK, "width": 1.2},
            )  # fmt: skip
        ticks = [(height, literal(text)) for height, text in axis.ticks]
        if axis.absent:
            ticks.append((ABSENT, "<i>absent</i>"))
        for height, text in ticks:
            figure.add_annotation(
                x=place, y=height, text=text, xanchor="right", xshift=-3, showarrow=False,
                font={"size": 10}, bgcolor="rgba(255,255,255,0.75)", borderpad=0,
            )  # fmt: skip
        # The objective's direction goes on a line of its own.
        last = axis is view.axes[-1]
        name, turned = (
            (axis.label.replace(" (", "\n("), False) if last else (axis.label, view.crowded)
        )
        figure.add_annotation(
            x=place, y=1.03, text="<br>".join(map(literal, name.split("\n"))), showarrow=False,
            yanchor="bottom", xanchor="left" if turned else "center", xshift=-8 if turned else 0,
            textangle=-20 if turned else 0, font={"size": 11},
        )  # fmt: skip
    ends = [-0.6, len(view.axes) - 0.2]
    return laid_out(
        figure,
        view,
        height=430,
        below=30,
        showlegend=not view.empty,
        legend=LEGEND_BELOW,
        xaxis={"visible": False, "range": ends},
        yaxis={"visible": False, "range": [view.lowest, 1.04 + _NAMES]},
    )


def _lines(
    figure: go.Figure, lines: tuple[ParallelLine, ...], colour: str, opacity: float, name: str
) -> None:
    """Draw lines as one, with gaps between them."""
    x: list[float | None] = []
    y: list[float | None] = []
    texts: list[str | None] = []
    for line in lines:
        x += [*range(len(line.places)), None]
        y += [*line.places, None]
        texts += [f"trial {line.number}"] * (len(line.places) + 1)
    if lines:
        figure.add_scatter(
            x=x, y=y, mode="lines", name=name, opacity=opacity, connectgaps=False,
            line={"color": colour, "width": 1.1}, text=texts,
            hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
