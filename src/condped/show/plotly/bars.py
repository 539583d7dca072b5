"""Bars: importances with verdicts, their parts by regime, several results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from condped.show.palette import COLOURS, GREY, GREYS, INK, SHADES, VERDICTS
from condped.show.plotly.figures import MARKERS, laid_out, literal, row_axis, share_axis
from condped.show.views.bars import Bar, BarsView, BreakdownView, Part
from condped.show.views.comparison import ComparisonView, Series

_PATTERNS = {"unclear": "/", "no evidence": ".", "not testable": "x"}
_ROOM = 1.3  # times the longest bar, for the text after it
_SHORTEST = 0.05


def bars(view: BarsView, figure: go.Figure) -> go.Figure:
    """Draw importances as horizontal bars, filled by verdict, with intervals."""
    places = list(range(len(view.bars)))
    figure.add_bar(
        y=places,
        x=[bar.value for bar in view.bars],
        orientation="h",
        width=0.66,
        marker={
            "color": [VERDICTS[bar.verdict] for bar in view.bars],
            "line": {"color": INK, "width": 0.8},
            "pattern": {
                "shape": [_PATTERNS.get(bar.verdict or "", "") for bar in view.bars],
                "fgcolor": INK,
                "size": 5,
                "solidity": 0.25,
            },
        },
        error_x=_intervals(view.bars, INK, thickness=2.0, width=4),
        customdata=[[literal(bar.name), _verdict(bar)] for bar in view.bars],
        hovertemplate="%{customdata[0]}<br>importance %{x:.4f}<br>%{customdata[1]}<extra></extra>",
        showlegend=False,
    )
    _joint_intervals(figure, view.bars, places, INK)
    for place, bar in enumerate(view.bars):
        _text_after(figure, bar.end, place, bar.text)
    ends = [bar.end for bar in view.bars]
    return laid_out(
        figure,
        view,
        height=80 + 26 * max(len(view.bars), 2),
        xaxis=share_axis(view.scale, max(_room(ends), view.reach)),
        yaxis=row_axis([bar.label for bar in view.bars]),
    )


def breakdown(view: BreakdownView, figure: go.Figure) -> go.Figure:
    """Draw importances as horizontal bars, divided by regime, with the regimes named below."""
    for shade, (colour, grey) in enumerate(zip(SHADES, GREYS, strict=True)):
        parts = [
            (place, row, row.parts[shade])
            for place, row in enumerate(view.rows)
            if shade < len(row.parts)
        ]
        figure.add_bar(
            y=[place - 0.12 for place, _, _ in parts],
            x=[part.value for _, _, part in parts],
            base=[sum(p.value for p in row.parts[:shade]) for _, row, _ in parts],
            orientation="h",
            width=0.42,
            marker={
                "color": [grey if row.grey else colour for _, row, _ in parts],
                "line": {"color": INK, "width": 0.8},
            },
            customdata=[[literal(row.name), *_part_words(part)] for _, row, part in parts],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>%{customdata[2]}<extra></extra>",
            showlegend=False,
        )
    for place, row in enumerate(view.rows):
        _text_after(figure, row.value, place - 0.12, row.text)
        figure.add_annotation(
            x=0, y=place + 0.1, xanchor="left", yanchor="top", showarrow=False, align="left",
            text=literal(row.caption), font={"size": 10}, xshift=2, yshift=2,
        )  # fmt: skip
    return laid_out(
        figure,
        view,
        height=80 + 44 * max(len(view.rows), 2),
        barmode="overlay",
        xaxis=share_axis(
            f"{view.scale}<br>dark to light: the regimes named below each bar",
            _room([row.value for row in view.rows]),
        ),
        yaxis=row_axis([row.label for row in view.rows]),
    )


def _part_words(part: Part) -> tuple[str, str]:
    if part.target_share is None or part.region_share is None:
        return literal(part.text), f"importance {part.value:.4f}"
    trials = (
        f"{100 * part.target_share:.0f} % of the target set, "
        f"{100 * part.region_share:.0f} % of all trials"
    )
    return literal(part.text), trials


def comparison(view: ComparisonView, figure: go.Figure) -> go.Figure:
    """Draw importances as marks, a shape per result; hollow if not statistically significant."""
    for place, series in enumerate(view.series):
        for grey in (False, True):
            points = [point for point in series.points if point.grey == grey]
            if points or not grey:  # the legend names each result, even one that is all grey
                _marks(figure, series, points, place, grey=grey)
    highest = view.highest
    return laid_out(
        figure,
        view,
        height=90 + 34 * max(len(view.labels), 3),
        showlegend=True,
        xaxis=share_axis(
            view.scale,
            1.03 * highest,
            -0.02 * highest,
        ),
        yaxis=row_axis(view.labels),
    )


def _marks(
    figure: go.Figure, series: Series, points: Sequence[Bar], place: int, *, grey: bool
) -> None:
    """Draw points of one result, those without evidence in grey."""
    colour = GREY if grey else COLOURS[place]
    rows = [point.row + series.shift for point in points]
    nothing: list[float | None] = [None]
    figure.add_scatter(
        x=[point.value for point in points] or nothing,
        y=rows or nothing,
        mode="markers",
        name=literal(series.label),
        legendgroup=f"result {place}",
        showlegend=not grey,
        marker={
            "symbol": [MARKERS[place] + ("" if p.filled else "-open") for p in points]
            or MARKERS[place],
            "color": colour,
            "size": 9,
            "line": {"width": 1.6, "color": colour},
        },
        error_x=_intervals(points, colour, thickness=1.8, width=0),
        customdata=[[literal(p.name), _verdict(p)] for p in points],
        hovertemplate=(
            "%{customdata[0]}<br>importance %{x:.4f}<br>%{customdata[1]}"
            f"<extra>{literal(series.label)}</extra>"
        ),
        cliponaxis=False,
    )
    _joint_intervals(figure, points, rows, colour)


def _verdict(bar: Bar) -> str:
    """Return the verdict with its reason, and where the target trials of a gate are."""
    reason = f" ({bar.reason})" if bar.reason else ""
    choice = f"<br>target trials: {literal(bar.choice)}" if bar.choice else ""
    return literal((bar.verdict or "not tested") + reason) + choice


def _intervals(
    bars: Sequence[Bar], colour: str, *, thickness: float, width: float
) -> dict[str, Any] | None:
    """Return the error bars of the individual intervals; None without any."""
    if all(bar.high is None for bar in bars):
        return None
    return {
        "type": "data",
        "symmetric": False,
        "array": [0.0 if bar.high is None else max(bar.high - bar.value, 0.0) for bar in bars],
        "arrayminus": [0.0 if bar.low is None else bar.value - bar.low for bar in bars],
        "color": colour,
        "thickness": thickness,
        "width": width,
    }


def _joint_intervals(
    figure: go.Figure, bars: Sequence[Bar], rows: Sequence[float], colour: str
) -> None:
    """Draw the longer and thinner lines of the intervals that hold for all bars at once."""
    x: list[float | None] = []
    y: list[float | None] = []
    for bar, row in zip(bars, rows, strict=True):
        if bar.joint_low is not None:
            x += [bar.joint_low, bar.joint_high, None]
            y += [row, row, None]
    if x:
        figure.add_scatter(
            x=x, y=y, mode="lines", line={"color": colour, "width": 0.8}, hoverinfo="skip",
            showlegend=False, cliponaxis=False,
        )  # fmt: skip


def _room(ends: list[float]) -> float:
    return max(_SHORTEST, _ROOM * max(ends, default=1.0))


def _text_after(figure: go.Figure, x: float, y: float, text: str) -> None:
    figure.add_annotation(
        x=x, y=y, text=literal(text), xanchor="left", showarrow=False, xshift=5, font={"size": 12}
    )
