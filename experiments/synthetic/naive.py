"""Figures 2, 9 and 10: what existing methods give when conditions are papered over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

import condped
from condped import baselines
from experiments.figures.curves import (
    Curves,
    curves,
    draw_curves,
    error_rows,
    exact_curves,
    handles,
    select,
    summary_rows,
)
from experiments.figures.style import (
    COLOURS,
    HATCHES,
    INK,
    PAGE,
    figure,
    legend_above,
    paper_style,
    plain,
    save,
    save_table,
)
from experiments.registry import SEEDS, Experiment, Row

FORESTS: tuple[baselines.BaselineMethod, ...] = ("f-anova", "mdi", "shap")
LABELS = {"ped-anova": "PED-ANOVA", "f-anova": "f-ANOVA", "mdi": "MDI", "shap": "SHAP"}
TRIALS = 1000


def compute(
    seed: int, quick: bool, *, problem: str, absent: Sequence[baselines.Absent]
) -> list[Row]:
    """Return PED-ANOVA's curves and the other methods' numbers for one seed."""
    table = condped.problems.get(problem).sample(TRIALS, seed=seed)
    rows: list[Row] = []
    for way in absent:
        common: dict[str, Any] = {"seed": seed, "problem": problem, "absent": way}
        found = baselines.sweep(table, absent=way)
        rows += [
            {
                **common,
                "method": "ped-anova",
                "target_quantile": row["target_quantile"],
                "parameter": row["parameter"],
                "importance": row["importance"],
                "score": row["variance"],
            }
            for row in found.rows()
        ]
        for method in FORESTS:
            result = baselines.importance(table, method=method, absent=way, seed=seed)
            scores = result.to_dict(normalize=False)
            importances = result.to_dict()
            rows += [
                {
                    **common,
                    "method": method,
                    "target_quantile": None,  # these know no target set
                    "parameter": name,
                    "importance": importances[name],
                    "score": scores[name],
                }
                for name in condped.problems.get(problem).space
            ]
    return rows


def ped_anova_curves(rows: Sequence[Row], problem: str, absent: str) -> Curves:
    """Return PED-ANOVA's curves, beside the truth of the conditional importance."""
    found = curves(select(rows, problem=problem, method="ped-anova", absent=absent))
    truth = exact_curves(problem, found.names, list(found.quantiles))
    return Curves(found.names, found.quantiles, found.values, truth)


def bar_values(rows: Sequence[Row], problem: str, method: str, absent: str) -> dict[str, Any]:
    """Return name → importances of all seeds."""
    own = select(rows, problem=problem, method=method, absent=absent)
    names = tuple(dict.fromkeys(row["parameter"] for row in own))
    return {
        name: np.array([row["importance"] for row in own if row["parameter"] == name])
        for name in names
    }


def draw(
    rows: Sequence[Row], folder: Path, *, name: str, problem: str, absent: Sequence[str]
) -> list[Path]:
    """Draw one row of panels per way with absent values: curves, then bars."""
    order = list(condped.problems.get(problem).space)
    summary: list[Row] = []
    errors: list[Row] = []
    with paper_style():
        made = figure(PAGE, 0.35 + 1.75 * len(absent))
        axes = made.subplots(len(absent), 4, squeeze=False, width_ratios=(1.9, 1, 1, 1))
        for down, way in enumerate(absent):
            label = "expansion" if len(absent) == 1 else way
            shown = ped_anova_curves(rows, problem, way)
            draw_curves(
                axes[down][0],
                shown,
                title=f"({chr(ord('a') + 4 * down)}) PED-ANOVA, {label}",
                xlabel=down == len(absent) - 1,
            )
            common = {"problem": problem, "absent": label}
            summary += summary_rows(shown, {**common, "method": "ped-anova"})
            errors += error_rows(shown, f"PED-ANOVA with {label}")
            for across, method in enumerate(FORESTS, start=1):
                values = bar_values(rows, problem, method, way)
                letter = chr(ord("a") + 4 * down + across)
                title = f"({letter}) {LABELS[method]}, {label}"
                _bars(axes[down][across], {key: values[key] for key in order}, title)
                summary += [
                    {
                        **common,
                        "method": method,
                        "target_quantile": None,
                        "parameter": key,
                        "mean": float(values[key].mean()),
                        "standard_error": _standard_error(values[key]),
                        "truth": None,
                    }
                    for key in order
                ]
        legend_above(made, handles(order))
        paths = [*save(made, folder, name), save_table(summary, folder, name)]
        return [*paths, save_table(errors, folder, "errors")]


def _standard_error(values: np.ndarray) -> float:
    return 0.0 if len(values) < 2 else float(values.std(ddof=1) / np.sqrt(len(values)))


def _bars(ax: Axes, values: dict[str, np.ndarray], title: str) -> Axes:
    for place, (name, found) in enumerate(values.items()):
        ax.bar(
            place,
            found.mean(),
            0.62,
            yerr=_standard_error(found),
            color=COLOURS[name],
            hatch=HATCHES[name],
            edgecolor="white",
            linewidth=0,
            error_kw={"elinewidth": 0.7, "capsize": 2, "ecolor": INK},
        )
        ax.annotate(
            f"{found.mean():.2f}",
            (place, found.mean() + _standard_error(found)),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=6,
            color=INK,
        )
    ax.set_xticks(range(len(values)), list(values))
    ax.tick_params(axis="x", length=0)
    ax.set_ylim(-0.02, 1.04)
    ax.set_title(title, loc="left", pad=11)  # on a line with the curves' titles
    return plain(ax)


def baseline_figure(
    number: int, problem: str, absent: tuple[baselines.Absent, ...], description: str
) -> Experiment:
    """Return the experiment of a figure of existing methods."""
    name = f"figure-{number}"
    return Experiment(
        name=name,
        place=f"Figure {number}",
        description=description,
        seeds=SEEDS,
        compute=partial(compute, problem=problem, absent=absent),
        draw=partial(draw, name=name, problem=problem, absent=absent),
        settings={
            "problem": problem,
            "trials": TRIALS,
            "absent": list(absent),
            "region_quantile": 1.0,
            "trees": 64,
            "max_depth": 64,
            "forest_seed": "the run's seed",
        },
    )
