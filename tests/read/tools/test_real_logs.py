"""Logs of real SMAC and DEHB runs and of YAHPO Gym, row by row against their own domains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import condped
from condped import TrialTable
from condped.trials.table import State

DATA = Path(__file__).parents[4] / "shared" / "data"
LOGS = DATA / "smac_dehb_logs"
YAHPO = DATA / "yahpo"
RUNS = ("DEHB", "SMAC")
INSTANCES = (
    "iaml_super_1489", "iaml_super_40981", "rbv2_multi_1053", "rbv2_multi_1063", "rbv2_multi_1457",
)  # fmt: skip
SENTINEL = 2147483647

pytestmark = [
    pytest.mark.skipif(
        not DATA.is_dir(), reason="the real evaluation data is not beside the repository"
    ),
    pytest.mark.skipif(
        int(pa.__version__.partition(".")[0]) < 20,
        reason="pyarrow 19 cannot read what pyarrow 21 wrote: level histograms",
    ),
]


def domains_of(path: Path) -> list[dict[str, Any]]:
    """Load what a domains file says, in one spelling."""
    found = json.loads(path.read_text(encoding="utf-8"))
    entries = found if isinstance(found, list) else found["hyperparameters"]
    return [
        {
            **entry,
            "type": entry["type"].removeprefix("uniform_"),
            "low": entry.get("lower", entry.get("low")),
            "high": entry.get("upper", entry.get("high")),
        }
        for entry in entries
    ]


def space_of(domains: list[dict[str, Any]]) -> dict[str, Any]:
    """Write the domains down as a user would."""
    space = {}
    for entry in domains:
        kept = ("choices",) if entry["type"] == "categorical" else ("low", "high", "log")
        space[entry["name"]] = {"type": entry["type"], **{key: entry[key] for key in kept}}
        if entry["condition"]:
            space[entry["name"]]["when"] = " and ".join(map(_words, entry["condition"]))
    return space


def _words(condition: dict[str, Any]) -> str:
    if "in" in condition:
        return f"`{condition['parent']}` in {json.dumps(condition['in'])}"
    (bound,) = condition["GT"]
    return f"`{condition['parent']}` > {bound}"


def active(row: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Return whether a hyperparameter should have a value in a row, by its conditions."""
    for condition in entry["condition"] or ():
        value = row[condition["parent"]]
        if pd.isna(value):
            return False
        held = value in condition["in"] if "in" in condition else value > condition["GT"][0]
        if not held:
            return False
    return True


def check_every_row(table: TrialTable, frame: pd.DataFrame, domains: list[dict[str, Any]]) -> int:
    """Compare activation and values with the rows; return how many values were inactive."""
    rows = frame.to_dict("records")
    parameters = {parameter.name: parameter for parameter in table.parameters}
    assert list(parameters) == [entry["name"] for entry in domains]
    inactive = 0
    for entry in domains:
        parameter = parameters[entry["name"]]
        expected = np.array([active(row, entry) for row in rows])
        assert np.array_equal(parameter.domain_ids >= 0, expected), entry["name"]
        values = parameter.values[expected]
        recorded = frame[entry["name"]][expected].tolist()
        if entry["type"] == "categorical":
            assert [entry["choices"][place] for place in values] == recorded
        else:
            assert values.tolist() == recorded
        inactive += int(np.count_nonzero(~expected))
    assert not any("missing in" in note for note in table.notes)
    return inactive


def check_importances(table: TrialTable) -> None:
    """Compute them; they are shares of a whole."""
    result = condped.importance(table)
    importances = result.to_dict()
    assert set(importances) == set(table.names)
    assert sum(importances.values()) == pytest.approx(1)
    assert all(np.isfinite(value) and value >= 0 for value in importances.values())
    assert str(result)


def log_file(run: str) -> Path:
    """Return the log of a run."""
    return LOGS / f"deepcave_outlier_{run}-pendigits-015-0-0.parquet"


@pytest.fixture(scope="module")
def log_domains() -> list[dict[str, Any]]:
    """Load the domains of SMAC's and DEHB's runs."""
    return domains_of(LOGS / "deepcave_outlier.domains.json")


