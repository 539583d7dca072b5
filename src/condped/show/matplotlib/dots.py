"""Single trials as dots, by set and state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from condped.show.matplotlib.figures import plain_numbers
from condped.show.palette import DOTS
from condped.show.views.value_axis import KINDS, DotKind, Dots, ValueAxis

_STYLES: Mapping[DotKind, Mapping[str, Any]] = {
    "other": {"marker": "o", "s": 10, "alpha": 0.55, "linewidths": 0},
    "target": {"marker": "o", "s": 15, "alpha": 0.9, "linewidths": 0},
    "pruned": {"marker": "D", "s": 12, "alpha": 0.9, "facecolors": "none", "linewidths": 0.9},
    "infeasible": {"marker": "v", "s": 14, "alpha": 0.9, "facecolors": "none", "linewidths": 0.9},
    "failed": {"marker": "x", "s": 16, "alpha": 0.9, "linewidths": 1.1},
}
_MANY = 600  # dots, above which they are smaller


def draw_dots(ax: Axes, dots: Sequence[Dots], labels: Mapping[DotKind, str] = KINDS) -> None:
    """Draw trials; many are drawn as one image."""
    total = sum(len(one.x) for one in dots)
    for one in dots:
        style: dict[str, Any] = dict(_STYLES[one.kind])
        style["edgecolors" if "facecolors" in style else "color"] = DOTS[one.kind]
        if total > _MANY:
            style["s"] *= 0.6
        ax.scatter(
            one.x, one.y, **style, label=labels[one.kind], zorder=2, rasterized=total > _MANY,
            clip_on=False,
        )  # fmt: skip


def value_axis(ax: Axes, axis: ValueAxis) -> None:
    """Set the axis of objective values."""
    if axis.log:
        ax.set_yscale("log")
        plain_numbers(ax.yaxis)  # values are often within one or two powers of ten
    ax.set_ylim(axis.low, axis.high)
