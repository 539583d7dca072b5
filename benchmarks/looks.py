"""Whether verdicts and forecasts hold when a running study is looked at repeatedly.

``python -m benchmarks.looks [--quick] [--output FILE] [--page FILE] [--resume]``: default settings
only, all seeds fixed. Every study adds a row to ``--rows`` as soon as it is done; ``--resume``
continues after them. ``--samplers`` and ``--studies`` select a part of the stored ones.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import optuna

import condped
from benchmarks.looks_page import Row, page, summaries, tables
from benchmarks.looks_tasks import CHOSEN, REPORTED, Task, stored, synthetic
from benchmarks.measured_rows import add_row_options, measure_rows
from benchmarks.studies.samplers import SAMPLERS

EVERY = 10  # trials between looks
HERE = Path(__file__).parent


def measure(task: Task, *, once: bool) -> Row:
    """Look at a study every ten trials, and forecast at each look.

    With ``once``, also at p-values that are meant for a single look, which takes longest.
    """
    table = condped.read(**task.source())
    finished = table.finished
    ever: dict[str, dict[str, int]] = {"repeated": {}}
    if once:
        ever["once"] = {}
    last: dict[str, list[str]] = {}
    for trials in range(EVERY, finished + 1, EVERY) if once else ():
        found = condped.importance(table.first(trials)).evidence
        last["once"] = [one.name for one in found if one.verdict == "matters"]
        for name in last["once"]:
            ever["once"].setdefault(name, trials)
    forecasts: list[dict[str, Any]] = []
    trials = 0
    while condped.next_look(trials) <= finished:  # between two looks nothing changes
        trials = condped.next_look(trials)
        forecast = condped.forecast(table.first(trials))
        last["repeated"] = [one.name for one in forecast if one.verdict == "matters"]
        for one in forecast:
            if one.verdict == "matters":
                ever["repeated"].setdefault(one.name, trials)
            elif one.outlook in ("open", "unlikely"):
                forecasts.append({
                    "at": trials, "name": one.name, "outlook": one.outlook, "chance": one.chance,
                    "low": None if one.more_low is None else trials + one.more_low,
                    "high": None if one.more_high is None else trials + one.more_high,
                })  # fmt: skip
    return {
        "study": task.study, "origin": task.origin, "sampler": task.sampler, "half": task.half,
        "trials": finished, "end": condped.last_look(finished),
        "dead": [name for name in table.names if name in task.dead],
        "live": [name for name in table.names if name not in task.dead],
        "ever": ever, "last": last, "forecasts": forecasts,
    }  # fmt: skip


def _jobs(arguments: argparse.Namespace) -> Iterator[tuple[str, Callable[[], list[Row]]]]:
    """Yield what to run, by the name of the study."""
    halves = (CHOSEN, REPORTED) if arguments.all else (REPORTED,)
    tasks = chain(
        synthetic(halves, 4 if arguments.quick else arguments.synthetic),
        stored(arguments.samplers, halves, 2 if arguments.quick else arguments.studies),
    )
    for number, task in enumerate(tasks):
        once = number % arguments.once == 0
        yield task.study, lambda task=task, once=once: [measure(task, once=once)]  # type: ignore[misc]


def main() -> None:
    """Measure everything, save it and show it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few studies")
    parser.add_argument("--samplers", nargs="+", choices=SAMPLERS, help="these; all if not given")
    parser.add_argument("--studies", type=int, default=99, help="of each objective and sampler")
    parser.add_argument("--synthetic", type=int, default=24, help="studies of each sampler")
    parser.add_argument("--once", type=int, default=4, help="compare one study in so many")
    parser.add_argument("--all", action="store_true", help="also those that constants come from")
    parser.add_argument("--output", type=Path, default=HERE / "looks.json", help="JSON file")
    parser.add_argument("--page", type=Path, help="Markdown file")
    add_row_options(parser, "a row per study")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rows = measure_rows(arguments, lambda row: str(row["study"]), _jobs(arguments))
    told = summaries(rows)
    arguments.output.write_text(json.dumps(told, indent=1), encoding="utf-8")
    print(tables(told))
    if arguments.page is not None:
        arguments.page.write_text(page(told), encoding="utf-8")


if __name__ == "__main__":
    main()
