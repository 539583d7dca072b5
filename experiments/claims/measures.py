"""Measures shared by several checks: curves of a figure, steps, peaks, symmetry."""

from __future__ import annotations

import numpy as np

from experiments.claims.registry import Runs, Verdict
from experiments.figures.curves import Curves
from experiments.synthetic.naive import bar_values, ped_anova_curves
from experiments.synthetic.sweeps import Panel, panel_curves

DISJOINT, OVERLAP, SWITCH = "activation-disjoint", "activation-overlap", "regime-dependent"
# The γ' at which a branch or regime first enters the target set.
BOUNDARIES = {DISJOINT: 0.5, OVERLAP: 3 / 14, SWITCH: 0.5}
LARGE, SOME = 0.5, 0.25  # importances that count as large, and as large in part
CURVE_PROBLEMS = {"disjoint": DISJOINT, "overlap": OVERLAP, "regime-dependent": SWITCH}


def main_curves(runs: Runs, problem: str) -> Curves:
    """Return condPED-ANOVA's curves of Figure 1."""
    return panel_curves(runs.rows("figure-1"), Panel(problem))


def naive_curves(runs: Runs, figure: str, problem: str, absent: str) -> Curves:
    """Return PED-ANOVA's curves of Figure 2, 9 or 10."""
    return ped_anova_curves(runs.rows(figure), problem, absent)


def naive_bars(runs: Runs, figure: str, problem: str, method: str, absent: str) -> dict[str, float]:
    """Return name → mean importance of a method of Figure 2, 9 or 10."""
    found = bar_values(runs.rows(figure), problem, method, absent)
    return {name: float(values.mean()) for name, values in found.items()}


def largest_step(values: np.ndarray) -> float:
    """Return the largest change between neighbouring target quantiles."""
    return float(np.abs(np.diff(values)).max())


def jump(shown: Curves, name: str) -> tuple[float, float]:
    """Return where the largest step between neighbouring γ' begins, and its size."""
    steps = np.abs(np.diff(shown[name]))
    place = int(steps.argmax())
    return float(shown.quantiles[place]), float(steps[place])


def roughness(values: np.ndarray) -> float:
    """Return the mean change between neighbouring target quantiles."""
    return float(np.abs(np.diff(values)).mean())


def peak(shown: Curves, name: str, *, exact: bool = False) -> tuple[float, float]:
    """Return where a curve is highest, and how high."""
    values = shown.exact(name) if exact else shown[name]
    place = int(values.argmax())
    return float(shown.quantiles[place]), float(values[place])


def asymmetry(shown: Curves, *, exact: bool = False) -> float:
    """Return the mean distance from the mirror image at one half, x and y exchanged."""
    mirror = {"c": "c", "x": "y", "y": "x"}
    values = {n: shown.exact(n) if exact else shown[n] for n in mirror}
    return float(np.mean([np.abs(values[n] - values[m][::-1]).mean() for n, m in mirror.items()]))


def verdict(holds: bool, partly: bool = False) -> Verdict:
    """Return the verdict for what was found."""
    if holds:
        return "holds"
    return "holds partly" if partly else "does not hold"
