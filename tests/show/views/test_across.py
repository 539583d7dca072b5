"""The heat map of studies: what is drawn is what the comparison says."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import condped
from condped.analyse.evidence.evidence import Verdict
from condped.errors import SettingsError
from condped.show.views.across import across_view, alike_first
from tests.show.across_results import compared, made_up


def test_cells_are_those_of_the_result() -> None:
    """Importances and verdicts in the place of their parameter and study; odd ones listed."""
    across = made_up(5, 9, odd=(2, 3))
    view = across_view(across)
    for (row, name), (column, study) in itertools.product(
        enumerate(view.names), enumerate(view.study_names)
    ):
        cell = across.cell(name, study)
        if cell is None:
            assert np.isnan(view.values[row, column])
            assert view.verdicts[row][column] == ""
        else:
            assert view.values[row, column] == cell.importance
            assert view.verdicts[row][column] == cell.verdict
            assert ((row, column) in view.odd) == cell.odd
    assert len(view.odd) == 1
    assert "outlined: odd" in view.key


def test_alike_studies_stand_side_by_side() -> None:
    """Those of one winner are neighbours, whatever order they came in."""
    across = compared()
    order = [across.studies[place].name for place in alike_first(across)]
    assert sorted(order) == sorted(study.name for study in across.studies)
    assert order.index("covertype") in (0, 3)
    random = made_up(3, 40)
    assert sorted(alike_first(random)) == list(range(40))
    assert _length(random, alike_first(random)) < _length(random, list(range(40)))


def _length(across: condped.Across, order: list[int]) -> float:
    """Return how far neighbours are apart, in all."""
    points = np.array(
        [
            [getattr(across.cell(name, study.name), "importance", 0.0) for name in across.names]
            for study in across.studies
        ]
    )[order]
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def test_what_is_not_shown_is_counted() -> None:
    """At most 30 parameters and 200 studies have a place."""
    view = across_view(made_up(33, 250))
    assert view.values.shape == (30, 200)
    assert view.note == "Not shown: 3 less important parameters and 50 studies."
    assert across_view(made_up(3, 3)).note is None


def test_plotly_draws_colours_only_where_there_is_evidence() -> None:
    """Grey without evidence, blue where it matters, paler where it is unclear, blank elsewhere."""
    across = made_up(4, 8)
    view = across_view(across)
    figure = condped.plot.across(across)
    assert isinstance(figure, go.Figure)
    grey, pale, blue = (np.array(trace.z, dtype=float) for trace in figure.data[:3])
    told = np.array(view.verdicts)
    silent = (told == "no evidence") | (told == "not testable")
    assert (np.isfinite(grey) == silent).all()
    assert (np.isfinite(blue) == (told == "matters")).all()
    assert (np.isfinite(pale) == (told == "unclear")).all()
    assert pale[np.isfinite(pale)].tolist() == view.values[np.isfinite(pale)].tolist()
    assert _lightness(figure.data[1].colorscale[-1][1]) > _lightness(
        figure.data[2].colorscale[-1][1]
    )
    assert blue[np.isfinite(blue)].tolist() == view.values[np.isfinite(blue)].tolist()
    pooled = figure.data[-1]
    assert list(pooled.x) == [parameter.importance for parameter in across]
    assert list(pooled.error_x.array) == pytest.approx([p.high - p.importance for p in across])


def _lightness(colour: str) -> float:
    return float(sum(to_rgb(colour)))


def test_matplotlib_draws_unclear_cells_paler() -> None:
    """Of one importance, by the colours that are drawn."""
    across = made_up(1, 2)
    verdicts: tuple[Verdict, ...] = ("matters", "unclear")
    cells = tuple(
        replace(cell, importance=0.6, verdict=verdict)
        for cell, verdict in zip(across.cells, verdicts, strict=True)
    )
    figure = condped.plot.across(replace(across, cells=cells), backend="matplotlib")
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    layers = [one for one in figure.axes[0].collections if isinstance(one, QuadMesh)]
    colours = []
    for layer in layers:
        shown = ~np.ma.getmaskarray(np.ma.asarray(layer.get_array())).ravel()
        colours.append(np.asarray(layer.get_facecolor())[shown][0, :3])
    pale, strong = (float(colour.sum()) for colour in colours)
    assert pale > strong + 0.5


def test_matplotlib_draws_the_same() -> None:
    """Labels, numbers, the odd cell's outline, and the pooled importances at the side."""
    across = made_up(4, 6, odd=(1, 2))
    view = across_view(across)
    figure = condped.plot.across(across, backend="matplotlib")
    assert isinstance(figure, Figure)
    heat, side = figure.axes[:2]
    assert [label.get_text() for label in heat.get_yticklabels()] == list(view.labels)
    assert [label.get_text() for label in heat.get_xticklabels()] == list(view.studies)
    numbers = {text.get_text() for text in heat.texts} - {"–"}
    shown = np.isfinite(view.values) & (np.array(view.verdicts) != "not testable")
    assert numbers == {f"{value:.2f}" for value in view.values[shown]}
    cells = [patch for patch in heat.patches if isinstance(patch, Rectangle)]
    outlined = [patch for patch in cells if not patch.get_fill()]
    assert [patch.get_xy() for patch in outlined] == [
        (column - 0.5, row - 0.5) for row, column in view.odd
    ]
    drawn = [np.asarray(line.get_xdata(), dtype=float) for line in side.lines]
    middles = [float(one[0]) for one in drawn if len(one) == 1]
    assert middles == [parameter.importance for parameter in across]


@pytest.mark.parametrize("backend", ["plotly", "matplotlib"])
@pytest.mark.parametrize("studies", [1, 3, 45, 200])
def test_every_number_of_studies_can_be_drawn(backend: str, studies: int) -> None:
    """Names that would be formulas or tags stay as they are."""
    figure = condped.plot.across(made_up(3, studies, prefix="$<b>"), backend=backend)  # type: ignore[arg-type]
    if isinstance(figure, Figure):
        figure.draw_without_rendering()
    else:
        assert "<b>" not in figure.layout.yaxis.ticktext[0]


def test_another_result_is_refused() -> None:
    """The error names the function that makes what is wanted."""
    with pytest.raises(SettingsError, match=r"takes a result of condped\.across"):
        condped.plot.across(condped.importance(condped.problems.get("nested").sample(50, seed=0)))  # type: ignore[arg-type]
