"""Joint effects of pairs of parameters as a heat map."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from condped.show.matplotlib.paper import figure_of, literal, noted, plain, titled
from condped.show.palette import PALE
from condped.show.views import JointView


def joint(view: JointView, ax: Axes) -> Axes:
    """Draw the η² of each pair as a cell, empty where two are never active together."""
    titled(ax, view.title)
    if not view.names:
        noted(ax, view.note, empty=True)
        return plain(ax, "x")
    cells = ax.imshow(
        np.ma.masked_invalid(view.values), cmap=colormaps["cividis"].with_extremes(bad=PALE),
        vmin=0.0, vmax=max(float(np.nanmax(view.values)), 1e-9), interpolation="nearest",
    )  # fmt: skip
    labels = [literal(label) for label in view.labels]
    ax.set_xticks(range(len(labels)), labels, rotation=40, ha="right")
    ax.set_yticks(range(len(labels)), labels)
    ax.tick_params(length=0, labelsize=8 if len(labels) > 10 else 9)
    figure_of(ax).colorbar(cells, ax=ax, label="η² beyond both alone", shrink=0.9, pad=0.02)
    noted(ax, view.note, empty=False)
    return ax
