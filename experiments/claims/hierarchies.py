"""Appendix E: nested gates and three branches (Figures 13 and 14)."""

from __future__ import annotations

import numpy as np

from experiments.claims.measures import LARGE, SOME, peak, verdict
from experiments.claims.registry import Finding, Runs, claim
from experiments.figures.curves import Curves
from experiments.synthetic.sweeps import Panel, panel_curves

MARGIN = 0.05  # of γ', in which smoothing carries a curve beyond its part
NESTED, THREE_WAY = "Nested activation", "Three-way branching"


def nested(runs: Runs) -> Curves:
    """Return the curves of Figure 13."""
    return panel_curves(runs.rows("figure-13"), Panel("nested"))


def three_way(runs: Runs) -> Curves:
    """Return the curves of Figure 14."""
    return panel_curves(runs.rows("figure-14"), Panel("three-way"))


@claim(
    "nested-c0-peak",
    section=NESTED,
    place="Appendix E.1, Figure 13",
    statement="c0 is highest around γ' = 0.75, close to one.",
)
def nested_c0_peak(runs: Runs) -> Finding:
    """Find c0's peak."""
    shown = nested(runs)
    place, height = peak(shown, "c0")
    return Finding(
        verdict(abs(place - 0.75) <= 0.03 and height > 0.9),
        f"peak at γ' = {place:.2f} with {height:.3f}",
        "",
        {"peak": place, "height": height},
    )


@claim(
    "nested-c1-peak",
    section=NESTED,
    place="Appendix E.1, Figure 13",
    statement="c1 becomes important around γ' = 0.375.",
)
def nested_c1_peak(runs: Runs) -> Finding:
    """Find c1's peak."""
    shown = nested(runs)
    (place, height), (exact, _) = peak(shown, "c1"), peak(shown, "c1", exact=True)
    return Finding(
        verdict(abs(place - 0.375) <= 0.03, partly=abs(place - 0.375) <= 0.06),
        f"peak at γ' = {place:.2f} with {height:.3f} (exact: {exact:.3f} on the grid)",
        "",
        {"peak": place, "height": height},
    )


@claim(
    "nested-c1-height",
    section=NESTED,
    place="Appendix E.1, Figure 13",
    statement="c1's peak is lower than c0's: around 0.75.",
)
def nested_c1_height(runs: Runs) -> Finding:
    """Compare both heights with the exact ones."""
    shown = nested(runs)
    c0, c1 = peak(shown, "c0")[1], peak(shown, "c1")[1]
    return Finding(
        verdict(c1 < c0 and abs(c1 - 0.75) < 0.04, partly=c1 < c0),
        f"c1 {c1:.3f}, c0 {c0:.3f}; exactly 0.8 and 1 (at γ' = 0.375 and 0.75)",
        "It is lower. Its height is 4/5: c1 has the variance 3/16 there and c0 still 3/64, so that "
        "c1's share is 0.8. The sentence can also be read as 'around γ' = 0.75', of c0.",
        {"c1": c1, "c0": c0},
    )


def _large(values: np.ndarray) -> float:
    return float(values.max()) if values.size else 0.0


def _large_between(shown: Curves, name: str, low: float, high: float) -> Finding:
    """Return whether a parameter is large in a part of γ', and next to nothing beyond a margin."""
    part = shown.between(low, high)
    values, rest = shown[name][part], np.delete(shown.mean, shown.names.index(name), axis=1)[part]
    near = shown.between(low - MARGIN, high + MARGIN)
    ahead = float((values > rest.max(axis=1)).mean())
    largest, beside = _large(shown[name][~near]), _large(shown[name][near & ~part])
    exact = float(shown.exact(name)[part].max())
    return Finding(
        verdict(
            values.max() >= LARGE and largest < 0.05, partly=values.max() >= SOME and largest < 0.05
        ),
        f"up to {values.max():.3f} between {low} and {high} (exact {exact:.3f}); at most "
        f"{beside:.3f} up to {MARGIN} outside and {largest:.3f} further away; ahead of all others "
        f"at {ahead:.0%} of these γ'",
        ""
        if values.max() >= LARGE
        else f"It is there, but has at no γ' half of the importance, and leads at {ahead:.0%} of "
        "them only.",
        {
            "largest": float(values.max()),
            "beside": beside,
            "elsewhere": largest,
            "ahead": ahead,
        },
    )


@claim(
    "nested-x",
    section=NESTED,
    place="Appendix E.1, Figure 13",
    statement="x becomes large for γ' below 0.375.",
)
def nested_x(runs: Runs) -> Finding:
    """Look at x inside and outside its part."""
    return _large_between(nested(runs), "x", 0.01, 0.37)


