"""SMAC's output directories, read directly and told by SMAC's own run history."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import ConfigSpace as CS  # noqa: N817
import numpy as np
import pytest
from scipy.stats import kendalltau
from smac import (
    RandomFacade,
)
from smac.runhistory import StatusType, TrialInfo, TrialValue

import condped
from condped import TrialTable
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.table.state_words import checked_state
from condped.testing.reader_kit import Run, check_reader
from condped.trials.table import State
from tests.read.tools.smac.runs import (
    Kept,
    changed,
    conditional_space,
    cost_of_seed,
    optimised,
    runs_of,
    scenario,
)

# The same conditions, written by hand.
SPACE: dict[str, Any] = {
    "model:__choice__": {"type": "categorical", "choices": ["svm", "it's a <b>net</b>"]},
    "wid`th; DROP": {"type": "int", "low": 1, "high": 512, "log": True,
                     "when": "`model:__choice__` != 'svm'"},
    'ker"nel': {"type": "categorical", "choices": ["rbf", "poly"],
                "when": "`model:__choice__` == 'svm'"},
    "größe": {"type": "int", "low": 2, "high": 5, "when": "`ker\"nel` == 'poly'"},
    "gamma": {"type": "categorical", "choices": [None, "auto", 0.5],
              "when": "`model:__choice__` == 'svm'"},
    "lr": {"type": "float", "low": 1e-6, "high": 1, "log": True,
           "when": "size in ['m', 'l'] or warm == true"},
    "size": {"type": "categorical", "choices": ["s", "m", "l"]},
    "warm": {"type": "categorical", "choices": [True, False]},
    "fixed": {"type": "categorical", "choices": [3]},
    "shape": {"type": "categorical", "choices": [(8, 8), (16,)],
              "when": "`model:__choice__` != 'svm'"},
}  # fmt: skip


def from_api(runs: list[Run], names: tuple[str, ...]) -> TrialTable:
    """Build a table from SMAC's API, in the space that was written by hand."""
    columns: dict[str, list[Any]] = {n: [r.parameters.get(n) for r in runs] for n in SPACE}
    columns |= {name: [run.values[k] for run in runs] for k, name in enumerate(names)}
    states = ["complete", "pruned", "failed", "running"]
    columns["how"] = [states[checked_state(run.state)] for run in runs]
    return condped.read(columns, objective=list(names), space=SPACE, state="how")


def assert_same_importances(ours: TrialTable, theirs: TrialTable) -> None:
    """Compare all variances, of one quantile and of another."""
    for options in ({}, {"target_quantile": 0.3, "region_quantile": 0.8}):
        one = condped.importance(ours, **options)  # type: ignore[arg-type]
        other = condped.importance(theirs, **options)  # type: ignore[arg-type]
        found, expected = one.to_dict(normalize=False), other.to_dict(normalize=False)
        assert found == {name: pytest.approx(expected[name], abs=1e-12) for name in found}
        assert set(found) == set(expected)


def checked(kept: Kept, source: Path, names: tuple[str, ...] = ("cost",), **options: Any) -> Any:
    """Run a directory through the kit and through the importances."""
    runs = runs_of(kept.history, options.get("budget"))
    directions = ["minimize"] * len(names)
    table = check_reader("smac", str(source), runs, directions=directions, **options)
    assert tuple(objective.name for objective in table.objectives) == names
    assert_same_importances(table, from_api(runs, names))
    return table, runs


def test_several_seeds_are_one_trial_with_their_mean(noisy: Kept) -> None:
    """The directory itself, its parent, and their parent's text give SMAC's costs."""
    table, runs = checked(noisy, noisy.path)
    checked(noisy, noisy.path.parent)
    assert {run.state for run in runs} == {State.COMPLETE, State.FAILED}
    assert len(runs) < len(noisy.history) == 25
    assert any("means over several instances or seeds" in note for note in table.notes)
    assert not table.space_inferred


def test_each_configuration_counts_at_its_highest_budget(hyperband: Kept) -> None:
    """As in SMAC, with a note that counts them."""
    table, runs = checked(hyperband, hyperband.path)
    (note,) = [note for note in table.notes if "several budgets" in note]
    assert f"{80 - len(runs)} of 80 runs, at lower budgets, do not count" in note
    assert "--budget 9" in note
    assert State.FAILED in {run.state for run in runs}
    assert len(condped.read(hyperband.path, budget="highest")) == len(runs)


