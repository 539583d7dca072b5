"""Sampling and evaluating inside YAHPO Gym's own environment: a script, not a module.

``python worker.py JOB RESULT``. It imports nothing of this project. JOB is a JSON file with
``data_path``, ``scenario``, ``instances``, ``seeds``, ``trials`` and ``target``. RESULT gets one
line of JSON per instance and seed: its configurations (null where inactive) and objectives.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    """Do one job."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        # Otherwise YAHPO Gym would write to the user's own settings.
        os.environ["YAHPO_LOCAL_CONFIG"] = str(Path(folder) / "settings")
        from yahpo_gym.local_config import local_config  # noqa: PLC0415

        local_config.init_config(data_path=job["data_path"])
        with Path(sys.argv[2]).open("w", encoding="utf-8") as result:
            for instance in job["instances"]:
                for seed, columns in evaluate(job, instance):
                    line = {"instance": instance, "seed": seed, "columns": columns}
                    result.write(json.dumps(line) + "\n")
                    print(f"instance {instance}, seed {seed}", flush=True)


def evaluate(job: dict[str, Any], instance: str) -> Any:
    """Yield seeds and columns of one instance."""
    from yahpo_gym import BenchmarkSet  # noqa: PLC0415

    # check=False: configurations come from the space itself.
    benchmark = BenchmarkSet(job["scenario"], instance=instance, check=False)
    if job["target"] not in benchmark.targets:
        sys.exit(f"{job['scenario']} has no target {job['target']}, only {benchmark.targets}.")
    for seed in job["seeds"]:
        space = benchmark.get_opt_space(drop_fidelity_params=False, seed=seed)
        sampled = space.sample_configuration(job["trials"])
        if job["trials"] == 1:
            sampled = [sampled]
        values = [configuration.get_dictionary() for configuration in sampled]
        scores = benchmark.objective_function(values)
        names = [name for name in space.get_hyperparameter_names() if name != "task_id"]
        columns: dict[str, list[Any]] = {
            name: [_plain(one.get(name)) for one in values] for name in names
        }
        columns[job["target"]] = [float(score[job["target"]]) for score in scores]
        yield seed, columns


def _plain(value: Any) -> Any:
    """Return numpy's numbers as Python's, for JSON."""
    return value.item() if hasattr(value, "item") else value


if __name__ == "__main__":
    main()
