"""Pictures draw on what they are given and show what the view holds."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.patches import Rectangle

import condped
from condped.importance.settings import Measure
from condped.present import matplotlib as draw
from condped.present.views import MOST_BARS, MOST_CURVES, bars_view, curves_view


def wide(parameters: int) -> dict[str, np.ndarray]:
    """Return trials of many parameters."""
    rng = np.random.default_rng(0)
    columns = {f"parameter <{i}>": rng.random(80) for i in range(parameters)}
    return columns | {"loss": columns["parameter <0>"]}


def test_bars_show_the_importances_in_order() -> None:
    """A bar per parameter, the widths adding up to 1."""
    result = condped.importance(condped.problems.get("three-way").sample(600, seed=0))
    ax = draw.figure(6, 3).subplots()
    assert draw.bars(bars_view(result), ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == list(result.names)
    widths = [patch.get_bbox().width for patch in ax.patches if isinstance(patch, Rectangle)]
    assert sum(widths) == pytest.approx(1)


@pytest.mark.parametrize("measure", ["within", "standard", "unweighted", "unconditional"])
def test_the_parts_of_a_bar_are_the_whole_bar(measure: Measure) -> None:
    """Whatever is measured, a bar ends where its number says."""
    table = condped.problems.get("three-way").sample(600, seed=0)
    result = condped.importance(table, target_quantile=0.4, measure=measure)
    for bar in bars_view(result).bars:
        assert sum(share for _, share in bar.parts) == pytest.approx(1 if bar.value else 0)


def test_many_parameters_are_grouped() -> None:
    """The least important share a bar, and curves beyond the palette are counted."""
    result = condped.importance(wide(40), objective="loss")
    bars = bars_view(result).bars
    assert len(bars) == MOST_BARS
    assert bars[-1].label == "21 others together"
    assert sum(bar.value for bar in bars) == pytest.approx(1)
    view = curves_view(condped.sweep(wide(40), objective="loss"))
    assert len(view.curves) == MOST_CURVES
    assert view.curves[0].label == "parameter <0>"
    assert view.note == "32 more with lower peaks not shown; gaps: undetermined"
    ax = draw.figure(6, 3).subplots()
    assert len(draw.curves(view, ax).lines) == MOST_CURVES


def test_an_undetermined_result_says_so_in_the_picture() -> None:
    """The reason stands where bars would be."""
    result = condped.importance({"x": [0.1, 0.2, 0.3], "loss": [1.0, 1.0, 1.0]}, objective="loss")
    ax = draw.bars(bars_view(result), draw.figure(6, 3).subplots())
    assert any("same objective" in text.get_text() for text in ax.texts)


def test_drawing_touches_no_global_state() -> None:
    """Pyplot is never imported: no window, no current figure, no settings changed."""
    code = (
        "import sys, condped\n"
        "from condped.present import matplotlib as draw\n"
        "from condped.present.views import bars_view\n"
        "table = condped.problems.get('nested').sample(50, seed=0)\n"
        "draw.bars(bars_view(condped.importance(table)), draw.figure(3, 3).subplots())\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
