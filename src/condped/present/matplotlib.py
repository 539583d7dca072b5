"""Pictures with matplotlib: each draws on the axes it is given and returns them."""

from __future__ import annotations

from typing import Literal

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from condped.present.views import BarsView, CurvesView

# Okabe and Ito's colours, told apart by colour-blind readers and in print.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#888888")
_DASHES = ("-", "--", "-.", ":")
_INK, _PALE = "#222222", "#dddddd"


def figure(width: float, height: float) -> Figure:
    """Return an empty figure that no window and no global state knows of."""
    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made


def bars(view: BarsView, ax: Axes) -> Axes:
    """Draw importances as horizontal bars, divided by regime."""
    places = range(len(view.bars))
    for place, bar in zip(places, view.bars, strict=True):
        left = 0.0
        for shade, (_, share) in enumerate(bar.parts or (("", 1.0),)):
            ax.barh(
                place,
                bar.value * share,
                left=left,
                height=0.66,
                color=_COLOURS[0],
                alpha=max(0.3, 1.0 - 0.3 * shade),
                edgecolor="white",
                linewidth=0.8,
            )
            left += bar.value * share
        ax.annotate(
            f"{bar.value:.3f}",
            (bar.value, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=_INK,
            fontsize=9,
        )
    ax.set_yticks(list(places), [bar.label for bar in view.bars])
    ax.invert_yaxis()
    ax.set_xlim(0, max(0.05, 1.15 * max((bar.value for bar in view.bars), default=1.0)))
    ax.set_xlabel("importance (sums to 1); shades: the regimes of a parameter")
    ax.set_title(view.title, loc="left", fontsize=11)
    if view.note:
        ax.text(0.98, 0.04, view.note, transform=ax.transAxes, ha="right", fontsize=9, wrap=True)
    return _plain(ax, "x")


def curves(view: CurvesView, ax: Axes) -> Axes:
    """Draw importances over the target quantile as lines."""
    for place, curve in enumerate(view.curves):
        ax.plot(
            view.target_quantiles,
            curve.values,
            label=curve.label,
            color=_COLOURS[place % len(_COLOURS)],
            linestyle=_DASHES[place // 4 % len(_DASHES)],
            linewidth=1.8,
        )
    ax.set_xlim(0, 1)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("target quantile γ': the best trials of this share are the target")
    ax.set_ylabel("importance")
    ax.set_title(view.title, loc="left", fontsize=11)
    # Beside the lines, so that it never covers them.
    legend = ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    if view.note:
        legend.set_title(view.note, prop=FontProperties(size=8))
    return _plain(ax, "both")


def _plain(ax: Axes, grid: Literal["x", "both"]) -> Axes:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(visible=True, axis=grid, color=_PALE, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax
