"""Appendices D.2, D.3 and D.6: other γ, fewer trials, TPE (Figures 7, 8 and 12)."""

from __future__ import annotations

import numpy as np

from experiments.claims.measures import (
    CURVE_PROBLEMS,
    DISJOINT,
    OVERLAP,
    main_curves,
    peak,
    verdict,
)
from experiments.claims.registry import Finding, Runs, claim
from experiments.figures.curves import Curves
from experiments.synthetic.sweeps import Panel, panel_curves

SECTION = "Other settings: γ, N, TPE"


def inside(runs: Runs, problem: str, region: float) -> Curves:
    """Return the curves of Figure 7."""
    return panel_curves(runs.rows("figure-7"), Panel(problem, region_quantile=region))


def with_trials(runs: Runs, problem: str, trials: int) -> Curves:
    """Return the curves of Figure 8."""
    return panel_curves(runs.rows("figure-8"), Panel(problem, trials=trials))


def tpe(runs: Runs, problem: str) -> Curves:
    """Return the curves of Figure 12."""
    return panel_curves(runs.rows("figure-12"), Panel(problem, sampling="tpe"))


@claim(
    "gamma-half-gate-small",
    section=SECTION,
    place="Appendix D.2, Figure 7",
    statement="With γ = 0.5 and disjoint domains, inside the better half c no longer matters, like "
    "y.",
)
def gamma_half_gate(runs: Runs) -> Finding:
    """Take c's and y's means and largest values."""
    shown = inside(runs, DISJOINT, 0.5)
    c, y = shown["c"], shown["y"]
    return Finding(
        verdict(c.mean() < 0.05 and y.mean() < 0.05),
        f"c {c.mean():.3f} on average, at most {c.max():.3f}; y {y.mean():.4f} (exact: 0 and 0)",
        "The paper's text points to the panel of the overlapping domains here; it means the "
        "disjoint ones. What c has left is the chance of small target sets.",
        {"c": float(c.mean()), "y": float(y.mean())},
    )


@claim(
    "gamma-no-zoom",
    section=SECTION,
    place="Appendix D.2, Figure 7",
    statement="A smaller γ is not a simple zoom into the curves of γ = 1.",
)
def gamma_no_zoom(runs: Runs) -> Finding:
    """Compare with the part of Figure 1 up to γ, and with Figure 1 stretched to γ."""
    parts, numbers = [], {}
    for label, problem in CURVE_PROBLEMS.items():
        shown, whole = inside(runs, problem, 0.75), main_curves(runs, problem)
        cut = np.mean([
            np.abs(shown.exact(n) - whole.exact(n)[: len(shown.quantiles)]).mean()
            for n in shown.names
        ])  # fmt: skip
        stretched = np.mean([
            np.abs(shown.exact(n) - np.interp(shown.quantiles / 0.75, whole.quantiles,
                                              whole.exact(n))).mean()
            for n in shown.names
        ])  # fmt: skip
        numbers[label] = float(min(cut, stretched))
        parts.append(f"{label} {cut:.3f} from the part up to 0.75, {stretched:.3f} from all of it")
    return Finding(
        verdict(min(numbers.values()) > 0.02),
        f"mean distance of the exact curves, γ = 0.75: {'; '.join(parts)}",
        "",
        numbers,
    )


@claim(
    "gamma-similar-to-higher-targets",
    section=SECTION,
    place="Appendix D.2, Figure 7",
    statement="The curves for smaller γ have something in common with the range of higher γ' in "
    "Figure 1.",
)
def gamma_similar(runs: Runs) -> Finding:
    """Compare shape and height with the upper part of Figure 1, and height with its lower part."""
    alike, shapes, near, parts = 0, 0, 0, []
    numbers: dict[str, float] = {}
    for region in (0.75, 0.5):
        for label, problem in CURVE_PROBLEMS.items():
            shown, whole = inside(runs, problem, region), main_curves(runs, problem)
            size = len(shown.quantiles)
            lower, upper = (
                _apart(shown, whole, part) for part in (slice(size), slice(-size, None))
            )
            found = [_shape(shown.exact(n), whole.exact(n)[-size:]) for n in shown.names]
            known = [value for value in found if value is not None]
            shapes += len(known)
            alike += sum(value >= 0.7 for value in known)
            near += upper <= 1.01 * lower
            numbers[f"{label} {region}"] = lower - upper
            parts.append(f"{label}, γ = {region}: {upper:.3f} and {lower:.3f}")
    return Finding(
        verdict(2 * alike >= shapes and near > 3, partly=alike > 0 or near > 0),
        f"of {shapes} exact curves that vary, {alike} run like the upper part (correlation of 0.7 "
        f"or more); mean distance from the upper and from the lower part: {'; '.join(parts)}",
        f"Some curves have the shape of the upper part. In height they are nearer to the lower "
        f"part, at the same γ', in {len(parts) - near} of {len(parts)} panels: the target sets are "
        "the same there, and only the region is smaller.",
        numbers | {"alike": alike, "shapes": shapes, "near": near},
    )


