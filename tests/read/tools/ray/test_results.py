"""Ray Tune's results in memory, against what Ray says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import condped
from condped import Categorical, Float, Int, when
from condped.errors import NameNotFoundError, SettingsError
from condped.testing.reader_kit import check_reader
from condped.trials.table import State
from tests.read.tables import plain
from tests.read.tools.ray.experiments import HOSTILE, PARAM_SPACE, Experiment, active, told

SWITCHING = {
    "learner": Categorical(["svm", "net"]),
    "x": [when("learner == 'svm'", Float(0, 1)), when("learner == 'net'", Float(10, 20))],
    "n": when("learner == 'net'", Int(1, 9)),
}


def test_results_of_a_nested_space_are_what_ray_tells(
    ray_experiments: dict[str, Experiment],
) -> None:
    """Values, choices, failures, silent trials and NaN; the metric and mode are the tuner's."""
    grid = ray_experiments["nested"].results
    runs = told(grid, "loss")
    assert len({run.parameters["model/kind"] for run in runs}) == 2
    assert {run.state for run in runs} == {State.COMPLETE, State.FAILED}
    assert any(run.values[0] is None and run.state is State.COMPLETE for run in runs)
    table = check_reader("ray-results", grid, runs, space=PARAM_SPACE)
    assert table.ignored_columns == ("layers/1", "epochs")
    assert any("drawn: its domain was taken from the values seen" in note for note in table.notes)


def test_domains_switch_with_the_branch(ray_experiments: dict[str, Experiment]) -> None:
    """A name that stands in two dicts of a choice has the domain of the dict that was taken."""
    table = condped.read(ray_experiments["nested"].results, space=PARAM_SPACE)
    scale = table.parameters[table.names.index("model/scale")]
    kind = table.parameters[table.names.index("model/kind")]
    assert scale.domains == (Float(0, 1), Float(5, 6))
    assert kind.domains == (Categorical(["svm", "net"]),)
    np.testing.assert_array_equal(scale.domain_ids, kind.values)
    assert table.parameters[table.names.index("model/units")].domains == (Int(8, 64, step=8),)


def test_switching_trials_of_a_search_algorithm(ray_experiments: dict[str, Experiment]) -> None:
    """Configurations of a define-by-run space, with a space of one's own and without any."""
    grid = ray_experiments["switching"].results
    runs = told(grid, "score")
    assert len({frozenset(run.parameters) for run in runs}) == 2
    check_reader("ray-results", grid, runs, directions=["maximize"], space=SWITCHING)
    inferred = condped.read(grid)
    assert inferred.space_inferred
    assert inferred.names == ("learner", "x", "n", "fixed")


@pytest.mark.parametrize(("name", "metric"), [("nested", "loss"), ("switching", "score")])
def test_importances_are_those_of_a_table_made_with_ray(
    ray_experiments: dict[str, Experiment], name: str, metric: str
) -> None:
    """To the last digits."""
    grid = ray_experiments[name].results
    rows = [
        {"metric": result.metrics.get(metric), **active(result.config)}
        for result in grid
        if result.error is None
    ]
    space = PARAM_SPACE if name == "nested" else SWITCHING
    direction: Any = "minimize" if name == "nested" else "maximize"
    expected = condped.importance(rows, objective="metric", direction=direction, space=space)
    ours = condped.importance(condped.read(grid, space=space))
    found = ours.to_dict(normalize=False)
    assert found == pytest.approx(expected.to_dict(normalize=False), abs=1e-12)


def test_another_metric_needs_a_direction(ray_experiments: dict[str, Experiment]) -> None:
    """Nested metrics are named with slashes; nobody guesses which way is better."""
    grid = ray_experiments["nested"].results
    with pytest.raises(SettingsError, match="direction is needed for 'valid/accuracy'"):
        condped.read(grid, objective="valid/accuracy")
    table = condped.read(grid, objective="valid/accuracy", direction="maximize")
    expected = [(r.metrics.get("valid") or {}).get("accuracy", np.nan) for r in grid]
    np.testing.assert_array_equal(table.objectives[0].values, expected)
    with pytest.raises(NameNotFoundError, match="Did you mean 'valid/accuracy'"):
        condped.read(grid, objective="valid/acuracy", direction="maximize")


