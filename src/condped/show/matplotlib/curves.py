"""Importances over the target quantile: curves for a few parameters, a heat map for many."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from condped.arrays import FloatArray
from condped.show.matplotlib.paper import figure_of, literal, noted, plain, titled
from condped.show.palette import COLOURS, INK, PALE
from condped.show.views import CurvesView, HeatView
from condped.show.views.labels import lines_of

_DASHES = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_X_LABEL = "target quantile γ': the share of trials that count as best"


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
            marker=_MARKERS[place % len(_MARKERS)],
            markersize=4.5,
            # Not all at the same place, where they would cover each other.
            markevery=(place % every, every),
        )
    if any(curve.truth is not None for curve in view.curves):
        ax.plot([], [], color=INK, linestyle=":", linewidth=1.6, label="exact")
    if view.level is not None:
        ax.fill_between([], [], [], color=INK, alpha=0.15, label=f"{100 * view.level:.3g} % bands")
    ax.set_xlim(0, 1)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(_X_LABEL)
    ax.set_ylabel("importance")
    titled(ax, view.title)
    nothing = not any(np.isfinite(curve.values).any() for curve in view.curves)
    if nothing:
        noted(ax, view.note, empty=True)
    if view.curves:
        # Beside the lines, so that it never covers them.
        legend = ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
        if view.note and not nothing:
            legend.set_title("\n".join(lines_of(view.note, 30)), prop=FontProperties(size=8))
    return plain(ax, "both")


def heat(view: HeatView, ax: Axes) -> Axes:
    """Draw importances over the target quantile as a heat map, a row per parameter."""
    known = np.isfinite(view.values)
    titled(ax, view.title)
    ax.set_xlabel(_X_LABEL)
    if not known.any():
        noted(ax, view.note, empty=True)
        return plain(ax, "x")
    colours = colormaps["cividis"].with_extremes(bad="white")
    edges = _edges(view.target_quantiles)
    rows = np.arange(len(view.labels) + 1) - 0.5
    ax.set_facecolor(PALE)
    mesh = ax.pcolormesh(
        edges, rows, np.ma.masked_invalid(view.values), cmap=colours, vmin=0.0,
        vmax=max(float(np.nanmax(view.values)), 1e-9), rasterized=True,
    )  # fmt: skip
    ax.set_yticks(range(len(view.labels)), [literal(label) for label in view.labels])
    ax.tick_params(axis="y", length=0, labelsize=8 if len(view.labels) > 20 else 9)
    ax.set_ylim(len(view.labels) - 0.5, -0.5)
    figure_of(ax).colorbar(mesh, ax=ax, label="importance", shrink=0.9, pad=0.02)
    noted(ax, view.note, empty=False)
    return ax


def _edges(quantiles: FloatArray) -> FloatArray:
    """Return where columns meet: halfway between neighbours."""
    if len(quantiles) == 1:
        return np.array([quantiles[0] * 0.9, quantiles[0] * 1.1])
    middle = (quantiles[1:] + quantiles[:-1]) / 2
    first, last = 2 * quantiles[0] - middle[0], 2 * quantiles[-1] - middle[-1]
    return np.concatenate([[first], middle, [last]])