def _apart(shown: Curves, whole: Curves, part: slice) -> float:
    """Return the mean distance of the exact curves from a part of Figure 1."""
    return float(
        np.mean([np.abs(shown.exact(n) - whole.exact(n)[part]).mean() for n in shown.names])
    )


def _shape(one: np.ndarray, other: np.ndarray) -> float | None:
    """Return the correlation of two curves; None where one does not vary."""
    if min(np.ptp(one), np.ptp(other)) < 1e-9:
        return None
    return float(np.corrcoef(one, other)[0, 1])


@claim(
    "n-standard-error",
    section=SECTION,
    place="Appendix D.3, Figure 8",
    statement="Fewer trials raise the standard error slightly.",
)
def n_standard_error(runs: Runs) -> Finding:
    """Compare mean standard errors of 100, 500 and 1,000 trials."""
    errors = {
        n: float(np.mean([
            (main_curves(runs, p) if n == 1000 else with_trials(runs, p, n)).standard_error.mean()
            for p in CURVE_PROBLEMS.values()
        ]))
        for n in (100, 500, 1000)
    }  # fmt: skip
    ratio = errors[100] / errors[1000]
    text = ", ".join(f"N = {n:,}: {value:.4f}" for n, value in errors.items())
    return Finding(
        verdict(errors[100] > errors[500] > errors[1000] and ratio < 2, partly=ratio > 1),
        f"{text}; {ratio:.1f} times from 1,000 to 100",
        "It rises; √10 = 3.2 times would be expected from 1,000 to 100 trials. Small beside the "
        "importances, but not a slight rise.",
        {f"n{n}": value for n, value in errors.items()},
    )


@claim(
    "n-consistent",
    section=SECTION,
    place="Appendix D.3, Figure 8",
    statement="With fewer trials the estimates stay largely consistent with those of N = 1,000.",
)
def n_consistent(runs: Runs) -> Finding:
    """Compare mean curves with those of 1,000 trials and with the truth."""
    parts, numbers = [], {}
    for n in (100, 500):
        gaps, errors = [], []
        for problem in CURVE_PROBLEMS.values():
            shown, whole = with_trials(runs, problem, n), main_curves(runs, problem)
            gaps.append(np.abs(shown.mean - whole.mean).mean())
            errors.append(shown.error or 0.0)
        numbers[f"n{n}"] = float(np.mean(gaps))
        parts.append(f"N = {n}: {np.mean(gaps):.3f} (a single seed from the truth: "
                     f"{np.mean(errors):.3f})")  # fmt: skip
    thousand = np.mean([main_curves(runs, p).error or 0.0 for p in CURVE_PROBLEMS.values()])
    return Finding(
        verdict(numbers["n100"] < 0.05),
        f"mean distance of the mean curves from those of 1,000 trials: {'; '.join(parts)}; "
        f"N = 1,000 from the truth: {thousand:.3f}",
        "Consistent in the mean of the seeds; the error of a single study grows more than that.",
        numbers,
    )


@claim(
    "n-robust",
    section=SECTION,
    place="Appendix D.3, Figure 8",
    statement="The method is robust under small budgets.",
)
def n_robust(runs: Runs) -> Finding:
    """Count how often one seed of 100 trials names the right first parameter."""
    right = {}
    for n in (100, 500):
        found = [
            shown.values.argmax(axis=2) == shown.truth.argmax(axis=1)[None, :]
            for shown in (with_trials(runs, p, n) for p in CURVE_PROBLEMS.values())
            if shown.truth is not None
        ]
        right[f"n{n}"] = float(np.mean(found))
    return Finding(
        verdict(right["n100"] > 0.8, partly=right["n100"] > 0.6),
        f"a single study names the right first parameter in {right['n100']:.0%} (N = 100) and "
        f"{right['n500']:.0%} (N = 500) of all γ'",
        "",
        right,
    )


