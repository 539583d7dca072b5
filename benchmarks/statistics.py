"""How good the numbers are: error against exact truth, coverage, false alarms, power, cost.

``python -m benchmarks.statistics [--quick] [--output FILE] [--page FILE]``: seeded, minutes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna

import condped
from benchmarks.statistics_page import page
from condped.importance.robustness import kendall
from condped.importance.settings import Method
from condped.problems.branching import BranchingProblem, Gate, Leaf
from condped.problems.catalogue import Problem
from condped.space.domain import Categorical, Float, Int
from condped.trials import Parameter, TrialTable
from experiments.yahpo.folder import find_folder, read_folder

METHODS: tuple[Method, ...] = ("paper", "calibrated")
PAPER = ("activation-disjoint", "activation-overlap", "nested", "three-way", "regime-dependent")

# Other thresholds, unequal weights, four branches, three levels: nothing was tuned on these.
NEW: tuple[Problem, ...] = (
    BranchingProblem(
        "unequal", "a rare good branch",
        Gate("c", (0.15,), (Leaf("x", -4, 0), Leaf("y", -2, 6))),
    ),
    BranchingProblem(
        "four", "four branches that overlap",
        Gate("c", (0.2, 0.5, 0.8),
             (Leaf("x", 0, 3), Leaf("y", -1, 5), Leaf("z", -2, 2), Leaf("w", 1, 8))),
    ),
    BranchingProblem(
        "deep", "three levels of gates",
        Gate("a", (0.6,), (
            Gate("b", (0.3,), (Leaf("x", -3, 1), Gate("d", (0.5,), (Leaf("y", -4, 2),
                                                                    Leaf("z", 0, 4))))),
            Leaf("w", -1, 3))),
    ),
    BranchingProblem(
        "one-sided", "a branch that is never good",
        Gate("c", (0.7,), (Leaf("x", -1, 4), Leaf("y", 5, 9))),
    ),
)  # fmt: skip


def agreement(one: dict[str, float], other: dict[str, float]) -> float:
    """Return Kendall's τ, 0 where one of the two ranks nothing."""
    return kendall(one, other) or 0.0


def problems() -> Iterator[tuple[str, str, Problem]]:
    """Iterate over groups, kinds of gates, and problems."""
    for name in PAPER:
        yield "paper's", "float", condped.problems.get(name)
    for name in PAPER:
        yield "paper's, categorical gates", "categorical", condped.problems.get(name)
    for problem in NEW:
        yield "new", "float", problem
        yield "new, categorical gates, log values", "categorical", problem


def gates(problem: Problem) -> dict[str, tuple[float, ...]]:
    """Return the cuts of each gate."""
    if not isinstance(problem, BranchingProblem):
        return {"c": (0.5,)}
    found: dict[str, tuple[float, ...]] = {}
    todo: list[Any] = [problem.root]
    while todo:
        node = todo.pop()
        if isinstance(node, Gate):
            found[node.name] = node.cuts
            todo.extend(node.branches)
    return found


def sampled(problem: Problem, kind: str, trials: int, idle: int, seed: int) -> TrialTable:
    """Return trials, gates as choices if wanted, and parameters that do nothing."""
    table = problem.sample(trials, seed=seed)
    cuts = gates(problem) if kind == "categorical" else {}
    parameters = [_chosen(p, cuts[p.name]) if p.name in cuts else p for p in table.parameters]
    if kind == "categorical":
        parameters = [_logarithmic(p) for p in parameters]
    rng = np.random.default_rng(10_000 + seed)
    always = np.zeros(trials, dtype=np.int8)
    for number in range(idle):
        name = f"idle{number}"
        if number % 3 == 0:
            parameters.append(Parameter(name, rng.random(trials), always, (Float(0, 1),)))
        elif number % 3 == 1:
            parameters.append(Parameter(name, rng.integers(0, 9, trials), always, (Int(0, 8),)))
        else:
            codes = rng.integers(0, 3, trials).astype(np.int32)
            parameters.append(Parameter(name, codes, always, (Categorical(["a", "b", "c"]),)))
    return replace(table, parameters=tuple(parameters))


def _chosen(parameter: Parameter, cuts: tuple[float, ...]) -> Parameter:
    codes = np.searchsorted(cuts, parameter.values, side="right").astype(np.int32)
    return Parameter(
        parameter.name, codes, parameter.domain_ids, (Categorical(range(len(cuts) + 1)),)
    )


def _logarithmic(parameter: Parameter) -> Parameter:
    """Return a number's exponential on a log scale: the same ranks, the same truth."""
    if any(isinstance(domain, Categorical) for domain in parameter.domains):
        return parameter
    domains = tuple(
        Float(float(np.exp(d.low)), float(np.exp(d.high)), log=True)
        for d in parameter.domains
        if not isinstance(d, Categorical)
    )
    return replace(parameter, values=np.exp(parameter.values), domains=domains)


