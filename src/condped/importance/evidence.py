"""Evidence: which parameters can be told from noise, and what the study as a whole shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from condped.arrays import FloatArray
from condped.count.ranks import RankedStudy
from condped.errors import not_found
from condped.importance.calibrated import (
    FALSE_DISCOVERIES,
    parameter_p_values,
    regime_p_values,
)
from condped.importance.summary import shortened
from condped.independence import adjusted

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
        The same, adjusted for the number of parameters by Benjamini and Hochberg.
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

    def __getitem__(self, name: str) -> ParameterEvidence:
        """Return one parameter's evidence."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise not_found("parameter", name, (parameter.name for parameter in self.parameters))

    def __iter__(self) -> Iterator[ParameterEvidence]:
        return iter(self.parameters)


def evidence_at(study: RankedStudy, place: int, p_values: FloatArray | None = None) -> Evidence:
    """Return the evidence at one of the target sets; ``p_values`` (T, P) if they are known."""
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
    found = [parameter.name for parameter in parameters if parameter.verdict == "matters"]
    sizes = f"{counts.target_sizes[place]} of {counts.region_size} trials in the target set"
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
    return Evidence(parameters, bool(found), message)


def verdict_of(p_value: float, corrected: float) -> Verdict:
    """Return what a p-value says, ``corrected`` for the number of parameters."""
    if p_value == 1.0:  # what nothing can deviate from
        return "untested"
    if corrected <= FALSE_DISCOVERIES:
        return "matters"
    return "unclear" if p_value <= _OPEN else "noise"
