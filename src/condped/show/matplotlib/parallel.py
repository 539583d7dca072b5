"""Parallel coordinates: trials as lines over their parameters."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from condped.show.matplotlib.figures import literal, noted, plain, titled
from condped.show.palette import COLOURS, GREY, INK
from condped.show.views.parallel import ABSENT, ParallelLine, ParallelView

_HALO = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6}


def parallel(view: ParallelView, ax: Axes) -> Axes:
    """Draw each trial as a line over the axes, the target set on top."""
    titled(ax, view.title, view.first)
    if view.empty:
        ax.set_axis_off()
        noted(ax, view.note, empty=True)
        return ax
    _lines(ax, view.others, GREY, "other trials", width=0.7, alpha=0.35)
    _lines(ax, view.target, COLOURS[0], "target set", width=1.1, alpha=0.75)
    for place, axis in enumerate(view.axes):
        ax.plot([place, place], [0, 1], color=INK, linewidth=1.1, zorder=4)
        if axis.absent:
            ax.plot([place - 0.06, place + 0.06], [ABSENT, ABSENT], color=INK, zorder=4)
        ticks = [*axis.ticks, *([(ABSENT, "absent")] if axis.absent else [])]
        for height, text in ticks:
            ax.annotate(
                literal(text), (place, height), xytext=(-4, 0), textcoords="offset points",
                ha="right", va="center", fontsize=7.5, zorder=5, bbox=_HALO,
                style="italic" if text == "absent" and height == ABSENT else "normal",
            )  # fmt: skip
    # The objective's direction goes on a line of its own.
    names = [literal(axis.label.replace(" (", "\n(") if axis is view.axes[-1] else axis.label)
             for axis in view.axes]  # fmt: skip
    ax.set_xticks(range(len(names)), names)
    ax.tick_params(
        axis="x", length=0, labelsize=8, labeltop=True, labelbottom=False,
        rotation=20 if view.crowded else 0,
    )  # fmt: skip
    if view.crowded:
        for label in ax.get_xticklabels():
            label.set_horizontalalignment("left")
    ax.set_yticks([])
    ax.set_xlim(-0.55, len(view.axes) - 0.75)
    ax.set_ylim(view.lowest, 1.04)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, frameon=False, fontsize=9)
    noted(ax, view.note, empty=False)
    plain(ax, "x")
    ax.grid(visible=False)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.xaxis.set_label_coords(0.5, -0.09)
    return ax


def _lines(
    ax: Axes,
    lines: tuple[ParallelLine, ...],
    colour: str,
    label: str,
    *,
    width: float,
    alpha: float,
) -> None:
    x = np.arange(len(lines[0].places) if lines else 0)
    segments = [np.column_stack([x, line.places]) for line in lines]
    drawn = LineCollection(segments, colors=colour, linewidths=width, alpha=alpha, label=label)
    ax.add_collection(drawn)
