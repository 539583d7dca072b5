"""Figure 6: how long each method takes, from 512 to 131,072 trials.

All methods of one seed are timed one after the other in one process, on the same trials: condped
and the existing methods from a table in memory, condped and Optuna from the same Optuna study.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import optuna
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import condped
from condped import baselines
from experiments.figures.style import (
    GREY,
    PAGE,
    figure,
    legend_above,
    paper_style,
    plain,
    save,
    save_table,
)
from experiments.registry import Experiment, Row

PROBLEM = "regime-dependent"
POWERS, QUICK_POWERS = tuple(range(9, 18)), (9, 11, 13)
BUDGET, QUICK_BUDGET = 10.0, 3.0  # seconds of one call, beyond which a method gets no larger size
_GROWTH = 2.2  # factor by which a call is expected to take longer with twice the trials

# Key → label, colour, dashes and marker.
METHODS: dict[str, tuple[str, str, Literal["-", "--", ":"], str]] = {
    "condped": ("condped", "#D55E00", "-", "o"),
    "condped-study": ("condped, from an Optuna study", "#D55E00", "--", "o"),
    "optuna": ("Optuna 5.0.0's own evaluator", "#000000", "--", "X"),
    "ped-anova/imputation": ("PED-ANOVA, imputation", "#E69F00", "-", "D"),
    "ped-anova/filtering": ("PED-ANOVA, filtering", "#E69F00", ":", "D"),
    "mdi/imputation": ("MDI, imputation", "#009E73", "-", "^"),
    "mdi/filtering": ("MDI, filtering", "#009E73", ":", "^"),
    "f-anova/imputation": ("f-ANOVA, imputation", "#0072B2", "-", "s"),
    "f-anova/filtering": ("f-ANOVA, filtering", "#0072B2", ":", "s"),
    "shap/imputation": ("SHAP, imputation", "#CC79A7", "-", "v"),
    "shap/filtering": ("SHAP, filtering", "#CC79A7", ":", "v"),
}


def rival_of(method: str) -> str:
    """Return the key of condped from the same kind of source."""
    return "condped-study" if method == "optuna" else "condped"


def compute(seed: int, quick: bool) -> list[Row]:
    """Time every method at every size, up to its budget."""
    budget = QUICK_BUDGET if quick else BUDGET
    rows: list[Row] = []
    last: dict[str, tuple[int, float]] = {}
    for power in QUICK_POWERS if quick else POWERS:
        trials = 2**power
        for method, call in _calls(trials, seed):
            expected = 0.0
            if method in last:
                before, took = last[method]
                expected = took * _GROWTH ** np.log2(trials / before)
            seconds = None
            if expected <= budget:
                seconds = fastest(call)
                last[method] = trials, seconds
            rows.append({"seed": seed, "method": method, "trials": trials, "seconds": seconds})
    return rows


def _calls(trials: int, seed: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Iterate over methods and their calls on the same trials."""
    table = condped.problems.get(PROBLEM).sample(trials, seed=seed)
    study = _study(table)
    evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    yield "condped", lambda: condped.importance(table)
    yield "condped-study", lambda: condped.importance(study)
    yield (
        "optuna",
        lambda: optuna.importance.get_param_importances(study, evaluator=evaluator),
    )
    for method in METHODS:
        if "/" in method:
            name, way = method.split("/")
            options: dict[str, Any] = {"method": name, "absent": way}
            if name != "ped-anova":
                options["seed"] = seed
            yield method, partial(baselines.importance, table, **options)


