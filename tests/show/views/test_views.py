"""Views decide what is shown: the numbers of the result, nothing left out unsaid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.estimate.settings import Measure
from condped.show.drawing import Backend
from condped.show.palette import GREY, WARNING
from condped.show.views.bars import MOST_BARS, bars_view, breakdown_view
from condped.show.views.comparison import comparison_view
from condped.show.views.curves import MOST_CURVES, curves_view
from condped.show.views.heat_maps import heat_view
from condped.show.views.labels import labels_of
from condped.show.views.panels import panels_view
from tests.analyse.importance.test_calibrated import hidden_effects, shared_result
from tests.show.cases import CASES, HOSTILE, curve, result


def test_bars_hold_numbers_intervals_and_verdicts() -> None:
    """As the result has them, in its order."""
    of = result("three")
    view = bars_view(of)
    for bar, parameter in zip(view.bars, of.parameters, strict=True):
        assert parameter.intervals is not None
        interval = parameter.intervals.importance
        assert (bar.name, bar.value) == (parameter.name, parameter.importance)
        assert (bar.low, bar.high) == (interval.low, interval.high)
        assert (bar.joint_low, bar.joint_high) == (interval.joint_low, interval.joint_high)
        assert bar.verdict == of.evidence[parameter.name].verdict
    assert view.level == 0.9


@pytest.mark.parametrize("case", CASES)
def test_bars_add_up_to_the_whole(case: str) -> None:
    """What does not fit shares a bar: at most so many, together 1."""
    view = bars_view(result(case))
    assert len(view.bars) <= MOST_BARS
    total = sum(bar.value for bar in view.bars)
    assert total == pytest.approx(1 if result(case).status == "ok" else 0)
    if case == "three hundred":
        assert view.bars[-1].label == "281 others together"


def test_labels_of_long_names_differ() -> None:
    """Names that lose their middles are numbered where they would be the same."""
    names = [f"{'a' * 60}{middle}{'z' * 60}" for middle in "123"]
    labels = labels_of(names)
    assert len(set(labels)) == 3
    assert all(len(label) <= 28 for label in labels)
    assert len({bar.label for bar in bars_view(result("three hundred")).bars}) == MOST_BARS


@pytest.mark.parametrize("measure", ["within", "standard", "unweighted", "unconditional"])
def test_the_parts_of_a_bar_are_the_whole_bar(measure: Measure) -> None:
    """Whatever is measured, the regimes' parts add up to the importance."""
    table = condped.problems.get("three-way").sample(600, seed=0)
    of = condped.importance(table, target_quantile=0.4, measure=measure)
    for row in breakdown_view(of).rows:
        assert sum(part.value for part in row.parts) == pytest.approx(row.value)
        assert sum(part.share for part in row.parts) == pytest.approx(1 if row.parts else 0)


def test_shares_of_regimes_are_their_contributions() -> None:
    """By the formula, from the result's own regimes."""
    of = condped.importance(
        condped.problems.get("three-way").sample(600, seed=0), target_quantile=0.5
    )
    (row,) = [row for row in breakdown_view(of).rows if row.name == "x"]
    conditions = {"[-7, -4]": "where c < 0.3333", "[-3, 0]": "where c >= 0.3333 and c < 0.6667"}
    expected = {
        conditions[regime.label]: regime.contribution / of["x"].variance
        for regime in of["x"].regimes
        if regime.contribution > 0
    }
    assert {part.label: part.share for part in row.parts} == pytest.approx(expected)


def test_many_regimes_are_grouped() -> None:
    """The smallest share a part, and those without effect are counted."""
    of = result("twenty regimes")
    (row,) = [row for row in breakdown_view(of).rows if row.name == "x"]
    assert len(row.parts) == 4
    grouped = int(row.parts[-1].label.split()[0])
    assert grouped + 3 + row.silent == sum(r.domain is not None for r in of["x"].regimes)
    assert sum(part.share for part in row.parts) == pytest.approx(1)