@pytest.mark.parametrize("budget", [1.0, 3.0, 9.0])
def test_a_budget_can_be_chosen(hyperband: Kept, budget: float) -> None:
    """Only its runs count; configurations without one are left out and counted."""
    table, runs = checked(hyperband, hyperband.path, budget=budget)
    gone = len(hyperband.history.get_configs()) - len(runs)
    assert table.notes[0].startswith(f"Only runs at budget {budget:g}: {gone} of")


def test_failed_instances_are_in_the_mean_at_the_crash_cost(instances: Kept) -> None:
    """A configuration that failed only in part is complete, with a note."""
    table, runs = checked(instances, instances.path)
    mixed = sum(run.state is State.COMPLETE and (run.values[0] or 0) > 10 for run in runs)
    assert mixed > 0
    assert any(note.startswith(f"{mixed} configurations failed in some") for note in table.notes)
    assert np.isfinite(table.objectives[0].values).all()


def test_several_objectives_have_their_names(several: Kept) -> None:
    """In the order of the scenario, each by itself, crashes infinite."""
    table, runs = checked(several, several.path, ("error", "seconds"))
    failed = [run for run in runs if run.state is State.FAILED]
    assert failed
    assert all(math.isinf(value or 0) for run in failed for value in run.values)
    one = condped.read(several.path, objective="seconds")
    assert np.array_equal(one.objectives[0].values, table.objectives[1].values)
    with pytest.raises(NameNotFoundError, match="Did you mean 'seconds'"):
        condped.read(several.path, objective="second")


def test_runs_that_go_on_are_told(out: Path) -> None:
    """Asked for but never told: running, or not counted beside runs that ended."""
    smac = RandomFacade(
        scenario(out, "asked", n_trials=20), cost_of_seed, overwrite=True, logging_level=50
    )
    for number in range(12):
        info = smac.ask()
        if number < 8:
            smac.tell(info, TrialValue(cost=float(number)))
    first = smac.runhistory.get_configs()[0]
    smac.runhistory.add_running_trial(TrialInfo(first, seed=99))
    smac.optimizer.save()
    kept = Kept(out / "asked" / "0", smac.runhistory)
    table, _ = checked(kept, kept.path)
    assert np.count_nonzero(table.states == State.RUNNING) == 4
    assert any(note.startswith("Unfinished runs of configurations") for note in table.notes)


def test_runs_with_other_seeds_are_read_together(out: Path) -> None:
    """All below one directory, in order, with a note; with another space they are refused."""
    runs = []
    for seed in (1, 2):
        described = scenario(out / "all", "many", n_trials=15, seed=seed, deterministic=True)
        runs += runs_of(optimised(RandomFacade, described, cost_of_seed))
    table = check_reader("smac", str(out / "all"), runs)
    assert table.notes[0].endswith("read together: many/1, many/2.")
    assert len(check_reader("smac", str(out / "all" / "many"), runs)) == 30
    space = conditional_space()
    space.add(CS.Constant("more", 1))
    other = scenario(out / "all", "other", n_trials=5, space=space, deterministic=True)
    optimised(RandomFacade, other, cost_of_seed)
    with pytest.raises(DataError, match=r"2 experiments of SMAC: 'many', 'other'"):
        condped.read(out / "all")
    shutil.move(out / "all" / "other" / "0", out / "all" / "many" / "0")
    with pytest.raises(DataError, match=r"same space: .*many.0' against .*many.1', .*many.2'"):
        condped.read(out / "all" / "many")
    space_of_lr = {"lr": {"type": "float", "low": 0, "high": 1}}
    assert len(condped.read(out / "all" / "many", space=space_of_lr)) > 30


def test_the_callers_space_comes_first(noisy: Kept, tmp_path: Path) -> None:
    """Also where configspace.json is gone."""
    copied = shutil.copytree(noisy.path, tmp_path / "run")
    rate = {"lr": {"type": "float", "low": 0, "high": 2}}
    table = condped.read(copied, space=rate)
    assert table.names == ("lr",)
    assert "size" in table.ignored_columns
    (copied / "configspace.json").unlink()
    assert condped.read(copied, space=rate).names == ("lr",)
    with pytest.raises(NameNotFoundError, match="column for the parameter 'lrr'"):
        condped.read(copied, space={"lrr": rate["lr"]})
    with pytest.raises(DataError, match=r"no configspace.json in .*Restore it, or give a space"):
        condped.read(copied)