def errors(sizes: tuple[int, ...], seeds: int) -> list[dict[str, Any]]:
    """Compare both methods with the exact truth."""
    rows = []
    for group, kind, problem in problems():
        truth = problem.truth(target_quantile=0.1, region_quantile=1.0).to_dict()
        for trials in sizes:
            for idle in (0, 5, 20):
                for method in METHODS:
                    found = [
                        condped.importance(
                            sampled(problem, kind, trials, idle, seed),
                            method=method,
                            sampling="random",
                        ).to_dict()
                        for seed in range(seeds)
                    ]
                    wrong = [sum(abs(h[name] - truth.get(name, 0.0)) for name in h) for h in found]
                    gate = next(iter(gates(problem)))
                    rows.append(
                        {
                            "group": group, "problem": problem.name, "trials": trials,
                            "idle": idle, "method": method,
                            "error": float(np.mean(wrong)),
                            "error_se": float(np.std(wrong, ddof=1) / np.sqrt(seeds)),
                            "leak": float(np.mean([
                                sum(v for n, v in h.items() if n.startswith("idle"))
                                for h in found])),
                            "tau": float(np.mean([
                                agreement({n: truth.get(n, 0.0) for n in h}, h) for h in found])),
                            "gate": float(np.mean([h[gate] for h in found])),
                            "gate_truth": float(truth[gate]),
                        }
                    )  # fmt: skip
    return rows


def coverage(seeds: int) -> list[dict[str, Any]]:
    """Count how often nominal 90 % intervals of the importance hold the truth."""
    rows = []
    chosen: list[Problem] = [*map(condped.problems.get, PAPER), *NEW]
    for method in METHODS:
        for intervals in ("half-sampling", "jackknife"):
            for trials in (200, 1000):
                cells = []
                for problem in chosen:
                    for quantile in (0.1, 0.25, 0.5):
                        truth = problem.truth(target_quantile=quantile, region_quantile=1.0)
                        held: dict[str, int] = dict.fromkeys(truth.to_dict(), 0)
                        for seed in range(seeds):
                            result = condped.importance(
                                problem.sample(trials, seed=seed),
                                target_quantile=quantile,
                                method=method,
                                intervals=intervals,
                                sampling="random",
                            )
                            for name, value in truth.to_dict().items():
                                told = result[name].intervals
                                assert told is not None
                                low, high = told.importance.low, told.importance.high
                                held[name] += low - 1e-9 <= value <= high + 1e-9
                        cells += [(n / seeds, problem.name, quantile, k) for k, n in held.items()]
                worst = min(cells)
                rows.append(
                    {"method": method, "intervals": intervals, "trials": trials,
                     "mean": float(np.mean([cell[0] for cell in cells])), "worst": worst[0],
                     "worst_cell": f"{worst[3]} of {worst[1]} at γ' = {worst[2]}"}
                )  # fmt: skip
    return rows


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
        for sampling in ("random", "adaptive"):
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
    low = {"random": 0, "adaptive": 0}
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


def power(seeds: int) -> list[dict[str, Any]]:
    """Count how often an effect of some strength is found among four idle parameters."""
    rows = []
    for trials in (50, 100, 200, 500):
        row: dict[str, Any] = {"trials": trials}
        for strength in (0.1, 0.25, 0.5, 1.0):
            found = 0
            for seed in range(seeds):
                rng = np.random.default_rng(seed)
                table = {name: rng.random(trials) for name in ("x", "a", "b", "c", "d")}
                table["loss"] = strength * table["x"] + (1 - strength) * rng.random(trials)
                result = condped.importance(table, objective="loss")
                found += result.evidence["x"].verdict == "matters"
            row[f"{strength:g}"] = found / seeds
        rows.append(row)
    return rows


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


def main() -> None:
    """Measure everything and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the repeats")
    parser.add_argument("--output", type=Path, help="JSON file")
    parser.add_argument("--page", type=Path, help="Markdown file")
    asked = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    many = 1 if asked.quick else 10
    started = time.perf_counter()
    sizes = (50, 100, 200, 1000) if asked.quick else (50, 100, 200, 1000, 10_000)
    found: dict[str, Any] = {}
    for name, measure in (
        ("errors", lambda: errors(sizes, 3 + 2 * many)),
        ("coverage", lambda: coverage(4 * many)),
        ("false_alarms", lambda: false_alarms(40 * many)),
        ("tpe_alarms", lambda: tpe_alarms(4 * many)),
        ("power", lambda: power(10 * many)),
        ("cost", cost),
        ("real_data", real_data),
    ):
        found[name] = measure()
        print(f"{name}: {time.perf_counter() - started:.0f} s")
    if asked.output:
        asked.output.write_text(json.dumps(found, indent=1), encoding="utf-8")
    text = page(found)
    if asked.page:
        asked.page.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
