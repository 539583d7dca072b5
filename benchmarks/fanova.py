"""f-ANOVA against Optuna 5.0.0's on the regime-dependent problem: time and peak memory.

Run: python -m benchmarks.fanova [--powers 9 10 11] [--patience SECONDS] [--output FILE]

Each measurement is a process of its own, which imports everything and makes the trials first;
memory is what the evaluation adds at its peak. Both grow the same forest and must agree.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.importance import FanovaImportanceEvaluator

import condped

PROBLEM = condped.problems.get("regime-dependent")


def optuna_study(trials: int) -> optuna.Study:
    """Return the trials as a study, domains that switch joined into one."""
    table = PROBLEM.sample(trials, seed=0)
    domains: dict[str, BaseDistribution] = {}
    for parameter in table.parameters:
        lows, highs = zip(*((d.low, d.high) for d in parameter.domains), strict=True)  # type: ignore[union-attr]
        domains[parameter.name] = FloatDistribution(min(lows), max(highs))
    study = optuna.create_study()
    for row, loss in enumerate(table.objectives[0].values):
        params = {parameter.name: float(parameter.values[row]) for parameter in table.parameters}
        trial = optuna.create_trial(value=float(loss), params=params, distributions=domains)
        study.add_trial(trial)
    return study


def measure(who: str, trials: int) -> dict[str, Any]:
    """Return seconds, megabytes and scores of one evaluation in this process."""
    table = PROBLEM.sample(trials, seed=0)
    condped.baselines.importance(PROBLEM.sample(9, seed=0), method="f-anova", trees=1)
    study = optuna_study(trials) if who == "optuna" else None
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    if study is not None:
        scores = FanovaImportanceEvaluator(seed=0).evaluate(study)
    else:
        found = condped.baselines.importance(table, method="f-anova", seed=0)
        scores = found.to_dict(normalize=False)
    seconds = time.perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    ordered = {name: scores[name] for name in sorted(scores)}
    return {"seconds": seconds, "megabytes": grown / 1024, "scores": ordered}


def in_a_process(who: str, trials: int, patience: float) -> dict[str, Any] | None:
    """Measure in a fresh process; None if it takes longer than we wait."""
    command = [sys.executable, "-m", "benchmarks.fanova", "--one", who, str(trials)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return None
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def main() -> None:
    """Measure all sizes and print a table."""
    parser = argparse.ArgumentParser(description="f-ANOVA against Optuna's.")
    parser.add_argument("--powers", type=int, nargs="+", default=[9, 10, 11, 12, 13])
    parser.add_argument("--patience", type=float, default=600.0, help="seconds for one evaluation")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--one", nargs=2, metavar=("WHO", "TRIALS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore")
        print(json.dumps(measure(options.one[0], int(options.one[1]))))
        return
    rows, waiting = [], True
    for power in options.powers:
        ours = in_a_process("condped", 2**power, options.patience)
        theirs = in_a_process("optuna", 2**power, options.patience) if waiting else None
        waiting = theirs is not None  # larger ones take longer still
        rows.append({"trials": 2**power, "condped": ours, "optuna": theirs})
        print(json.dumps(rows[-1]), flush=True)
    made = {"python": platform.python_version(), "optuna": optuna.__version__, "rows": rows}
    if options.output:
        options.output.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