def test_the_runs_of_smac_2_0_are_lists(noisy: Kept, tmp_path: Path) -> None:
    """Of ten entries, or eleven with the time of the processor."""
    order = ["config_id", "instance", "seed", "budget", "cost", "time", "cpu_time", "status",
             "starttime", "endtime", "additional_info"]  # fmt: skip
    for names in (order, [name for name in order if name != "cpu_time"]):

        def listed(history: Any, names: list[str] = names) -> Any:
            return {**history, "data": [[run[n] for n in names] for run in history["data"]]}

        path = changed(noisy.path, tmp_path / str(len(names)), listed)
        check_reader("smac", str(path), runs_of(noisy.history))


def test_every_status_has_its_state(several: Kept, tmp_path: Path) -> None:
    """Running, success, crashed, timeout, memory out; the cost of the first counts no more."""

    def all_of_them(history: Any) -> Any:
        for status, run in enumerate(history["data"][:5]):
            run["status"] = status
        return history

    table = condped.read(changed(several.path, tmp_path / "run", all_of_them))
    expected = [State.RUNNING, State.COMPLETE, State.FAILED, State.FAILED, State.FAILED]
    assert table.states[:5].tolist() == expected
    assert np.isnan(table.objectives[0].values[0])


def test_times_and_origins_are_what_smac_recorded(noisy: Kept, several: Kept) -> None:
    """Random search draws without its model; a configuration lasts from first to last run."""
    for kept, kind in ((noisy, "other"), (several, "independent")):
        table = condped.read(kept.path)
        drawing, recorded = table.drawing, table.times
        assert drawing is not None
        assert recorded is not None
        assert [(s.name, s.kind) for s in drawing.samplers] == [("SMAC", kind)]
        for place, times in (
            (min, recorded.started),
            (max, recorded.ended),
            (sum, recorded.durations),
        ):
            name = {min: "starttime", max: "endtime", sum: "time"}[place]
            told: dict[Any, list[float]] = {}
            for key, value in kept.history.items():
                told.setdefault(key.config_id, []).append(getattr(value, name))
            assert times == pytest.approx([place(held) for held in told.values()])


def test_budgets_are_compared_by_the_costs_at_each(hyperband: Kept) -> None:
    """Of all configurations that SMAC ran at both, as its run history has them."""
    found = condped.budgets(hyperband.path)
    costs: dict[Any, dict[int, Any]] = {}
    for key, value in hyperband.history.items():
        if value.status == StatusType.SUCCESS:
            costs.setdefault(key.budget, {})[key.config_id] = value.cost
    assert found.highest in costs
    assert max(entry.configurations for entry in found) >= 8
    for entry in found:
        both = sorted(costs[entry.budget].keys() & costs[found.highest].keys())
        assert entry.configurations == len(both)
        assert entry.measured == len(costs[entry.budget])
        if len(both) < 8:
            assert entry.top == 0
            continue
        lists = [[costs[b][name] for name in both] for b in (entry.budget, found.highest)]
        assert entry.tau == pytest.approx(kendalltau(*lists).statistic)


def test_what_is_recorded_beside_the_cost_can_be_the_objective(out: Path) -> None:
    """A number that the target function returned with its cost, the time, and no other name."""

    def with_accuracy(config: CS.Configuration, seed: int = 0) -> tuple[float, dict[str, Any]]:
        lr = config.get("lr", 0.3)
        return lr, {"accuracy": 1 - lr, "comment": "fine"}

    history = optimised(
        RandomFacade, scenario(out, "extra", n_trials=12, deterministic=True), with_accuracy
    )
    values = [value for _, value in history.items()]
    path = out / "extra" / "0"
    (objective,) = condped.read(path, objective="accuracy", direction="maximize").objectives
    assert objective.direction == "maximize"
    assert objective.values == pytest.approx([v.additional_info["accuracy"] for v in values])
    (duration,) = condped.read(path, objective="duration").objectives
    assert duration.values == pytest.approx([value.time for value in values])
    with pytest.raises(NameNotFoundError, match=r"'accuracy'.*'duration'"):
        condped.read(path, objective="acuracy_")
    with pytest.raises(SettingsError, match="direction cannot be set"):
        condped.read(path, direction="maximize")
