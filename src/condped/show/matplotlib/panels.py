"""Densities of the target and the region set, a panel per parameter and regime."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.textpath import TextPath

from condped.safe_text import shortened
from condped.show.matplotlib.figures import (
    axes_for,
    choice_ticks,
    literal,
    log_values,
    plain,
    titled_above,
)
from condped.show.palette import COLOURS, GOOD, GREY, GREYS, INK, WARNING
from condped.show.views.panels import Panel, PanelsView

_TITLE = 9  # points
_SHORTEST = 8  # letters of a title, however narrow its panel
_BESIDE = 0.75  # inches of a panel that are not its axes


def panels(view: PanelsView, fig: FigureBase) -> FigureBase:
    """Draw each panel on a subplot of the figure or subfigure."""
    columns = view.columns
    grid = axes_for(fig, len(view.panels), (view.rows, columns), view.note)
    if not grid:
        return fig
    room = room_of(fig, columns)
    for ax, panel in zip(grid, view.panels, strict=True):
        _panel(panel, ax, room)
    handles, labels = grid[0].get_legend_handles_labels()
    title = view.title if view.note is None else f"{view.title}; {view.note}"
    titled_above(fig, [view.first, title], 42 * columns, 11)
    fig.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return fig


def _panel(panel: Panel, ax: Axes, room: float) -> None:
    mark = WARNING if panel.outcome else GOOD
    for span in panel.spans:
        ax.axvspan(span.low, span.high, facecolor=mark, alpha=0.18, zorder=0)
        for end in (span.low, span.high):
            ax.axvline(end, color=mark, linestyle=":", linewidth=1.2)
    if panel.edges is None:
        _choices(panel, ax)
    else:
        ax.stairs(panel.region, panel.edges, fill=True, color=GREY, alpha=0.6, label="all trials")
        colour = GREYS[0] if panel.grey else COLOURS[0]
        ax.stairs(panel.target, panel.edges, color=colour, linewidth=1.8, label="target set")
        if panel.log:
            log_values(ax, panel.edges[0], panel.edges[-1])
        ax.set_xlim(panel.edges[0], panel.edges[-1])
    ax.set_ylabel(panel.scale, fontsize=8)
    ax.set_ylim(bottom=0)
    ax.tick_params(labelsize=8)
    ax.set_title(
        panel_title(panel.title, panel.trials, room), loc="left", fontsize=_TITLE, color=INK
    )
    ax.set_xlabel(literal(panel.good), fontsize=8)
    plain(ax, "y")


def room_of(fig: FigureBase, columns: int) -> float:
    """Return the width of a panel's title in points: that of its axes."""
    return 72 * (_width(fig) / columns - _BESIDE)


def _width(fig: Any) -> float:
    """Return the width of a figure or subfigure in inches; their base class has no size."""
    return float(fig.bbox.width / fig.dpi_scale_trans.transform((1.0, 0.0))[0])


def panel_title(name: str, trials: str, room: float) -> str:
    """Return the title of a panel, on two lines if one is too short, cut to its width."""
    whole = f"{name}: {trials}"
    if _points(whole) <= room:
        return literal(whole)
    title = name
    while _points(title) > room and len(title) > _SHORTEST:
        title = shortened(name, len(title) - 1)
    return literal(f"{title}\n{trials}")


def _points(text: str) -> float:
    return float(TextPath((0, 0), literal(text), size=_TITLE).get_extents().width)


def _choices(panel: Panel, ax: Axes) -> None:
    labels = panel.choices or ()
    places = np.arange(len(labels))
    ax.bar(places - 0.2, panel.region, width=0.38, color=GREY, label="all trials")
    ax.bar(
        places + 0.2, panel.target, width=0.38, color=GREYS[0] if panel.grey else COLOURS[0],
        hatch="//", edgecolor="white", linewidth=0, label="target set",
    )  # fmt: skip
    choice_ticks(ax, labels)
    ax.set_xlim(-0.6, len(labels) - 0.4)
