"""Section 5.4 and Appendix D.4: existing methods (Figures 2, 9 and 10)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from condped import baselines
from condped.problems import get
from experiments.claims.measures import (
    DISJOINT,
    OVERLAP,
    SWITCH,
    main_curves,
    naive_bars,
    naive_curves,
    roughness,
    verdict,
)
from experiments.claims.registry import Finding, Runs, claim
from experiments.figures.curves import Curves
from experiments.synthetic.naive import FORESTS, LABELS, bar_values

SECTION = "Existing methods"
FIGURES = {DISJOINT: "figure-2", OVERLAP: "figure-9", SWITCH: "figure-10"}
# All but those of another claim.
REMAINING = (("f-anova", "imputation"), ("mdi", "imputation"),
             ("shap", "filtering"), ("shap", "imputation"))  # fmt: skip


def _x_like_y(shown: Curves) -> Finding:
    gap = np.abs(shown["x"] - shown["y"])
    inner = gap[shown.between(0.1, 0.9)]
    exact = float(np.abs(shown.exact("x") - shown.exact("y")).mean())
    return Finding(
        verdict(inner.max() < 0.05),
        f"|x − y|: {gap.mean():.3f} on average, at most {inner.max():.3f} for γ' from 0.1 to 0.9 "
        f"and {gap.max():.3f} at the ends (exact: {exact:.3f} on average)",
        ""
        if gap.max() < 0.05
        else "They part at the ends, by chance: each target set of "
        "x or y alone holds about five trials there.",
        {"mean": float(gap.mean()), "largest": float(gap.max())},
    )


@claim(
    "ped-filtering-x-like-y",
    section=SECTION,
    place="§5.4.2, Figure 2",
    statement="PED-ANOVA with filtering gives x and y almost the same importance.",
)
def ped_filtering_x_like_y(runs: Runs) -> Finding:
    """Measure the distance of x from y."""
    return _x_like_y(naive_curves(runs, "figure-2", DISJOINT, "filtering"))


def _unstable(shown: Curves) -> Finding:
    names = ("x", "y")
    below = np.mean([roughness(shown[n][shown.between(0.01, 0.5)]) for n in names])
    above = np.mean([roughness(shown[n][shown.between(0.5, 0.99)]) for n in names])
    error = [shown.standard_error[shown.between(*part)].mean() for part in ((0, 0.5), (0.5, 1))]
    return Finding(
        verdict(bool(above > 2 * below), partly=bool(above > below)),
        f"mean step of x and y {above:.3f} above 0.5, {below:.3f} below; standard error "
        f"{error[1]:.3f} against {error[0]:.3f}",
        "Made-up midpoints all lie in one cell. The bandwidth follows the quartiles, which move "
        "onto that cell and off it as γ' grows, and the density turns into a spike and back.",
        {"above": float(above), "below": float(below)},
    )


@claim(
    "ped-imputation-unstable",
    section=SECTION,
    place="§5.4.2, Figure 2",
    statement="PED-ANOVA with imputation is unstable in x and y for γ' above 0.5.",
)
def ped_imputation_unstable(runs: Runs) -> Finding:
    """Compare the steps above and below one half."""
    return _unstable(naive_curves(runs, "figure-2", DISJOINT, "imputation"))


@claim(
    "ped-alike-at-half",
    section=SECTION,
    place="§5.4.2, Figure 2",
    statement="Around γ' = 0.5 PED-ANOVA gives all three almost the same importance, filtered or "
    "imputed.",
)
def ped_alike_at_half(runs: Runs) -> Finding:
    """Measure the range of the three at 0.5."""
    ranges = {}
    for way in ("filtering", "imputation"):
        shown = naive_curves(runs, "figure-2", DISJOINT, way)
        values = [shown.at(name, 0.5) for name in shown.names]
        ranges[way] = max(values) - min(values)
    text = ", ".join(f"{way} {value:.3f}" for way, value in ranges.items())
    return Finding(verdict(max(ranges.values()) < 0.05), f"range at 0.5: {text}", "", ranges)


@claim(
    "ped-misses-the-gate",
    section=SECTION,
    place="§5.4.2, Figure 2",
    statement="Neither filtering nor imputation lets PED-ANOVA see that c is important.",
)
def ped_misses_gate(runs: Runs) -> Finding:
    """Count the target quantiles at which c leads."""
    leads, best = {}, {}
    for way in ("filtering", "imputation"):
        shown = naive_curves(runs, "figure-2", DISJOINT, way)
        leads[way] = int((shown["c"] > np.maximum(shown["x"], shown["y"])).sum())
        best[way] = float(shown["c"].max())
    truth = main_curves(runs, DISJOINT)
    first = truth.exact("c") > np.maximum(truth.exact("x"), truth.exact("y"))
    text = ", ".join(f"{w}: {n} of 99, never above {best[w]:.2f}" for w, n in leads.items())
    return Finding(
        verdict(max(leads.values()) == 0),
        f"γ' at which c leads: {text} (exact: {int(first.sum())} of 99)",
        "",
        best,
    )


def _identical(runs: Runs, problem: str) -> dict[str, float]:
    return {
        LABELS[method]: float(np.ptp(list(values.values())))
        for method in ("f-anova", "mdi")
        for values in [naive_bars(runs, FIGURES[problem], problem, method, "filtering")]
    }


@claim(
    "forests-filtering-identical",
    section=SECTION,
    place="§5.4.2, Figure 2",
    statement="f-ANOVA and MDI with filtering give all parameters identical importances.",
)
def forests_filtering_identical(runs: Runs) -> Finding:
    """Measure the range of the three."""
    ranges = _identical(runs, DISJOINT)
    text = ", ".join(f"{name} {value:.4f}" for name, value in ranges.items())
    return Finding(
        verdict(max(ranges.values()) < 0.005),
        f"range: {text}",
        "Only c is in all trials, so it explains its forest alone; where x is present the "
        "objective is x, and likewise for y. Each gets 1 before normalisation, whatever the data.",
        ranges,
    )


def _remaining(runs: Runs, problem: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return |x − y| of the remaining variants, and the larger of both standard errors."""
    gaps, errors = {}, {}
    for method, way in REMAINING:
        found = bar_values(runs.rows(FIGURES[problem]), problem, method, way)
        label = f"{LABELS[method]} {way}"
        gaps[label] = float(abs(found["x"].mean() - found["y"].mean()))
        errors[label] = max(
            float(found[n].std(ddof=1) / np.sqrt(len(found[n]))) for n in ("x", "y")
        )
    return gaps, errors


