"""Experiments that Ray Tune really ran, with everything in them that its readers must cope with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search.basic_variant import BasicVariantGenerator
from ray.tune.search.optuna import OptunaSearch

from condped.testing.reader_kit import Run
from condped.trials.table import State

HOSTILE = "q\"'<b>;ü"
PARAM_SPACE: dict[str, Any] = {
    "rate": tune.loguniform(1e-4, 1e-1),
    "model": tune.choice(
        [
            {"kind": "svm", "C": tune.loguniform(1e-3, 1e3), "scale": tune.uniform(0, 1)},
            {"kind": "net", "units": tune.qrandint(8, 64, 8), "scale": tune.uniform(5, 6)},
        ]
    ),
    HOSTILE: tune.choice([None, "a", 2, True]),
    "shape": tune.choice([[64, 64], (32,)]),
    "layers": [tune.randint(1, 4), 7],
    "drawn": tune.sample_from(lambda config: config["rate"] * 2),
    "epochs": 3,
}


@dataclass(frozen=True, slots=True)
class Experiment:
    """What the Tuner returned, and where Ray wrote it."""

    results: Any
    path: Path


def nested(config: dict[str, Any]) -> None:
    """Report a nested metric; fail before the first report or after the last, or stay silent."""
    draw = int(config["rate"] * 1e9) % 10
    if draw == 0:
        raise ArithmeticError("before any report")
    if draw == 1:
        return
    for epoch in range(1, config["epochs"] + 1):
        loss = config["model"]["scale"] / epoch + config["rate"]
        tune.report(
            {
                "loss": np.float32("nan") if draw == 2 else loss,
                "valid": {"accuracy": config["layers"][0] / epoch},
            }
        )
    if draw == 3:
        raise ArithmeticError("after the last report")


def defined(trial: optuna.Trial) -> dict[str, Any]:
    """Switch parameters and a domain as Optuna's define-by-run spaces do."""
    if trial.suggest_categorical("learner", ["svm", "net"]) == "svm":
        trial.suggest_float("x", 0, 1)
    else:
        trial.suggest_float("x", 10, 20)
        trial.suggest_int("n", 1, 9)
    return {"fixed": 5}


def switching(config: dict[str, Any]) -> None:
    """Report a score."""
    tune.report({"score": config["x"] + config.get("n", 0)})


def slowly(config: dict[str, Any]) -> None:
    """Report often enough for a scheduler to stop early."""
    for step in range(1, 9):
        tune.report({"loss": config["x"] + 1 / step})


def run(folder: Path) -> dict[str, Experiment]:
    """Run all experiments, on the Ray that runs."""
    optuna_search = OptunaSearch(space=defined, metric="score", mode="max", seed=3)
    runs: dict[str, tuple[Any, dict[str, Any] | None, dict[str, Any]]] = {
        "nested": (
            nested,
            PARAM_SPACE,
            {"num_samples": 16, "search_alg": BasicVariantGenerator(random_state=4)}
            | {"metric": "loss", "mode": "min"},
        ),
        "switching": (
            switching,
            None,
            {"num_samples": 12, "search_alg": optuna_search, "metric": "score", "mode": "max"},
        ),
        "stopped": (
            slowly,
            {"x": tune.grid_search([0.5, 0.1, 0.9, 0.3, 0.7, 0.2])},
            {"scheduler": ASHAScheduler("training_iteration", "loss", "min", max_t=8)},
        ),
    }
    found = {}
    for name, (trainable, space, settings) in runs.items():
        tuner = tune.Tuner(
            trainable,
            param_space=space,
            tune_config=tune.TuneConfig(reuse_actors=True, **settings),
            run_config=tune.RunConfig(name=name, storage_path=str(folder), verbose=0),
        )
        found[name] = Experiment(tuner.fit(), folder / name)
    return found


def restored(experiment: Experiment) -> Any:
    """Let Ray restore the results from the directory."""
    trainable = {"nested": nested, "switching": switching, "stopped": slowly}
    path = experiment.path
    return tune.Tuner.restore(str(path), trainable[path.name]).get_results()


def told(grid: Any, metric: str) -> list[Run]:
    """Return the runs as Ray's own interfaces tell them: results, and configurations by trial."""
    configs = grid._experiment_analysis.get_all_configs()
    return [
        Run(
            [result.metrics.get(metric)],
            active(configs[result.metrics["trial_id"]]),
            state=State.COMPLETE if result.error is None else State.FAILED,
        )
        for result in grid
    ]


def active(config: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a configuration, by hand; what is constant is none of them."""
    if "model" not in config:
        return {name: value for name, value in config.items() if name != "fixed"}
    model = {f"model/{name}": value for name, value in config["model"].items()}
    rest = {"shape": tuple(config["shape"]), "layers/0": config["layers"][0]}
    names = ("rate", HOSTILE, "drawn")
    return {**{name: config[name] for name in names}, **model, **rest}
