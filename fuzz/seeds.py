"""Files that tools actually wrote: small runs, kept beside the campaign as archives.

``python -m fuzz.seeds`` writes them again. Runs of Ax, Keras Tuner and hpbandster, which have
requirements of their own, are written here in these tools' formats.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

SEEDS = Path(__file__).parent / "corpus" / "seeds"
_TRACKIO = """
import trackio
for number in range(6):
    trackio.init(project="tuning", name=f"run {number}", config={"lr": 0.1 * number,
    "net": {"warm": True}})
    for step in range(2):
        trackio.log({"loss": 1 / (1 + number + step)})
    trackio.finish()
"""  # fmt: skip
_SYNE_TUNE = """
import sys
from syne_tune import Reporter
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
if int(given["--layers"]) == 3:
    sys.exit("fails before it reports")
report = Reporter()
for epoch in (1, 2):
    report(loss=float(given["--rate"]) + int(given["--layers"]) / epoch, epoch=epoch)
"""


@cache
def seed(name: str) -> Mapping[str, bytes]:
    """Return the files of a seed by their paths."""
    with zipfile.ZipFile(SEEDS / f"{name}.zip") as archive:
        return {one.filename: archive.read(one) for one in archive.infolist()}


def pack(name: str, folder: Path, *, only: Callable[[Path], bool] = lambda _: True) -> None:
    """Keep the files of a folder as a seed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and only(path):
                one = zipfile.ZipInfo(str(path.relative_to(folder)), (2026, 1, 1, 0, 0, 0))
                one.compress_type = zipfile.ZIP_DEFLATED
                # Neither a folder of this machine nor its interpreter; lengths stay in databases.
                data = re.sub(rb"/tmp/tmp[a-z0-9_]{8}", b"/tmp/runs-folder", path.read_bytes())
                if path.suffix == ".json":
                    home = re.escape(str(Path.home()).encode())
                    data = re.sub(home + rb"/[^\"',\s\\]*", b"/usr/python", data)
                archive.writestr(one, data)
    SEEDS.mkdir(parents=True, exist_ok=True)
    (SEEDS / f"{name}.zip").write_bytes(packed.getvalue())


def smac(folder: Path) -> None:
    """Run SMAC at random in a conditional space."""
    import ConfigSpace as CS  # noqa: N817, PLC0415  (so with the other tools)
    from smac import RandomFacade, Scenario  # noqa: PLC0415

    space = CS.ConfigurationSpace(seed=0)
    model = CS.CategoricalHyperparameter("model", ["svm", "net", None])
    rate = CS.UniformFloatHyperparameter("lr", 1e-6, 1.0, log=True)
    size = CS.OrdinalHyperparameter("size", ["s", "m", "l"])
    width = CS.UniformIntegerHyperparameter("width", 1, 512, log=True)
    space.add(model, rate, size, width, CS.Constant("fixed", 3))
    space.add(CS.EqualsCondition(rate, model, "svm"), CS.InCondition(width, size, ["m", "l"]))
    scenario = Scenario(space, name="run", output_directory=folder, n_trials=10, seed=0)
    RandomFacade(scenario, _cost, overwrite=True, logging_level=50).optimize()
    pack("smac", folder / "run" / "0")


def _cost(config: Any, seed: int = 0) -> float:
    if config["model"] is None:
        raise ArithmeticError("does not converge")
    return float(config.get("lr", 0.3) + config.get("width", 3) / 100)


def ray(folder: Path) -> None:
    """Run Ray Tune with a nested space."""
    os.environ |= {"RAY_AIR_NEW_OUTPUT": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    import ray as running  # noqa: PLC0415
    from ray import tune  # noqa: PLC0415

    running.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=50)

    def trainable(config: dict[str, Any]) -> None:
        for epoch in (1, 2):
            tune.report({"loss": config["rate"] * epoch, "valid": {"accuracy": 0.5}})

    tune.Tuner(
        trainable,
        param_space={
            "rate": tune.loguniform(1e-4, 1e-1),
            "model": tune.choice([{"kind": "svm", "C": tune.uniform(0, 1)}, {"kind": "net"}]),
        },
        tune_config=tune.TuneConfig(num_samples=4, metric="loss", mode="min", reuse_actors=True),
        run_config=tune.RunConfig(name="run", storage_path=str(folder), verbose=0),
    ).fit()
    running.shutdown()
    kept = (".json",)
    pack("ray", folder / "run", only=lambda path: path.suffix in kept)


def mlflow(folder: Path) -> None:
    """Record runs in MLflow, in files and in SQLite."""
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    os.chdir(folder)  # MLflow names it as the place of artifacts
    from mlflow.tracking import MlflowClient  # noqa: PLC0415

    for name, uri in (
        ("mlflow-files", (folder / "files").as_uri()),
        ("mlflow-sqlite", f"sqlite:///{folder / 'sqlite' / 'mlflow.db'}"),
    ):
        (folder / name.partition("-")[2]).mkdir()
        client = MlflowClient(uri)
        experiment = client.create_experiment("tuning")
        for number in range(5):
            run = client.create_run(experiment, start_time=1000 + number).info.run_id
            client.log_param(run, "lr", 0.1 * number)
            client.log_param(run, "model", ("svm", "net")[number % 2])
            client.log_metric(run, "loss", 1 / (1 + number), 5, 1)
            client.set_terminated(run, ("FINISHED", "FAILED")[number == 3])
        pack(name, folder / name.partition("-")[2])


