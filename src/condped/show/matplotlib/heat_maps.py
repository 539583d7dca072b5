"""Heat maps: importances over the target quantile, joint effects of pairs of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from condped.arrays import FloatArray
from condped.show.matplotlib.figures import figure_of, literal, noted, plain, titled
from condped.show.palette import PALE
from condped.show.views.heat_maps import HeatView
from condped.show.views.labels import QUANTILE_AXIS

_DOT: dict[str, Any] = {"color": "white", "markeredgecolor": "black", "linestyle": "none"}


def heat(view: HeatView, ax: Axes) -> Axes:
    """Draw importances over the target quantile as a heat map, a row per parameter."""
    assert view.target_quantiles is not None
    ax.set_xlabel(QUANTILE_AXIS)
    return _cells(view, ax, _edges(view.target_quantiles), "importance", bad="white", many=20)


def joint(view: HeatView, ax: Axes) -> Axes:
    """Draw the η² of each pair as a cell, empty if both are never active together."""
    edges = np.arange(-0.5, len(view.labels))
    _cells(view, ax, edges, "η² beyond both alone", bad=PALE, many=10)
    if not view.empty:
        labels = [literal(label) for label in view.labels]
        ax.set_xticks(range(len(labels)), labels, rotation=40, ha="right")
        ax.tick_params(axis="x", length=0, labelsize=8 if len(view.labels) > 10 else 9)
        for row, verdicts in enumerate(view.verdicts or ()):
            for column, verdict in enumerate(verdicts):
                if verdict == "matters":
                    ax.plot(column, row, marker="o", markersize=6, **_DOT)
    return ax


def _cells(
    view: HeatView, ax: Axes, columns: FloatArray, scale: str, *, bad: str, many: int
) -> Axes:
    """Draw the values with a row per label; ``columns`` are the edges between columns."""
    titled(ax, view.title, view.first)
    if view.empty:
        noted(ax, view.note, empty=True)
        return plain(ax, "x")
    rows = np.arange(len(view.labels) + 1) - 0.5
    ax.set_facecolor(PALE)
    mesh = ax.pcolormesh(
        columns, rows, np.ma.masked_invalid(view.values), vmin=0.0, vmax=view.highest,
        cmap=colormaps["cividis"].with_extremes(bad=bad), rasterized=True,
    )  # fmt: skip
    ax.set_yticks(range(len(view.labels)), [literal(label) for label in view.labels])
    ax.tick_params(axis="y", length=0, labelsize=8 if len(view.labels) > many else 9)
    ax.set_ylim(len(view.labels) - 0.5, -0.5)
    figure_of(ax).colorbar(mesh, ax=ax, label=scale, shrink=0.9, pad=0.02)
    noted(ax, view.note, empty=False)
    return ax


def _edges(quantiles: FloatArray) -> FloatArray:
    """Return the edges of the columns, halfway between neighbours."""
    if len(quantiles) == 1:
        return np.array([quantiles[0] * 0.9, quantiles[0] * 1.1])
    middle = (quantiles[1:] + quantiles[:-1]) / 2
    first, last = 2 * quantiles[0] - middle[0], 2 * quantiles[-1] - middle[-1]
    return np.concatenate([[first], middle, [last]])
