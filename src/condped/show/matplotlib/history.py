"""History: what each trial reached, and the best so far."""

from __future__ import annotations

from matplotlib.axes import Axes

from condped.show.matplotlib.dots import draw_dots, value_axis
from condped.show.matplotlib.figures import literal, noted, plain, titled
from condped.show.palette import COLOURS, INK, PALE
from condped.show.views.history import HistoryView
from condped.show.views.labels import lines_of
from condped.show.views.value_axis import KINDS


def history(view: HistoryView, ax: Axes) -> Axes:
    """Draw trials as dots and the best so far as steps; the plateau at the end is shaded."""
    titled(ax, view.title)
    if view.empty:
        noted(ax, view.note, empty=True)
        return plain(ax, "y")
    if view.plateau is not None:
        ax.axvspan(*view.plateau, facecolor=PALE, alpha=0.5, zorder=0, linewidth=0)
    draw_dots(ax, view.dots, KINDS | {"other": "complete"})
    ax.step(
        view.x, view.best, where="post", color=COLOURS[0], linewidth=2.0, label="best so far",
        zorder=4,
    )  # fmt: skip
    ax.plot(
        view.x[:-1], view.best[:-1], linestyle="none", marker="o", markersize=4, color=COLOURS[0],
        zorder=5,
    )  # fmt: skip
    if view.words is not None:
        lines = "\n".join(map(literal, lines_of(view.words, 60)))
        ax.text(
            0.99, 0.985, lines, transform=ax.transAxes, ha="right", va="top", color=INK, fontsize=9,
            zorder=6, bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 2},
        )  # fmt: skip
    value_axis(ax, view.axis)
    ax.set_xlabel(view.over)
    ax.set_ylabel(literal(view.objective))
    noted(ax, view.note, empty=False)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    return plain(ax, "y")
