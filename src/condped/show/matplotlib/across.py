"""Importances of several studies as a heat map, with the pooled ones beside it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import FigureBase
from matplotlib.patches import Rectangle

from condped.show.matplotlib.figures import axes_for, literal, plain
from condped.show.palette import ABSENT_EVIDENCE, BLUES, INK, UNCLEAR_BLUES, WARNING
from condped.show.text.several.across import NOTHING
from condped.show.views.across import AcrossView
from condped.show.views.labels import lines_of

_BLUES = LinearSegmentedColormap.from_list("importance", BLUES)
_UNCLEAR = LinearSegmentedColormap.from_list("unclear", UNCLEAR_BLUES)
_DARK = 0.55  # of the colour scale, above which text is white
_LETTERS = 14.0  # characters per inch of the texts above and below


def across(view: AcrossView, fig: FigureBase) -> FigureBase:
    """Draw a cell per parameter and study, and the pooled importances on the right."""
    if view.empty:
        axes_for(fig, 0, (1, 1), view.note or NOTHING)
        return fig
    count = len(view.studies)
    ratio = max(2.0, min(6.0, 0.25 * count))
    heat, side = fig.subplots(1, 2, width_ratios=(ratio, 1.4), sharey=True)
    figure = fig.get_figure(root=True)
    width = 6.0 if figure is None else figure.get_figwidth()
    letters = max(int(_LETTERS * width), 40)
    title = "\n".join(map(literal, lines_of(view.title, letters)))
    fig.suptitle(title, fontsize=10, x=0.01, ha="left")
    colours = _cells(view, heat)
    _pooled(view, side)
    if not view.numbered:
        bar = fig.colorbar(colours, ax=[heat, side], shrink=0.8, pad=0.01, aspect=30)
        bar.set_label("importance", fontsize=8)
        bar.ax.tick_params(labelsize=7)
    note = view.key if view.note is None else f"{view.key}. {view.note}"
    fig.supxlabel("\n".join(map(literal, lines_of(note, letters))), fontsize=7.5, x=0.01, ha="left")
    return fig


def _cells(view: AcrossView, ax: Axes) -> QuadMesh:
    count, rows, gap = len(view.studies), len(view.labels), 0.8 if view.spacious else 0.0
    verdicts, unknown = np.array(view.verdicts), ~np.isfinite(view.values)
    edges = np.arange(count + 1) - 0.5, np.arange(rows + 1) - 0.5
    _, mesh = (
        ax.pcolormesh(
            *edges, np.ma.masked_where((verdicts != verdict) | unknown, view.values),
            vmin=0.0, vmax=view.highest, cmap=colours, edgecolors="white", linewidth=gap,
            rasterized=not view.spacious,
        )
        for verdict, colours in (("unclear", _UNCLEAR), ("matters", _BLUES))
    )  # fmt: skip
    for row, line in enumerate(view.verdicts):
        for column, verdict in enumerate(line):
            _mark(view, ax, row, column, verdict)
    for row, column in view.odd:
        ax.add_patch(
            Rectangle(
                (column - 0.5, row - 0.5),
                1,
                1,
                fill=False,
                edgecolor=WARNING,
                linewidth=1.8,
                zorder=4,
                clip_on=False,
            )
        )
    ax.set_xlim(-0.5, count - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.set_yticks(range(rows), [literal(label) for label in view.labels])
    small = 6 if count > 25 else 8
    if view.labelled:
        names = [literal(label) for label in view.studies]
        ax.set_xticks(range(count), names, rotation=90 if count > 6 else 35)
        if count <= 6:
            for label in ax.get_xticklabels():
                label.set_horizontalalignment("right")
                label.set_rotation_mode("anchor")
    else:
        ax.set_xticks([])
        ax.set_xlabel(f"{count} studies, similar ones side by side", fontsize=8)
    ax.tick_params(axis="x", length=0, labelsize=small)
    ax.tick_params(axis="y", length=0, labelsize=7 if rows > 20 else 8)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return mesh


def _mark(view: AcrossView, ax: Axes, row: int, column: int, verdict: str) -> None:
    """Draw what a verdict adds to the colour of a cell."""
    gap = 0.8 if view.spacious else 0.0
    if verdict in ("no evidence", "not testable"):
        hatch = "////" if view.spacious else None
        ax.add_patch(
            Rectangle(
                (column - 0.5, row - 0.5),
                1,
                1,
                facecolor=ABSENT_EVIDENCE,
                hatch=hatch,
                edgecolor="white",
                linewidth=gap,
                zorder=1,
            )
        )
    value, size = view.values[row, column], 7
    if verdict == "unclear":
        ax.plot(
            column + (0.32 if view.numbered else 0.0), row - (0.3 if view.numbered else 0.0),
            marker="o", markersize=3.5 if view.spacious else 2, color="white",
            markeredgecolor=INK, markeredgewidth=0.6, zorder=3,
        )  # fmt: skip
    if verdict == "not testable" and view.spacious:
        ax.text(column, row, "–", ha="center", va="center", fontsize=size, color=INK)
    elif verdict == "?":
        ax.text(column, row, "?", ha="center", va="center", fontsize=size, color=INK)
    elif view.numbered and np.isfinite(value):
        dark = verdict == "matters" and value > _DARK * view.highest
        ax.text(
            column, row, f"{value:.2f}", ha="center", va="center", fontsize=size,
            color="white" if dark else INK, zorder=3,
        )  # fmt: skip


def _pooled(view: AcrossView, ax: Axes) -> None:
    """Draw the means with their intervals; the right axis says in how many studies each matters."""
    plain(ax, "x")
    for row, one in enumerate(view.pooled):
        ax.plot([one.low, one.high], [row, row], color=INK, linewidth=1.2, solid_capstyle="butt")
        ax.plot(
            one.value, row, marker="D" if one.agreement == "differs" else "o", markersize=4.5,
            color=WARNING if one.agreement == "differs" else BLUES[-1], zorder=3,
        )  # fmt: skip
    end = max([one.high for one in view.pooled] + [0.05])
    ax.set_xlim(-0.02 * end, 1.04 * end)
    ax.set_xlabel(view.scale, fontsize=8)
    ax.tick_params(axis="x", labelsize=7)
    ax.tick_params(axis="y", length=0, labelleft=False)
    ax.spines["left"].set_visible(False)
    beside = ax.secondary_yaxis("right")
    beside.set_yticks(range(len(view.pooled)), [one.matters for one in view.pooled])
    beside.tick_params(length=0, labelsize=7)
    beside.spines["right"].set_visible(False)
    ax.text(
        1.04, 1.01, "matters in", transform=ax.transAxes, fontsize=7, ha="left", va="bottom"
    )  # fmt: skip
