"""Appendix F.1: how a gate's variance leaks into the parameters that it gates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import condped
from condped.problems import get
from experiments.claims import raw
from experiments.claims.measures import verdict
from experiments.claims.registry import Finding, Runs, claim
from experiments.claims.theory import RAW, SECTION, THREE

TENTHS = tuple(tenth / 10 for tenth in range(1, 10))
# Problem and gate → the parameters whose domain or activity it decides.
GATED = {
    **{(problem, "c"): ("x", "y") for problem in THREE},
    ("nested", "c0"): ("c1", "z"),
    ("nested", "c1"): ("x", "y"),
    ("three-way", "c"): ("x", "y"),
}


def _leaks() -> Iterator[tuple[float, float]]:
    """Yield, for x and y of the three problems, what leaks and the gate's own variance."""
    for name in THREE:
        trials = raw.sample(name)
        for quantile in TENTHS:
            gate = trials.variances("c", quantile).total
            for gated in ("x", "y"):
                found = trials.variances(gated, quantile)
                yield found.total - found.within, gate


@claim(
    "leakage-theorem",
    section=SECTION,
    place="Theorem F.1",
    statement="Under the standard measure a gated parameter's variance is its own variance within "
    "regimes plus the whole variance of the gate.",
)
def leakage_theorem(runs: Runs) -> Finding:
    """Compare what x's and y's variance has beyond the part within regimes with the gate's."""
    gap = max(abs(leaks - gate) for leaks, gate in _leaks())
    estimated = []
    for name in THREE:
        curve = condped.sweep(get(name).sample(1000, seed=42))
        half = int(np.abs(curve.target_quantiles - 0.5).argmin())
        estimated.append(curve.within[half, 0] / curve.inter[half, 1])
    return Finding(
        verdict(gap < raw.TOLERANCE),
        f"{RAW}: what leaks differs from the gate's variance by at most {gap:.4f}; as estimated "
        f"from 1,000 trials at γ' = 0.5, the gate's variance is {min(estimated):.2f} to "
        f"{max(estimated):.2f} of what leaks",
        "In estimates the gate's own variance is smoothed by the density and comes out smaller "
        "than the shares of regimes, which are not smoothed.",
        {"largest_difference": gap, "estimated_share": float(np.mean(estimated))},
    )


@claim(
    "leakage-bound",
    section=SECTION,
    place="§4.2, Theorem F.1",
    statement="Under the standard measure no gated parameter has a smaller variance than its gate.",
)
def leakage_bound(runs: Runs) -> Finding:
    """Take the smallest difference over problems and target quantiles."""
    least = min(
        trials.variances(gated, quantile).total - trials.variances("c", quantile).total
        for trials in map(raw.sample, THREE)
        for quantile in TENTHS
        for gated in ("x", "y")
    )
    return Finding(
        verdict(least > -raw.TOLERANCE),
        f"{RAW}: smallest difference {least:+.4f} (chance and cells: ± {raw.TOLERANCE:.4f})",
        "",
        {"smallest_difference": least},
    )


@claim(
    "leakage-assumption",
    section=SECTION,
    place="Appendix F.1",
    statement="The assumptions of the leakage theorem hold in the synthetic problems.",
)
def leakage_assumption(runs: Runs) -> Finding:
    """Check for every gated parameter that the gate decides its regime, and nothing inside."""
    parts, kept, numbers = [], [], {}
    for (problem, gate), names in GATED.items():
        trials = raw.sample(problem)
        for name in names:
            decided = trials.decides(gate, name)
            effect = max(trials.inside(gate, name, quantile) for quantile in TENTHS)
            kept.append(decided and effect < raw.TOLERANCE)
            numbers[f"{problem} {name}"] = effect
            if not kept[-1]:
                why = [] if decided else [f"{gate} alone does not decide its regime"]
                why += [f"inside them {gate} has a variance of {effect:.3f}"]
                parts.append(f"{problem}, {name}: {', '.join(why)}")
    clean = [
        problem
        for problem in dict.fromkeys(problem for problem, _ in GATED)
        if not any(part.startswith(f"{problem}, ") for part in parts)
    ]
    return Finding(
        verdict(all(kept), partly=any(kept)),
        f"{RAW}: both hold for {sum(kept)} of {len(kept)} gated parameters, for all of "
        f"{', '.join(clean) or 'no problem'}; not for {'; '.join(parts) or 'none'}",
        ""
        if all(kept)
        else "A regime that joins several branches hides from the parameter what the gate decides "
        "among them, so that less than the gate's whole variance leaks. The paper uses the theorem "
        "for the first three problems only.",
        numbers,
    )
