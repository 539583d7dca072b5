"""Importances over the target quantile, as curves."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from condped.show.matplotlib.figures import MARKERS, literal, noted, plain, titled
from condped.show.palette import COLOURS, GREY, INK, WARNING
from condped.show.views.curves import LOWEST_TIED, CurvesView
from condped.show.views.labels import QUANTILE_AXIS, lines_of
from condped.show.words import UNATTRIBUTED

_DASHES = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)))


def curves(view: CurvesView, ax: Axes) -> Axes:
    """Draw importances over the target quantile as lines, with bands and the exact truth."""
    quantiles = view.target_quantiles
    every = max(len(quantiles) // 9, 1)
    for place, curve in enumerate(view.curves):
        colour = COLOURS[place % len(COLOURS)]
        if curve.low is not None and curve.high is not None:
            ax.fill_between(quantiles, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
        if curve.truth is not None:
            ax.plot(quantiles, curve.truth, color=colour, linestyle=":", linewidth=1.6, alpha=0.9)
        ax.plot(
            quantiles,
            curve.values,
            label=literal(curve.label),
            color=colour,
            linestyle=_DASHES[place // 2 % len(_DASHES)],
            linewidth=1.8,
            marker=MARKERS[place % len(MARKERS)],
            markersize=4.5,
            # Staggered, so that markers do not cover each other.
            markevery=(place % every, every),
        )
    if view.unattributed is not None:
        ax.plot(quantiles, view.unattributed, color=GREY, linewidth=2.6, label=UNATTRIBUTED)
    if any(curve.truth is not None for curve in view.curves):
        ax.plot([], [], color=INK, linestyle=":", linewidth=1.6, label="exact")
    if view.bands is not None:
        ax.fill_between([], [], [], color=INK, alpha=0.15, label=view.bands)
    for place, (low, high) in enumerate(view.flat):
        label = "same trials (ties)" if place == 0 else None
        ax.axvspan(low, high, ymax=0.025, color=WARNING, alpha=0.8, linewidth=0, label=label)
    ax.set_xlim(0, 1)
    ax.set_ylim(LOWEST_TIED if view.flat else -0.02, 1.02)
    ax.set_xlabel(QUANTILE_AXIS)
    ax.set_ylabel("importance")
    titled(ax, view.title, view.first)
    if view.empty:
        noted(ax, view.note, empty=True)
    if view.curves:
        # Beside the lines, so that it never covers them.
        legend = ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
        if view.note and not view.empty:
            legend.set_title("\n".join(lines_of(view.note, 30)), prop=FontProperties(size=8))
    return plain(ax, "both")
