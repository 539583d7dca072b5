"""Designs that break tests: repeats, budgets as rows, enqueued trials, drifts, walks, grids, sorts.

Each has a cheap objective of three real parameters, the first of which decides, and four dead ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import optuna

from benchmarks.studies.records import plain_study, rebuilt_study
from benchmarks.studies.samplers import ask_and_tell
from benchmarks.studies.spaces import Params, Value, choice, drawn, integer, real, suggested

Rng: TypeAlias = np.random.Generator
Rows: TypeAlias = list[tuple[Params, float]]
TRIALS = 150
SPACE = (
    integer("dead_seed", 0, 9),
    real("x", 0.0, 1.0),
    real("dead_float", 0.0, 1.0),
    real("y", 1e-3, 1e1, log=True),
    choice("dead_choice", "a", "b", "c"),
    choice("k", "u", "v", "w"),
    real("dead_log", 1e-5, 1e-1, log=True),
)
DECIDING = "x"
DEAD = tuple(own.name for own in SPACE if own.name.startswith("dead_"))
_EFFECTS = {"u": 0.0, "v": 0.05, "w": 0.15}


def loss(params: Params, rng: Rng, noise: float = 0.03) -> float:
    """Return the loss of a configuration: x decides, y and k contribute."""
    bend = 0.04 * abs(np.log10(float(params["y"])) + 1)
    effect = (float(params["x"]) - 0.3) ** 2 + bend + _EFFECTS[str(params["k"])]
    return float(effect + noise * rng.standard_normal())


def _table(rows: Rows) -> dict[str, Any]:
    """Return the arguments by which condped reads a table."""
    columns: dict[str, list[Any]] = {
        own.name: [params[own.name] for params, _ in rows] for own in SPACE
    }
    columns["loss"] = [value for _, value in rows]
    space = {own.name: own.plain() for own in SPACE}
    return {"source": columns, "objective": "loss", "space": space}


def _random(rng: Rng, trials: int = TRIALS) -> Rows:
    return [(params, loss(params, rng)) for params in (drawn(SPACE, rng) for _ in range(trials))]


def repeats(rng: Rng) -> dict[str, Any]:
    """Try thirty configurations, each five times in a row with noise of its own."""
    configurations = [drawn(SPACE, rng) for _ in range(TRIALS // 5)]
    return _table([(params, loss(params, rng)) for params in configurations for _ in range(5)])


def budgets(rng: Rng) -> dict[str, Any]:
    """Halve successively: budgets 1, 3 and 9, a row for every budget of a configuration."""
    rows: Rows = []
    while len(rows) < TRIALS:
        rung = [drawn(SPACE, rng) for _ in range(9)]
        for budget in (1, 3, 9):
            scored = [(params, loss(params, rng) + 0.1 / budget) for params in rung]
            rows += scored
            kept = sorted(scored, key=lambda row: row[1])[: len(rung) // 3]
            rung = [params for params, _ in kept]
    return _table(rows[:TRIALS])


def _study(
    rng: Rng, prepare: Callable[[optuna.Study], None], *, workers: int = 1
) -> dict[str, Any]:
    """Return a study of TPE that was prepared before it ran."""
    seed = int(rng.integers(2**31))
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    prepare(study)
    before = len(study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,)))
    times = ask_and_tell(
        study, lambda trial: (loss(suggested(trial, SPACE), rng),), TRIALS - before, workers, seed
    )
    earlier = [(-2.0 * (before - at), 1.0 - 2.0 * (before - at)) for at in range(before)]
    return {"source": rebuilt_study(plain_study(study, [*earlier, *times]))}


def enqueued(rng: Rng) -> dict[str, Any]:
    """Enqueue a fifth of the trials near a good value, always with the same dead values."""
    fixed = {name: value for name, value in drawn(SPACE, rng).items() if name in DEAD}

    def prepare(study: optuna.Study) -> None:
        for _ in range(TRIALS // 5):
            study.enqueue_trial({**fixed, "x": float(rng.uniform(0.2, 0.4)), "k": "u"})

    return _study(rng, prepare)


def warm_started(rng: Rng) -> dict[str, Any]:
    """Start TPE with the best thirty trials of an earlier random study."""
    earlier = sorted(_random(rng), key=lambda row: row[1])[:30]
    distributions = {own.name: own.distribution for own in SPACE}

    def prepare(study: optuna.Study) -> None:
        for params, value in earlier:
            study.add_trial(
                optuna.trial.create_trial(
                    params=dict(params), distributions=distributions, value=value
                )
            )

    return _study(rng, prepare)


def workers(rng: Rng) -> dict[str, Any]:
    """Run TPE with four workers."""
    return _study(rng, lambda _: None, workers=4)


def _drift(rows: Rows) -> Rows:
    """Return the rows of an objective that falls with time, whatever the parameters."""
    return [(params, value - 0.3 * place / len(rows)) for place, (params, value) in enumerate(rows)]


def drift(rng: Rng) -> dict[str, Any]:
    """Draw trials at random while the objective drifts."""
    return _table(_drift(_random(rng)))


def _near(params: Params, rng: Rng, width: float) -> dict[str, Value]:
    """Return a configuration near another."""
    found: dict[str, Value] = {}
    for own in SPACE:
        if own.kind == "choice":
            stays = rng.random() > width
            found[own.name] = params[own.name] if stays else own.at(rng.random())
            continue
        place = abs(own.place(params[own.name]) + width * rng.standard_normal())
        found[own.name] = own.at(min(max(1 - abs(1 - place), 0.0), 1 - 1e-9))
    return found


def _walk(rng: Rng) -> Rows:
    rows: Rows = []
    params = drawn(SPACE, rng)
    for _ in range(TRIALS):
        params = _near(params, rng, 0.1)
        rows.append((params, loss(params, rng)))
    return rows


def walk(rng: Rng) -> dict[str, Any]:
    """Draw a random walk, whatever the results are."""
    return _table(_walk(rng))


def walk_and_drift(rng: Rng) -> dict[str, Any]:
    """Draw a random walk while the objective drifts."""
    return _table(_drift(_walk(rng)))


def local_search(rng: Rng) -> dict[str, Any]:
    """Step from the best configuration so far, a (1+1) search."""
    best = drawn(SPACE, rng)
    rows: Rows = [(best, loss(best, rng))]
    least = rows[0][1]
    while len(rows) < TRIALS:
        params = _near(best, rng, 0.15)
        rows.append((params, loss(params, rng)))
        if rows[-1][1] <= least:
            best, least = params, rows[-1][1]
    return _table(rows)


def grid(rng: Rng) -> dict[str, Any]:
    """Write a grid in the order of its loops, a dead parameter outermost."""
    levels = {
        "dead_seed": (1, 4, 7), "x": (0.1, 0.3, 0.6, 0.9), "y": (0.1, 1.0), "k": ("u", "v", "w"),
        "dead_choice": ("a", "b"), "dead_float": (0.2, 0.7), "dead_log": (1e-3,),
    }  # fmt: skip
    rows: Rows = []
    for values in product(*levels.values()):
        params = dict(zip(levels, values, strict=True))
        rows.append((params, loss(params, rng)))
    return _table(rows)


def sorted_by_parameter(rng: Rng) -> dict[str, Any]:
    """Sort a random table by a real or a dead number."""
    name = str(rng.choice(["x", "dead_float"]))
    return _table(sorted(_random(rng), key=lambda row: float(row[0][name])))


def sorted_by_objective(rng: Rng) -> dict[str, Any]:
    """Sort a random table by its objective."""
    return _table(sorted(_random(rng), key=lambda row: row[1]))


def random(rng: Rng) -> dict[str, Any]:
    """Draw trials at random, to compare the others with."""
    return _table(_random(rng))


DESIGNS: Mapping[str, Callable[[Rng], dict[str, Any]]] = {
    design.__name__: design
    for design in (
        random, repeats, budgets, enqueued, warm_started, drift, walk, walk_and_drift, local_search,
        grid, sorted_by_parameter, sorted_by_objective, workers,
    )
}  # fmt: skip


def described() -> dict[str, str]:
    """Return what each design does, in a sentence."""
    return {name: (design.__doc__ or "").splitlines()[0] for name, design in DESIGNS.items()}
