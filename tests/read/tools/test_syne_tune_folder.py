"""Experiments that Syne Tune really ran, against what its own load_experiment tells."""

from __future__ import annotations

import gc
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from syne_tune import StoppingCriterion, Tuner
from syne_tune.backend import LocalBackend
from syne_tune.config_space import choice, finrange, logfinrange, loguniform, ordinal, randint
from syne_tune.experiments import load_experiment
from syne_tune.optimizer.baselines import ASHA, RandomSearch

import condped
from condped import Categorical, Float, Int, read
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.opening import read_with_reports
from condped.space.domain import Domain
from condped.testing import Run, check_reader
from condped.trials.table import State

# Syne Tune kills trials that still run at the end, and does not wait for them.
pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")

SCRIPT = """
import sys
from syne_tune import Reporter
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
rate, layers = float(given["--größe;<b>"]), int(given["--layers"])
if layers == 3:
    sys.exit("fails before it reports")
report = Reporter()
for epoch in range(1, int(given["--epochs"]) + 1):
    report(loss=rate + layers / epoch, accuracy=1 - rate / 2, epoch=epoch)
"""
CONFIG_SPACE = {
    "größe;<b>": loguniform(1e-4, 1),
    "layers": randint(1, 6),
    "opt": choice(["adam", "sgd", "none"]),
    "warm": choice([True, False]),
    "width": logfinrange(1, 8, 4, cast_int=True),
    "momentum": finrange(0.1, 0.9, 5),
    "batch": ordinal([16, 32, 64], kind="equal"),
    "epochs": 4,
}
DOMAINS: dict[str, Domain] = {
    "größe;<b>": Float(1e-4, 1, log=True),
    "layers": Int(1, 6),
    "opt": Categorical(["adam", "sgd", "none"]),
    "warm": Categorical([True, False]),
    "width": Int(1, 8, log=True),
    "momentum": Float(0.1, 0.9, step=0.2),
    "batch": Categorical([16, 32, 64]),
}
SCHEDULERS: dict[str, Callable[[], Any]] = {
    "random": lambda: RandomSearch(CONFIG_SPACE, metrics=["loss"], random_seed=1),
    "asha": lambda: ASHA(
        CONFIG_SPACE,
        metric="accuracy",
        time_attr="epoch",
        max_t=4,
        grace_period=1,
        reduction_factor=2,
        do_minimize=False,
        random_seed=2,
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Let Syne Tune run two experiments; some trials fail, some are stopped early."""
    root = tmp_path_factory.mktemp("syne-tune")
    (root / "train.py").write_text(SCRIPT, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNETUNE_FOLDER", str(root))
        for name, scheduler in SCHEDULERS.items():
            Tuner(
                trial_backend=LocalBackend(str(root / "train.py"), rotate_gpus=False),
                scheduler=scheduler(),
                stop_criterion=StoppingCriterion(max_num_trials_finished=7),
                n_workers=1,  # for the same order in every run
                sleep_time=0.02,
                tuner_name=name,
                suffix_tuner_name=False,
                save_tuner=False,
                max_failures=50,
                print_update_interval=1000,
            ).run()
        gc.collect()  # what it left behind shall not warn in another test
        yield root


def told(folder: Path, name: str) -> tuple[pd.DataFrame, Any]:
    """Return the last report of each trial and the experiment, as Syne Tune loads them."""
    experiment = load_experiment(name, local_path=str(folder))
    # Only empty cells are missing: pandas would take the choice none for one.
    results = pd.read_csv(folder / name / "results.csv.zip", keep_default_na=False)
    pd.testing.assert_frame_equal(
        results[["trial_id", "loss"]], experiment.results[["trial_id", "loss"]]
    )
    last = results.drop_duplicates("trial_id", keep="last").sort_values("trial_id")
    return last, experiment


def as_runs(last: pd.DataFrame, metric: str, state: Callable[[Any], State]) -> list[Run]:
    """Return these trials as the readers' kit wants them."""
    return [
        Run(
            values=[row[metric]],
            parameters={name: _plain(row[f"config_{name}"]) for name in DOMAINS},
            domains=DOMAINS,
            state=state(row),
        )
        for row in last.to_dict("records")
    ]


exactly = pytest.mark.skipif(
    int(pd.__version__.partition(".")[0]) < 3,
    reason="pandas 2, by which Syne Tune loads, rounds the last digit of numbers in CSV",
)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


@exactly
def test_a_random_search_is_what_syne_tune_loads(folder: Path) -> None:
    """One trial per id with its last report; domains from the metadata, constants left out."""
    last, experiment = told(folder, "random")
    assert experiment.metric_names() == ["loss"]
    table = check_reader(
        "syne-tune",
        str(folder / "random"),
        as_runs(last, "loss", lambda row: State.COMPLETE),
    )
    assert table.ignored_columns == ("epochs",)
    assert any("does not record what happened to a trial" in note for note in table.notes)
    columns = {name: last[f"config_{name}"].tolist() for name in DOMAINS}
    expected = condped.importance(
        {"loss": last["loss"].tolist(), **columns}, objective="loss", space=DOMAINS
    )
    found = condped.importance(folder / "random")
    assert found.to_dict(normalize=False) == pytest.approx(
        expected.to_dict(normalize=False), rel=1e-12
    )


@exactly
def test_trials_that_asha_stopped_early_are_pruned(folder: Path) -> None:
    """It says STOP at the last epoch as well, where a trial is complete."""
    last, experiment = told(folder, "asha")
    assert experiment.metric_mode() == "max"

    def state(row: Any) -> State:
        if row["epoch"] == 4:
            return State.COMPLETE
        return State.PRUNED if row["st_decision"] == "STOP" else State.RUNNING

    runs = as_runs(last, "accuracy", state)
    assert {run.state for run in runs} >= {State.COMPLETE, State.PRUNED}
    check_reader("syne-tune", str(folder / "asha"), runs, directions=("maximize",))
    assert read(folder / "asha", objective="loss").objectives[0].direction == "minimize"


def test_a_budget_takes_the_reports_at_that_resource(folder: Path) -> None:
    """All trials that got so far, as complete ones; the others are counted."""
    results = load_experiment("asha", local_path=str(folder)).results
    third = results[results["epoch"] == 3].sort_values("trial_id")
    table = read(folder / "asha", objective="loss", budget=3)
    assert table.objectives[0].values.tolist() == third["loss"].tolist()
    assert not table.states.any()
    left = results["trial_id"].nunique() - len(third)
    assert f"Trials without a report at this budget left out: {left}." in table.notes
    with pytest.raises(SettingsError, match=r"budget must be.*\(got 7\)\. Available: 1, 2, 3, 4"):
        read(folder / "asha", budget=7)
    with pytest.raises(SettingsError, match="Available: none"):
        read(folder / "random", budget=1)


def test_what_is_not_there_is_refused_with_what_is(folder: Path) -> None:
    """Objectives and options."""
    with pytest.raises(NameNotFoundError, match="Did you mean 'accuracy'"):
        read(folder / "asha", objective="acuracy")
    with pytest.raises(SettingsError, match="study cannot be set"):
        read(folder / "asha", study="asha")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("metadata.json", None, r"metadata\.json' cannot be read: No such file"),
        ("metadata.json", b'{"metric', r"metadata\.json' is not valid JSON"),
        ("metadata.json", b"[1]", "must hold a JSON object"),
        ("metadata.json", b'{"metric_names": 3}', r"metadata\.json' is not laid out as Syne Tune"),
        ("metadata.json", b'{"metric_mode": 3}', r"metadata\.json' is not laid out as Syne Tune"),
        ("metadata.json", b'{"scheduler_kwargs": 3}', "is not laid out as Syne Tune writes it"),
        ("results.csv.zip", b"PK\x03\x04 cut off", "is not a zip file"),
    ],
)
def test_corrupt_files_are_refused(
    folder: Path, tmp_path: Path, file: str, content: bytes | None, message: str
) -> None:
    """The file is named, in one line."""
    copied = Path(shutil.copytree(folder / "asha", tmp_path / "asha"))
    if content is None:
        (copied / file).unlink()
    else:
        (copied / file).write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read(copied)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("loss,epoch\n1,2\n", "has no column 'trial_id'"),
        ("loss,trial_id\n1\n", "Line 2 of the table .* has 1 cells, the header has 2"),
        ("", "has no column 'trial_id'"),
    ],
)
def test_tables_that_make_no_sense_are_refused(
    folder: Path, tmp_path: Path, text: str, message: str
) -> None:
    """A table without trials, or with lines cut off."""
    shutil.copy(folder / "asha" / "metadata.json", tmp_path)
    with zipfile.ZipFile(tmp_path / "results.csv.zip", "w") as archive:
        archive.writestr("results.csv", text)
    with pytest.raises(DataError, match=message):
        read(tmp_path)


