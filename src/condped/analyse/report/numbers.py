"""The numbers of a page: each parameter and each branch at every step of the slider."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.analyse.branches.structure import Structure
from condped.analyse.branches.tree import GrownBranch, GrownNode
from condped.analyse.importance.analysis import Analysis, answered, count_sets
from condped.analyse.importance.evidence import Verdict, verdict_of
from condped.analyse.importance.question import Question
from condped.analyse.importance.set_counts import SetCounts
from condped.analyse.values import Good, good_choices, good_ranges, may_be_good
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.counts import RegimeCounts
from condped.count.trials import Trials
from condped.estimate.density import categorical_masses, numeric_masses
from condped.estimate.settings import Method
from condped.space.domain import Categorical, Domain, choice_labels

_DECIMALS = 5  # of shares, which are shown with three


def shares(values: FloatArray) -> list[float]:
    """Return numbers between 0 and 1 with as many decimals as anybody will look at."""
    rounded: list[float] = np.round(values, _DECIMALS).tolist()
    return [0 if value == 0 else value for value in rounded]


def small(values: Iterable[float]) -> list[float]:
    """Return p-values with three digits, however small they are."""
    return [float(f"{value:.3g}") for value in values]


def counted(counts: IntArray) -> str:
    """Return counts with commas between them; most are 0, and are left empty.

    Examples
    --------
    >>> counted(np.array([0, 12, 0, 0, 3]))
    ',12,,,3'
    """
    return ",".join(str(count) if count else "" for count in counts.tolist())


_STEPS = (
    0.01, 0.02, 0.03, 0.05, 0.07, *(percent / 100 for percent in range(10, 100, 5)), 0.99,
)  # fmt: skip
VERDICTS: dict[str, Verdict] = {"m": "matters", "u": "unclear", "n": "no evidence", "-": "untested"}
_LETTERS = {verdict: letter for letter, verdict in VERDICTS.items()}
_NARROW = 0.3  # region quantiles up to which steps are 0.01 apart


def slider_quantiles(asked: float, region_quantile: float) -> tuple[float, ...]:
    """Return the target quantiles that the slider stops at, the requested one included.

    Examples
    --------
    >>> slider_quantiles(0.04, region_quantile=1.0)[:6]
    (0.01, 0.02, 0.03, 0.04, 0.05, 0.07)
    """
    steps = _STEPS
    if region_quantile <= _NARROW:
        steps = tuple(percent / 100 for percent in range(1, 30))
    return tuple(sorted({float(asked), *(step for step in steps if step < region_quantile)}))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Analyses of T target sets and P parameters by each method, from the same counts."""

    counts: SetCounts
    by_method: dict[Method, Analysis]

    @property
    def paper(self) -> Analysis:
        """The analysis whose counts have the units of the values."""
        return self.by_method["paper"]


def answers_of(trials: Trials, question: Question) -> Answers:
    """Analyse trials at every step by every method."""
    counts = count_sets(trials, question)
    return Answers(counts, {m: answered(counts, question.by(m)) for m in question.methods})


def verdicts_of(p_values: FloatArray, adjusted: FloatArray) -> list[list[Verdict]]:
    """Return (T, P) verdicts."""
    pairs = zip(p_values.tolist(), adjusted.tolist(), strict=True)
    return [[verdict_of(p, corrected) for p, corrected in zip(*row, strict=True)] for row in pairs]


def letters(verdicts: list[Verdict]) -> str:
    """Return verdicts as a letter each."""
    return "".join(_LETTERS[verdict] for verdict in verdicts)


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


_MOST_INSIDE = 12  # parameters that are shown of a branch


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
        "target": branch.sizes[:-1].tolist(),
        "best": None if branch.best is None else float(f"{branch.best:.6g}"),
        "inside": _inside(branch, places),
        "nodes": [_node(node, places) for node in branch.nodes],
    }


def _inside(branch: GrownBranch, places: dict[str, int]) -> dict[str, Any]:
    """Return the importances among a branch's own trials, of what varies there."""
    paper = branch.analyses["paper"]
    numbers = {method: analysis.numbers for method, analysis in branch.analyses.items()}
    names, counts = paper.numbers.names, paper.counts
    verdicts = verdicts_of(counts.p_values, counts.adjusted_p_values)
    highest = paper.numbers.eta_squared.max(axis=0, initial=0.0)
    # The highest at any step first; equal ones in the order of the space.
    shown = sorted(range(len(names)), key=lambda p: -highest[p])[:_MOST_INSIDE]
    return {
        "sizes": paper.numbers.target_sizes.tolist(),
        "more": len(names) - len(shown),
        "reasons": {method: _once(found.reasons) for method, found in numbers.items()},
        "parameters": [
            {
                "parameter": places[names[p]],
                "importance": {m: shares(found.importance[:, p]) for m, found in numbers.items()},
                "eta": {m: shares(found.eta_squared[:, p]) for m, found in numbers.items()},
                "verdict": letters([row[p] for row in verdicts]),
            }
            for p in shown
        ],
    }


def _once(reasons: tuple[str | None, ...]) -> list[str | None]:
    """Return reasons of all steps, or one where they are the same."""
    return list(reasons[:1] if len(set(reasons)) == 1 else reasons)
