"""Experiments that Ax really ran; run as a script by an interpreter that has Ax.

``python ax_experiments.py folder`` writes client.json and axclient.json as Ax saves them, each
with a .told.json of what Ax itself tells about the trials when it loads them again: it saves ten
decimals of each metric. What stands in ``ax_saved`` came from
Ax 1.3.1 this way; only its records of how candidates were generated were taken out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def run_client(folder: Path) -> None:
    """Save a dependent space with failed, abandoned, stopped and running trials."""
    from ax.api.client import Client  # noqa: PLC0415  (the tests' own interpreter lacks it)
    from ax.api.configs import (  # noqa: PLC0415
        ChoiceParameterConfig,
        RangeParameterConfig,
    )

    client = Client(random_seed=1)
    client.configure_experiment(
        name="conditional",
        parameters=[
            ChoiceParameterConfig(
                name="model",
                values=["svm", "net", "none"],
                parameter_type="str",
                is_ordered=False,
                dependent_parameters={"svm": ["größe; <b>"], "net": ["layers", "dropout"]},
            ),
            RangeParameterConfig(
                name="größe; <b>", bounds=(1e-3, 1e3), parameter_type="float", scaling="log"
            ),
            RangeParameterConfig(name="layers", bounds=(1, 5), parameter_type="int"),
            RangeParameterConfig(
                name="dropout", bounds=(0.0, 0.5), parameter_type="float", step_size=0.05
            ),
            ChoiceParameterConfig(
                name="batch", values=[16, 32, 64], parameter_type="int", is_ordered=True
            ),
        ],
        parameter_constraints=[],
    )
    client.configure_optimization(objective="-loss", outcome_constraints=["latency <= 3"])
    client.configure_generation_strategy(method="random_search")
    for _ in range(8):
        for trial, parameters in client.get_next_trials(max_trials=3).items():
            _end(client, trial, parameters)
    client.save_to_json_file(str(folder / "client.json"))
    loaded = Client.load_from_json_file(str(folder / "client.json"))
    _tell(folder / "client.told.json", loaded.summarize(), loaded._experiment)


def _end(client: Any, trial: int, parameters: dict[str, Any]) -> None:
    loss = parameters.get("layers", 2) + parameters.get("dropout", trial % 7)
    if trial == 2:
        client.mark_trial_failed(trial)
    elif trial == 3:
        client.mark_trial_abandoned(trial)
    elif trial == 4:
        client.attach_data(trial, {"loss": loss}, progression=1)
        client.mark_trial_early_stopped(trial)
    elif trial == 5:  # the last step counts
        client.attach_data(trial, {"loss": (loss, 0.1), "latency": 1.0}, progression=2)
        client.attach_data(trial, {"loss": (77.0, 0.1), "latency": 2.0}, progression=1)
        client.complete_trial(trial)
    elif trial != 23:  # still running
        client.complete_trial(trial, raw_data={"loss": loss, "latency": float(trial)})


def run_ax_client(folder: Path) -> None:
    """Save two objectives, a constant and parameters that depend on dependent ones."""
    from ax.service.ax_client import AxClient, ObjectiveProperties  # noqa: PLC0415

    client = AxClient(verbose_logging=False, random_seed=3)
    client.create_experiment(
        name="nested",
        parameters=[
            {"name": "root", "type": "choice", "values": ["a", "b"], "is_ordered": False,
             "sort_values": False, "dependents": {"a": ["x"], "b": ["y", "z"]}},
            {"name": "x", "type": "range", "bounds": [0.0, 1.0], "digits": 2},
            {"name": "y", "type": "range", "bounds": [1, 100], "value_type": "int",
             "log_scale": True},
            {"name": "z", "type": "choice", "values": [True, False], "is_ordered": True,
             "sort_values": True, "dependents": {True: ["w"]}},
            {"name": "w", "type": "range", "bounds": [0.1, 0.9]},
            {"name": "constant", "type": "fixed", "value": 7},
        ],
        objectives={
            "error": ObjectiveProperties(minimize=True),
            "speed": ObjectiveProperties(minimize=False),
        },
        choose_generation_strategy_kwargs={"num_initialization_trials": 20},
    )  # fmt: skip
    for _ in range(16):
        parameters, trial = client.get_next_trial()
        if trial == 2:
            client.log_trial_failure(trial)
        elif trial == 3:
            client.abandon_trial(trial)
        else:
            error = parameters.get("x", parameters.get("w", 0.3))
            client.complete_trial(trial, {"error": (error, 0.1), "speed": float(trial % 5)})
    client.save_to_json_file(str(folder / "axclient.json"))
    loaded = AxClient.load_from_json_file(str(folder / "axclient.json"))
    _tell(folder / "axclient.told.json", loaded.get_trials_data_frame(), loaded.experiment)


def _tell(path: Path, summary: Any, experiment: Any) -> None:
    """Write down the parameters, metrics and states that Ax tells."""
    metrics = [name for name in experiment.metrics if name in summary.columns]
    told = [
        {
            "state": row["trial_status"],
            "parameters": experiment.trials[row["trial_index"]].arm.parameters,
            "metrics": {name: None if row[name] != row[name] else row[name] for name in metrics},
        }
        for row in summary.to_dict("records")
    ]
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_client(Path(sys.argv[1]))
    run_ax_client(Path(sys.argv[1]))
