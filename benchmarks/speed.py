"""Speed against Optuna 5.0.0 and rustuna 0.2.0 on the regime-dependent problem.

Run: python -m benchmarks.speed [--quick] [--output FILE]

Every rival computes the same importances (default quantiles) on a study of its own in memory; all
are timed in the same process, best of several runs. "columns" is a mapping of numpy arrays and
a space, as a user has them: the time includes reading, checking and estimating.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import rustuna

import condped
from benchmarks.timing import best_of

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.simplefilter("ignore")
PROBLEM = condped.problems.get("regime-dependent")


def columns_of(table: condped.TrialTable) -> dict[str, np.ndarray]:
    """Return a table's columns as a user would have them."""
    found = {parameter.name: np.array(parameter.values) for parameter in table.parameters}
    return found | {"loss": np.array(table.objectives[0].values)}


def optuna_study(trials: int) -> optuna.Study:
    """Run the problem in Optuna."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(PROBLEM.objective, n_trials=trials)
    return study


def rustuna_study(trials: int) -> Any:
    """Run the problem in rustuna."""
    study = rustuna.create_study(sampler=rustuna.samplers.RandomSampler(seed=0))
    study.optimize(PROBLEM.objective, n_trials=trials)
    return study


def by_size(powers: list[int], repeats: int) -> list[dict[str, float]]:
    """Time one importance call at each size."""
    rows = []
    for power in powers:
        trials = 2**power
        columns, study, rust = (
            columns_of(PROBLEM.sample(trials, seed=0)),
            optuna_study(trials),
            rustuna_study(trials),
        )
        seconds = {
            "optuna": best_of(partial(optuna.importance.get_param_importances, study), repeats),
            "rustuna": best_of(partial(rustuna.importance.get_param_importances, rust), repeats),
            "columns": best_of(
                partial(condped.importance, columns, objective="loss", space=PROBLEM.space), repeats
            ),
            "study": best_of(partial(condped.importance, study), repeats),
        }
        rows.append({"trials": trials, **seconds})
        print(
            f"N = {trials:>7}: Optuna {1e3 * seconds['optuna']:9.2f} ms, rustuna "
            f"{1e3 * seconds['rustuna']:8.2f} ms | from columns {1e3 * seconds['columns']:7.2f} ms "
            f"({seconds['optuna'] / seconds['columns']:6.1f} x Optuna, "
            f"{seconds['rustuna'] / seconds['columns']:5.1f} x rustuna) | from the study "
            f"{1e3 * seconds['study']:8.2f} ms ({seconds['optuna'] / seconds['study']:4.1f} x)",
            flush=True,
        )
    return rows


def sweep(power: int, repeats: int) -> dict[str, float]:
    """Time 99 target quantiles at once against 99 Optuna calls."""
    trials = 2**power
    columns = columns_of(PROBLEM.sample(trials, seed=0))
    study = optuna_study(trials)

    def all_calls() -> None:
        for percent in range(1, 100):
            evaluator = optuna.importance.PedAnovaImportanceEvaluator(target_quantile=percent / 100)
            optuna.importance.get_param_importances(study, evaluator=evaluator)

    seconds = {
        "trials": float(trials),
        "optuna": best_of(all_calls, 1, least=0.0),
        "sweep": best_of(
            lambda: condped.sweep(columns, objective="loss", space=PROBLEM.space), repeats
        ),
    }
    print(
        f"99 quantiles, N = {trials}: Optuna {seconds['optuna']:.2f} s, sweep "
        f"{1e3 * seconds['sweep']:.2f} ms: {seconds['optuna'] / seconds['sweep']:.0f} x",
        flush=True,
    )
    return seconds


def many_parameters(repeats: int) -> dict[str, float]:
    """Time 50 parameters of 1,000 trials."""
    rng = np.random.default_rng(0)
    names = [f"p{i:02d}" for i in range(50)]
    columns = {name: rng.random(1000) for name in names}
    columns["loss"] = columns["p00"] + 0.5 * columns["p01"]
    space = condped.Space({name: condped.Float(0, 1) for name in names})
    study = optuna.create_study()
    domain = optuna.distributions.FloatDistribution(0, 1)
    study.add_trials(
        [
            optuna.trial.create_trial(
                value=float(columns["loss"][row]),
                params={name: float(columns[name][row]) for name in names},
                distributions=dict.fromkeys(names, domain),
            )
            for row in range(1000)
        ]
    )
    seconds = {
        "optuna": best_of(lambda: optuna.importance.get_param_importances(study), repeats),
        "columns": best_of(
            lambda: condped.importance(columns, objective="loss", space=space), repeats
        ),
        "study": best_of(lambda: condped.importance(study), repeats),
    }
    print(
        f"50 parameters x 1,000 trials: Optuna {1e3 * seconds['optuna']:.1f} ms, from columns "
        f"{1e3 * seconds['columns']:.2f} ms ({seconds['optuna'] / seconds['columns']:.0f} x), "
        f"from the study {1e3 * seconds['study']:.2f} ms "
        f"({seconds['optuna'] / seconds['study']:.0f} x)",
        flush=True,
    )
    return seconds


_LARGE = """
import sys, time
import numpy as np
import condped

def memory(field):
    # The kernel's own numbers: what getrusage says may be the parent's.
    (line,) = [line for line in open("/proc/self/status") if line.startswith(field)]
    return 1024 * int(line.split()[1])

rows = int(sys.argv[1])
floor = memory("VmRSS")
rng = np.random.default_rng(0)
columns = {f"p{i}": rng.random(rows) for i in range(10)}
columns["loss"] = rng.random(rows)
columns["loss"] += columns["p0"]
space = condped.Space({f"p{i}": condped.Float(0, 1) for i in range(10)})
given = sum(column.nbytes for column in columns.values())
start = time.perf_counter()
condped.importance(columns, objective="loss", space=space)
seconds = time.perf_counter() - start
print(seconds, given, memory("VmHWM") - floor)
"""


def large(rows: int) -> dict[str, float]:
    """Time 10 parameters of very many rows in a process of its own, and its peak memory."""
    done = subprocess.run(
        [sys.executable, "-c", _LARGE, str(rows)], capture_output=True, text=True, check=True
    )
    seconds, given, peak = map(float, done.stdout.split())
    print(
        f"10 parameters x {rows:,} rows: {seconds:.2f} s; input {given / 1e6:.0f} MB, peak "
        f"{peak / 1e6:.0f} MB with it: {peak / given:.2f} times the input",
        flush=True,
    )
    return {"rows": float(rows), "seconds": seconds, "input_bytes": given, "peak_bytes": peak}


def main() -> None:
    """Run all measurements and save them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes, a minute")
    parser.add_argument("--output", type=Path, help="write the numbers as JSON")
    arguments = parser.parse_args()
    powers = [9, 11, 13] if arguments.quick else list(range(9, 18))
    found = {
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "optuna": optuna.__version__,
            "condped": condped.__version__,
        },
        "by_size": by_size(powers, repeats=5),
        "sweep": sweep(11 if arguments.quick else 15, repeats=5),
        "many_parameters": many_parameters(repeats=7),
        "large": large(1_000_000 if arguments.quick else 10_000_000),
    }
    if arguments.output:
        arguments.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