@claim(
    "tpe-peak-shift",
    section=SECTION,
    place="Appendix D.6, Figure 12a",
    statement="Under TPE the peak of c moves from γ' about 0.5 to about 0.9.",
)
def tpe_peak_shift(runs: Runs) -> Finding:
    """Find c's peak, in the mean and in single seeds."""
    shown, whole = tpe(runs, DISJOINT), main_curves(runs, DISJOINT)
    place, height = peak(shown, "c")
    at_c = shown.names.index("c")
    single = shown.quantiles[shown.values[:, :, at_c].argmax(axis=1)]
    before = peak(whole, "c")[0]
    return Finding(
        verdict(0.85 <= place <= 0.97),
        f"from {before:.2f} to {place:.2f} (height {height:.2f}); single seeds {single.min():.2f} "
        f"to {single.max():.2f}",
        "The peak is where the target set is the whole better branch, so it lies at the share of "
        "trials that the sampler put there.",
        {"before": before, "after": place, "height": height},
    )


@claim(
    "tpe-shift-all",
    section=SECTION,
    place="Appendix D.6, Figure 12",
    statement="All curves shift to the right.",
)
def tpe_shift_all(runs: Runs) -> Finding:
    """Compare where x loses its lead."""
    parts, shifts = [], {}
    for label, problem in CURVE_PROBLEMS.items():
        crossing = []
        for shown in (main_curves(runs, problem), tpe(runs, problem)):
            lost = shown["x"] < np.maximum(shown["c"], shown["y"])
            tight = shown.quantiles > 0.1  # the first few target sets are ruled by chance
            crossing.append(float(shown.quantiles[lost & tight].min()))
        shifts[label] = crossing[1] - crossing[0]
        parts.append(f"{label} from {crossing[0]:.2f} to {crossing[1]:.2f}")
    return Finding(
        verdict(min(shifts.values()) > 0.1),
        f"γ' at which x first falls behind: {'; '.join(parts)}",
        "",
        shifts,
    )


@claim(
    "tpe-shapes",
    section=SECTION,
    place="Appendix D.6, Figure 12",
    statement="Apart from the shift the patterns stay those of uniform sampling.",
)
def tpe_shapes(runs: Runs) -> Finding:
    """Compare which parameters lead one after the other."""
    parts, same = [], 0
    for label, problem in CURVE_PROBLEMS.items():
        orders = []
        for shown in (main_curves(runs, problem), tpe(runs, problem)):
            mean = shown.mean[shown.between(0.1, 0.99)]
            leaders = [shown.names[place] for place in mean.argmax(axis=1)]
            orders.append(" → ".join(dict.fromkeys(leaders)))
        same += orders[0] == orders[1]
        parts.append(f"{label} {orders[0]}, under TPE {orders[1]}")
    return Finding(
        verdict(same == 3, partly=same > 0),
        f"leaders in order: {'; '.join(parts)}",
        ""
        if same == 3
        else "Where the leaders differ, TPE has left few trials in the worse branch, so that c "
        "takes a lead between x and y that it does not have under uniform sampling.",
        {"same": same},
    )


@claim(
    "tpe-reflects-sampling",
    section=SECTION,
    place="Appendix D.6",
    statement="Importances reflect the distribution that the trials were drawn from.",
)
def tpe_reflects(runs: Runs) -> Finding:
    """Compare c at γ' = 0.5 under both ways of sampling."""
    values = {
        label: (main_curves(runs, p).at("c", 0.5), tpe(runs, p).at("c", 0.5))
        for label, p in (("disjoint", DISJOINT), ("overlap", OVERLAP))
    }
    text = "; ".join(f"{n} {u:.3f} uniform, {t:.3f} TPE" for n, (u, t) in values.items())
    return Finding(
        verdict(values["disjoint"][0] - values["disjoint"][1] > 0.3),
        f"c at γ' = 0.5: {text}",
        "So the same problem has other importances after another sampler: they describe the "
        "trials, and a user should not compare them across samplers.",
        {f"{n}_{kind}": v for n, pair in values.items()
         for kind, v in zip(("uniform", "tpe"), pair, strict=True)},
    )  # fmt: skip
