"""Appendix D.1: runtime (Figure 6)."""

from __future__ import annotations

from experiments.claims.measures import verdict
from experiments.claims.registry import Finding, Runs, claim
from experiments.synthetic.runtime import METHODS, mean_seconds, ratios

SECTION = "Runtime"


def _least(found: dict[int, float]) -> tuple[float, int]:
    size = min(found, key=lambda n: found[n])
    return found[size], size


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"


@claim(
    "faster-than-all",
    section=SECTION,
    place="Appendix D.1, Figure 6",
    statement="condPED-ANOVA is faster than every baseline at every size.",
)
def faster_than_all(runs: Runs) -> Finding:
    """Take the smallest ratio of each method in the same run."""
    found = {m: _least(sizes) for m, sizes in ratios(runs.rows("figure-6")).items()}
    text = "; ".join(f"{METHODS[m][0]} {_times(r)} × (N = {n:,})" for m, (r, n) in found.items())
    return Finding(
        verdict(min(r for r, _ in found.values()) > 1.0),
        f"smallest ratio over all sizes, mean of the seeds: {text}",
        "Baselines and condped from the same table, Optuna and condped from the same study.",
        {m: r for m, (r, _) in found.items()},
    )


@claim(
    "faster-than-ped-anova",
    section=SECTION,
    place="Appendix D.1",
    statement="It is even faster than PED-ANOVA: filtering or imputing costs more than regimes do.",
)
def faster_than_ped_anova(runs: Runs) -> Finding:
    """Take the range of ratios to both variants."""
    found = ratios(runs.rows("figure-6"))
    parts, least = [], {}
    for way in ("imputation", "filtering"):
        sizes = found[f"ped-anova/{way}"]
        least[way] = min(sizes.values())
        parts.append(f"{way} {min(sizes.values()):.2f} to {max(sizes.values()):.2f} times")
    return Finding(
        verdict(min(least.values()) > 1.0, partly=max(least.values()) > 1.0),
        "; ".join(parts),
        "The baselines here share condped's counting and are themselves far faster than the "
        "paper's, so that the margin is thin for imputation.",
        least,
    )


@claim(
    "overhead-small",
    section=SECTION,
    place="Appendix D.1",
    statement="Handling conditions adds little to the time.",
)
def overhead_small(runs: Runs) -> Finding:
    """Compare the time at the largest size with PED-ANOVA's."""
    seconds = mean_seconds(runs.rows("figure-6"))
    size = max(seconds["condped"])
    ours = float(seconds["condped"][size].mean())
    theirs = float(seconds["ped-anova/imputation"][size].mean())
    return Finding(
        verdict(ours < 1.2 * theirs),
        f"N = {size:,}: {1e3 * ours:.1f} ms against {1e3 * theirs:.1f} ms of PED-ANOVA",
        "",
        {"condped": ours, "ped_anova": theirs},
    )


@claim(
    "f-anova-memory",
    section=SECTION,
    place="Appendix D.1",
    statement="f-ANOVA cannot be run beyond 2^11 trials for lack of memory.",
)
def f_anova_memory(runs: Runs) -> Finding:
    """Find the largest size that f-ANOVA was timed at."""
    seconds = mean_seconds(runs.rows("figure-6"))["f-anova/imputation"]
    size = max(seconds)
    return Finding(
        verdict(size <= 2**11),
        f"runs at N = {size:,} in {float(seconds[size].mean()):.1f} s",
        "A limit of the implementation that the paper used, not of f-ANOVA: here memory grows with "
        "the leaves of one tree. Where a size is missing, the experiment's time budget ended.",
        {"largest": size},
    )


@claim(
    "shap-slow",
    section=SECTION,
    place="Appendix D.1",
    statement="SHAP is prohibitively slow beyond 2^15 trials.",
)
def shap_slow(runs: Runs) -> Finding:
    """Extend SHAP's time at its largest size to 2^16 trials, as if it grew in proportion."""
    seconds = mean_seconds(runs.rows("figure-6"))["shap/imputation"]
    size = max(seconds)
    took = float(seconds[size].mean())
    minutes = took * 2**16 / size / 60
    return Finding(
        verdict(minutes > 3),
        f"{took:.1f} s at N = {size:,}, the largest size within this experiment's budget: at least "
        f"{minutes:.0f} minutes at 65,536, and trees grow deeper too",
        "",
        {"largest": size, "seconds": took},
    )


@claim(
    "ped-anova-faster-than-f-anova",
    section=SECTION,
    place="§1, §3.3",
    statement="PED-ANOVA is dramatically faster than f-ANOVA.",
)
def ped_faster_than_f(runs: Runs) -> Finding:
    """Compare both at every size."""
    seconds = mean_seconds(runs.rows("figure-6"))
    found = {
        size: float(took.mean() / seconds["ped-anova/imputation"][size].mean())
        for size, took in seconds["f-anova/imputation"].items()
    }
    return Finding(
        verdict(min(found.values()) > 10),
        f"{min(found.values()):,.0f} to {max(found.values()):,.0f} times",
        "",
        {"smallest": min(found.values())},
    )
