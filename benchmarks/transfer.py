"""Do past studies help a new one? Trials until it is as good as one without a past.

``python -m benchmarks.transfer [--output FILE] [--page FILE] [--resume]``: all seeds fixed. Every
run adds a row to ``--rows`` as soon as it is done; ``--resume`` continues after them. With
``--write-only`` nothing is run, and the results so far are written.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import optuna

import condped
from benchmarks.advice_tasks import YAHPO, tasks
from benchmarks.measured_rows import add_row_options, measure_rows
from benchmarks.transfer_page import Row, page, summaries
from benchmarks.transfer_tasks import (
    FAMILIES,
    MOVEMENTS,
    Family,
    Instance,
    Movement,
    random_study,
    spread_of,
    tables,
)

PAST, PAST_TRIALS = 10, 100  # studies, and trials of each
TABLE_TRIALS = 300  # of the one past study per data set
REFERENCE, MOST = 100, 140  # trials of a study without a past, and at most of one with it
STARTS = 5
SEEDS = 20
# TPE's results scatter: with each seed of a synthetic family it runs several times.
REPEATS, APART = 3, 100_000  # and how far apart the seeds of these are
FIRST_SEED = 2000  # rules were chosen on runs with lower seeds, for these families also with
LATER_SEED = {"models": 3000, "nested": 3000}  # 2000 to 2019
HERE = Path(__file__).parent


def sampler_of(kind: str, seed: int) -> optuna.samplers.BaseSampler:
    """Return a sampler with default settings."""
    made = optuna.samplers.RandomSampler if kind == "random" else optuna.samplers.TPESampler
    return made(seed=seed)


@lru_cache(maxsize=2)  # "little" and "jump" have the same past
def past_of(family: Family, spread: float, seed: int) -> condped.Across:
    """Return the past of a synthetic family, independent of where the optimum moves next."""
    rng = np.random.default_rng(seed)
    studies = [
        random_study(family.instance(rng, spread, False).objective, PAST_TRIALS, PAST * seed + one)
        for one in range(PAST)
    ]
    return condped.across(studies, sampling="random")


def measure(
    name: str, what: str, past: condped.Across, new: Instance, seed: int, *, repeats: int
) -> Row:
    """Run a new study in all ways, by TPE several times."""
    space, starts = past.space(), past.starts(STARTS)
    row: Row = {
        "family": name, "movement": what, "seed": seed, "narrowed": len(space.changes),
        "outside": not _inside(space, new.optimum), "past": space.studies,
        "drawn": [_curve([new.objective(optuna.trial.FixedTrial(one)) for one in
                          (*starts.configurations, *space.sample(MOST, seed=seed))], new)],
    }  # fmt: skip
    for kind, times in (("random", 1), ("tpe", repeats)):
        alone, informed, opened = [], [], []
        for own in range(seed, seed + times * APART, APART):
            study = optuna.create_study(sampler=sampler_of(kind, own))
            study.optimize(new.objective, n_trials=REFERENCE)
            alone.append(_curve([trial.value for trial in study.trials], new))
            sampler = condped.optuna.InformedSampler(sampler_of(kind, own), space, starts=starts)
            study = optuna.create_study(sampler=sampler)
            study.optimize(new.objective, n_trials=MOST)
            informed.append(_curve([trial.value for trial in study.trials], new))
            opened.append(sampler.opened is not None)
        row |= {
            f"{kind} alone": alone,
            f"{kind} informed": informed,
            f"{kind} opened": float(np.mean(opened)),
        }
    return row


def _curve(values: Sequence[Any], new: Instance) -> list[float]:
    """Return the regret after each trial."""
    best = np.minimum.accumulate(np.array(values[:MOST], dtype=float)) - new.lowest
    return [float(f"{one:.4g}") for one in best]


def _inside(space: condped.StartSpace, optimum: dict[str, Any]) -> bool:
    """Return whether the best configuration is left; a regime that it is not in does not count."""
    for step in space.changes:
        value = optimum.get(step.parameter)
        if value is not None and _has(step.domain, value) and not _has(step.proposal, value):
            return False
    return True


def _has(domain: Any, value: Any) -> bool:
    if hasattr(domain, "choices"):
        return value in domain.choices
    return not isinstance(value, str) and bool(domain.low <= value <= domain.high)


def measure_family(family: Family, movement: Movement, seed: int) -> Row:
    """Run one synthetic family with one movement."""
    own = LATER_SEED.get(family.name, FIRST_SEED) + seed
    spread = spread_of(movement)
    new = family.instance(np.random.default_rng([own, 1]), spread, movement == "jump")
    past = past_of(family, spread, own)
    return measure(family.name, movement, past, new, own, repeats=REPEATS) | {"seed": seed}


def measure_table(name: str, others: Sequence[str], folder: Path, seed: int) -> Row:
    """Run one table of evaluations, with the other data sets of its scenario as the past."""
    own = FIRST_SEED + seed
    every = tasks(folder)
    studies = {one: random_study(every[one].objective, TABLE_TRIALS, own) for one in others}
    past = condped.across(studies, sampling="random")
    task = every[name]
    new = Instance(task.objective, task.lowest, dict(task.optima[0]))
    return measure(name, "table", past, new, own, repeats=1) | {"seed": seed}


def _jobs(arguments: argparse.Namespace) -> Iterator[tuple[tuple[str, str, int], Any]]:
    """Yield what to run in turn: one seed of everything, then the next."""
    for seed in range(arguments.seeds):
        for family in FAMILIES:
            for movement in MOVEMENTS:
                key = family.name, str(movement), seed
                yield key, lambda f=family, m=movement, s=seed: [measure_family(f, m, s)]
        for name, others in tables(arguments.yahpo):
            key = name, "table", seed
            yield (
                key,
                lambda n=name, o=others, s=seed: [measure_table(n, o, arguments.yahpo, s)],
            )


def _key(row: Row) -> tuple[str, str, int]:
    return row["family"], row["movement"], row["seed"]


def main() -> None:
    """Measure everything, save it and show it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="at most so many")
    parser.add_argument("--yahpo", type=Path, default=YAHPO, help="the folder with its tables")
    parser.add_argument("--output", type=Path, default=HERE / "transfer.json", help="JSON file")
    parser.add_argument("--page", type=Path, help="Markdown file")
    add_row_options(parser, "a row per run")
    parser.add_argument("--write-only", action="store_true", help="only write down what is there")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", "Past studies mislead")
    jobs = () if arguments.write_only else _jobs(arguments)
    rows = measure_rows(arguments, _key, jobs, keep=arguments.write_only)
    told = summaries(rows)
    arguments.output.write_text(json.dumps(told, indent=1), encoding="utf-8")
    text = page(told)
    print(text)
    if arguments.page is not None:
        arguments.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