def test_several_metrics_have_a_direction_each(folder: Path, tmp_path: Path) -> None:
    """Metadata may list the modes, and need not hold a space."""
    about = json.loads((folder / "asha" / "metadata.json").read_text(encoding="utf-8"))
    del about["config_space"]
    about |= {"metric_names": ["loss", "accuracy"], "metric_mode": ["min", "max"]}
    (tmp_path / "metadata.json").write_text(json.dumps(about), encoding="utf-8")
    shutil.copy(folder / "asha" / "results.csv.zip", tmp_path)
    table = read(tmp_path)
    assert [o.direction for o in table.objectives] == ["minimize", "maximize"]
    assert table.space_inferred


@pytest.mark.parametrize(("name", "kind"), [("random", "independent"), ("asha", "other")])
def test_the_scheduler_tells_how_trials_were_drawn(folder: Path, name: str, kind: str) -> None:
    """Its name, and when each trial reported last."""
    last, experiment = told(folder, name)
    table = condped.read(folder / name)
    drawing, times = table.drawing, table.times
    assert drawing is not None
    assert times is not None
    recorded = experiment.metadata["scheduler_name"]
    assert [(s.name, s.kind) for s in drawing.samplers] == [(recorded, kind)]
    assert times.ended == pytest.approx(last["st_tuner_time"].tolist())
    assert times.durations == pytest.approx(last["st_worker_time"].tolist())


