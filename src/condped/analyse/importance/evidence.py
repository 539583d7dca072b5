"""Evidence: which parameters can be told from noise, and what the study as a whole shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from condped.arrays import FloatArray
from condped.count.counts import RankedStudy
from condped.errors import not_found
from condped.estimate.calibrated import (
    FALSE_DISCOVERIES,
    parameter_p_values,
    regime_p_values,
)
from condped.estimate.independence import adjusted
from condped.show.text.importance import shortened

Verdict = Literal["matters", "unclear", "noise", "untested"]
# Up to this a p-value by itself leaves it open whether there is something.
_OPEN = 0.1


@dataclass(frozen=True, slots=True)
class ParameterEvidence:
    """What the test says of one parameter.

    Attributes
    ----------
    p_value
        How often chance alone gives as much, if the value has no effect on reaching the target
        set within its regime.
    adjusted_p_value
        The same, adjusted for the number of parameters that could be tested by Benjamini and
        Hochberg; inside a branch for those of all branches of the tree.
    verdict
        ``matters``: among all that are said to matter about one in ten does so by chance.
        ``noise``: chance gives as much oftener than one time in ten. ``unclear``: in between.
        ``untested``: nothing about it could have turned out otherwise.
    regimes
        The p-value of each regime by itself, in the order of the result's regimes.
    """

    name: str
    p_value: float
    adjusted_p_value: float
    verdict: Verdict
    regimes: tuple[float, ...]


@dataclass(frozen=True)
class Evidence:
    """What the test says of all parameters, in the order of the space.

    Examples
    --------
    >>> import condped
    >>> result = condped.importance(condped.problems.get("nested").sample(500, seed=0))
    >>> result.evidence["x"].verdict
    'matters'
    """

    parameters: tuple[ParameterEvidence, ...]
    enough: bool  # whether anything can be told from noise
    message: str  # the same in a sentence
    # Of the sets, and what else there is to say: what the message is made of.
    sizes: str = field(default="", repr=False, compare=False)
    remark: str = field(default="", repr=False, compare=False)

    def __getitem__(self, name: str) -> ParameterEvidence:
        """Return one parameter's evidence."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise not_found("parameter", name, (parameter.name for parameter in self.parameters))

    def __iter__(self) -> Iterator[ParameterEvidence]:
        return iter(self.parameters)


def evidence_at(
    study: RankedStudy, place: int, p_values: FloatArray | None = None, remark: str = ""
) -> Evidence:
    """Return the evidence at one of the target sets; ``p_values`` (T, P) if they are known.

    ``remark`` is what else the reader of the verdicts should know.
    """
    counts = study.counts
    tested = parameter_p_values(study) if p_values is None else p_values
    p_value, corrected = tested[place], adjusted(tested)[place]
    regimes = regime_p_values(study)
    parameters = tuple(
        ParameterEvidence(
            name=parameter.name,
            p_value=float(p_value[index]),
            adjusted_p_value=float(corrected[index]),
            verdict=verdict_of(p_value[index], corrected[index]),
            regimes=tuple(float(p[place]) for p in regimes[index]),
        )
        for index, parameter in enumerate(counts.parameters)
    )
    sizes = f"{counts.target_sizes[place]} of {counts.region_size} trials in the target set"
    return Evidence(parameters, *_told(parameters, sizes, remark), sizes, remark)


def readjusted(evidence: Evidence, corrected: Sequence[float]) -> Evidence:
    """Return evidence with p-values adjusted for more than its own parameters, in their order."""
    parameters = tuple(
        replace(own, adjusted_p_value=float(q), verdict=verdict_of(own.p_value, q))
        for own, q in zip(evidence.parameters, corrected, strict=True)
    )
    told = _told(parameters, evidence.sizes, evidence.remark)
    return Evidence(parameters, *told, evidence.sizes, evidence.remark)


def _told(parameters: tuple[ParameterEvidence, ...], sizes: str, remark: str) -> tuple[bool, str]:
    """Return whether anything can be told from noise, and the same in a sentence."""
    found = [parameter.name for parameter in parameters if parameter.verdict == "matters"]
    if found:
        message = f"{len(found)} of {len(parameters)} parameters can be told from noise ({sizes})."
        if len(parameters) == 1:
            message = f"The only parameter can be told from noise ({sizes})."
    else:
        open_ones = [parameter for parameter in parameters if parameter.verdict != "untested"]
        best = min(open_ones, key=lambda parameter: parameter.p_value, default=None)
        nearest = ""
        if best is not None:
            nearest = f"; {shortened(best.name)} comes nearest, p = {best.p_value:.2g}"
        which = f"none of {len(parameters)} parameters can"
        if len(parameters) == 1:
            which, nearest = "the only parameter cannot", nearest.replace(" comes nearest,", ":")
        message = (
            f"Not enough evidence: {which} be told from noise "
            f"({sizes}{nearest}). Gather more trials, or look at a larger target set."
        )
    return bool(found), f"{message} {remark}".rstrip()


def verdict_of(p_value: float, corrected: float) -> Verdict:
    """Return what a p-value says, ``corrected`` for the number of parameters."""
    if p_value == 1.0:  # what nothing can deviate from
        return "untested"
    if corrected <= FALSE_DISCOVERIES:
        return "matters"
    return "unclear" if p_value <= _OPEN else "noise"
