"""Figures 5 and 15: bars of importances per hyperparameter, coloured by learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from experiments.figures.style import (
    GREY,
    INK,
    PAGE,
    figure,
    legend_above,
    paper_style,
    plain,
    save,
    save_table,
)
from experiments.registry import Row
from experiments.yahpo import summary
from experiments.yahpo.learners import OWN
from experiments.yahpo.tables import title

SHOWN = 20  # the rest is one bar
ROW = 0.125  # inches per bar

# Okabe and Ito's colours; for print in grey, the names beside the bars begin with the learner.
COLOURS: dict[str | None, str] = {
    "svm": "#D55E00",
    "xgboost": "#0072B2",
    "ranger": "#009E73",
    "rpart": "#CC79A7",
    "glmnet": "#E69F00",
    "aknn": "#56B4E9",
    None: "#444444",
}


def draw_importances(rows: Sequence[Row], folder: Path, *, name: str, label: str) -> list[Path]:
    """Draw one row of panels per instance: condPED-ANOVA, and calibrated in the same order."""
    found = summary.importances(rows)
    learners = summary.learner_of(rows)
    with paper_style():
        made = figure(PAGE, 0.62 + len(found) * (0.45 + ROW * (SHOWN + 1)))
        axes = made.subplots(len(found), len(OWN), squeeze=False, sharex="row", sharey="row")
        for down, (instance, methods) in enumerate(found.items()):
            order = list(methods[OWN[0]])
            for across, method in enumerate(OWN):
                letter = chr(ord("a") + len(OWN) * down + across)
                ax = axes[down][across]
                bars(ax, methods[method], order, learners)
                ax.set_title(f"({letter}) instance {instance}, {title(method)}", loc="left")
                if down == len(found) - 1:
                    ax.set_xlabel("importance: mean and standard error over seeds")
            # One scale for both, wide enough for either.
            axes[down][0].set_xlim(0, 1.04 * _widest(methods, order))
        used = dict.fromkeys(learners.values())
        legend_above(
            made,
            [
                Patch(color=COLOURS.get(learner, GREY), label=learner or "all learners")
                for learner in COLOURS
                if learner in used
            ],
        )
        note = f"{rows[0]['scenario']}, {summary.seeds(rows)} seeds; {label}."
        made.supxlabel(note, fontsize=6, color=GREY)
        paths = save(made, folder, name)
    return [*paths, save_table(_table(found, learners), folder, name)]


def bars(
    ax: Axes,
    means: Mapping[str, summary.Mean],
    order: Sequence[str],
    learners: Mapping[str, str | None],
) -> Axes:
    """Draw horizontal bars in the given order, the rest together as the last one."""
    shown = order[:SHOWN]
    rest = order[SHOWN:]
    labels = [*shown, *([f"{len(rest)} others together"] if rest else [])]
    values = [means[name].value for name in shown]
    errors = [means[name].error for name in shown]
    colours = [COLOURS.get(learners[name], GREY) for name in shown]
    if rest:
        values.append(sum(means[name].value for name in rest))
        errors.append(0.0)
        colours.append("#ffffff")
    places = range(len(labels))
    ax.barh(places, values, height=0.74, color=colours, edgecolor="none")
    if rest:
        ax.barh(len(shown), values[-1], height=0.74, color="none", edgecolor=GREY, linewidth=0.6)
    known = range(len(shown))
    ax.errorbar(
        values[: len(shown)],
        known,
        xerr=errors[: len(shown)],
        fmt="none",
        ecolor=INK,
        elinewidth=0.7,
        capsize=1.4,
        capthick=0.7,
    )
    ax.set_yticks(list(places), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    return plain(ax, grid="x")


def _widest(methods: Mapping[str, Mapping[str, summary.Mean]], order: Sequence[str]) -> float:
    """Return how far the longest bar with its error reaches."""
    return max(
        max(
            *(means[name].value + means[name].error for name in order[:SHOWN]),
            sum(means[name].value for name in order[SHOWN:]),
        )
        for means in methods.values()
    )


def _table(
    found: Mapping[str, Mapping[str, Mapping[str, summary.Mean]]],
    learners: Mapping[str, str | None],
) -> list[Row]:
    return [
        {
            "instance": instance,
            "method": method,
            "parameter": name,
            "learner": learners[name],
            "importance": mean.value,
            "error": mean.error,
        }
        for instance, methods in found.items()
        for method, means in methods.items()
        for name, mean in means.items()
    ]
