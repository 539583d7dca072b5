"""Curves: means, errors and the exact truth beside them."""

from __future__ import annotations

import csv
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import condped
from experiments.figures.curves import curves
from experiments.registry import Row
from experiments.synthetic import sweeps
from experiments.synthetic.sweeps import Panel, compute, draw, panel_curves

PANELS = (
    Panel("activation-overlap", trials=60),
    Panel("regime-dependent", trials=60, region_quantile=0.5),
    Panel("three-way", trials=60, measure="standard"),
    Panel("activation-disjoint", trials=60, measure="unweighted", value="variance"),
)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Two seeds of small panels."""
    return [row for seed in (42, 43) for row in compute(seed, False, panels=PANELS)]


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.problem)
def test_truth_lines_are_the_problems_truth(rows: list[Row], panel: Panel) -> None:
    """At each γ', for the panel's γ, measure and normalisation."""
    shown = panel_curves(rows, panel)
    assert shown.truth is not None
    problem = condped.problems.get(panel.problem)
    for place, quantile in enumerate(shown.quantiles):
        truth = problem.truth(float(quantile), panel.region_quantile)
        values = {
            "within": truth.within,
            "standard": truth.within + truth.inter,
            "unweighted": truth.unweighted,
        }[panel.measure]
        if panel.value == "importance":
            values = values / values.sum()
        expected = [values[truth.names.index(name)] for name in shown.names]
        assert shown.truth[place].tolist() == pytest.approx(expected)


def test_curves_are_those_of_the_package(rows: list[Row]) -> None:
    """Each seed's curve equals condped.sweep on that seed's trials."""
    shown = panel_curves(rows, PANELS[1])
    table = condped.problems.get("regime-dependent").sample(60, seed=43)
    expected = condped.sweep(table, region_quantile=0.5)
    assert shown.names == expected.names
    assert shown.quantiles.tolist() == expected.target_quantiles.tolist()
    assert np.allclose(shown.values[1], expected.importance)


def test_target_quantiles_are_the_papers(rows: list[Row]) -> None:
    """From 0.01 to 0.01 below γ, in steps of 0.01."""
    for panel, steps in ((PANELS[0], 99), (PANELS[1], 49)):
        expected = [percent / 100 for percent in range(1, steps + 1)]
        assert panel_curves(rows, panel).quantiles.tolist() == pytest.approx(expected)


def test_mean_standard_error_and_distance_by_hand() -> None:
    """Two seeds, two quantiles, one parameter."""
    flat = [
        {"seed": seed, "target_quantile": q, "parameter": "x", "importance": value}
        for seed, q, value in ((1, 0.1, 0.2), (1, 0.2, 0.4), (2, 0.1, 0.6), (2, 0.2, 0.4))
    ]
    shown = curves(flat, truth=np.array([[0.5], [0.5]]))
    assert shown["x"].tolist() == pytest.approx([0.4, 0.4])
    # sd of (0.2, 0.6) is 0.2828; divided by the root of two seeds
    assert shown.standard_error[:, 0].tolist() == pytest.approx([0.2, 0.0])
    assert shown.error == pytest.approx((0.3 + 0.1 + 0.1 + 0.1) / 4)


def test_drawing_leaves_matplotlibs_settings_alone(rows: list[Row], tmp_path: Path) -> None:
    """Pictures, numbers and distances are written; global settings stay."""
    before = dict(mpl.rcParams)
    grid = [[PANELS[0], PANELS[1]]]
    paths = draw(rows, tmp_path, name="figure-x", grid=grid)
    assert dict(mpl.rcParams) == before
    names = ["figure-x.png", "figure-x.svg", "figure-x.csv", "errors.csv"]
    assert [path.name for path in paths] == names
    with paths[2].open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 3 * (99 + 49)
    exact = condped.problems.get("activation-overlap").truth(0.3).to_dict()["x"]
    (row,) = [
        row
        for row in table
        if (row["problem"], row["target_quantile"], row["parameter"])
        == ("activation-overlap", "0.3", "x")
    ]
    assert float(row["truth"]) == pytest.approx(exact)


def test_the_same_rows_give_the_same_picture(rows: list[Row], tmp_path: Path) -> None:
    """No dates, no random names."""
    drawn = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        paths = draw(rows, folder, name="figure-x", grid=[[PANELS[0]]])
        drawn.append([path.read_bytes() for path in paths])
    assert drawn[0] == drawn[1]


def test_tpe_trials_repeat_for_a_seed() -> None:
    """All randomness comes from the seed, and there is no truth for trials that TPE chose."""
    first, again = (sweeps.sampled("nested", 30, "tpe", 42) for _ in range(2))
    assert np.array_equal(first.objectives[0].values, again.objectives[0].values)
    panel = Panel("nested", trials=30, sampling="tpe")
    assert panel_curves(compute(42, False, panels=[panel]), panel).truth is None