def test_an_experiment_without_a_metric_needs_an_objective(
    ray_experiments: dict[str, Experiment],
) -> None:
    """The metric of a scheduler alone is not the tuner's."""
    grid = ray_experiments["stopped"].results
    with pytest.raises(SettingsError, match=r"objective is needed.*'loss'"):
        condped.read(grid)
    with pytest.raises(SettingsError, match="direction is needed"):
        condped.read(grid, objective="loss")


def test_trials_that_ended_early_are_counted(ray_experiments: dict[str, Experiment]) -> None:
    """Ray calls them terminated like all others, so they count, with a note."""
    grid = ray_experiments["stopped"].results
    table = condped.read(grid, objective="loss", direction="minimize")
    iterations = [result.metrics["training_iteration"] for result in grid]
    shorter = sum(count < max(iterations) for count in iterations)
    assert shorter > 0
    assert any(note.startswith(f"{shorter} of 6 finished trials") for note in table.notes)
    assert (table.states == State.COMPLETE).all()


def test_the_analysis_inside_and_plain_results_give_the_same(
    ray_experiments: dict[str, Experiment],
) -> None:
    """What tune.run returns, and results that no grid holds any more."""
    grid = ray_experiments["nested"].results
    expected = plain(condped.read(grid, space=PARAM_SPACE))
    assert plain(condped.read(grid._experiment_analysis, space=PARAM_SPACE)) == expected
    options: dict[str, Any] = {"objective": "loss", "direction": "minimize"}
    alone = condped.read(list(grid), reader="ray-results", space=PARAM_SPACE, **options)
    assert plain(alone) == expected


@pytest.mark.parametrize("option", ["study", "state", "budget"])
def test_options_that_make_no_sense_are_refused(
    ray_experiments: dict[str, Experiment], option: str
) -> None:
    """Rather than ignored."""
    options: dict[str, Any] = {option: "3"}
    with pytest.raises(SettingsError, match=f"{option} cannot be set"):
        condped.read(ray_experiments["nested"].results, **options)


def test_values_outside_a_space_name_the_parameter(ray_experiments: dict[str, Experiment]) -> None:
    """A space of another experiment does not fit."""
    with pytest.raises(condped.errors.DataError, match="rate"):
        condped.read(ray_experiments["nested"].results, space={"rate": Float(0.09, 0.1)})
    with pytest.raises(NameNotFoundError, match=r"'rates'.*Did you mean 'rate'"):
        condped.read(ray_experiments["nested"].results, space={"rates": Float(0, 1)})
    assert HOSTILE in condped.read(ray_experiments["nested"].results).names


def test_times_are_those_of_the_last_report(ray_experiments: dict[str, Experiment]) -> None:
    """Its timestamp, and that less the time that the trial took."""
    grid = ray_experiments["switching"].results
    times = condped.read(grid).times
    assert times is not None
    told = [result.metrics for result in grid]
    assert times.ended == pytest.approx([entry["timestamp"] for entry in told])
    begun = [entry["timestamp"] - entry["time_total_s"] for entry in told]
    assert times.started == pytest.approx(begun)
    assert times.durations == pytest.approx([entry["time_total_s"] for entry in told])


def test_durations_need_no_direction(ray_experiments: dict[str, Experiment]) -> None:
    """The seconds that Ray counted; other metrics still need one."""
    experiment = ray_experiments["switching"]
    for source in (experiment.results, experiment.path):
        (objective,) = condped.read(source, objective="duration").objectives
        assert (objective.name, objective.direction) == ("duration", "minimize")
        told = [result.metrics["time_total_s"] for result in experiment.results]
        assert sorted(objective.values) == pytest.approx(sorted(told))
