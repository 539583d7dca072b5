"""Slices: values against what trials reached, a panel per parameter and regime."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from condped.safe_text import percent
from condped.show.matplotlib.dots import draw_dots, value_axis
from condped.show.matplotlib.figures import (
    axes_for,
    choice_ticks,
    literal,
    log_values,
    plain,
    titled_above,
)
from condped.show.matplotlib.panels import panel_title, room_of
from condped.show.palette import GOOD, INK
from condped.show.views.slices import Slice, SlicesView


def slices(view: SlicesView, fig: FigureBase) -> FigureBase:
    """Draw each slice on a subplot of the figure or subfigure."""
    columns = view.columns
    grid = axes_for(fig, len(view.panels), (view.rows, columns), view.note)
    if not grid:
        return fig
    room = room_of(fig, columns)
    for place, (ax, one) in enumerate(zip(grid, view.panels, strict=True)):
        _slice(view, one, ax, room)
        ax.set_ylabel(literal(view.objective) if place % columns == 0 else "", fontsize=9)
    texts = [view.first, view.title, view.note]
    titled_above(fig, texts, 42 * columns, 11 if columns > 1 else 9)
    handles = {
        label: handle
        for ax in grid
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    fig.legend(
        handles.values(), handles.keys(), loc="outside lower center",
        ncols=min(len(handles), 2 * columns), frameon=False, fontsize=9,
    )  # fmt: skip
    return fig


def _slice(view: SlicesView, one: Slice, ax: Axes, room: float) -> None:
    for low, high in one.spans:
        ax.axvspan(low, high, facecolor=GOOD, alpha=0.15, zorder=0, linewidth=0)
    draw_dots(ax, one.dots)
    for place, step in enumerate(one.steps):
        if step.low is not None and step.high is not None:
            label = f"{percent(view.level)} interval" if place == 0 else None
            ax.fill_between(
                [step.left, step.right], step.low, step.high, color=INK, alpha=0.16, linewidth=0,
                label=label, zorder=3,
            )  # fmt: skip
        ax.plot(
            [step.left, step.right], [step.median, step.median], color=INK, linewidth=2.0,
            label="median" if place == 0 else None, zorder=4, solid_capstyle="butt",
        )  # fmt: skip
    if one.log:
        log_values(ax, one.low, one.high)
    ax.set_xlim(one.low, one.high)
    value_axis(ax, view.axis)
    ax.tick_params(labelsize=8)
    if one.choices is not None:
        choice_ticks(ax, one.choices)
    ax.set_title(panel_title(one.title, one.trials, room), loc="left", fontsize=9, color=INK)
    ax.set_xlabel(literal(one.words), fontsize=8)
    plain(ax, "y")
