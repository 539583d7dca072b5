"""One look for all figures, without touching matplotlib's global state."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from experiments.registry import Row
from experiments.store import write_whole

COLUMN, PAGE = 3.4, 7.1  # widths of a column and of a page, in inches
INK, GREY, PALE = "#222222", "#777777", "#e3e3e3"

# Okabe and Ito's colours, safe for colour-blind readers; a marker each, for print in grey.
COLOURS = {
    "c": "#D55E00", "c0": "#D55E00", "c1": "#E69F00",
    "x": "#0072B2", "y": "#009E73", "z": "#CC79A7",
}  # fmt: skip
MARKERS = {"c": "o", "c0": "o", "c1": "D", "x": "s", "y": "^", "z": "v"}
HATCHES = {"c": "", "c0": "", "c1": "", "x": "////", "y": "....", "z": ""}

_SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 7,
    "axes.linewidth": 0.5,
    "axes.edgecolor": "#555555",
    "axes.labelcolor": INK,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.size": 2.2,
    "ytick.major.size": 2.2,
    "hatch.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "svg.hashsalt": "condped",
    "svg.fonttype": "path",
    "mathtext.fontset": "dejavusans",
}


@contextmanager
def paper_style() -> Iterator[None]:
    """Draw with these settings, and leave the reader's own as they were."""
    with mpl.rc_context(_SETTINGS):
        yield


def figure(width: float, height: float) -> Figure:
    """Return an empty figure, outside of windows and global state."""
    layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.05)
    made = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(made)
    return made


def plain(ax: Axes, *, grid: Literal["x", "y", "both"] = "y") -> Axes:
    """Remove what carries no information."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(visible=True, axis=grid, color=PALE, linewidth=0.5)
    ax.set_axisbelow(True)
    return ax


def legend_above(made: Figure, handles: Sequence[Any], columns: int | None = None) -> None:
    """Put one legend for all panels above them, where it covers nothing."""
    made.legend(
        handles=list(handles),
        loc="outside upper center",
        ncols=columns or len(handles),
        frameon=False,
        handlelength=2.4,
        columnspacing=1.6,
    )


def save(made: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and SVG."""
    options: dict[str, dict[str, Any]] = {
        "png": {"dpi": 200, "metadata": {"Software": None}},
        "svg": {"metadata": {"Date": None}},  # no dates: the same picture gives the same file
    }
    paths = []
    for kind, chosen in options.items():
        path = folder / f"{name}.{kind}"
        write_whole(path, partial(made.savefig, format=kind, **chosen))
        paths.append(path)
    return paths


def save_table(rows: Sequence[Row], folder: Path, name: str) -> Path:
    """Write rows as CSV."""
    path = folder / f"{name}.csv"

    def write(part: Path) -> None:
        with part.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    write_whole(path, write)
    return path
