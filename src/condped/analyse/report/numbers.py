"""The numbers of a page: each parameter and each branch at every step of the slider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from condped.analyse.branches.regime_conditions import GatesAndConditions
from condped.analyse.branches.structure import Structure
from condped.analyse.branches.tree import GrownBranch, GrownNode
from condped.analyse.evidence.evidence import Verdict, plain_p, reasons_of, verdict_of
from condped.analyse.importance.analysis import Analysis
from condped.analyse.importance.set_counts import SetCounts
from condped.analyse.importance.ties import plain_tie
from condped.analyse.report.effects import Goods, PageEffects, short_number
from condped.analyse.values import Good, good_places, good_values, may_be_good
from condped.arrays import FloatArray, IntArray
from condped.count.counts import ParameterCounts, RegimeCounts
from condped.estimate.settings import Method
from condped.space.domain import Categorical, Domain, choice_labels

_STEPS = (
    0.01, 0.02, 0.03, 0.05, 0.07, *(percent / 100 for percent in range(10, 100, 5)), 0.99,
)  # fmt: skip
Text = TypeVar("Text", str, str | None)
UNTESTED = "?"  # instead of a verdict
VERDICTS: dict[str, str] = {
    "m": "matters", "u": "unclear", "n": "no evidence", "-": "not testable",
    UNTESTED: "not tested yet",
}  # fmt: skip
_LETTERS = {verdict: letter for letter, verdict in VERDICTS.items()}
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_NARROW = 0.3  # region quantiles up to which steps are 0.01 apart
_DECIMALS = 5  # of shares, which are shown with three
_MOST_INSIDE = 12  # parameters that are shown per branch


def shares(values: FloatArray) -> list[float]:
    """Round numbers between 0 and 1 to as many decimals as anybody will need."""
    rounded: list[float] = np.round(values, _DECIMALS).tolist()
    return [0 if value == 0 else value for value in rounded]


def small(values: Iterable[float]) -> list[float | None]:
    """Round p-values to three digits, however small they are; None for NaN."""
    return [plain_p(float(f"{value:.3g}")) for value in values]


def counted(counts: IntArray) -> str:
    """Return counts in short: after a colon, one digit in base 36 each; otherwise, with commas.

    Trailing zeros are left out of digits, and all zeros between commas.

    Examples
    --------
    >>> counted(np.array([0, 12, 0, 3, 0])), counted(np.array([0, 40, 0]))
    (':0c03', ',40,')
    """
    if counts.max(initial=0) < len(_DIGITS):
        return ":" + "".join(_DIGITS[count] for count in counts.tolist()).rstrip("0")
    return ",".join(str(count) if count else "" for count in counts.tolist())


def slider_quantiles(requested: float, region_quantile: float) -> tuple[float, ...]:
    """Return the target quantiles that the slider stops at, including the requested one.

    Examples
    --------
    >>> slider_quantiles(0.04, region_quantile=1.0)[:6]
    (0.01, 0.02, 0.03, 0.04, 0.05, 0.07)
    """
    steps = _STEPS
    if region_quantile <= _NARROW:
        steps = tuple(percent / 100 for percent in range(1, 30))
    return tuple(sorted({float(requested), *(step for step in steps if step < region_quantile)}))


def ties_data(analysis: Analysis) -> list[dict[str, Any] | None]:
    """Return (T,): ties at the end of each target set, with the steps that have the same set."""
    sizes = analysis.numbers.target_sizes.tolist()
    found: list[dict[str, Any] | None] = []
    for step, size in enumerate(sizes):
        quantiles = analysis.target_quantiles
        tie = None if quantiles is None else analysis.account.tie(quantiles[step])
        last = len(sizes) - 1 - sizes[::-1].index(size)
        entry = plain_tie(tie)
        found.append(None if entry is None else entry | {"steps": [sizes.index(size), last]})
    return found


Analyses = Mapping[Method, Analysis]  # by each method, from the same counts


def _verdicts(counts: SetCounts, place: int) -> list[Verdict]:
    """Return (T,): the verdicts on one parameter."""
    p_values, adjusted = counts.p_values[:, place], counts.adjusted_p_values[:, place]
    return [verdict_of(*pair) for pair in zip(p_values.tolist(), adjusted.tolist(), strict=True)]


def _numbers(analyses: Analyses, place: int, *, tested: bool) -> dict[str, Any]:
    """Return a parameter's numbers, in the study or in a branch."""
    found = {method: analysis.numbers for method, analysis in analyses.items()}
    data: dict[str, Any] = {
        "importance": {m: shares(one.importance[:, place]) for m, one in found.items()},
        "eta": {m: shares(one.eta_squared[:, place]) for m, one in found.items()},
    }
    counts = analyses["paper"].counts
    if not tested:
        return data | {"verdict": UNTESTED * len(counts.grid.target_sizes), "reason": [""]}
    letters = "".join(_LETTERS[verdict] for verdict in _verdicts(counts, place))
    return data | {"verdict": letters, "reason": _reasons_by_step(reasons_of(counts, place))}


