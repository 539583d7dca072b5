"""Charts for the cards of optuna-dashboard: of a fixed height, and narrow on small screens."""

from __future__ import annotations

import plotly.graph_objects as go

from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.sweep import SweepResult
from condped.show.plotly.bars import bars, breakdown
from condped.show.plotly.curves import curves
from condped.show.plotly.figures import figure, literal
from condped.show.plotly.heat_maps import heat
from condped.show.plotly.panels import RowSizes, panels
from condped.show.views.bars import bars_view, breakdown_view
from condped.show.views.curves import curves_view
from condped.show.views.heat_maps import heat_view
from condped.show.views.labels import lines_of
from condped.show.views.panels import panels_view
from condped.show.views.view import View

# A card is 450 pixels high, whatever a chart asks for, and 360 to 630 wide; more is cut off.
_HEIGHT = 450
_LETTERS, _BELOW_AXIS = 46, 34  # characters per line on a narrow card
_TITLE, _TEXT = 13, 11  # points
_ROOM = 1.8  # times the longest bar, for the text after it
_MOST_BARS, _MOST_BREAKDOWNS, _MOST_ROWS = 12, 7, 16
_MOST_PANELS, _SIDE_BY_SIDE = 4, 2
_PANELS = RowSizes(row=165, titles=32, words=36, font=10, letters=56, lines=1, scales=False)
_BELOW = {"orientation": "h", "x": 0, "xanchor": "left", "y": -0.2, "yanchor": "top"}


def charts_of(result: ImportanceResult | SweepResult) -> dict[str, go.Figure]:
    """Return a result's charts, by the names of the pictures."""
    if isinstance(result, SweepResult):
        lines, map_of = curves_view(result), heat_view(result, _MOST_ROWS)
        drawn, cells = _card(curves(lines, figure()), lines), _card(heat(map_of, figure()), map_of)
        drawn.update_layout(legend=_BELOW)
        cells.update_traces(colorbar={"thickness": 10, "title": {"side": "right"}})
        return {"sweep": drawn, "heatmap": cells}
    view, parts = bars_view(result, _MOST_BARS), breakdown_view(result, _MOST_BREAKDOWNS)
    charts = {
        "importance": _card(bars(view, figure()), view),
        "regimes": _card(breakdown(parts, figure()), parts),
    }
    for chart, ends in zip(
        charts.values(), ([bar.end for bar in view.bars], [row.value for row in parts.rows]),
        strict=True,
    ):  # fmt: skip
        reach = max([_ROOM * end for end in ends] + [chart.layout.xaxis.range[1]])
        chart.update_xaxes(range=[0, reach], tickvals=[0, 0.5, 1] if reach > 1 else None)
    if result.has_evidence:
        densities = panels_view(result, None, _MOST_PANELS, _SIDE_BY_SIDE)
        charts["densities"] = _card(panels(densities, figure(), _PANELS), densities)
    return charts


def _card(figure: go.Figure, view: View) -> go.Figure:
    """Fit a chart to the height of its card, with texts wrapped for a narrow one."""
    lines = [literal(one) for text in (view.first, view.title) if text for one in _lines(text)]
    top = 24 + 17 * len(lines)
    if view.note and figure.data:
        notes = [literal(line) for line in _lines(view.note)]
        lines += [f"<span style='font-size:{_TEXT}px'>{line}</span>" for line in notes]
        top += 15 * len(notes)
    figure.update_layout(
        height=None,
        autosize=True,
        title={"text": "<br>".join(lines), "font": {"size": _TITLE}, "y": 1 - 16 / _HEIGHT},
        margin={"t": top},
    )
    figure.update_xaxes(tickangle=0, tickfont={"size": _TEXT})
    figure.update_yaxes(tickfont={"size": _TEXT})
    figure.for_each_annotation(
        lambda one: one.update(font={"size": min(one.font.size or _TEXT, _TEXT)})
    )
    for axis in figure.select_xaxes():
        if axis.title.text:
            parts = axis.title.text.split("<br>")
            wrapped = "<br>".join(line for part in parts for line in lines_of(part, _BELOW_AXIS))
            axis.title = {"text": wrapped, "font": {"size": _TEXT}, "standoff": 6}
    return figure


def _lines(text: str) -> list[str]:
    return lines_of(text, _LETTERS)
