"""Evaluation sets from your own checkout of yahpo_data, in the layout that the experiments read.

``python -m experiments.yahpo.sample --data-path yahpo_data --scenario rbv2_super
--instances 1053,1457 --seeds 42-51 --trials 1000 --output DIR``
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from condped.errors import CondpedError, SettingsError
from experiments.store import write_whole
from experiments.yahpo import checkout
from experiments.yahpo.environment import REQUIREMENTS, PreparationError, prepare
from experiments.yahpo.folder import SURROGATES, read_scenario

WORKER = Path(__file__).with_name("worker.py")
ENVIRONMENT = Path(".yahpo-environment")


def sample(
    data_path: Path,
    scenario: str,
    instances: Sequence[str],
    *,
    seeds: Sequence[int],
    trials: int,
    output: Path,
    interpreter: Path,
) -> list[Path]:
    """Evaluate uniform random configurations and write one Parquet file per instance.

    Each seed draws ``trials`` configurations from the scenario's space, fidelities included, as
    the paper does. ``interpreter`` belongs to an environment of :func:`environment.prepare`.
    """
    domains = check(data_path, scenario, instances, trials=trials, output=output)
    target = domains["target"]
    job = {
        "data_path": str(data_path.resolve()),
        "scenario": scenario,
        "instances": list(instances),
        "seeds": list(seeds),
        "trials": trials,
        "target": target,
    }
    with tempfile.TemporaryDirectory() as folder:
        lines = _lines(_work(interpreter, job, Path(folder)))
        parts: dict[str, list[Any]] = {instance: [] for instance in instances}
        for line in lines:
            parts[line["instance"]].append(columns(line, domains, target))
    output.mkdir(parents=True, exist_ok=True)
    written = [output / f"{scenario}.domains.json"]
    text = json.dumps(domains, indent=1) + "\n"
    write_whole(written[0], lambda path: path.write_text(text, encoding="utf-8"))
    # In each file, so that a folder that mixes two surrogates is detected.
    metadata = {SURROGATES: json.dumps(domains["surrogates"])}
    for instance, tables in parts.items():
        written.append(output / f"{scenario}_{instance}.parquet")
        table = pa.concat_tables(tables).replace_schema_metadata(metadata)
        write_whole(written[-1], partial(pq.write_table, table))
    return written


def check(
    data_path: Path,
    scenario: str,
    instances: Sequence[str],
    *,
    trials: int = 1,
    output: Path | None = None,
) -> dict[str, Any]:
    """Raise if something cannot be sampled; return the scenario's domains."""
    if trials < 1:
        raise SettingsError(f"trials must be at least 1 (got {trials}).")
    checkout.check_scenario(scenario)
    checkout.check_checkout(data_path, scenario)
    checkout.check_instances(data_path, scenario, instances)
    domains = checkout.domains(data_path, scenario)
    domains["surrogates"] = {"yahpo_gym": _yahpo_version(), **domains["surrogates"]}
    if output is not None:
        _check_output(output, scenario, instances, domains["surrogates"])
    return domains


def _check_output(
    output: Path, scenario: str, instances: Sequence[str], surrogates: dict[str, str]
) -> None:
    """Raise if a folder's other instances come from another surrogate."""
    domains = output / f"{scenario}.domains.json"
    if not domains.is_file() or dict(read_scenario(domains).surrogates) == surrogates:
        return
    kept = sorted(
        path.name
        for path in output.glob(f"{scenario}_*.parquet")
        if path.stem.removeprefix(f"{scenario}_") not in instances
    )
    if kept:
        raise SettingsError(
            f"output must not mix surrogates (got {output}, where {', '.join(kept)} come from "
            "another). Name another folder, or sample all its instances again."
        )


def columns(line: dict[str, Any], domains: dict[str, Any], target: str) -> Any:
    """Return one seed's trials as a table: seed, hyperparameters in the space's order, target."""
    types = {"float": pa.float64(), "int": pa.int32(), "categorical": pa.string()}
    values = line["columns"]
    arrays = {"seed": pa.array([line["seed"]] * len(values[target]), pa.int32())}
    for entry in domains["hyperparameters"]:
        arrays[entry["name"]] = pa.array(values[entry["name"]], types[entry["type"]])
    arrays[target] = pa.array(values[target], pa.float64())
    return pa.table(arrays)


def _work(interpreter: Path, job: dict[str, Any], folder: Path) -> Path:
    """Run the worker in its environment and return the file that it wrote."""
    request, result = folder / "job.json", folder / "result.jsonl"
    request.write_text(json.dumps(job), encoding="utf-8")
    # -I: neither this project nor the user's own packages get into that environment.
    done = subprocess.run(
        [str(interpreter), "-I", str(WORKER), str(request), str(result)],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise PreparationError(f"YAHPO Gym could not evaluate the surrogate: {lines[-1]}")
    return result


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _yahpo_version() -> str:
    return REQUIREMENTS[0].partition("==")[2]


def parse_seeds(text: str) -> list[int]:
    """Read "42-51" or "42,43,50-51"."""
    found: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            raise SettingsError(f'seeds must look like "42-51" or "42,43" (got {text!r}).')
        found += range(int(low), int(high or low) + 1)
    if not found or len(set(found)) != len(found):
        raise SettingsError(f"seeds must be ascending, each once (got {text!r}).")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare the environment, check the checkout, sample, and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-path", type=Path, help="your checkout of yahpo_data")
    parser.add_argument("--scenario", default="rbv2_super", help="rbv2_super or iaml_super")
    parser.add_argument("--instances", help="comma-separated, such as 1053,1457")
    parser.add_argument("--seeds", default="42-51", help="such as 42-51 (default)")
    parser.add_argument("--trials", type=int, default=1000, help="per seed (default 1000)")
    parser.add_argument("--output", type=Path, help="folder to write")
    parser.add_argument(
        "--environment",
        type=Path,
        default=ENVIRONMENT,
        help=f"YAHPO Gym's own environment, made if needed ({ENVIRONMENT})",
    )
    parser.add_argument("--python", default=sys.executable, help="makes it; 3.9 to 3.12")
    parser.add_argument("--prepare", action="store_true", help="make the environment only")
    options = parser.parse_args(arguments)
    try:
        if options.prepare:
            print(f"YAHPO Gym is ready: {prepare(options.environment, options.python)}")
            return 0
        for name in ("data_path", "instances", "output"):
            if getattr(options, name) is None:
                raise SettingsError(f"--{name.replace('_', '-')} is needed, unless --prepare is.")
        instances = [part.strip() for part in options.instances.split(",")]
        seeds = parse_seeds(options.seeds)
        # Before anything is installed: most often it is the models that are missing.
        check(
            options.data_path,
            options.scenario,
            instances,
            trials=options.trials,
            output=options.output,
        )
        interpreter = prepare(options.environment, options.python)
        written = sample(
            options.data_path,
            options.scenario,
            instances,
            seeds=seeds,
            trials=options.trials,
            output=options.output,
            interpreter=interpreter,
        )
        for path in written:
            print(f"wrote {path}")
    except (CondpedError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