@exactly
def test_reports_are_kept_for_a_comparison_of_budgets(folder: Path) -> None:
    """Every value of the objective at every epoch, and none of other trials."""
    results = load_experiment("asha", local_path=str(folder)).results
    table = read_with_reports(folder / "asha", {"objective": "loss"})
    assert table.reports is not None
    trials = sorted(results["trial_id"].unique())
    for epoch in (1, 2, 3, 4):
        at = results[results["epoch"] == epoch].set_index("trial_id")["loss"]
        expected = [at.get(trial, np.nan) for trial in trials]
        assert np.array_equal(table.reports.at(epoch), expected, equal_nan=True)


def test_a_directory_of_experiments_holds_several_studies(folder: Path) -> None:
    """Each under the name of its directory, with its own numbers; unlike goals are refused."""
    given: dict[str, Any] = {"objective": "loss", "direction": "minimize", "sampling": "random"}
    found = condped.across(folder, **given)
    assert [one.name for one in found.studies] == ["asha", "random"]
    for one in found.studies:
        alone = condped.importance(folder / one.name, **given)
        assert {c.parameter: c.importance for c in found.cells if c.study == one.name} == (
            pytest.approx(alone.to_dict())
        )
    assert any("train.py" in note for note in found.notes)
    with pytest.raises(DataError, match=r"'asha' \(accuracy\) and 'random' \(loss\)"):
        condped.across(folder)
