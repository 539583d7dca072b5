"""Pictures with plotly hold the view's numbers, and names as text."""

from __future__ import annotations

import html
import json
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

import condped
from tests.show.cases import CASES, HOSTILE, curve, pictures, result


def strings(data: Any) -> list[str]:
    """Return all texts in plain data."""
    if isinstance(data, str):
        return [data]
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for entry in inner for text in strings(entry)]


def plain(figure: go.Figure) -> dict[str, Any]:
    """Return a figure as a browser gets it: valid JSON without plotly's packed arrays."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    text = figure.to_json()
    assert "bdata" not in text
    return dict(json.loads(text, parse_constant=refuse))


@pytest.mark.parametrize("case", CASES)
def test_every_picture_of_every_case_is_valid(case: str) -> None:
    """A title, a height for its rows, and no text that a browser would take for markup."""
    for name, figure in pictures(case, "plotly").items():
        data = plain(figure)
        data["layout"].pop("template")
        assert 150 < data["layout"]["height"] < 1500, name
        for text in strings(data):
            left = text
            for tag in ("<br>", "<extra>", "</extra>", "<span style='font-size:12px'>", "</span>"):
                left = left.replace(tag, "")
            assert "<" not in left, text
            assert "$" not in left, text


def test_bars_hold_the_importances() -> None:
    """With intervals, full names on hover, verdicts as words and patterns."""
    of = result("hostile")
    figure = condped.plot.importance(of)
    bars, joint = figure.data
    assert list(bars.x) == [parameter.importance for parameter in of]
    wide = [p.intervals.importance.joint_high for p in of if p.intervals is not None]
    assert list(joint.x)[1::3] == wide
    ends = [p.intervals.importance.high for p in of if p.intervals is not None]
    assert [x + more for x, more in zip(bars.x, bars.error_x.array, strict=True)] == pytest.approx(
        ends
    )
    names = [html.unescape(entry[0]) for entry in bars.customdata]
    assert names == list(of.names)
    assert set(HOSTILE) <= set(map(html.unescape, figure.layout.yaxis.ticktext))
    for parameter, shape, said in zip(
        of, bars.marker.pattern.shape, figure.layout.annotations, strict=True
    ):
        verdict = of.evidence[parameter.name].verdict
        assert said.text.endswith(verdict)
        assert bool(shape) == (verdict != "matters")


def test_parts_are_stacked_without_gaps() -> None:
    """Each starts where the one before ends, and the last ends at the importance."""
    of = result("twenty regimes")
    figure = condped.plot.regimes(of)
    row = of.names.index("x")
    parts = [
        (trace.base[i], trace.x[i])
        for trace in figure.data
        for i, y in enumerate(trace.y)
        if round(y + 0.12) == row
    ]
    end = 0.0
    for base, width in parts:
        assert base == pytest.approx(end)
        end = base + width
    assert end == pytest.approx(of["x"].importance)
    assert len(parts) == 4


def test_curves_hold_the_sweep_and_the_truth() -> None:
    """Lines, bands and dotted truth."""
    problem = condped.problems.get("nested")
    over = condped.sweep(problem.sample(200, seed=0), target_quantiles=[0.1, 0.3])
    figure = condped.plot.sweep(over, truth=problem)
    lines = {html.unescape(t.name): list(t.y) for t in figure.data if t.mode == "lines+markers"}
    assert lines == {name: over[name].tolist() for name in over}
    dotted = [t for t in figure.data if t.line.dash == "dot" and t.name != "exact"]
    assert len(dotted) == 5
    banded = condped.plot.sweep(curve("three"))
    assert sum(trace.fill == "toself" for trace in banded.data) == 3


def test_undetermined_quantiles_are_gaps() -> None:
    """In curves and heat maps."""
    figure = condped.plot.sweep(curve("equal"))
    assert all(y is None for trace in figure.data if trace.mode == "lines+markers" for y in trace.y)
    assert not condped.plot.heatmap(curve("equal")).data
    assert any("Undetermined" in note.text for note in figure.layout.annotations)


def test_heat_maps_hold_the_sweep() -> None:
    """A row per parameter."""
    over = curve("three")
    (heat,) = condped.plot.heatmap(over).data
    assert {entry[0]: list(row) for entry, row in zip(heat.customdata, heat.z, strict=True)} == {
        html.escape(name): over[name].tolist() for name in over
    }


def test_panels_have_axes_of_their_own_scale() -> None:
    """Log where the domain is, and a mark for each good range."""
    table = condped.problems.get("three-way").sample(600, seed=0)
    figure = condped.plot.densities(condped.importance(table), "x")
    of = condped.importance(table)
    good = [entry for density in of.densities["x"] for entry in density.good]
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [
        (entry.low, entry.high) for entry in good
    ]
    target = [trace for trace in figure.data if trace.name == "target set"]
    assert len(target) == 2
    assert min(target[0].x) == -7.0


def test_figures_given_are_added_to() -> None:
    """The same figure comes back, what was on it kept."""
    figure = go.Figure()
    figure.add_scatter(x=[0, 1], y=[0, 1], name="mine")
    assert condped.plot.importance(result("three"), on=figure) is figure
    assert figure.data[0].name == "mine"
    assert len(figure.data) == 3  # bars, and the lines of all together


def test_several_parameters_together_have_no_interval() -> None:
    """Their bar has no line around its end, and the others keep theirs."""
    rng = np.random.default_rng(0)
    columns = {f"p{number}": rng.random(100) for number in range(30)}
    of = condped.importance(
        {**columns, "loss": columns["p0"]}, objective="loss", intervals="jackknife"
    )
    drawn, joint = condped.plot.importance(of).data
    assert len(joint.x) == 3 * 19
    assert (drawn.error_x.array[-1], drawn.error_x.arrayminus[-1]) == (0, 0)
    assert drawn.error_x.array[1] > 0