@claim(
    "remaining-x-like-y",
    section=SECTION,
    place="§5.4.2, Figure 2",
    statement="All remaining variants give x and y identical importances.",
)
def remaining_x_like_y(runs: Runs) -> Finding:
    """Measure |x − y| of four variants."""
    gaps, _ = _remaining(runs, DISJOINT)
    text = ", ".join(f"{name} {value:.3f}" for name, value in gaps.items())
    return Finding(
        verdict(max(gaps.values()) < 0.02, partly=max(gaps.values()) < 0.1),
        f"|x − y|: {text}",
        "Equal up to the seed's chance: these methods explain the whole objective, in which x and "
        "y do play the same part.",
        gaps,
    )


@claim(
    "overlap-ped-filtering",
    section=SECTION,
    place="Appendix D.4, Figure 9",
    statement="With overlapping domains too, PED-ANOVA with filtering does not tell x from y.",
)
def overlap_ped_filtering(runs: Runs) -> Finding:
    """Measure the distance of x from y."""
    return _x_like_y(naive_curves(runs, "figure-9", OVERLAP, "filtering"))


@claim(
    "overlap-ped-imputation-y-like-c",
    section=SECTION,
    place="Appendix D.4, Figure 9",
    statement="PED-ANOVA with imputation gives y as much as c for small γ', where y is inactive.",
)
def overlap_imputation_y(runs: Runs) -> Finding:
    """Compare y with c up to 0.2."""
    shown = naive_curves(runs, "figure-9", OVERLAP, "imputation")
    part = shown.between(0.02, 0.2)
    ratio = float((shown["y"][part] / shown["c"][part]).mean())
    return Finding(
        verdict(0.7 < ratio < 1.4),
        f"y over c for γ' from 0.02 to 0.2: {ratio:.2f} on average (exact: 0)",
        "",
        {"ratio": ratio},
    )


@claim(
    "overlap-ped-imputation-unstable",
    section=SECTION,
    place="Appendix D.4, Figure 9",
    statement="PED-ANOVA with imputation is unnaturally unstable for γ' above 0.5.",
)
def overlap_imputation_unstable(runs: Runs) -> Finding:
    """Compare the steps above and below one half."""
    return _unstable(naive_curves(runs, "figure-9", OVERLAP, "imputation"))


@claim(
    "overlap-forests-filtering",
    section=SECTION,
    place="Appendix D.4, Figure 9",
    statement="f-ANOVA and MDI with filtering again give nearly identical importances.",
)
def overlap_forests_filtering(runs: Runs) -> Finding:
    """Measure the range of the three."""
    ranges = _identical(runs, OVERLAP)
    text = ", ".join(f"{name} {value:.4f}" for name, value in ranges.items())
    return Finding(verdict(max(ranges.values()) < 0.01), f"range: {text}", "", ranges)


