"""Curves over γ': mean and standard error of the seeds, the exact truth beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from condped.problems import get
from experiments.figures.style import COLOURS, GREY, INK, MARKERS, plain
from experiments.registry import Row

TRUTH = Line2D([], [], color=INK, linewidth=0.9, linestyle=(0, (3, 2)), label="exact truth")


@dataclass(frozen=True)
class Curves:
    """Curves of P parameters at T target quantiles, of S seeds."""

    names: tuple[str, ...]
    quantiles: np.ndarray  # (T,)
    values: np.ndarray  # (S, T, P)
    truth: np.ndarray | None = None  # (T, P)

    @property
    def mean(self) -> np.ndarray:
        """(T, P): over the seeds."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def standard_error(self) -> np.ndarray:
        """(T, P): of the mean; 0 for a single seed."""
        seeds = len(self.values)
        if seeds < 2:
            return np.zeros(self.values.shape[1:])
        return np.asarray(self.values.std(axis=0, ddof=1) / np.sqrt(seeds))

    @property
    def error(self) -> float | None:
        """Mean distance of a seed's curves from the truth, over γ' and parameters."""
        return None if self.truth is None else float(np.abs(self.values - self.truth).mean())

    def __getitem__(self, name: str) -> np.ndarray:
        """Return (T,): the mean curve of a parameter."""
        return np.asarray(self.mean[:, self.names.index(name)])

    def exact(self, name: str) -> np.ndarray:
        """Return (T,): the exact curve of a parameter."""
        if self.truth is None:
            raise ValueError("There is no exact truth for these curves.")
        return np.asarray(self.truth[:, self.names.index(name)])

    def at(self, name: str, quantile: float) -> float:
        """Return the mean at a target quantile."""
        return float(self[name][self.place(quantile)])

    def place(self, quantile: float) -> int:
        """Return the position of the nearest target quantile."""
        return int(np.abs(self.quantiles - quantile).argmin())

    def between(self, low: float, high: float) -> np.ndarray:
        """Return (T,): which target quantiles lie between two, both included."""
        return np.asarray((self.quantiles >= low - 1e-9) & (self.quantiles <= high + 1e-9))


def select(rows: Sequence[Row], **wanted: object) -> list[Row]:
    """Return the rows with these values."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def curves(
    rows: Sequence[Row], *, value: str = "importance", truth: np.ndarray | None = None
) -> Curves:
    """Gather rows of one panel into curves."""
    names = tuple(dict.fromkeys(row["parameter"] for row in rows))
    seeds = sorted({row["seed"] for row in rows})
    quantiles = sorted({row["target_quantile"] for row in rows})
    values = np.full((len(seeds), len(quantiles), len(names)), np.nan)
    at_seed, at_quantile, at_name = (
        {key: place for place, key in enumerate(keys)} for keys in (seeds, quantiles, names)
    )
    for row in rows:
        place = at_seed[row["seed"]], at_quantile[row["target_quantile"]], at_name[row["parameter"]]
        values[place] = row[value]
    return Curves(names, np.array(quantiles), values, truth)


def exact_curves(
    problem: str,
    names: Sequence[str],
    quantiles: Sequence[float],
    *,
    region_quantile: float = 1.0,
    measure: str = "within",
    normalize: bool = True,
) -> np.ndarray:
    """Return (T, P): the exact truth at each target quantile."""
    exact = [
        get(problem)
        .truth(float(quantile), region_quantile)
        .to_dict(normalize=normalize, measure=measure)  # type: ignore[arg-type]
        for quantile in quantiles
    ]
    return np.array([[truth[name] for name in names] for truth in exact])


def draw_curves(
    ax: Axes,
    shown: Curves,
    *,
    title: str,
    region_quantile: float = 1.0,
    ylabel: str | None = "importance (HPI)",
    xlabel: bool = True,
    limit: tuple[float, float] | None = (-0.02, 1.04),
) -> Axes:
    """Draw one panel, with the distance from the truth under its title."""
    mean, error = shown.mean, shown.standard_error
    for place, name in enumerate(shown.names):
        ax.fill_between(
            shown.quantiles,
            mean[:, place] - error[:, place],
            mean[:, place] + error[:, place],
            color=COLOURS[name],
            alpha=0.25,
            linewidth=0,
        )
        # Markers at different places, so that overlapping curves can be distinguished.
        every = max(2, len(shown.quantiles) // 8)
        ax.plot(
            shown.quantiles,
            mean[:, place],
            color=COLOURS[name],
            marker=MARKERS[name],
            markersize=3,
            markeredgewidth=0,
            markevery=(every * place // len(shown.names), every),
        )
    if shown.truth is not None:
        ax.plot(shown.quantiles, shown.truth, color=INK, linewidth=0.8, linestyle=(0, (3, 2)))
    ax.set_xlim(0, region_quantile)
    if limit is not None:
        ax.set_ylim(*limit)
    ax.set_title(title, loc="left", pad=5 if shown.error is None else 11)
    if shown.error is not None:
        ax.annotate(
            f"mean |estimate − truth| = {shown.error:.3f}",
            (0, 1),
            xytext=(0, 2.5),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=6,
            color=GREY,
        )
    if xlabel:
        ax.set_xlabel("target quantile γ′")
    if ylabel is not None:
        ax.set_ylabel(ylabel)
    return plain(ax)


def handles(names: Sequence[str], *, truth: bool = True) -> list[Line2D]:
    """Return what the legend shows."""
    drawn = [
        Line2D([], [], color=COLOURS[n], marker=MARKERS[n], markersize=3.5, label=n) for n in names
    ]
    return [*drawn, TRUTH] if truth else drawn


def summary_rows(shown: Curves, panel: Mapping[str, object]) -> list[Row]:
    """Return a panel's numbers as flat rows: mean, standard error and truth."""
    return [
        {
            **panel,
            "target_quantile": float(quantile),
            "parameter": name,
            "mean": float(shown.mean[t, p]),
            "standard_error": float(shown.standard_error[t, p]),
            "truth": None if shown.truth is None else float(shown.truth[t, p]),
        }
        for t, quantile in enumerate(shown.quantiles)
        for p, name in enumerate(shown.names)
    ]


def error_rows(shown: Curves, panel: str) -> list[Row]:
    """Return a panel's mean distance from the truth, if there is a truth."""
    name = panel.replace(", ", " (") + ")" if ", " in panel else panel
    return [] if shown.error is None else [{"panel": name, "error": f"{shown.error:.4f}"}]