def test_curves_are_limited_and_the_rest_is_counted() -> None:
    """The highest peak first; gaps where nothing can be told."""
    view = curves_view(curve("three hundred"))
    assert len(view.curves) == MOST_CURVES
    assert view.note == "292 more with lower peaks not shown"
    peaks = [float(np.nanmax(one.values)) for one in view.curves]
    assert peaks == sorted(peaks, reverse=True)
    undetermined = curves_view(curve("equal"))
    assert all(math.isnan(value) for one in undetermined.curves for value in one.values)
    assert undetermined.note is not None
    assert undetermined.note.startswith("Undetermined: all 3 trials")


def test_truth_must_fit_the_quantiles() -> None:
    """A list of another length is refused."""
    with pytest.raises(DataError, match="for each of the 6 target quantiles"):
        curves_view(curve("three"), {"parameter <0>": [0.5]})


def test_heat_rows_are_the_curves() -> None:
    """A row per parameter up to 40; how much the others have is said."""
    over = curve("three hundred")
    view = heat_view(over)
    assert view.values.shape == (40, 6)
    for name, row in zip(view.names, view.values, strict=True):
        assert row.tolist() == over[name].tolist()
    hidden = [place for place, name in enumerate(over.names) if name not in view.names]
    together = over.importance[:, hidden].sum(axis=1).max()
    assert view.note == f"260 more with lower peaks not shown, together up to {together:.2f}"


def test_panels_show_densities_on_their_scale() -> None:
    """A uniform sample has densities near 1 everywhere, also at the ends and on a log scale."""
    rng = np.random.default_rng(1)
    n = 4000
    source = {
        "rate": 10 ** rng.uniform(-5, 0, n),
        "k": rng.integers(1, 7, n),
        "loss": rng.random(n),
    }
    space = {
        "rate": {"type": "float", "low": 1e-5, "high": 1, "log": True},
        "k": {"type": "int", "low": 1, "high": 6},
    }
    of = condped.importance(source, objective="loss", space=space, sampling="random")
    rate, k = (panels_view(of, [name]).panels[0] for name in ("rate", "k"))
    assert rate.log
    assert not k.log
    assert rate.region == pytest.approx(np.ones(50), abs=0.5)
    assert k.region == pytest.approx(np.ones(6), abs=0.15)
    assert k.edges is not None
    assert k.edges.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert rate.good == "no evidence of an effect"


def test_panels_mark_what_is_good() -> None:
    """Ranges at their ends, choices at their places, in words below."""
    of = result("hostile")
    (panel,) = panels_view(of, [HOSTILE[0]]).panels
    (density,) = of.densities[HOSTILE[0]]
    spans = [(span.low, span.high) for span in panel.spans]
    assert spans == [(good.low, good.high) for good in density.good]
    assert density.good[0].label in panel.good
    (choice,) = panels_view(of, ["choice"]).panels
    assert choice.choices is not None
    best = choice.choices.index("<b>bold</b>")
    assert [(span.low, span.high) for span in choice.spans] == [(best - 0.5, best + 0.5)]
    assert choice.target.sum() == pytest.approx(1)


def test_panels_without_room_are_counted() -> None:
    """Regimes that no target trial reached are left out and counted."""
    of = result("twenty regimes")
    view = panels_view(of, most=8)
    assert len(view.panels) == 8
    empty = sum(not d.target.any() for ds in of.densities.values() for d in ds)
    every = sum(len(ds) for ds in of.densities.values())
    assert view.note == (
        f"{every - empty - 8} more regimes not shown; "
        f"{empty} regimes without target trials not shown"
    )
    with pytest.raises(NameNotFoundError, match="no parameter 'q'"):
        panels_view(of, ["q"])


