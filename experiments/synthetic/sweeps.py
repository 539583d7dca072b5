"""Figures of curves over γ': what a panel shows, how it is computed, how it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import optuna

import condped
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
    COLUMN,
    PAGE,
    figure,
    legend_above,
    paper_style,
    save,
    save_table,
)
from experiments.registry import SEEDS, Experiment, Row

TITLES = {
    "activation-disjoint": "disjoint domains",
    "activation-overlap": "overlapping domains",
    "regime-dependent": "regime-dependent domains",
    "nested": "nested activation",
    "three-way": "three-way branching",
}
SHORT = {problem: title.removesuffix(" domains") for problem, title in TITLES.items()}
THREE = ("activation-disjoint", "activation-overlap", "regime-dependent")


@dataclass(frozen=True)
class Panel:
    """One set of axes: a problem under one setting."""

    problem: str
    region_quantile: float = 1.0  # gamma
    trials: int = 1000
    measure: Literal["within", "standard", "unweighted"] = "within"
    sampling: Literal["uniform", "tpe"] = "uniform"
    value: Literal["importance", "variance"] = "importance"
    title: str = ""

    @property
    def setting(self) -> dict[str, Any]:
        """What the rows of this panel have in common."""
        found = asdict(self)
        return {key: found[key] for key in _SETTING}


_SETTING = ("problem", "region_quantile", "trials", "measure", "sampling")


def sampled(problem: str, trials: int, sampling: str, seed: int) -> condped.TrialTable:
    """Return trials of a problem, drawn uniformly or by TPE."""
    chosen = condped.problems.get(problem)
    if sampling == "uniform":
        return chosen.sample(trials, seed=seed)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(chosen.objective, n_trials=trials)
    return condped.read(study)


def compute(seed: int, quick: bool, *, panels: Sequence[Panel]) -> list[Row]:
    """Return the curves of one seed; a quick run has fewer seeds, not fewer trials."""
    settings = {tuple(panel.setting.items()): panel for panel in panels}
    rows = []
    for panel in settings.values():
        table = sampled(panel.problem, panel.trials, panel.sampling, seed)
        found = condped.sweep(table, region_quantile=panel.region_quantile, measure=panel.measure)
        rows += [
            {
                "seed": seed,
                **panel.setting,
                **{key: row[key] for key in ("target_quantile", "parameter", "importance")},
                **{key: row[key] for key in ("variance", "within", "inter")},
            }
            for row in found.rows()
        ]
    return rows


def panel_curves(rows: Sequence[Row], panel: Panel) -> Curves:
    """Return a panel's curves; under uniform sampling with the exact truth."""
    own = select(rows, **panel.setting)
    found = curves(own, value=panel.value)
    if panel.sampling != "uniform":
        return found
    truth = exact_curves(
        panel.problem,
        found.names,
        list(found.quantiles),
        region_quantile=panel.region_quantile,
        measure=panel.measure,
        normalize=panel.value == "importance",
    )
    return Curves(found.names, found.quantiles, found.values, truth)


def draw(
    rows: Sequence[Row], folder: Path, *, name: str, grid: Sequence[Sequence[Panel]]
) -> list[Path]:
    """Draw the panels in rows and columns, with one legend above."""
    height, width = len(grid), len(grid[0])
    summary: list[Row] = []
    errors: list[Row] = []
    names: dict[str, None] = {}
    truth = False
    with paper_style():
        size = (PAGE, 0.35 + 1.75 * height) if width > 1 else (COLUMN, 2.4)
        made = figure(*size)
        axes = made.subplots(height, width, squeeze=False)
        for down, line in enumerate(grid):
            for across, panel in enumerate(line):
                shown = panel_curves(rows, panel)
                letter = f"({chr(ord('a') + down * width + across)}) " if width > 1 else ""
                importance = panel.value == "importance"
                draw_curves(
                    axes[down][across],
                    shown,
                    title=letter + (panel.title or TITLES[panel.problem]),
                    region_quantile=panel.region_quantile,
                    ylabel=_label(panel) if across == 0 else None,
                    xlabel=down == height - 1,
                    limit=(-0.02, 1.04) if importance else None,
                )
                truth = truth or shown.truth is not None
                names |= dict.fromkeys(shown.names)
                summary += summary_rows(shown, {**panel.setting, "value": panel.value})
                errors += error_rows(shown, panel.title or TITLES[panel.problem])
        shown_names = handles(list(names), truth=truth)
        # A column is too narrow for more than four in a row.
        legend_above(made, shown_names, columns=3 if width == 1 and len(shown_names) > 4 else None)
        paths = [*save(made, folder, name), save_table(summary, folder, name)]
        return [*paths, save_table(errors, folder, "errors")] if errors else paths


def _label(panel: Panel) -> str:
    return "importance (HPI)" if panel.value == "importance" else "variance, not normalised"


def sweep_figure(number: int, description: str, grid: Sequence[Sequence[Panel]]) -> Experiment:
    """Return the experiment of a figure of curves."""
    panels = tuple(panel for line in grid for panel in line)
    name = f"figure-{number}"
    return Experiment(
        name=name,
        place=f"Figure {number}",
        description=description,
        seeds=SEEDS,
        compute=partial(compute, panels=panels),
        draw=partial(draw, name=name, grid=tuple(tuple(line) for line in grid)),
        settings={
            "target_quantiles": "0.01 to γ − 0.01 in steps of 0.01",
            "panels": [{**panel.setting, "value": panel.value} for panel in panels],
        },
    )
