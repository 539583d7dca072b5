"""Shared by all matplotlib pictures: figures without global state, plain axes, texts."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from condped.errors import SettingsError
from condped.show.palette import INK, PALE
from condped.show.views.labels import lines_of

AXES, FIGURE = Axes, FigureBase  # what can be drawn on
# Markers of curves and results, in the order of the colours.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_TITLE_SIZE, _NOTE_SIZE = 11, 9
_FEW_POWERS = 150.0  # from the lowest to the highest value: about two powers of ten
_LETTERS = 13.5  # characters of a title per inch


class NotebookFigure(Figure):
    """A figure that notebooks show even if nobody has imported pyplot."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()


def figure(width: float, height: float) -> Figure:
    """Return an empty figure without a window or global state."""
    made = NotebookFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made


def figure_of(ax: Axes) -> Figure:
    """Return the figure that axes belong to."""
    found = ax.get_figure(root=True)
    if found is None:
        raise SettingsError("These axes were removed from their figure. Pass other axes.")
    return found


def literal(text: str) -> str:
    """Return text that is shown verbatim: a dollar starts no formula."""
    return text.replace("$", r"\$")


def titled(ax: Axes, title: str, first: str | None = None) -> None:
    """Set a title below ``first``, both wrapped to the width."""
    width = figure_of(ax).get_figwidth()
    letters = max(int(_LETTERS * width * 0.75), 30)
    lines = [line for text in (first, title) if text for line in lines_of(text, letters)]
    ax.set_title("\n".join(map(literal, lines)), loc="left", fontsize=_TITLE_SIZE)


def titled_above(fig: FigureBase, texts: Sequence[str | None], letters: int, size: float) -> None:
    """Set texts above all axes of a figure, wrapped to lines of ``letters`` characters."""
    lines = [line for text in texts if text for line in lines_of(text, letters)]
    fig.suptitle("\n".join(map(literal, lines)), fontsize=size)


def choice_ticks(ax: Axes, labels: Sequence[str]) -> None:
    """Write choices below the axes, slanted if they are long."""
    long = max(map(len, labels), default=0) * len(labels) > 36
    ax.set_xticks(
        range(len(labels)), [literal(label) for label in labels],
        rotation=40 if long else 0, ha="right" if long else "center",
    )  # fmt: skip


def plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis of few powers of ten with 1, 2, 5, 10, 20, ..."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def log_values(ax: Axes, low: float, high: float) -> None:
    """Make the x axis logarithmic, for values from low to high."""
    ax.set_xscale("log")
    if high < _FEW_POWERS * low:  # else labels between powers of ten overlap
        plain_numbers(ax.xaxis)


def noted(ax: Axes, note: str | None, *, empty: bool) -> None:
    """Write a note below the axes, or in their middle if they are empty."""
    if note is None:
        return
    text = "\n".join(map(literal, lines_of(note, 70)))
    if empty:
        ax.text(
            0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=INK,
            fontsize=_NOTE_SIZE + 1,
        )  # fmt: skip
    else:
        below = ax.get_xlabel()
        ax.set_xlabel(f"{below}\n{text}" if below else text)


def axes_for(fig: FigureBase, panels: int, shape: tuple[int, int], note: str | None) -> list[Axes]:
    """Return axes for the panels in rows and columns; without panels, write the note instead."""
    if not panels:
        ax = fig.subplots()
        ax.set_axis_off()
        noted(ax, note, empty=True)
        return []
    grid: list[Axes] = fig.subplots(*shape, squeeze=False).ravel().tolist()
    for ax in grid[panels:]:
        ax.set_axis_off()
    return grid[:panels]


def plain(ax: Axes, grid: Literal["x", "y", "both"]) -> Axes:
    """Remove spines that carry no information, and draw a pale grid."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(visible=True, axis=grid, color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax
