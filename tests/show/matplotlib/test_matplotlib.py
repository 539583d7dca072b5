"""Pictures with matplotlib draw on what they are given; texts do not overlap."""

from __future__ import annotations

import io
import subprocess
import sys
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

import condped
from condped.errors import SettingsError
from condped.show import matplotlib as draw
from condped.show.views.bars import bars_view, breakdown_view
from condped.show.views.curves import curves_view
from tests.show.cases import CASES, HOSTILE, curve, pictures, result


def widths(ax: Axes) -> float:
    """Return how long all bars are together."""
    return sum(p.get_bbox().width for p in ax.patches if isinstance(p, Rectangle))


def test_bars_show_the_importances_in_order() -> None:
    """A bar per parameter, the widths adding up to 1."""
    of = condped.importance(condped.problems.get("three-way").sample(600, seed=0))
    ax = draw.figure(6, 3).subplots()
    assert draw.bars(bars_view(of), ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == list(of.names)
    assert widths(ax) == pytest.approx(1)
    ax = draw.figure(6, 3).subplots()
    assert widths(draw.breakdown(breakdown_view(of), ax)) == pytest.approx(1)


def test_verdicts_are_words_and_hatches() -> None:
    """Not told by colour alone."""
    of = result("three")
    ax = draw.bars(bars_view(of), draw.figure(6, 3).subplots())
    texts = [text.get_text() for text in ax.texts]
    for parameter, text, patch in zip(of, texts, ax.patches, strict=True):
        verdict = of.evidence[parameter.name].verdict
        assert text.endswith(verdict)
        assert bool(patch.get_hatch()) == (verdict != "matters")


def test_curves_have_bands_and_the_truth() -> None:
    """A band each, and a dotted line where the truth is given."""
    problem = condped.problems.get("nested")
    over = condped.sweep(
        problem.sample(200, seed=0), target_quantiles=[0.1, 0.3, 0.5], intervals="jackknife"
    )
    figure = condped.plot.sweep(over, truth=problem, backend="matplotlib")
    (ax,) = figure.axes
    dotted = [line for line in ax.lines if line.get_linestyle() == ":" and len(line.get_xdata())]
    assert len(dotted) == 5
    exact = [
        problem.truth(target_quantile=q, region_quantile=1.0).to_dict() for q in (0.1, 0.3, 0.5)
    ]
    for line, one in zip(dotted, curves_view(over).curves, strict=True):
        assert list(line.get_ydata()) == pytest.approx([values[one.name] for values in exact])
    assert len(ax.collections) == 6  # a band each, and the legend's


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Return the texts that cover each other, or that stand outside the picture."""
    figure.savefig(io.BytesIO(), format="png", dpi=100)
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    found = []
    boxes = []
    for ax in figure.axes:
        if not ax.axison:
            continue
        ticks = [*ax.get_yticklabels(), *ax.get_xticklabels()]
        low, high = sorted(ax.get_ylim())
        inside = [t for t in ticks if t.get_text() and t.get_visible()]
        inside = [
            t for t in inside if t not in ax.get_yticklabels() or low <= t.get_position()[1] <= high
        ]
        left, right = sorted(ax.get_xlim())
        inside = [
            t
            for t in inside
            if t not in ax.get_xticklabels() or left <= t.get_position()[0] <= right
        ]
        for text in (*inside, *ax.texts, ax.xaxis.label, ax.yaxis.label):
            if text.get_text().strip() and text.get_rotation() in (0, 90):
                boxes.append((text.get_text(), text.get_window_extent(renderer).shrunk(0.96, 0.8)))
    for (one, a), (other, b) in combinations(boxes, 2):
        if a.overlaps(b):
            found.append((one, other))
    for said, box in boxes:
        if box.x0 < 0 or box.y0 < 0 or box.x1 > figure.bbox.width or box.y1 > figure.bbox.height:
            found.append((said, "edge"))
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_picture_of_every_case_is_readable(case: str) -> None:
    """No text covers another or leaves the picture; no warning is given."""
    for name, figure in pictures(case, "matplotlib").items():
        assert overlaps(figure) == [], name


@pytest.mark.parametrize("high", [30, 60, 200, 290, 400, 10_000])
def test_logarithmic_axes_of_few_powers_of_ten_are_readable(high: int) -> None:
    """No label covers another, those of minor ticks included, and there are at least two."""
    rng = np.random.default_rng(0)
    trees = np.exp(rng.uniform(np.log(2), np.log(high), 200)).astype(int)
    columns = {"trees": trees, "loss": np.log(trees) + rng.normal(0, 0.1, 200)}
    space = {"trees": {"type": "int", "low": 2, "high": high, "log": True}}
    found = condped.importance(columns, objective="loss", space=space)
    for figure in (
        condped.plot.slice(found.effects, backend="matplotlib"),
        condped.plot.densities(found, backend="matplotlib"),
    ):
        figure.savefig(io.BytesIO())
        (ax,) = figure.axes
        labels = [
            label.get_window_extent()
            for label in ax.get_xticklabels(which="both")
            if label.get_text() and ax.get_xlim()[0] <= label.get_position()[0] <= ax.get_xlim()[1]
        ]
        assert len(labels) > 1
        assert not any(one.overlaps(other) for one, other in combinations(labels, 2))


def test_notebooks_show_figures_without_pyplot() -> None:
    """A figure says of itself what it looks like."""
    figure = condped.plot.importance(result("hostile"), backend="matplotlib")
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_names_are_shown_as_they_are() -> None:
    """Dollars start no formula."""
    figure = condped.plot.importance(result("hostile"), backend="matplotlib")
    figure.savefig(io.BytesIO())
    shown = [label.get_text().replace(r"\$", "$") for label in figure.axes[0].get_yticklabels()]
    assert set(HOSTILE) <= set(shown)


@pytest.mark.parametrize("case", ["equal", "nothing"])
def test_an_undetermined_result_says_so_in_the_picture(case: str) -> None:
    """The reason stands where bars would be."""
    for name, figure in pictures(case, "matplotlib").items():
        texts = [text.get_text() for ax in figure.axes for text in ax.texts]
        texts += [figure.get_suptitle()]
        assert any("Undetermined" in text for text in texts), name


def test_pictures_are_drawn_on_what_is_given() -> None:
    """Axes of the caller's own, or a figure for panels; its figure is returned."""
    figure = draw.figure(8, 8)
    above, below = figure.subplots(2, 1)
    assert condped.plot.importance(result("three"), backend="matplotlib", on=above) is figure
    assert condped.plot.sweep(curve("three"), backend="matplotlib", on=below) is figure
    assert above.patches
    assert below.lines
    other = draw.figure(8, 8)
    assert condped.plot.densities(result("three"), backend="matplotlib", on=other) is other
    assert len(other.axes) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda plot: plot.importance(result("three"), backend="bokeh"),
            "'plotly' or 'matplotlib'",
        ),
        (lambda plot: plot.importance(curve("three")), "takes a result of condped.importance"),
        (lambda plot: plot.heatmap(result("three")), "takes a result of condped.sweep"),
        (lambda plot: plot.comparison({"a": curve("three")}), "takes a result of condped.import"),
    ],
)
def test_wrong_arguments_are_refused(call: Any, message: str) -> None:
    """With what is allowed."""
    with pytest.raises(SettingsError, match=message):
        call(condped.plot)


