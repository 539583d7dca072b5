"""The pictures of regimes.md, drawn when the site is built (matplotlib's plot directive)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import condped

SPACE = {
    "model": {"type": "categorical", "choices": ["svm", "network"]},
    "C": {"when": "model == 'svm'", "type": "float", "low": 1e-3, "high": 1e3, "log": True},
    "layers": {"when": "model == 'network'", "type": "int", "low": 1, "high": 6},
    "rate": [
        {"when": "layers < 4", "type": "float", "low": 1e-3, "high": 1.0, "log": True},
        {"when": "layers >= 4", "type": "float", "low": 1e-5, "high": 0.1, "log": True},
    ],
}
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#9a9a9a"
SHALLOW, DEEP = "layers < 4\n0.001 … 1", "layers ≥ 4\n0.00001 … 0.1"


def trials(number: int = 1200) -> dict[str, np.ndarray]:
    """Draw trials at random; a network beats a support vector machine if its rate is right."""
    rng = np.random.default_rng(0)
    network = rng.random(number) < 0.5
    layers = np.where(network, rng.integers(1, 7, number), np.nan)
    deep = layers >= 4
    log_rate = np.where(deep, rng.uniform(-5, -1, number), rng.uniform(-3, 0, number))
    log_c = rng.uniform(-3, 3, number)
    error = np.where(
        network,
        0.10 + 0.06 * (log_rate - np.where(deep, -3.0, -1.2)) ** 2,
        0.22 + 0.03 * np.abs(log_c),
    )
    return {
        "model": np.where(network, "network", "svm"),
        "C": np.where(network, np.nan, 10**log_c),
        "layers": layers,
        "rate": np.where(network, 10**log_rate, np.nan),
        "error": error + rng.normal(0, 0.012, number),
    }


def importance(**options: str) -> condped.ImportanceResult:
    """Return the importances of these trials."""
    return condped.importance(trials(), objective="error", space=SPACE, **options)  # type: ignore[arg-type]


def _target(columns: dict[str, np.ndarray]) -> np.ndarray:
    return np.asarray(columns["error"] <= np.quantile(columns["error"], 0.1))


def space() -> None:
    """Draw the conditional space as a tree, with the regimes of each parameter as its leaves."""
    _, ax = plt.subplots(figsize=(8.5, 3.4), layout="constrained")
    boxes = {
        "model": (0.0, 1.5, "model"),
        "layers": (2.3, 2.2, "layers\n1 … 6"),
        "C": (2.3, 0.0, "C\n0.001 … 1000"),
        "shallow": (4.7, 3.0, "rate\n0.001 … 1"),
        "deep": (4.7, 1.4, "rate\n0.00001 … 0.1"),
    }
    edges = [
        ("model", "layers", "network"),
        ("model", "C", "svm"),
        ("layers", "shallow", "< 4"),
        ("layers", "deep", "≥ 4"),
    ]
    for start, end, label in edges:
        (x, y, _), (to_x, to_y, _) = boxes[start], boxes[end]
        ax.annotate(
            "",
            (to_x - 0.62, to_y),
            (x + (0.4 if start == "model" else 0.5), y),
            arrowprops={"arrowstyle": "->", "color": GREY},
        )
        ax.text((x + to_x) / 2, (y + to_y) / 2 + 0.16, label, ha="center", style="italic")
    colours = {"model": GREEN, "layers": GREEN, "C": ORANGE, "shallow": BLUE, "deep": BLUE}
    for name, (x, y, text) in boxes.items():
        ax.text(
            x, y, text, ha="center", va="center", color="white",
            bbox={"boxstyle": "round,pad=0.45", "facecolor": colours[name], "edgecolor": "none"},
        )  # fmt: skip
    ax.text(6.0, 2.2, "two regimes of rate,\nand a third:\nabsent, for every svm", va="center")
    ax.text(3.4, 0.0, "one regime of C, and a second: absent, for every network", va="center")
    ax.set(xlim=(-0.7, 7.8), ylim=(-0.6, 3.6))
    ax.axis("off")


def regimes() -> None:
    """Draw the trials of each regime of the rate, with the best 10 % of all trials."""
    columns = trials()
    best = _target(columns)
    network, deep = columns["model"] == "network", columns["layers"] >= 4
    figure, panels = plt.subplots(
        1, 3, figsize=(8.5, 3.1), layout="constrained", sharey=True, width_ratios=[1, 2, 2]
    )
    places = np.random.default_rng(1).uniform(0.2, 0.8, len(best))
    for ax, mask, title in zip(
        panels,
        [~network, network & ~deep, network & deep],
        ["absent\n(model is svm)", SHALLOW, DEEP],
        strict=True,
    ):
        x = places if title.startswith("absent") else columns["rate"]
        ax.scatter(x[mask], columns["error"][mask], s=6, color=GREY, alpha=0.6, linewidths=0)
        ax.scatter(x[mask & best], columns["error"][mask & best], s=9, color=BLUE)
        ax.set_title(f"{title}\n{(mask & best).sum()} of {mask.sum()} trials", fontsize=9)
        if title.startswith("absent"):
            ax.set(xticks=[], xlim=(0, 1))
        else:
            ax.set(xscale="log", xlabel="rate")
    panels[0].set_ylabel("error")
    figure.suptitle("The rate's three regimes; blue: the best 10 % of all trials", fontsize=11)


def filtering() -> None:
    """Draw C among the trials that have it, against the target set of all trials."""
    columns = trials()
    best, has = _target(columns), columns["model"] == "svm"
    figure, ax = plt.subplots(figsize=(8.5, 2.9), layout="constrained")
    own = has & (columns["error"] <= np.quantile(columns["error"][has], 0.1))
    cut = columns["error"][best].max()
    ax.scatter(columns["C"][has], columns["error"][has], s=7, color=GREY, label="trials with a C")
    ax.scatter(
        columns["C"][own], columns["error"][own], s=12, color=ORANGE, label="their best 10 %"
    )
    ax.axhspan(0.06, cut, color=BLUE, alpha=0.15, linewidth=0)
    ax.text(
        1.2e-3, (0.06 + cut) / 2, f"the best 10 % of all trials: {(best & has).sum()} have a C",
        va="center", color=BLUE,
    )  # fmt: skip
    ax.set(xscale="log", xlabel="C", ylabel="error", ylim=(0.06, None))
    ax.legend(frameon=False, loc="upper center", ncols=2, fontsize=9)
    figure.suptitle("Filtering: another target set for every parameter", fontsize=11)


def imputation() -> None:
    """Draw the rate with a made-up value where it is absent."""
    columns = trials()
    best = _target(columns)
    filled = np.where(np.isnan(columns["rate"]), 10**-2.5, columns["rate"])
    figure, ax = plt.subplots(figsize=(8.5, 2.9), layout="constrained")
    _histograms(ax, np.log10(filled), best, 25)
    ax.annotate(
        f"{np.isnan(columns['rate']).sum()} trials that never\nhad this value",
        (-2.4, 2.0),
        (-1.6, 2.15),
        fontsize=9,
        va="center",
        arrowprops={"arrowstyle": "->", "color": "black"},
    )
    ax.set(xlabel="log₁₀ of the rate, the middle where it is absent", ylabel="density")
    figure.suptitle("Imputation: values that nobody tried", fontsize=11)


def expansion() -> None:
    """Draw the rate on one domain that spans both of its own."""
    columns = trials()
    best, has = _target(columns), columns["model"] == "network"
    figure, ax = plt.subplots(figsize=(8.5, 2.9), layout="constrained")
    _histograms(ax, np.log10(columns["rate"][has]), best[has], 25)
    for left, right, height, words in [(-3, 0, 1.30, "layers < 4"), (-5, -1, 1.42, "layers ≥ 4")]:
        ax.annotate("", (left, height), (right, height), arrowprops={"arrowstyle": "<->"})
        ax.text((left + right) / 2 - 0.6, height + 0.02, words, fontsize=9, ha="center")
    ax.set(xlabel="log₁₀ of the rate", ylabel="density", ylim=(0, 1.6))
    figure.suptitle("Expansion: two domains as if they were one", fontsize=11)


def _histograms(ax: Axes, values: np.ndarray, best: np.ndarray, cells: int) -> None:
    rates = (-5.0, 0.0)  # as powers of ten
    ax.hist(values, cells, range=rates, density=True, color=GREY, alpha=0.6, label="all trials")
    ax.hist(
        values[best], cells, range=rates, density=True, histtype="step", color=BLUE, linewidth=1.8,
        label="target set",
    )  # fmt: skip
    ax.legend(frameon=False, fontsize=9)


def contributions() -> None:
    """Draw α and β of each regime, the divergence within, and what they make together."""
    found = importance()["rate"]
    labels = [
        "absent" if one.domain is None else (SHALLOW if one.domain.low == 1e-3 else DEEP)  # type: ignore[union-attr]
        for one in found.regimes
    ]
    y = np.arange(len(labels))
    figure, (shares, divergence, result) = plt.subplots(
        1, 3, figsize=(8.5, 2.9), layout="constrained", sharey=True
    )
    shares.barh(y - 0.2, [one.target_share for one in found.regimes], 0.38, color=BLUE, label="α")
    shares.barh(y + 0.2, [one.region_share for one in found.regimes], 0.38, color=GREY, label="β")
    shares.set_title("shares of the regime:\nα of the best, β of all", fontsize=9)
    shares.set_xlim(0, 0.75)
    shares.legend(frameon=False, loc="upper right", handlelength=1)
    divergence.barh(y, [one.divergence for one in found.regimes], 0.5, color=GREEN)
    divergence.set_title("D: how different good values\nare within the regime", fontsize=9)
    result.barh(y, [one.contribution for one in found.regimes], 0.5, color=ORANGE)
    result.set_title("contribution:\nκ² · α² / β · D", fontsize=9)
    shares.set_yticks(y, labels)
    shares.invert_yaxis()
    figure.suptitle("What the rate's regimes contribute", fontsize=11)


def credit() -> None:
    """Draw where the variance between regimes goes: to the parameter itself, or to its gate."""
    # "standard" adds to each parameter the variance between its regimes.
    within, standard = importance(), importance(measure="standard")
    names = ["model", "C", "layers", "rate"]
    y = np.arange(len(names))
    figure, ax = plt.subplots(figsize=(8.5, 2.9), layout="constrained")
    for shift, result, colour, label in [
        (-0.2, standard, GREY, "value and presence together (measure='standard')"),
        (0.2, within, BLUE, "condPED-ANOVA: the value within its regimes"),
    ]:
        heights = [result[name].importance for name in names]
        ax.barh(y + shift, heights, 0.38, color=colour, label=label)
        for place, height in zip(y + shift, heights, strict=True):
            ax.text(height + 0.01, place, f"{height:.2f}", va="center", fontsize=9)
    ax.set_yticks(y, names)
    ax.invert_yaxis()
    ax.set(xlabel="importance", xlim=(0, 1.05))
    ax.legend(frameon=False, fontsize=9, loc="upper right")
    figure.suptitle("Being present is no merit of C, layers or rate", fontsize=11)


PICTURES = (space, regimes, filtering, imputation, expansion, contributions, credit)
