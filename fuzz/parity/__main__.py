"""Compare condped's paper method with Optuna's own evaluator on generated studies.

Run: python -m fuzz.parity [--evaluations 100000] [--seed 0] [--output FILE] [--page PAGE]

It can be stopped, and resumes if it is given the same file and seed.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import optuna

from fuzz.parity.evaluations import Settings, drawn_settings, evaluated
from fuzz.parity.page import table, with_table, written
from fuzz.parity.studies import Studies

_EACH = 10  # evaluations of one study
_KEPT = 50  # differences that nothing explains, of which the numbers are kept


def compared(seed: int, number: int, times: int = _EACH) -> tuple[dict[str, Any], Counter[str]]:
    """Return what evaluating one study several times showed, and what the study was like."""
    made = Studies(seed, number)
    study = made.study()
    found: dict[str, Any] = {"kinds": Counter(), "distance": 0.0, "unexplained": []}
    drawn: set[Settings] = set()
    while len(drawn) < times:
        drawn.add(drawn_settings(made.rng, len(study.directions)))
    for settings in sorted(drawn, key=repr):
        outcome = evaluated(study, settings)
        found["kinds"][outcome.kind] += 1
        if outcome.explained:
            found["distance"] = max(found["distance"], outcome.distance)
        else:
            told = {"study": number, "settings": vars(settings), "kind": outcome.kind}
            told |= {"ours": str(outcome.ours), "theirs": str(outcome.theirs)}
            found["unexplained"].append(told | {"distance": str(outcome.distance)})
    return found, Counter({f"{len(study.directions)} objectives": 1, "trials": len(study.trials)})


def campaign(evaluations: int, seed: int, output: Path | None) -> dict[str, Any]:
    """Compare until there are enough evaluations, and return the counts."""
    state: dict[str, Any] = {"seed": seed, "optuna": optuna.__version__, "studies": 0}
    state |= {"evaluations": 0, "kinds": {}, "drawn": {}, "largest_distance": 0.0}
    state |= {"unexplained": [], "seconds": 0.0}
    if output is not None and output.exists():
        kept = json.loads(output.read_text(encoding="utf-8"))
        if (kept["seed"], kept["optuna"]) == (seed, optuna.__version__):
            state = kept
    kinds, drawn = Counter(state["kinds"]), Counter(state["drawn"])
    begun = time.monotonic() - state["seconds"]
    while state["evaluations"] < evaluations:
        found, like = compared(seed, state["studies"])
        kinds += found["kinds"]
        drawn += like
        state["studies"] += 1
        state["evaluations"] += found["kinds"].total()
        state["largest_distance"] = max(state["largest_distance"], found["distance"])
        state["unexplained"] = (state["unexplained"] + found["unexplained"])[:_KEPT]
        enough = state["evaluations"] >= evaluations
        if enough or state["studies"] % 200 == 0:
            state["kinds"], state["drawn"] = dict(kinds.most_common()), dict(sorted(drawn.items()))
            state["seconds"] = round(time.monotonic() - begun, 1)
            if output is not None:
                written(output, json.dumps(state, indent=1) + "\n")
    return state


def main() -> None:
    """Run the campaign, and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="keep the counts here, and go on from there")
    parser.add_argument("--page", type=Path, help="put the table into this page")
    arguments = parser.parse_args()
    os.nice(5)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    state = campaign(arguments.evaluations, arguments.seed, arguments.output)
    print(table(state))
    for one in state["unexplained"]:
        print(json.dumps(one))
    if arguments.page is not None:
        page = arguments.page.read_text(encoding="utf-8")
        written(arguments.page, with_table(page, state))


if __name__ == "__main__":
    main()