def test_drawing_touches_no_global_state() -> None:
    """Pyplot is never imported: no window, no current figure, no settings changed."""
    code = (
        "import sys, condped\n"
        "table = condped.problems.get('nested').sample(50, seed=0)\n"
        "condped.plot.importance(condped.importance(table), backend='matplotlib')\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(("backend", "extra"), [("plotly", "plotly"), ("matplotlib", "plot")])
def test_a_missing_library_is_named_with_its_extra(backend: str, extra: str) -> None:
    """And nothing else is hidden behind it."""
    code = (
        f"import sys; sys.modules[{backend!r}] = None\n"
        "import condped\n"
        "result = condped.importance(condped.problems.get('nested').sample(50, seed=0))\n"
        f"try: condped.plot.importance(result, backend={backend!r})\n"
        "except condped.errors.MissingLibraryError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"pip install 'condped[{extra}]'" in done.stdout


@pytest.mark.parametrize("letter", ["a", "W", "$"])
def test_titles_of_panels_stay_on_the_figure(letter: str) -> None:
    """Long names, narrow and wide: above their panel, and not over the next or the edge."""
    rng = np.random.default_rng(0)
    names = [f"{letter * 44}{number}" for number in range(3)]
    columns = {name: rng.random(300) for name in names}
    result = condped.importance(
        {**columns, "loss": sum(columns.values())}, objective="loss", target_quantile=0.2
    )
    figure = condped.plot.densities(result, backend="matplotlib")
    figure.canvas.draw()
    boxes = []
    for ax in figure.axes:
        texts = [text for text in ax.findobj(Text) if text.get_text() == ax.get_title(loc="left")]
        boxes.append(texts[0].get_window_extent())
    assert len(boxes) == 3
    for box, after in pairwise(boxes):
        assert box.x1 < after.x0
    assert boxes[-1].x1 <= figure.bbox.x1
