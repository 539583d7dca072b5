"""Bars: importances with verdicts, their parts by regime, several results side by side."""

from __future__ import annotations

from matplotlib.axes import Axes

from condped.show.matplotlib.figures import MARKERS, literal, noted, plain, titled
from condped.show.palette import COLOURS, GREY, GREYS, INK, PALE, SHADES, VERDICTS
from condped.show.views.bars import BarsView, BreakdownView
from condped.show.views.comparison import ComparisonView

_HATCHES = {"unclear": "//", "no evidence": "...", "not testable": "xx"}
_ROOM = 1.32  # times the longest bar, for the text after it


def bars(view: BarsView, ax: Axes) -> Axes:
    """Draw importances as horizontal bars, filled by verdict, with intervals."""
    for place, bar in enumerate(view.bars):
        ax.barh(
            place,
            bar.value,
            height=0.66,
            color=VERDICTS[bar.verdict],
            edgecolor=INK if bar.value else "none",
            linewidth=0.6,
            hatch=_HATCHES.get(bar.verdict or ""),
        )
        if bar.joint_low is not None and bar.joint_high is not None:
            ax.plot([bar.joint_low, bar.joint_high], [place, place], color=INK, linewidth=0.8)
        if bar.low is not None and bar.high is not None:
            ax.plot([bar.low, bar.high], [place, place], color=INK, linewidth=2.0)
            for end in (bar.low, bar.high):
                ax.plot([end, end], [place - 0.16, place + 0.16], color=INK, linewidth=1.4)
        _text_after(ax, bar.end, place, bar.text)
    _rows(ax, [bar.label for bar in view.bars])
    _scale(ax, [bar.end for bar in view.bars], view.reach)
    ax.set_xlabel(view.scale)
    titled(ax, view.title, view.first)
    noted(ax, view.note, empty=view.empty)
    return plain(ax, "x")


def breakdown(view: BreakdownView, ax: Axes) -> Axes:
    """Draw importances as horizontal bars, divided by regime, with the regimes named below."""
    for place, row in enumerate(view.rows):
        left = 0.0
        for shade, part in zip(GREYS if row.grey else SHADES, row.parts, strict=False):
            ax.barh(
                place,
                part.value,
                left=left,
                height=0.42,
                color=shade,
                edgecolor=INK,
                linewidth=0.6,
            )
            left += part.value
        _text_after(ax, row.value, place, row.text)
        ax.annotate(
            literal(row.caption), (0, place + 0.24), xytext=(2, -1), textcoords="offset points",
            va="top", fontsize=7.5, color=INK, annotation_clip=False,
        )  # fmt: skip
    _rows(ax, [row.label for row in view.rows])
    ax.set_ylim(max(len(view.rows), 2) - 0.3, -0.6)
    _scale(ax, [row.value for row in view.rows])
    ax.set_xlabel(f"{view.scale}; from dark to light: the regimes named below each bar")
    titled(ax, view.title, view.first)
    noted(ax, view.note, empty=view.empty)
    return plain(ax, "x")


def comparison(view: ComparisonView, ax: Axes) -> Axes:
    """Draw importances as marks, a shape per result; hollow if not statistically significant."""
    for place, series in enumerate(view.series):
        for point in series.points:
            colour = GREY if point.grey else COLOURS[place]
            row = point.row + series.shift
            if point.joint_low is not None and point.joint_high is not None:
                joint = [point.joint_low, point.joint_high]
                ax.plot(joint, [row, row], color=colour, linewidth=0.6)
            if point.low is not None and point.high is not None:
                ax.plot([point.low, point.high], [row, row], color=colour, linewidth=1.8)
            ax.plot(
                point.value, row, marker=MARKERS[place], linestyle="none", markersize=6,
                color=colour, markerfacecolor=colour if point.filled else "white", clip_on=False,
            )  # fmt: skip
        ax.plot(
            [], [], marker=MARKERS[place], linestyle="none", color=COLOURS[place],
            label=literal(series.label),
        )  # fmt: skip
    for row in range(len(view.labels) - 1):
        ax.axhline(row + 0.5, color=PALE, linewidth=0.6)
    _rows(ax, view.labels)
    ax.set_ylim(max(len(view.labels), 1) - 0.5, -0.5)
    ax.set_xlim(-0.02 * view.highest, 1.03 * view.highest)
    ax.set_xlabel(view.scale)
    titled(ax, view.title, view.first)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    noted(ax, view.note, empty=view.empty)
    return plain(ax, "x")


def _rows(ax: Axes, labels: list[str] | tuple[str, ...]) -> None:
    ax.set_yticks(range(len(labels)), [literal(label) for label in labels])
    ax.tick_params(axis="y", length=0, labelsize=9 if len(labels) > 12 else 10)
    ax.set_ylim(max(len(labels), 2) - 0.4, -0.6)


def _scale(ax: Axes, ends: list[float], reach: float = 0.0) -> None:
    """Leave room for the text after the bars; ticks end at 1, as no importance is above it."""
    ax.set_xlim(0, max(0.05, _ROOM * max(ends, default=1.0), reach))
    ax.set_xticks([tick for tick in ax.get_xticks() if tick <= 1.0 + 1e-9])


def _text_after(ax: Axes, x: float, y: float, text: str) -> None:
    ax.annotate(
        text, (x, y), xytext=(5, 0), textcoords="offset points", va="center", color=INK, fontsize=9
    )
