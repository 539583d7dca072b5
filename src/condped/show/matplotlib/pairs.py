"""Pairs: the share of target trials over the values of two parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from condped.show.matplotlib.figures import axes_for, literal, titled_above
from condped.show.matplotlib.panels import panel_title, room_of
from condped.show.palette import INK, PALE
from condped.show.views.pairs import PairPanel, PairsView

_DOT = 26.0  # square points of a dot for one trial


def pairs(view: PairsView, fig: FigureBase) -> FigureBase:
    """Draw each pair on a subplot of the figure or subfigure."""
    columns = view.columns
    grid = axes_for(fig, len(view.panels), (view.rows, columns), view.note)
    if not grid:
        return fig
    room = room_of(fig, columns)
    drawn: dict[bool, Any] = {}
    for ax, panel in zip(grid, view.panels, strict=True):
        drawn[panel.grey] = _panel(panel, view.highest, ax, room)
    # The scale explains the colours of pairs with evidence, if there are any.
    fig.colorbar(
        drawn[min(drawn)], ax=grid, shrink=0.8, pad=0.02,
        label="share of trials in the target set",
    )  # fmt: skip
    texts = [view.first, view.title, view.note]
    titled_above(fig, texts, 42 * columns + 8, 11 if columns > 1 else 9)
    return fig


def _panel(panel: PairPanel, highest: float, ax: Axes, room: float) -> Any:
    columns, rows = (np.arange(axis.cells + 1) - 0.5 for axis in (panel.across, panel.up))
    colours = colormaps["Greys" if panel.grey else "cividis"].with_extremes(bad=PALE)
    mesh = ax.pcolormesh(
        columns, rows, np.ma.masked_invalid(panel.shares), vmin=0.0, vmax=highest, cmap=colours,
        rasterized=True,
    )  # fmt: skip
    if panel.dots:
        across, up, trials = (np.array(entries) for entries in zip(*panel.dots, strict=True))
        ax.scatter(
            across, up, s=np.minimum(_DOT * trials, 8 * _DOT), color="white", edgecolor="black",
            linewidth=0.7, alpha=0.9,
        )  # fmt: skip
    for axis, own in ((ax.xaxis, panel.across), (ax.yaxis, panel.up)):
        axis.set_ticks(
            [place for place, _ in own.ticks], labels=[literal(text) for _, text in own.ticks]
        )
        axis.set_label_text(literal(own.label), fontsize=9)
    long = sum(len(text) for _, text in panel.across.ticks) > 30
    ax.tick_params(labelsize=8, length=2)
    if long:
        ax.tick_params(axis="x", rotation=40)
    ax.set_title(panel_title(panel.title, panel.words, room), loc="left", fontsize=9, color=INK)
    return mesh