@claim(
    "nested-y",
    section=NESTED,
    place="Appendix E.1, Figure 13",
    statement="y becomes large between 0.375 and 0.75.",
)
def nested_y(runs: Runs) -> Finding:
    """Look at y inside and outside its part."""
    return _large_between(nested(runs), "y", 0.38, 0.75)


@claim(
    "nested-z",
    section=NESTED,
    place="Appendix E.1, Figure 13",
    statement="z becomes large for γ' above 0.75.",
)
def nested_z(runs: Runs) -> Finding:
    """Look at z inside and outside its part."""
    return _large_between(nested(runs), "z", 0.76, 0.99)


@claim(
    "nested-away-from-boundaries",
    section=NESTED,
    place="Appendix E.1, Figure 13",
    statement="Each of them grows as γ' moves away from the boundaries of its part.",
)
def nested_away(runs: Runs) -> Finding:
    """Find where each is highest inside its part."""
    shown = nested(runs)
    places = {name: peak(shown, name)[0] for name in ("x", "y", "z")}
    exact = {name: peak(shown, name, exact=True)[0] for name in ("x", "y", "z")}
    good = places["x"] < 0.1 and 0.45 < places["y"] < 0.7 and places["z"] > 0.9
    text = ", ".join(f"{n} at {v:.2f} (exact {exact[n]:.2f})" for n, v in places.items())
    return Finding(verdict(good), f"highest: {text}", "", places)


@claim(
    "three-way-peaks",
    section=THREE_WAY,
    place="Appendix E.2, Figure 14",
    statement="c has pronounced peaks around γ' = 0.33 and 0.66.",
)
def three_way_peaks(runs: Runs) -> Finding:
    """Find the peak in each half and the valley between."""
    shown = three_way(runs)
    found = []
    for low, high in ((0.1, 0.5), (0.5, 0.9)):
        part = shown.between(low, high)
        place = int(np.where(part, shown["c"], -1).argmax())
        found.append((float(shown.quantiles[place]), float(shown["c"][place])))
    (first, one), (second, two) = found
    valley = float(shown["c"][shown.between(first, second)].min())
    depth = min(one, two) - valley
    placed = abs(first - 1 / 3) <= 0.03 and abs(second - 2 / 3) <= 0.03
    return Finding(
        verdict(placed and depth >= 0.2, partly=placed and depth >= 0.05),
        f"peaks at {first:.2f} ({one:.3f}) and {second:.2f} ({two:.3f}), {valley:.3f} between: "
        f"{depth:.3f} lower",
        "Pronounced: at least 0.2 above the valley between them."
        + ("" if depth >= 0.2 else " The valley is shallower than that."),
        {"first": first, "second": second, "valley": valley, "depth": depth},
    )


@claim(
    "three-way-x-large",
    section=THREE_WAY,
    place="Appendix E.2, Figure 14",
    statement="x is large below 0.33 and between 0.33 and 0.66.",
)
def three_way_x(runs: Runs) -> Finding:
    """Take x's largest values in both parts."""
    shown = three_way(runs)
    first = float(shown["x"][shown.between(0.01, 0.33)].max())
    second = float(shown["x"][shown.between(0.34, 0.66)].max())
    exact = float(shown.exact("x")[shown.between(0.34, 0.66)].max())
    return Finding(
        verdict(min(first, second) >= LARGE, partly=min(first, second) >= SOME),
        f"up to {first:.3f} in the first part and {second:.3f} in the second (exact {exact:.3f})",
        "In the second part x is there, but at no γ' more than half as important as c: at γ' = 0.5 "
        "exactly c has 2/3 and x 1/3.",
        {"first": first, "second": second},
    )


@claim(
    "three-way-x-zero",
    section=THREE_WAY,
    place="Appendix E.2, Figure 14",
    statement="x is nearly zero above 0.66.",
)
def three_way_x_zero(runs: Runs) -> Finding:
    """Take x's largest value from 0.7 on."""
    shown = three_way(runs)
    largest = float(shown["x"][shown.between(0.7, 0.99)].max())
    return Finding(
        verdict(largest < 0.02), f"largest from 0.7 on: {largest:.4f}", "", {"largest": largest}
    )


@claim(
    "three-way-y",
    section=THREE_WAY,
    place="Appendix E.2, Figure 14",
    statement="y rises only above 0.66 and is near zero elsewhere.",
)
def three_way_y(runs: Runs) -> Finding:
    """Look at y inside and outside its part."""
    return _large_between(three_way(runs), "y", 0.67, 0.99)