@pytest.mark.parametrize("run", RUNS)
def test_every_row_of_a_real_log_agrees_with_its_conditions(
    run: str, log_domains: list[dict[str, Any]], tmp_path: Path
) -> None:
    """39 hyperparameters, 29 of them conditional, in two spellings of the space."""
    assert (len(log_domains), sum(bool(e["condition"]) for e in log_domains)) == (39, 29)
    file = tmp_path / "space.json"
    file.write_text(json.dumps(space_of(log_domains)), encoding="utf-8")
    frame = pd.read_parquet(log_file(run))
    for space in (space_of(log_domains), file, str(file)):
        table = condped.read(log_file(run), objective="cost", space=space, state="status")
        assert check_every_row(table, frame, log_domains) > 5000
    assert table.ignored_columns == ("config_id", "budget", "time")
    words = frame["status"].str.removeprefix("StatusType.")
    ended = {
        State.COMPLETE: words == "SUCCESS",
        State.FAILED: words.isin(["CRASHED", "STOP"]),
        State.RUNNING: words == "RUNNING",
    }
    for state, where in ended.items():
        assert np.array_equal(table.states == state, where)
    check_importances(table)


def test_crashed_and_running_rows_are_counted(log_domains: list[dict[str, Any]]) -> None:
    """In the account of the result, each once."""
    found = {}
    for run in RUNS:
        table = condped.read(
            log_file(run), objective="cost", space=space_of(log_domains), state="status"
        )
        trials = condped.importance(table).account.trials
        found[run] = (trials.total, trials.used, trials.failed, trials.running)
    assert found == {"DEHB": (501, 492, 9, 0), "SMAC": (673, 650, 21, 2)}


def test_the_sentinel_of_runs_that_never_ended_can_be_told(
    log_domains: list[dict[str, Any]],
) -> None:
    """Without the column of states these rows would be the worst of all costs."""
    options: dict[str, Any] = {"objective": "cost", "space": space_of(log_domains)}
    file = log_file("SMAC")
    plain = condped.read(file, **options)
    assert np.count_nonzero(plain.objectives[0].values == SENTINEL) == 2
    assert (plain.states == State.COMPLETE).all()
    told = condped.read(file, failure_values=[SENTINEL], **options)
    assert np.array_equal(told.states == State.FAILED, told.objectives[0].values == SENTINEL)
    assert "2 trials with the objective 2.14748e+09 count as failed." in told.notes
    both = condped.read(file, failure_values=[SENTINEL], state="status", **options)
    assert np.count_nonzero(both.states == State.RUNNING) == 2
    assert np.count_nonzero(both.states == State.FAILED) == 21
    check_importances(told)


@pytest.mark.parametrize("run", RUNS)
def test_one_budget_is_a_matter_of_filtering_the_frame(
    run: str, log_domains: list[dict[str, Any]]
) -> None:
    """Rows are evaluations of configurations at three budgets; a frame of one is read alike."""
    frame = pd.read_parquet(log_file(run))
    highest = frame[frame["budget"] == frame["budget"].max()]
    assert 100 < len(highest) < len(frame)
    table = condped.read(highest, objective="cost", space=space_of(log_domains), state="status")
    check_every_row(table, highest, log_domains)
    check_importances(table)


@pytest.mark.parametrize("instance", INSTANCES)
def test_every_row_of_a_surrogate_table_agrees_with_its_conditions(
    instance: str, tmp_path: Path
) -> None:
    """10,000 random configurations each, null where inactive."""
    domains = domains_of(YAHPO / f"{instance.rpartition('_')[0]}.domains.json")
    path = YAHPO / f"{instance}.parquet"
    file = tmp_path / "space.json"
    file.write_text(json.dumps(space_of(domains)), encoding="utf-8")
    frame = pd.read_parquet(path)
    for target in [name for name in ("acc", "f1") if name in frame]:
        table = condped.read(path, objective=target, direction="maximize", space=file)
        assert np.array_equal(table.objectives[0].values, frame[target])
        check_importances(table)
    assert len(table) == 10_000
    assert check_every_row(table, frame, domains) > 100_000