def parameters_data(
    analyses: Analyses, effects: PageEffects | None, known: GatesAndConditions, *, tested: bool
) -> list[dict[str, Any]]:
    """Return the parameters in the order of the space, with the conditions of their domains.

    Without ``effects`` nothing is said about what trials reached; unless ``tested``, no p-values
    are computed, nor what depends on them.
    """
    parameters = analyses["paper"].counts.grid.parameters
    found = [
        _parameter(analyses, effects, place, own, tested=tested)
        for place, own in enumerate(parameters)
    ]
    for data, own in zip(found, parameters, strict=True):
        for entry, regime in zip(data["regimes"], own.regimes, strict=True):
            condition = known.condition(own.name, regime.domain)
            if condition is not None:
                entry["condition"] = condition
    return found


def _parameter(
    analyses: Analyses,
    effects: PageEffects | None,
    place: int,
    own: ParameterCounts,
    *,
    tested: bool,
) -> dict[str, Any]:
    counts = analyses["paper"].counts
    steps = len(counts.grid.target_sizes)
    data: dict[str, Any] = {
        "name": own.name,
        **_numbers(analyses, place, tested=tested),
        "p": small(counts.p_values[:, place]) if tested else [None] * steps,
        "adjusted": small(counts.adjusted_p_values[:, place]) if tested else [None] * steps,
    }
    bands = {m: a.bands.importance for m, a in analyses.items() if a.bands is not None}
    if bands:
        for end in ("low", "high", "joint_low", "joint_high"):
            data[end] = {m: shares(getattr(b, end)[:, place]) for m, b in bands.items()}
    parts = {m: _regime_shares(analysis, place) for m, analysis in analyses.items()}
    data["regimes"] = []
    for number, regime in enumerate(own.regimes):
        good = _good_values(counts, place, number) if tested else {}
        entry = _regime(regime, good)
        if effects is not None:
            entry["effect"] = effects.regime(own.name, regime.domain, good)
        several = len(own.regimes) > 1
        entry["p"] = small(counts.regime_p_values[place][number]) if several and tested else None
        if several:
            entry["part"] = {m: found[number] for m, found in parts.items()}
        data["regimes"].append(entry)
    if own.dropped_region.size:
        data["dropped"] = [own.dropped_region.size, int(own.dropped_region.sum())]
    return data


def _regime_shares(analysis: Analysis, place: int) -> list[list[float]]:
    """Return for each regime its share of what all regimes of a parameter contribute."""
    estimate = analysis.estimate
    own = np.maximum(estimate.contribution[estimate.owner == place], 0.0)
    whole = own.sum(axis=0)
    parts = np.divide(own, whole, out=np.zeros_like(own), where=whole > 0)
    return [[round(part, 3) or 0 for part in row] for row in parts.tolist()]


def _good_values(counts: SetCounts, place: int, number: int) -> Goods:
    """Return the good values of a parameter's regime, by steps that have any."""
    regime = counts.grid.parameters[place].regimes[number]
    if regime.domain is None:
        return {}
    p_values = counts.regime_p_values[place][number].tolist()
    pairs = zip(_verdicts(counts, place), p_values, strict=True)
    real = np.array([may_be_good(*pair) for pair in pairs])
    found = good_values(regime.domain, regime.target, regime.region, real)
    return {step: good for step, good in enumerate(found) if good}