def _study(table: condped.TrialTable) -> optuna.Study:
    """Return the same trials as a study in memory."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study()
    parameters = [
        (
            one.name,
            one.values.tolist(),
            one.domain_ids.tolist(),
            [
                optuna.distributions.FloatDistribution(d.low, d.high)
                for d in one.domains
                if isinstance(d, condped.Float)
            ],
        )
        for one in table.parameters
    ]
    study.add_trials(
        [
            optuna.trial.create_trial(
                value=loss,
                params={name: values[row] for name, values, _, _ in parameters},
                distributions={name: domains[ids[row]] for name, _, ids, domains in parameters},
            )
            for row, loss in enumerate(table.objectives[0].values.tolist())
        ]
    )
    return study


def fastest(call: Callable[[], object]) -> float:
    """Return the fastest of several calls, because a machine can only make a call slower.

    Calls are repeated for a third of a second; one of more than a second is not repeated.
    """
    least, spent, runs = float("inf"), 0.0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while runs < 3 or (spent < 0.33 and runs < 200):
            begun = time.perf_counter()
            call()
            took = time.perf_counter() - begun
            least, spent, runs = min(least, took), spent + took, runs + 1
            if took > 1.0:
                break
    return least


def mean_seconds(rows: Sequence[Row]) -> dict[str, dict[int, np.ndarray]]:
    """Return method → trials → seconds of all seeds that were timed there."""
    found: dict[str, dict[int, list[float]]] = {method: {} for method in METHODS}
    for row in rows:
        if row["seconds"] is not None:
            found[row["method"]].setdefault(row["trials"], []).append(row["seconds"])
    return {m: {n: np.array(s) for n, s in sizes.items()} for m, sizes in found.items()}


def ratios(rows: Sequence[Row]) -> dict[str, dict[int, float]]:
    """Return method → trials → how many times condped's time it takes, mean over seeds."""
    return {
        method: {n: float(np.mean(own)) for n, own in sizes.items()}
        for method, sizes in seed_ratios(rows).items()
    }


def seed_ratios(rows: Sequence[Row]) -> dict[str, dict[int, list[float]]]:
    """Return method → trials → how many times condped's time it takes, seed by seed."""
    seconds = {(row["seed"], row["method"], row["trials"]): row["seconds"] for row in rows}
    found: dict[str, dict[int, list[float]]] = {}
    for (seed, method, trials), took in seconds.items():
        if took is not None and not method.startswith("condped"):
            ours = seconds[seed, rival_of(method), trials]
            found.setdefault(method, {}).setdefault(trials, []).append(took / ours)
    return found


def draw(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw seconds and ratios over the number of trials."""
    with paper_style():
        made = figure(PAGE, 3.3)
        left, right = made.subplots(1, 2)
        for method, sizes in mean_seconds(rows).items():
            _line(left, method, {n: float(s.mean()) for n, s in sizes.items()}, sizes)
        for method, by_size in ratios(rows).items():
            _line(right, method, by_size, None)
        right.axhline(1.0, color=GREY, linewidth=0.8)
        left.set_ylabel("seconds")
        right.set_ylabel("times condped's time, same source")
        left.set_title("(a) time of one call; lines end at the time budget", loc="left")
        right.set_title("(b) ratio in the same run", loc="left")
        for ax in (left, right):
            ax.set_xscale("log", base=2)
            ax.set_yscale("log")
            ax.set_xlabel("trials N")
            ax.minorticks_off()
        shown = [
            Line2D([], [], color=colour, linestyle=dash, marker=marker, markersize=3.5, label=label)
            for label, colour, dash, marker in METHODS.values()
        ]
        legend_above(made, shown, columns=4)
        table = [{**row, "seconds": row["seconds"]} for row in rows]
        return [*save(made, folder, "figure-6"), save_table(table, folder, "figure-6")]


def _line(
    ax: Axes, method: str, values: dict[int, float], spread: dict[int, np.ndarray] | None
) -> None:
    _, colour, dash, marker = METHODS[method]
    sizes = sorted(values)
    ax.plot(
        sizes,
        [values[size] for size in sizes],
        color=colour,
        linestyle=dash,
        marker=marker,
        markersize=3.5,
        markeredgewidth=0,
    )
    if spread is not None and all(len(spread[size]) > 1 for size in sizes):
        error = [spread[size].std(ddof=1) / np.sqrt(len(spread[size])) for size in sizes]
        low = [values[size] - e for size, e in zip(sizes, error, strict=True)]
        high = [values[size] + e for size, e in zip(sizes, error, strict=True)]
        ax.fill_between(sizes, low, high, color=colour, alpha=0.25, linewidth=0)
    plain(ax)


RUNTIME = Experiment(
    name="figure-6",
    place="Figure 6",
    description="how long each method takes, from 512 to 131,072 trials, as long as a call is "
    f"expected within {BUDGET:.0f} s",
    seeds=(42, 43, 44),
    compute=compute,
    draw=draw,
    settings={
        "problem": PROBLEM,
        "trials": [2**power for power in POWERS],
        "quick_trials": [2**power for power in QUICK_POWERS],
        "budget_seconds": BUDGET,
        "quick_budget_seconds": QUICK_BUDGET,
        "timing": "fastest call of those in a third of a second; one, if it takes over a second",
    },
    quick_seeds=(42,),
    serial=True,
)
