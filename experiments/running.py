"""Running experiments: missing seeds only, in parallel, each written as soon as it is done."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from condped.errors import CondpedError
from experiments.registry import Experiment, Row
from experiments.store import Store, versions

Say: TypeAlias = Callable[[str], None]
Step: TypeAlias = Callable[[int, int, str], None]  # done, total, what was done last
_Task: TypeAlias = tuple[Experiment, int]


class RunError(CondpedError):
    """Seeds or pictures that failed; everything else was written."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one experiment."""

    name: str
    computed: int  # seeds that were missing and are there now
    files: tuple[Path, ...]  # figures and tables
    seconds: float  # of all its seeds, whenever they were computed


def run(
    experiments: Sequence[Experiment],
    store: Store,
    *,
    workers: int,
    again: bool = False,
    say: Say = lambda text: None,
    step: Step = lambda done, total, text: None,
) -> list[Outcome]:
    """Compute what is missing and draw what has changed.

    A seed that fails is named at the end, after all others have been written; its experiment is
    not drawn.
    """
    for experiment in experiments:
        if experiment.unavailable is not None:
            say(f"{experiment.name} is skipped: {experiment.unavailable}")
    experiments = [one for one in experiments if one.unavailable is None]
    for experiment in experiments:
        if experiment.notice:
            say(f"{experiment.name}: {experiment.notice}")
        if store.prepare(experiment, again=again):
            say(f"{experiment.name}: other settings than before, computed anew.")
    tasks = [(one, seed) for one in experiments for seed in store.missing(one)]
    failures: list[str] = []
    failed: set[str] = set()
    for done, (experiment, seed, error) in enumerate(_compute(tasks, store, workers), start=1):
        step(done, len(tasks), f"{experiment.name}, seed {seed}")
        if error is not None:
            failures.append(f"{experiment.name}, seed {seed}: {type(error).__name__}: {error}")
            failed.add(experiment.name)
    outcomes = []
    for experiment in experiments:
        if experiment.name in failed:
            continue
        computed = sum(one.name == experiment.name for one, _ in tasks)
        try:
            outcomes.append(_finish(experiment, store, computed, say))
        except Exception as error:  # the others are drawn first
            failures.append(f"{experiment.name}, drawing: {type(error).__name__}: {error}")
    if failures:
        raise RunError(
            f"{len(failures)} failed, and nothing of them was written; what else was asked for is "
            f"there: {'; '.join(failures)}. Run the same command again once the cause is gone."
        )
    return outcomes


def _compute(
    tasks: Sequence[_Task], store: Store, workers: int
) -> Iterator[tuple[Experiment, int, Exception | None]]:
    """Compute tasks in any order and yield each when its file is written."""
    # Where time is measured, nothing else may run beside it.
    beside = [task for task in tasks if not task[0].serial]
    alone = [task for task in tasks if task[0].serial]
    if workers > 1 and len(beside) > 1:
        # Fresh processes: a library's state in memory cannot leak from seed to seed.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(workers, len(beside)), mp_context=context) as pool:
            futures: dict[Future[None], _Task] = {
                pool.submit(_compute_seed, experiment, seed, store): (experiment, seed)
                for experiment, seed in beside
            }
            try:
                for future in as_completed(futures):
                    error = future.exception()
                    if error is not None and not isinstance(error, Exception):
                        raise error
                    yield *futures[future], error
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    else:
        alone = [*beside, *alone]
    for experiment, seed in alone:
        try:
            _compute_seed(experiment, seed, store)
        except Exception as error:  # reported with the others, under the seed's name
            yield experiment, seed, error
        else:
            yield experiment, seed, None


def _compute_seed(experiment: Experiment, seed: int, store: Store) -> None:
    """Compute one seed and write its file."""
    begun = time.perf_counter()
    rows: list[Row] = experiment.compute(seed, store.quick)
    if not rows:
        raise ValueError("there are no rows")
    store.write(experiment.name, seed, rows, time.perf_counter() - begun)


def _differing(store: Store, name: str) -> str:
    """Return which libraries have another version now than when the seeds were computed."""
    now = versions()
    others = dict.fromkeys(
        f"{library} {told} (now {now.get(library)})"
        for used in store.versions(name)
        for library, told in used.items()
        if told != now.get(library)
    )
    if not others:
        return ""
    return f", computed with {', '.join(others)}; --again computes it anew"


def _finish(experiment: Experiment, store: Store, computed: int, say: Say) -> Outcome:
    """Draw an experiment unless its pictures are those of its seeds."""
    name, folder = experiment.name, store.of(experiment.name)
    seconds = store.seconds(name)
    report = store.read_json(name, "report.json")
    if not computed and report is not None and report["seeds"] == list(seconds):
        files = tuple(folder / file for file in report["files"])
        if all(file.exists() for file in files):
            say(f"{name}: up to date{_differing(store, name)}.")
            return Outcome(name, 0, files, sum(seconds.values()))
    files = tuple(experiment.draw(store.rows(name), folder))
    store.write_json(
        name,
        "report.json",
        {
            "seeds": list(seconds),
            "seconds": seconds,
            "files": [str(file.relative_to(folder)) for file in files],
        },
    )
    say(f"{name}: {computed} seeds computed, drawn in {folder}.")
    return Outcome(name, computed, files, sum(seconds.values()))