def test_many_choices_are_grouped() -> None:
    """The rarest share a bar; shares stay shares."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 30, 900)
    source = {"c": [f"choice {code}" for code in codes], "loss": codes + rng.random(900)}
    of = condped.importance(source, objective="loss")
    (panel,) = panels_view(of).panels
    assert panel.choices is not None
    assert panel.choices[-1] == "21 others"
    assert panel.target.sum() == pytest.approx(1)
    assert panel.region.sum() == pytest.approx(1)


def test_a_comparison_has_a_point_per_result_and_parameter() -> None:
    """A parameter that one result lacks has no point there; the rest is added up."""
    first, second = (
        result("three"),
        condped.importance(condped.problems.get("nested").sample(200, seed=0)),
    )
    view = comparison_view({"a": first, "b": second})
    assert len(view.labels) == 8
    for series, of in zip(view.series, (first, second), strict=True):
        assert {point.name: point.value for point in series.points} == of.to_dict()
    wide = comparison_view({"w": result("three hundred"), "e": result("equal")})
    assert wide.labels[-1] == "288 others together"
    assert sum(point.value for point in wide.series[0].points) == pytest.approx(1)
    assert wide.note == "Undetermined: e"


@pytest.mark.parametrize("results", [{}, [1], dict.fromkeys(range(9), 1)])
def test_a_comparison_of_none_or_too_many_is_refused(results: object) -> None:
    """Nine shapes cannot be told apart."""
    with pytest.raises(SettingsError, match="1 to 8 results"):
        comparison_view(results)  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
def test_values_that_lead_to_an_outcome_are_not_good(backend: Backend) -> None:
    """They are marked in a colour that warns, and nothing is the best."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=300)
    states = np.where(x > 0.8, "failed", "complete")
    table = {"x": x, "loss": x, "st": states}
    led = condped.importance(table, objective="loss", state="st", target="failed")
    (panel,) = panels_view(led).panels
    assert panel.outcome
    assert panel.good.startswith("leads to it: ")
    assert "% of the target set, " in panel.good
    drawn = condped.plot.densities(led, backend=backend)
    if backend == "plotly":
        colours = {shape.fillcolor for shape in drawn.layout.shapes}
    else:
        colours = {to_hex(patch.get_facecolor()).upper() for patch in drawn.axes[0].patches[:1]}
    assert colours == {WARNING}
    assert (
        panels_view(condped.importance(table, objective="loss")).panels[0].good.startswith("good")
    )


@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
def test_what_is_unattributed_is_drawn(backend: Any) -> None:
    """As the last bar, the last part, a point, a line and a row; with the others it makes 1."""
    of = shared_result()
    view = bars_view(of)
    assert view.bars[-1].label == "unattributed"
    assert sum(bar.value for bar in view.bars) == pytest.approx(1)
    assert "unattributed" in view.scale
    assert breakdown_view(of).rows[-1].value == of.unattributed
    compared = comparison_view({"one": of, "two": of})
    assert compared.labels[-1] == "unattributed"
    assert compared.series[0].points[-1].row == len(compared.labels) - 1
    swept = next(
        one
        for one in (
            condped.sweep(hidden_effects(seed=seed), objective="loss", method="calibrated")
            for seed in range(20)
        )
        if one.unattributed.any()
    )
    drawn = curves_view(swept).unattributed
    assert drawn is not None
    np.testing.assert_array_equal(drawn[swept.determined], swept.unattributed[swept.determined])
    assert heat_view(swept).labels[-1] == "unattributed"
    condped.plot.importance(of, backend=backend)
    condped.plot.regimes(of, backend=backend)
    condped.plot.sweep(swept, backend=backend)
    condped.plot.heatmap(swept, backend=backend)
    condped.plot.comparison({"one": of, "two": of}, backend=backend)


def test_what_has_no_evidence_is_grey() -> None:
    """In both libraries: marks of a comparison, parts of regimes, lines of densities."""
    of = condped.importance(condped.problems.get("three-way").sample(200, seed=0))
    silent = {p.name for p in of if of.evidence[p.name].verdict in ("no evidence", "not testable")}
    assert silent
    assert set(of.names) - silent
    drawn = condped.plot.comparison({"paper": of})
    grey = next(trace for trace in drawn.data if trace.marker.color == GREY)
    assert {entry[0] for entry in grey.customdata} == silent
    assert not grey.showlegend
    ax = condped.plot.comparison({"paper": of}, backend="matplotlib").axes[0]
    points = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert [to_hex(line.get_color()) == GREY for line in points] == [
        name in silent for name in of.names
    ]
    assert {row.name for row in breakdown_view(of).rows if row.grey} == silent
    assert {panel.parameter for panel in panels_view(of).panels if panel.grey} <= silent
