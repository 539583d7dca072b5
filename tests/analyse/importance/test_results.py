"""Results as records, frames, JSON and text."""

from __future__ import annotations

import json

import numpy as np
import pytest

import condped
from condped.errors import NameNotFoundError


@pytest.fixture(scope="module")
def table() -> condped.TrialTable:
    """Return trials of the nested problem."""
    return condped.problems.get("nested").sample(500, seed=0)


def test_parameters_come_most_important_first(table: condped.TrialTable) -> None:
    """Order is part of the answer; equal ones stay in the order of the space."""
    result = condped.importance(table)
    values = [parameter.importance for parameter in result]
    assert values == sorted(values, reverse=True)
    assert result.names[-2:] == ("y", "z")
    assert sum(values) == pytest.approx(1)
    assert len(result) == 5


def test_frames_hold_the_records(table: condped.TrialTable) -> None:
    """to_frame() of both results has a row per record."""
    result, curve = condped.importance(table), condped.sweep(table)
    kept = result.to_frame().astype(object)
    assert kept.where(kept.notna(), None).to_dict("records") == result.rows()
    frame = curve.to_frame()
    assert len(frame) == 99 * 5
    at = frame[(frame.parameter == "x") & (frame.target_quantile == 0.1)]
    assert at.importance.item() == pytest.approx(result["x"].importance, rel=1e-12)


def test_everything_goes_through_json(table: condped.TrialTable) -> None:
    """Plain data with a schema that JSON can hold without help."""
    for data in (condped.importance(table).to_data(), condped.sweep(table).to_data()):
        again = json.loads(json.dumps(data, allow_nan=False))
        assert again["account"]["trials"]["used"] == 500
        assert again["schema"].startswith("condped.")


def test_text_shows_the_parameters_and_the_account(table: condped.TrialTable) -> None:
    """print(result) answers the question in its first line."""
    lines = str(condped.importance(table, region_quantile=0.5)).splitlines()
    assert lines[0].startswith("What mattered for reaching the best 10 % inside the best 50 % of 5")
    assert lines[0].endswith("of 500 trials (lowest loss)")
    assert any(line.startswith("x ") for line in lines)
    assert lines[-1] == "500 of 500 trials used; 250 in the region set, 50 in the target set."


def test_many_parameters_with_long_names_stay_readable() -> None:
    """Rows beyond thirty are added up, names are cut, newlines removed."""
    rng = np.random.default_rng(0)
    columns = {f"a very long name\nof parameter {i:03d}" * 2: rng.random(60) for i in range(40)}
    text = str(condped.importance(columns | {"loss": rng.random(60)}, objective="loss"))
    assert "… and 10 more with" in text
    assert max(map(len, text.splitlines())) < 120
    assert str(condped.sweep(columns | {"loss": rng.random(60)}, objective="loss"))


def test_an_unknown_parameter_is_named(table: condped.TrialTable) -> None:
    """Asking for what is not there lists what is."""
    with pytest.raises(NameNotFoundError, match="no parameter 'q'"):
        condped.importance(table)["q"]
    with pytest.raises(KeyError):
        condped.sweep(table)["q"]
    with pytest.raises(NameNotFoundError):
        condped.importance(table, parameters=["q"])


def test_chosen_parameters_are_analysed_alone(table: condped.TrialTable) -> None:
    """Variances do not depend on the others, importances are shared among the chosen."""
    every, two = condped.importance(table), condped.importance(table, parameters=["x", "c1"])
    assert two.names == ("x", "c1")
    assert two["c1"].variance == every["c1"].variance
    assert sum(two.to_dict().values()) == pytest.approx(1)


def test_sweep_stops_below_the_region(table: condped.TrialTable) -> None:
    """γ' runs from 0.01 to γ − 0.01 in steps of 0.01."""
    curve = condped.sweep(table, region_quantile=0.75)
    assert curve.target_quantiles.tolist() == [i / 100 for i in range(1, 75)]
    assert len(curve.target_quantiles) == 74
    assert condped.sweep(table, region_quantile=0.5).target_quantiles[-1] == 0.49


def test_results_know_their_parameters(table: condped.TrialTable) -> None:
    """``in``, iteration and length mean what they say."""
    result, curve = condped.importance(table), condped.sweep(table)
    assert "x" in result
    assert "q" not in result
    assert "x" in curve
    assert list(curve) == list(table.names)
    assert len(curve) == len(table.names)


def test_json_holds_the_domains_and_the_objective(table: condped.TrialTable) -> None:
    """Bounds can be recovered exactly, and the direction is part of the answer."""
    data = condped.importance(table).to_data()
    assert data["account"]["objectives"] == [{"name": "loss", "direction": "minimize"}]
    (x,) = [p for p in data["parameters"] if p["parameter"] == "x"]
    domains = [regime["domain"] for regime in x["regimes"]]
    assert domains == [{"type": "float", "low": -7.0, "high": -4.0}, None]


def test_the_question_names_all_objectives() -> None:
    """Several objectives are listed with their directions."""
    rng = np.random.default_rng(0)
    columns = {name: rng.random(50) for name in ("x", "error", "speed")}
    result = condped.importance(
        columns, objective=["error", "speed"], direction=["minimize", "maximize"]
    )
    assert "(by Pareto rank of lowest error, highest speed)" in " ".join(str(result).split())


def test_options_of_no_function_are_refused_by_name(table: condped.TrialTable) -> None:
    """A misspelt option is named together with what there is."""
    with pytest.raises(TypeError, match=r"importance\(\) does not take 'objectives'.*'objective'"):
        condped.importance(table, objectives="loss")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"sweep\(\) does not take 'target_quantile'"):
        condped.sweep(table, target_quantile=0.1)  # type: ignore[call-arg]