def optuna(folder: Path) -> None:
    """Write two studies by Optuna, into SQLite and a journal."""
    from fuzz.doors.optuna_studies import journal_seed, sqlite_seed  # noqa: PLC0415

    (folder / "journal.log").write_bytes(journal_seed(folder / "made.log"))
    (folder / "study.db").write_bytes(sqlite_seed(folder / "made.db"))
    pack("optuna", folder)


def trackio(folder: Path) -> None:
    """Record runs in Trackio, offline."""
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _TRACKIO], check=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "TRACKIO_DIR": str(folder / "store")},
    )  # fmt: skip
    pack("trackio", folder / "store", only=lambda path: path.name == "tuning.db")


def syne_tune(folder: Path) -> None:
    """Run Syne Tune at random."""
    os.environ["SYNETUNE_FOLDER"] = str(folder)
    from syne_tune import StoppingCriterion, Tuner  # noqa: PLC0415
    from syne_tune.backend import LocalBackend  # noqa: PLC0415
    from syne_tune.config_space import choice, loguniform, randint  # noqa: PLC0415
    from syne_tune.optimizer.baselines import RandomSearch  # noqa: PLC0415

    (folder / "train.py").write_text(_SYNE_TUNE)
    space = {"rate": loguniform(1e-4, 1), "layers": randint(1, 6), "opt": choice(["adam", "none"])}
    Tuner(
        trial_backend=LocalBackend(str(folder / "train.py"), rotate_gpus=False),
        scheduler=RandomSearch(space, metrics=["loss"], random_seed=1),
        stop_criterion=StoppingCriterion(max_num_trials_finished=5),
        n_workers=1, sleep_time=0.02, tuner_name="run", suffix_tuner_name=False,
        save_tuner=False, max_failures=50, print_update_interval=1000,
    ).run()  # fmt: skip
    names = ("results.csv.zip", "metadata.json")
    pack("syne-tune", folder / "run", only=lambda path: path.name in names)


def keras_tuner(folder: Path) -> None:
    """Write a project as Keras Tuner does."""
    space = [
        {"class_name": "Float", "config": {"name": "x", "default": 0.0, "conditions": [],
         "min_value": 0.0, "max_value": 1.0, "step": None, "sampling": "linear"}},
        {"class_name": "Choice", "config": {"name": "k", "default": "a", "conditions": [],
         "values": ["a", "b"], "ordered": False}},
        {"class_name": "Int", "config": {"name": "n", "default": None, "min_value": 1,
         "max_value": 9, "step": 2, "sampling": "linear",
         "conditions": [{"class_name": "Parent", "config": {"name": "k", "values": ["b"]}}]}},
    ]  # fmt: skip
    oracle = {"hyperparameters": {"space": space, "values": {}}, "start_order": list("0123"),
              "ongoing_trials": {}, "display": {"trial_start": {}}}  # fmt: skip
    (folder / "oracle.json").write_text(json.dumps(oracle))
    for number in range(4):
        own = {"k": "b", "n": 1 + 2 * number} if number % 2 else {"k": "a"}
        observed = {
            "direction": "min",
            "observations": [{"value": [0.5 / (1 + number)], "step": 0}],
        }
        trial = {
            "trial_id": str(number),
            "hyperparameters": {"space": space, "values": {"x": number / 4, **own}},
            "metrics": {"metrics": {"loss": observed}},
            "score": 0.5 / (1 + number), "best_step": 0,
            "status": ("COMPLETED", "FAILED")[number == 3], "message": None,
        }  # fmt: skip
        (folder / f"trial_{number}").mkdir()
        (folder / f"trial_{number}" / "trial.json").write_text(json.dumps(trial))
    pack("keras-tuner", folder)


def hpbandster(folder: Path) -> None:
    """Write the logs of a run as hpbandster does."""
    configs, results = [], []
    for number in range(6):
        id = [0, 0, number]
        configs.append([id, {"x": number / 6, "k": "ab"[number % 2]}, {"model_based_pick": False}])
        for budget in (1.0, 3.0):
            times = {"submitted": 1.0 + number, "started": 1.5 + number, "finished": 2.0 + number}
            told = {"loss": 1 / (number + budget), "info": {"accuracy": 0.5}}
            results.append([id, budget, times, None if number == 4 else told, None])
    for name, lines in (("configs.json", configs), ("results.json", results)):
        (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    pack("hpbandster", folder)


def ax(folder: Path) -> None:
    """Take the experiment that Ax saved for the tests, a few of its trials."""
    kept = Path(__file__).parent.parent / "tests" / "read" / "tools" / "ax_saved" / "axclient.json"
    saved = json.loads(kept.read_text(encoding="utf-8"))
    (folder / "ax.json").write_text(json.dumps(saved))
    pack("ax", folder)


def main() -> None:
    """Write all seeds, or those that are named."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    makers = (optuna, smac, ray, mlflow, trackio, syne_tune, keras_tuner, hpbandster, ax)
    for make in makers:
        if len(sys.argv) == 1 or make.__name__ in sys.argv[1:]:
            with tempfile.TemporaryDirectory() as folder:
                make(Path(folder).resolve())
            sys.stdout.write(f"{make.__name__}\n")


if __name__ == "__main__":
    main()