@claim(
    "overlap-remaining",
    section=SECTION,
    place="Appendix D.4, Figure 9",
    statement="The remaining methods too tend to give x and y almost the same importance.",
)
def overlap_remaining(runs: Runs) -> Finding:
    """Measure |x − y| of four variants against its chance."""
    gaps, errors = _remaining(runs, OVERLAP)
    text = ", ".join(f"{name} {value:.3f} ± {errors[name]:.3f}" for name, value in gaps.items())
    near = sum(value < 0.05 for value in gaps.values())
    return Finding(
        verdict(near == len(gaps), partly=near > 0),
        f"|x − y|: {text}",
        ""
        if near == len(gaps)
        else "The objective is symmetric in x and y, so the differences are chance and bias of the "
        "forests, but larger than 'almost the same'.",
        gaps,
    )


@claim(
    "switch-ped-gate-below",
    section=SECTION,
    place="Appendix D.4, Figure 10",
    statement="PED-ANOVA with expansion puts c below x and y around γ' = 0.5.",
)
def switch_ped_gate_below(runs: Runs) -> Finding:
    """Compare the three at 0.5."""
    shown = naive_curves(runs, "figure-10", SWITCH, "imputation")
    values = {name: shown.at(name, 0.5) for name in shown.names}
    text = ", ".join(f"{name} {value:.3f}" for name, value in values.items())
    return Finding(
        verdict(values["c"] < min(values["x"], values["y"])),
        f"at 0.5: {text} (exact: c 1)",
        "That c does not lead is due to expansion: the sign of x or y then says as much as c. That "
        "it falls below them is due to smoothing, which blurs c across its cut at 0.5, while "
        "between the two domains of x and of y there is a gap.",
        values,
    )


@claim(
    "switch-y-above-x",
    section=SECTION,
    place="Appendix D.4, Figure 10",
    statement="With expansion, f-ANOVA, MDI and SHAP give y more importance than x.",
)
def switch_y_above_x(runs: Runs) -> Finding:
    """Compare the means with their standard errors, and run MDI again with fifty other seeds."""
    parts, ahead = [], 0
    numbers: dict[str, float] = {}
    for method in FORESTS:
        found = bar_values(runs.rows("figure-10"), SWITCH, method, "imputation")
        gap = found["y"] - found["x"]
        ahead += bool(gap.mean() > 0)
        numbers[method] = float(gap.mean())
        parts.append(f"{LABELS[method]} {_with_error(gap)}, y ahead in {int((gap > 0).sum())} of "
                     f"{len(gap)} seeds")  # fmt: skip
    more = _expanded_gaps(range(100, 150))
    numbers["mdi_other_seeds"] = float(more.mean())
    systematic = more.mean() > 2 * more.std(ddof=1) / np.sqrt(len(more))
    return Finding(
        verdict(ahead == len(FORESTS) and bool(systematic)),
        f"y − x: {'; '.join(parts)}; MDI with fifty other seeds {_with_error(more)}, y ahead in "
        f"{int((more > 0).sum())}",
        "Chance. The first split of a tree separates the two regimes, which c, x and y do equally "
        "well, and which of them gets the credit differs from sample to sample: ten seeds are too "
        "few to tell, fifty others show no difference. Expansion does hide that x matters more.",
        numbers,
    )


def _with_error(values: np.ndarray) -> str:
    return f"{values.mean():+.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def _expanded_gaps(seeds: Sequence[int]) -> np.ndarray:
    """Return MDI's y − x on the expanded domains, for each seed."""
    found = []
    for seed in seeds:
        table = get(SWITCH).sample(1000, seed=seed)
        importances = baselines.importance(table, method="mdi", seed=seed).to_dict()
        found.append(importances["y"] - importances["x"])
    return np.array(found)


@claim(
    "closest-to-truth",
    section=SECTION,
    place="§5.4.2",
    statement="Where naive extensions mislead, condPED-ANOVA reflects the conditional structure.",
)
def closest_to_truth(runs: Runs) -> Finding:
    """Compare distances from the exact truth."""
    parts, holds, numbers = [], True, {}
    for problem, figure in FIGURES.items():
        ours = main_curves(runs, problem).error or 0.0
        ways = ("imputation",) if problem == SWITCH else ("filtering", "imputation")
        theirs = min(naive_curves(runs, figure, problem, way).error or 0.0 for way in ways)
        holds = holds and ours < theirs
        numbers[problem] = theirs / ours
        parts.append(f"{problem} {ours:.3f} against {theirs:.3f}")
    return Finding(
        verdict(holds),
        f"mean |estimate − truth|, PED-ANOVA's better variant second: {'; '.join(parts)}",
        "The paper has no truth to compare with; the problems' is known exactly.",
        numbers,
    )
