"""Each parameter at every step: numbers, regimes, counts, good values."""

from __future__ import annotations

from typing import Any

import numpy as np

from condped.analyse.importance.analysis import Analysis
from condped.analyse.importance.evidence import Verdict
from condped.analyse.report.rounding import counted, shares, small
from condped.analyse.report.steps import Answers, letters, verdicts_of
from condped.analyse.values.densities import may_be_good
from condped.analyse.values.good_values import Good, good_choices, good_ranges
from condped.arrays import BoolArray, IntArray
from condped.count.counts import RegimeCounts
from condped.estimate.density import categorical_masses, numeric_masses
from condped.space.domain import Categorical, Domain, choice_labels


def parameters_data(answers: Answers) -> list[dict[str, Any]]:
    """Return the parameters in the order of the space."""
    counts = answers.counts
    verdicts = verdicts_of(counts.p_values, counts.adjusted_p_values)
    return [
        _parameter(answers, place, [row[place] for row in verdicts])
        for place in range(len(counts.grid.parameters))
    ]


def _parameter(answers: Answers, place: int, verdicts: list[Verdict]) -> dict[str, Any]:
    found = {method: one.numbers for method, one in answers.by_method.items()}
    counts = answers.counts.grid.parameters[place]
    p_values = answers.counts.p_values[:, place]
    adjusted = answers.counts.adjusted_p_values[:, place]
    data: dict[str, Any] = {
        "name": counts.name,
        "importance": {m: shares(one.importance[:, place]) for m, one in found.items()},
        "eta": {m: shares(one.eta_squared[:, place]) for m, one in found.items()},
        "p": small(p_values),
        "adjusted": small(adjusted),
        "verdict": letters(verdicts),
    }
    bands = {m: a.bands.importance for m, a in answers.by_method.items() if a.bands is not None}
    if bands:
        data["low"] = {m: shares(band.low[:, place]) for m, band in bands.items()}
        data["high"] = {m: shares(band.high[:, place]) for m, band in bands.items()}
    parts = {m: _parts(analysis, place) for m, analysis in answers.by_method.items()}
    data["regimes"] = []
    for number, regime in enumerate(counts.regimes):
        own = answers.counts.regime_p_values[place][number]
        real = np.array([may_be_good(v, float(p)) for v, p in zip(verdicts, own, strict=True)])
        entry = _regime(regime, real)
        entry["p"] = small(own) if len(counts.regimes) > 1 else None
        entry["part"] = {m: found[number] for m, found in parts.items()}
        data["regimes"].append(entry)
    if counts.dropped_region.size:
        data["dropped"] = [counts.dropped_region.size, int(counts.dropped_region.sum())]
    return data


def _parts(analysis: Analysis, place: int) -> list[list[float]]:
    """Return for each regime its share of what all regimes of a parameter contribute."""
    estimate = analysis.estimate
    own = np.maximum(estimate.contribution[estimate.owner == place], 0.0)
    whole = own.sum(axis=0)
    parts = np.divide(own, whole, out=np.zeros_like(own), where=whole > 0)
    return [[round(part, 3) or 0 for part in row] for row in parts.tolist()]


def _regime(regime: RegimeCounts, real: BoolArray) -> dict[str, Any]:
    if regime.domain is None:
        # Absent: how many trials, and nothing about values.
        trials = regime.target.sum(axis=1)
        return {"domain": None, "region": str(int(regime.region.sum())), "target": _added(trials)}
    good = good_values(regime.domain, regime.target, regime.region, real)
    return {
        "domain": _domain(regime.domain),
        "label": regime.domain.label,
        "region": counted(regime.region),
        # The sets are nested: what each adds to the one before is small.
        "target": _added(regime.target),
        "good": {
            str(step): [_good(one, regime.domain) for one in found]
            for step, found in enumerate(good)
            if found
        },
    }


def _added(target: IntArray) -> list[str]:
    """Return what each target set has more than the one before, given (T,) or (T, cells)."""
    target = target.reshape(len(target), -1)
    return [counted(row) for row in np.diff(target, axis=0, prepend=0)]


def _domain(domain: Domain) -> dict[str, Any]:
    if isinstance(domain, Categorical):
        return {"choices": list(choice_labels(domain.choices))}
    return {
        "low": domain.low,
        "high": domain.high,
        "log": domain.log,
        "step": domain.step,
    }


def good_values(
    domain: Domain, target: IntArray, region: IntArray, real: BoolArray
) -> list[tuple[Good, ...]]:
    """Return the good values at each step with enough evidence in the regime."""
    found: list[tuple[Good, ...]] = [()] * len(target)
    steps = np.flatnonzero(real)
    if domain.single or not steps.size:
        return found
    smoothed = categorical_masses if isinstance(domain, Categorical) else numeric_masses
    # All steps in one go.
    masses = smoothed(np.concatenate([target[steps], region[None]]))
    for step, enriched in zip(steps.tolist(), masses[:-1] > masses[-1], strict=True):
        if isinstance(domain, Categorical):
            found[step] = good_choices(domain, enriched, target[step], region)
        else:
            found[step] = good_ranges(domain, enriched, target[step], region)
    return found


def _good(good: Good, domain: Domain) -> dict[str, Any]:
    data: dict[str, Any] = {
        "label": good.label,
        "target": good.target_trials,
        "region": good.region_trials,
    }
    if good.choices is not None and isinstance(domain, Categorical):
        # By type as well: True is not 1, though it equals it.
        chosen = {(type(choice), choice) for choice in good.choices}
        data["places"] = [
            place for place, choice in enumerate(domain.choices) if (type(choice), choice) in chosen
        ]
    else:
        data["range"] = [good.low, good.high]
    return data