def _regime(regime: RegimeCounts, good: Goods) -> dict[str, Any]:
    if regime.domain is None:
        # Absent: only how many trials.
        trials = regime.target.sum(axis=1)
        return {
            "domain": None,
            "region": str(int(regime.region.sum())),
            "target": _added_by_set(trials),
        }
    return {
        "domain": _domain(regime.domain),
        "label": regime.domain.label,
        "cells": len(regime.region),
        "region": counted(regime.region),
        # The sets are nested: what each adds to the one before is small.
        "target": _added_by_set(regime.target),
        "good": {
            str(step): [_good(one, regime, step) for one in found] for step, found in good.items()
        },
    }


def _added_by_set(target: IntArray) -> list[str]:
    """Return what each target set adds to the one before, given (T,) or (T, cells)."""
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


def _good(good: Good, regime: RegimeCounts, step: int) -> dict[str, Any]:
    data: dict[str, Any] = {
        "label": good.label,
        "target": good.target_trials,
        "region": good.region_trials,
        # Out of how many: a page may show them next to newer trials.
        "of": [int(regime.target[step].sum()), int(regime.region.sum())],
    }
    if good.choices is not None and isinstance(regime.domain, Categorical):
        data["places"] = good_places(regime.domain, good)
    else:
        data["range"] = [good.low, good.high]
    return data


def tree_data(
    grown: Sequence[GrownNode], structure: Structure, names: Sequence[str]
) -> dict[str, Any]:
    """Return the activation tree; parameters by their places among ``names``."""
    places = {name: place for place, name in enumerate(names)}
    return {
        "found_from": structure.found_from,
        "unexplained": [places[name] for name in structure.unexplained],
        "inactive": list(structure.inactive),
        "roots": [_node(node, places) for node in grown],
    }


def _node(node: GrownNode, places: dict[str, int]) -> dict[str, Any]:
    """Return a parameter and what it switches."""
    made: dict[str, Any] = {"parameter": places[node.parameter]}
    if node.branches and node.choosing is not None:
        made["choosing"] = shares(node.choosing)
        made["branches"] = [_branch(branch, places) for branch in node.branches]
    return made


def _branch(branch: GrownBranch, places: dict[str, int]) -> dict[str, Any]:
    """Return one branch: its trials, what matters inside, and what it switches on."""
    return {
        "label": branch.label,
        "condition": branch.condition.text,
        "trials": int(branch.sizes[-1]),
        "left_out": branch.left_out,
        "target": branch.sizes[:-1].tolist(),
        "best": [short_number(one.best) for one in branch.reached],
        "median": [short_number(one.median) for one in branch.reached],
        "last": None if branch.last is None else [branch.last.number, branch.last.ago],
        "inside": _numbers_inside(branch, places),
        "nodes": [_node(node, places) for node in branch.nodes],
    }


def _numbers_inside(branch: GrownBranch, places: dict[str, int]) -> dict[str, Any] | None:
    """Return the importances among a branch's own trials; None if it was not analysed."""
    if not branch.analyses:
        return None
    numbers = branch.analyses["paper"].numbers
    names, highest = numbers.names, numbers.eta_squared.max(axis=0, initial=0.0)
    # The highest at any step first; equal ones in the order of the space.
    shown = sorted(range(len(names)), key=lambda p: -highest[p])[:_MOST_INSIDE]
    return {
        "sizes": numbers.target_sizes.tolist(),
        "more": len(names) - len(shown),
        "reasons": {
            m: _reasons_by_step(analysis.numbers.reasons) for m, analysis in branch.analyses.items()
        },
        "unattributed": {
            m: shares(analysis.numbers.unattributed) for m, analysis in branch.analyses.items()
        },
        "parameters": [
            {"parameter": places[names[p]], **_numbers(branch.analyses, p, tested=True)}
            for p in shown
        ],
    }


def _reasons_by_step(reasons: Sequence[Text]) -> list[Text]:
    """Return the reasons of all steps, or one if they are the same."""
    return list(reasons[:1] if len(set(reasons)) == 1 else reasons)
