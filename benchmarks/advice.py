"""Does advice help? Going on unchanged, against a study started by advice, and AdvisedSampler.

``python -m benchmarks.advice [--output FILE] [--page FILE] [--resume]``: all seeds fixed, equal
budgets of twice N0 trials. Every run adds a row to ``--rows`` as soon as it is done; ``--resume``
continues after them. ``--tasks``, ``--samplers`` and ``--seeds`` select a part.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import optuna

import condped
from benchmarks.advice_bounds import CASES, study_of
from benchmarks.advice_page import Row, page, summaries
from benchmarks.advice_tasks import YAHPO, Task, tasks
from benchmarks.measured_rows import add_row_options, measure_rows

Sampler = Literal["random", "tpe"]
Key = tuple[str, str, Sampler, int]
SAMPLERS: tuple[Sampler, ...] = ("random", "tpe")
FIRST = (50, 100, 200)  # N0: the trials before advice, and as many after it
FIRST_SEED = 100  # rules were chosen by looking at runs of lower ones
SEEDS = {"random": 20, "tpe": 20}
SLOW_SEEDS = {"random": 10, "tpe": 3}  # of tasks with dozens of conditional parameters
# Slow cases come later, so that a run that is stopped has measured a bit of everything.
TURNS = {("random", False): 1, ("random", True): 2, ("tpe", False): 3, ("tpe", True): 10}
WIDEN_TRIALS = (100, 200, 400)
WIDEN_SEEDS = 20
LONG_SEEDS = 4  # of TPE with the most trials
HERE = Path(__file__).parent


def sampler_of(kind: Sampler, seed: int) -> optuna.samplers.BaseSampler:
    """Return a sampler with default settings."""
    if kind == "random":
        return optuna.samplers.RandomSampler(seed=FIRST_SEED + seed)
    return optuna.samplers.TPESampler(seed=FIRST_SEED + seed)


def measure(task: Task, kind: Sampler, seed: int) -> Iterator[Row]:
    """Run a task in all ways, with all N0; the first N0 trials are shared."""
    begun = time.perf_counter()
    most = 2 * max(FIRST)
    unchanged = optuna.create_study(sampler=sampler_of(kind, seed))
    unchanged.optimize(task.objective, n_trials=most)
    sampler = condped.optuna.AdvisedSampler(sampler_of(kind, seed))
    advised = optuna.create_study(sampler=sampler)
    narrowed = {}  # whether anything was narrowed, and the optimum cut away, by 2 N0
    for first in FIRST:
        advised.optimize(task.objective, n_trials=2 * first - len(advised.trials))
        steps = sampler.steps
        marked = any("condped:advised" in trial.system_attrs for trial in advised.trials)
        narrowed[first] = marked, cut_away(task, steps)
    shared = {"task": task.name, "sampler": kind, "seed": seed, "lowest": task.lowest}
    values = _values(unchanged)
    typical = float(np.median(values[:10] if kind == "tpe" else values))
    for first in FIRST:
        advice, started = _started(task, unchanged, kind, seed, first)
        at_end = values[: 2 * first].min()
        marked, cut = narrowed[first]
        yield shared | {
            "first": first, "typical": typical, "unchanged": float(at_end),
            "started": float(at_end) if started is None else float(_values(started).min()),
            "sampled": float(_values(advised)[: 2 * first].min()),
            "advised": bool(advice.changes), "cut": cut_away(task, advice.changes),
            "sampler_advised": marked, "sampler_cut": cut,
            "widened": sorted(step.parameter for step in advice.widenings),
            "steps": [(one.kind, one.parameter, one.covered) for one in advice.changes],
            "seconds": round(time.perf_counter() - begun, 2),
        }  # fmt: skip


def _started(
    task: Task, unchanged: optuna.Study, kind: Sampler, seed: int, first: int
) -> tuple[condped.Advice, optuna.Study | None]:
    """Return the advice on the first trials, and the study that follows it; None: no advice."""
    study = optuna.create_study(sampler=sampler_of(kind, seed + 1_000))
    study.add_trials(unchanged.trials[:first])
    advice = condped.advise(study)
    if not advice.changes:
        return advice, None
    new = advice.start(study)
    new.optimize(task.objective, n_trials=first)
    return advice, new


def _values(study: optuna.Study) -> Any:
    found = [trial.value for trial in study.trials if trial.value is not None]
    return np.array(found)


def cut_away(task: Task, steps: Sequence[Any]) -> bool:
    """Return whether no best configuration is left after these steps."""
    return not any(all(_keeps(step, optimum) for step in steps) for optimum in task.optima)


def _keeps(step: Any, optimum: Any) -> bool:
    if step.parameter not in optimum:
        return True
    value = optimum[step.parameter]
    if not _has(step.domain, value):  # about another regime
        return True
    return _has(step.proposal, value)


def _has(domain: Any, value: Any) -> bool:
    if hasattr(domain, "choices"):
        return value in domain.choices
    return bool(domain.low <= value <= domain.high)


def measure_bounds(case: str, kind: Sampler, seed: int) -> Iterator[Row]:
    """Count which bounds are advised to be widened, from the first trials of one study."""
    sizes = WIDEN_TRIALS if kind == "random" or seed < LONG_SEEDS else WIDEN_TRIALS[:-1]
    study = study_of(case, kind, FIRST_SEED + seed, max(sizes))
    for trials in sizes:
        cut = optuna.create_study(sampler=study.sampler)
        cut.add_trials(study.trials[:trials])
        # Whether to widen does not depend on how parameters are tested: take the fastest way.
        advice = condped.advise(cut, sampling="random")
        found = [(step.parameter, _side(step)) for step in advice.widenings]
        beyond = CASES[case].beyond
        yield {
            "case": case, "sampler": kind, "seed": seed, "trials": trials,
            "bounds": len(beyond), "right": sum(tuple(one) in beyond for one in found),
            "wrong": sum(tuple(one) not in beyond for one in found),
        }  # fmt: skip


def _side(step: Any) -> str:
    return "low" if step.proposal.low < step.domain.low else "high"


def _jobs(arguments: argparse.Namespace) -> Iterator[tuple[Key, Callable[[], Iterator[Row]]]]:
    """Yield what to run in turn, with a key that no other run has."""
    found = tasks(arguments.yahpo)
    jobs: list[tuple[float, Key, Callable[[], Iterator[Row]]]] = []
    for kind in arguments.samplers:
        for name in () if arguments.only_bounds else arguments.tasks or found:
            slow = found[name].slow
            for seed in range(min(arguments.seeds, (SLOW_SEEDS if slow else SEEDS)[kind])):
                turn = float(TURNS[kind, slow] * (seed + 1))
                jobs.append(
                    (turn, ("task", name, kind, seed), partial(measure, found[name], kind, seed))
                )
        for case in () if arguments.tasks else CASES:
            for seed in range(WIDEN_SEEDS):
                jobs.append(
                    (
                        (seed + 1) / 3,
                        ("case", case, kind, seed),
                        partial(measure_bounds, case, kind, seed),
                    )
                )
    for _, key, run in sorted(jobs, key=lambda job: job[0]):
        yield key, run


def _key(row: Row) -> Key:
    what = "task" if "task" in row else "case"
    return what, row[what], row["sampler"], row["seed"]


def main() -> None:
    """Measure everything, save it and show it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", help="these; all if not given")
    parser.add_argument("--samplers", nargs="+", choices=SAMPLERS, default=SAMPLERS)
    parser.add_argument("--seeds", type=int, default=max(SEEDS.values()), help="at most so many")
    parser.add_argument("--only-bounds", action="store_true", help="only when to widen")
    parser.add_argument("--yahpo", type=Path, default=YAHPO, help="the folder with its tables")
    parser.add_argument("--output", type=Path, default=HERE / "advice.json", help="JSON file")
    parser.add_argument("--page", type=Path, help="Markdown file")
    add_row_options(parser, "a row per run")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rows = measure_rows(arguments, _key, _jobs(arguments))
    told = summaries(rows, tasks(arguments.yahpo))
    arguments.output.write_text(json.dumps(told, indent=1), encoding="utf-8")
    text = page(told)
    print(text)
    if arguments.page is not None:
        arguments.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
