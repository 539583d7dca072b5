"""Evidence: which parameters have a statistically significant effect, and what the study shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from condped.analyse.by_name import ByName
from condped.analyse.evidence.looks import NO_TIMES, TOO_EARLY
from condped.analyse.evidence.sampling import LEARNS, RANDOM_IS_SOONER
from condped.analyse.evidence.significance import NO_ORDER
from condped.analyse.importance.set_counts import SetCounts
from condped.estimate.calibrated_estimator import FALSE_DISCOVERIES
from condped.safe_text import shortened

Verdict = Literal["matters", "unclear", "no evidence", "not testable"]
# Up to this unadjusted p-value, it is unclear whether there is an effect.
_OPEN = 0.1


@dataclass(frozen=True, slots=True)
class ParameterEvidence:
    """What the test says about one parameter.

    Attributes
    ----------
    p_value
        How often chance alone gives as much, if the value has no effect on reaching the target
        set within its regime; NaN if it is not testable.
    adjusted_p_value
        The same, adjusted for the number of tested parameters by Benjamini and Hochberg; inside a
        branch, for those of all branches of the tree.
    verdict
        ``matters``: statistically significant; about one in ten of these verdicts is due to chance.
        ``no evidence``: chance gives as much more than one time in ten. ``unclear``: in between.
        ``not testable``: see the reason.
    regimes
        The p-value of each regime by itself, in the order of the result's regimes.
    reason
        Why it is not testable; empty if it is.
    """

    name: str
    p_value: float
    adjusted_p_value: float
    verdict: Verdict
    regimes: tuple[float, ...]
    reason: str = ""

    def __eq__(self, other: object) -> bool:
        """Return whether both say the same; missing p-values are equal."""
        return isinstance(other, ParameterEvidence) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        numbers = map(plain_p, (self.p_value, self.adjusted_p_value, *self.regimes))
        return self.name, self.verdict, self.reason, *numbers


@dataclass(frozen=True)
class Evidence(ByName[ParameterEvidence]):
    """What the test says about all parameters, in the order of the space.

    Attributes
    ----------
    parameters
        One :class:`ParameterEvidence` each; ``evidence[name]`` is one of them.
    enough
        Whether any effect is statistically significant.
    message
        The same in a sentence.
    sampling
        What the trials were compared with, and why, in a sentence.
    looks
        At how many finished trials it was tested, if p-values hold over repeated looks.

    Examples
    --------
    >>> import condped
    >>> result = condped.importance(condped.problems.get("nested").sample(500, seed=0))
    >>> result.evidence["x"].verdict
    'matters'
    """

    parameters: tuple[ParameterEvidence, ...]
    enough: bool
    message: str
    sampling: str = ""
    looks: tuple[int, ...] = ()


def evidence_of(counts: SetCounts, names: tuple[str, ...], sizes: str) -> Evidence:
    """Return the evidence at the first target set; ``sizes`` says how large the sets are."""
    p_values, adjusted = counts.p_values[0].tolist(), counts.adjusted_p_values[0].tolist()
    parameters = tuple(
        ParameterEvidence(
            name=name,
            p_value=p_values[place],
            adjusted_p_value=adjusted[place],
            verdict=verdict_of(p_values[place], adjusted[place]),
            regimes=tuple(float(p[0]) for p in counts.regime_p_values[place]),
            reason=_reason(counts, place, 0) if math.isnan(p_values[place]) else "",
        )
        for place, name in enumerate(names)
    )
    enough = any(parameter.verdict == "matters" for parameter in parameters)
    if counts.looks:
        sizes = f"{sizes}; tested as of trial {counts.looks[-1]:,}"
    message = _message(parameters, sizes)
    if not enough and LEARNS in counts.sampling:
        message += f" {RANDOM_IS_SOONER}"
    message = f"{message} {counts.remark}".rstrip()
    return Evidence(parameters, enough, message, counts.sampling, counts.looks)


def reasons_of(counts: SetCounts, place: int) -> list[str]:
    """Say for each target set why a parameter is not testable; empty where it is."""
    missing = np.isnan(counts.p_values[:, place]).tolist()
    return [_reason(counts, place, step) if none else "" for step, none in enumerate(missing)]


def _reason(counts: SetCounts, place: int, step: int) -> str:
    """Say why a parameter is not testable at one target set."""
    for why in (NO_ORDER, NO_TIMES, TOO_EARLY):
        if why in counts.sampling:
            return why
    study = counts.grid
    regimes = study.parameters[place].regimes
    present = [regime for regime in regimes if regime.domain is not None]
    active = study.region_size - sum(int(r.region.sum()) for r in regimes if r.domain is None)
    trials = sum(int(regime.region.sum()) for regime in present)
    reached = sum(int(regime.target[step].sum()) for regime in present)
    # In order: an earlier reason explains the later ones.
    reasons = (
        (study.region_size < 2, "fewer than two trials"),
        (active < 2, "fewer than two trials have it active"),
        (not present, "no two trials have it active in the same domain"),
        (not reached, "no trial of the target set has it active"),
        (
            all(np.count_nonzero(regime.region) < 2 for regime in present),
            "it takes only one value where it is active",
        ),
        (reached == trials, "all trials that have it active are in the target set"),
    )
    left = "what it was compared with says nothing about it"
    return next((reason for applies, reason in reasons if applies), left)


def _message(parameters: tuple[ParameterEvidence, ...], sizes: str) -> str:
    """Say in a sentence or two what the test says about the study."""
    total = len(parameters)
    found = sum(parameter.verdict == "matters" for parameter in parameters)
    effect = "a statistically significant effect"
    if found:
        verb = "has" if found == 1 else "have"
        which = "The only parameter has" if total == 1 else f"{found} of {total} parameters {verb}"
        return f"{which} {effect} ({sizes})."
    tested = [parameter for parameter in parameters if parameter.verdict != "not testable"]
    best = min(tested, key=lambda parameter: parameter.p_value, default=None)
    nearest = ""
    if best is not None:
        words = ":" if total == 1 else " comes nearest,"
        nearest = f"; {shortened(best.name)}{words} p = {best.p_value:.2g}"
    which = (
        f"the only parameter does not have {effect}"
        if total == 1
        else f"none of {total} parameters has {effect}"
    )
    return (
        f"Not enough evidence: {which} ({sizes}{nearest}). Gather more trials, or look at a larger "
        "target set."
    )


def plain_p(p_value: float) -> float | None:
    """Return a p-value for plain data: None instead of NaN."""
    return None if math.isnan(p_value) else float(p_value)


def verdict_of(p_value: float, adjusted: float) -> Verdict:
    """Return the verdict of a p-value and its adjusted one."""
    if math.isnan(p_value):
        return "not testable"
    if adjusted <= FALSE_DISCOVERIES:
        return "matters"
    return "unclear" if p_value <= _OPEN else "no evidence"
