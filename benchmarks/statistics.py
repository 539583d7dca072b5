"""How good the numbers are: error against exact truth, coverage, false alarms, power, cost.

``python -m benchmarks.statistics [--quick] [--output FILE] [--page FILE]``: seeded, an hour or two.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna

import condped
from benchmarks.statistics_exact import (
    METHODS,
    SIZES,
    averages,
    coverage,
    errors,
    pair_alarms,
    tpe_pair_alarms,
    violations,
)
from benchmarks.statistics_page import page
from benchmarks.statistics_power import power
from condped.analyse.robustness import kendall
from experiments.yahpo.folder import find_folder, read_folder


def agreement(one: dict[str, float], other: dict[str, float]) -> float:
    """Return Kendall's τ, 0 where one of the two ranks nothing."""
    return kendall(one, other) or 0.0


TYPES: dict[str, Callable[[Any, int], Any]] = {
    "float": lambda rng, n: rng.random(n),
    "log float": lambda rng, n: np.exp(rng.uniform(-7, 7, n)),
    "2 levels": lambda rng, n: rng.integers(0, 2, n),
    "8 levels": lambda rng, n: rng.integers(0, 8, n),
    "3 choices": lambda rng, n: rng.choice(list("abc"), n),
    "10 choices": lambda rng, n: rng.choice(list("abcdefghij"), n),
}


def false_alarms(seeds: int) -> list[dict[str, Any]]:
    """Count p-values below 0.05 where nothing matters, random trials."""
    rows = []
    for trials in (50, 200, 1000):
        for sampling in ("random", "ordered"):
            low = dict.fromkeys(TYPES, 0)
            for seed in range(seeds):
                rng = np.random.default_rng(seed)
                table: dict[str, Any] = {name: draw(rng, trials) for name, draw in TYPES.items()}
                table["loss"] = rng.random(trials)
                result = condped.importance(table, objective="loss", sampling=sampling)
                for evidence in result.evidence:
                    low[evidence.name] += evidence.p_value < 0.05
            rows.append(
                {"trials": trials, "sampling": sampling,
                 **{name: count / seeds for name, count in low.items()}}
            )  # fmt: skip
    return rows


def tpe_alarms(seeds: int) -> dict[str, float]:
    """Count the same for idle parameters of studies that TPE sampled."""
    low = {"random": 0, "auto": 0}
    for seed in range(seeds):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        study.optimize(_with_idle, n_trials=200)
        for sampling in low:
            result = condped.importance(study, sampling=sampling)  # type: ignore[arg-type]
            low[sampling] += sum(result.evidence[f"n{i}"].p_value < 0.05 for i in range(4))
    return {sampling: count / (4 * seeds) for sampling, count in low.items()}


def _with_idle(trial: optuna.Trial) -> float:
    for number in range(4):
        trial.suggest_float(f"n{number}", 0, 1)
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", -2, 2)
    return (x - 0.3) ** 2 + 0.1 * y**2


def cost() -> dict[str, float]:
    """Measure intervals against one plain evaluation, and a sweep with bands."""
    rng = np.random.default_rng(0)
    table: dict[str, Any] = {f"x{number}": rng.random(1000) for number in range(30)}
    table["loss"] = table["x0"] + 0.1 * rng.random(1000)
    wide = condped.read(table, objective="loss")
    narrow = wide.with_parameters([f"x{number}" for number in range(10)])
    plain = _best(lambda: condped.importance(wide))
    halves = _best(lambda: condped.importance(wide, intervals="half-sampling"))
    bands = _best(lambda: condped.sweep(narrow, intervals="half-sampling"), repeats=3)
    return {"intervals_over_plain": halves / plain, "sweep_with_bands_seconds": bands}


def _best(work: Callable[[], Any], repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def real_data() -> list[dict[str, Any]]:
    """Compare the ten seeds of each real instance with each other."""
    rows = []
    folder = find_folder()
    families = {} if folder is None else read_folder(folder)
    for data in (data for instances in families.values() for data in instances.values()):
        row: dict[str, Any] = {"instance": data.path.stem}
        for method in METHODS:
            found = [
                condped.importance(data.trials(seed), method=method, sampling="random")
                for seed in data.seeds
            ]
            pairs = [
                agreement(found[i].to_dict(), found[j].to_dict())
                for i in range(len(found))
                for j in range(i)
            ]
            row[method] = float(np.mean(pairs))
            if method == "paper":
                verdicts = [
                    {e.name for e in result.evidence if e.verdict == "matters"} for result in found
                ]
                row["always"] = len(set.intersection(*verdicts))
                row["ever"] = len(set.union(*verdicts))
        rows.append(row)
    return rows


def lines_of(found: dict[str, Any]) -> str:
    """Return the measurements as JSON with a line for each row."""
    parts = []
    for name, value in found.items():
        rows = value if isinstance(value, list) else None
        text = json.dumps(value) if rows is None else ",\n ".join(map(json.dumps, rows))
        parts.append(f"{json.dumps(name)}: " + (text if rows is None else f"[\n {text}\n]"))
    return "{" + ",\n".join(parts) + "}\n"


def _decide(rows: list[dict[str, Any]]) -> None:
    """Print where calibrated is worse than allowed by the rule for becoming the default."""
    for what, cells in (("problem", rows), ("group", averages(rows))):
        found, total = violations(cells)
        print(f"calibrated is worse than allowed in {len(found)} of {total} cases by {what}")
        for one in found:
            print(f"  {one}")


def main() -> None:
    """Measure everything and save it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the repeats")
    parser.add_argument("--output", type=Path, help="JSON file")
    parser.add_argument("--page", type=Path, help="Markdown file")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    many = 1 if arguments.quick else 10
    started = time.perf_counter()
    sizes = SIZES[:-1] if arguments.quick else SIZES
    # Drawing a study by TPE takes seconds.
    seeds, tpe_seeds = (3, 2) if arguments.quick else (5, 2)
    alarms = 40 * many
    found: dict[str, Any] = {
        "false_alarm_repeats": alarms, "error_studies": seeds, "tpe_studies": tpe_seeds,
    }  # fmt: skip
    for name, measure in (
        ("errors", lambda: errors(sizes, seeds, tpe_seeds)),
        ("coverage", lambda: coverage(2 if arguments.quick else 5, tpe_seeds)),
        ("pair_alarms", lambda: pair_alarms(30 * many)),
        ("tpe_pair_alarms", lambda: tpe_pair_alarms(3)),
        ("false_alarms", lambda: false_alarms(alarms)),
        ("tpe_alarms", lambda: tpe_alarms(3 * many)),
        ("power", lambda: power(3 * many)),
        ("cost", cost),
        ("real_data", real_data),
    ):
        found[name] = measure()
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
    _decide(found["errors"])
    if arguments.output:
        arguments.output.write_text(lines_of(found), encoding="utf-8")
    text = page(found)
    if arguments.page:
        arguments.page.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
