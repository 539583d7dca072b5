"""What pictures take: results, comparisons, and something to draw on."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import pytest
from matplotlib.figure import Figure

import condped
from condped.errors import NameNotFoundError, SettingsError
from condped.show.drawing import Backend
from tests.show.cases import curve, result


@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
def test_a_comparison_is_drawn_as_its_results_are(backend: Backend) -> None:
    """What compare returns can be given as it is."""
    table = condped.problems.get("nested").sample(200, seed=0)
    told = condped.compare(table, methods=["paper", "calibrated"])
    whole = condped.plot.comparison(told, backend=backend)
    parts = condped.plot.comparison(dict(told.results), backend=backend)
    if backend == "plotly":
        assert whole.to_json() == parts.to_json()
    else:
        labels = [[text.get_text() for text in f.axes[0].get_yticklabels()] for f in (whole, parts)]
        assert labels[0] == labels[1]
    with pytest.raises(SettingsError, match="mapping from labels"):
        condped.plot.comparison(result("three"), backend=backend)  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
@pytest.mark.parametrize("on", [3, "axes", object()])
def test_what_cannot_be_drawn_on_is_refused(backend: Backend, on: Any) -> None:
    """By every picture, in words."""
    draws: list[Any] = [condped.plot.importance, condped.plot.regimes, condped.plot.densities]
    for draw in draws:
        with pytest.raises(SettingsError, match=r"on must be (matplotlib axes|a \w+ figure)"):
            draw(result("three"), backend=backend, on=on)
    for draw in (condped.plot.sweep, condped.plot.heatmap):
        with pytest.raises(SettingsError, match="on must be"):
            draw(curve("three"), backend=backend, on=on)


def test_each_library_draws_on_its_own_things() -> None:
    """Axes for one picture, a figure for several; figures of the other library are refused."""
    axes = Figure().subplots()
    assert condped.plot.importance(result("three"), backend="matplotlib", on=axes) is axes.figure
    for on in (Figure(), go.Figure()):
        with pytest.raises(SettingsError, match="matplotlib axes"):
            condped.plot.importance(result("three"), backend="matplotlib", on=on)
    with pytest.raises(SettingsError, match="a matplotlib figure"):
        condped.plot.densities(result("three"), backend="matplotlib", on=Figure().subplots())
    with pytest.raises(SettingsError, match="a plotly figure"):
        condped.plot.importance(result("three"), on=Figure())
    assert condped.plot.importance(result("three"), on=go.Figure()).data


@pytest.mark.parametrize("wrong", [3, 2.5, True, ["x", 3], [["x"]], object()])
def test_names_to_draw_are_checked(wrong: Any) -> None:
    """By every picture that takes them: errors of condped's own, which say what is allowed."""
    table = condped.problems.get("nested").sample(200, seed=0)
    effects = condped.effects(table)
    pictures: list[tuple[Any, Any]] = [
        (condped.plot.densities, condped.importance(table)),
        (condped.plot.slice, effects),
        (condped.plot.parallel, effects),
    ]
    for draw, of in pictures:
        with pytest.raises((SettingsError, NameNotFoundError), match="parameter"):
            draw(of, wrong)
    joint = condped.joint_effects(table)
    with pytest.raises(SettingsError, match="pairs must be"):
        condped.plot.pairs(joint, wrong)
    with pytest.raises(SettingsError, match="pairs must be"):
        condped.plot.pairs(joint, [("c0", ["x"])])  # type: ignore[list-item]


def test_a_truth_and_a_backend_of_other_types_are_refused() -> None:
    """A problem has a truth; a backend is one of two names."""
    curve = condped.sweep(condped.problems.get("nested").sample(200, seed=0))
    for wrong in (3, "nested", [0.5]):
        with pytest.raises(SettingsError, match="truth must be a problem"):
            condped.plot.sweep(curve, truth=wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="backend must be"):
        condped.plot.sweep(curve, backend=["plotly"])  # type: ignore[arg-type]
