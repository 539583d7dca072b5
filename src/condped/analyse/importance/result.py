"""ImportanceResult: the waist between the estimators and everything that shows results."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from condped.analyse.importance.account import Account
from condped.analyse.importance.densities import Densities
from condped.analyse.importance.evidence import Evidence
from condped.analyse.saving.data import result_data
from condped.analyse.saving.files import write_result
from condped.errors import SettingsError, not_found
from condped.estimate.settings import BaselineSettings, Settings
from condped.optional import load_optional
from condped.show.notebook import result_html
from condped.show.text.importance import summary
from condped.space.domain import Domain, plain_domain

if TYPE_CHECKING:
    import pandas as pd

    from condped.analyse.importance.robustness import Robustness

Status = Literal["ok", "undetermined"]
_COLUMNS = (
    "parameter",
    "importance",
    "variance",
    "eta_squared",
    "within",
    "inter",
    "importance_low",
    "importance_high",
    "p_value",
    "verdict",
    "regimes",
)
_FEW = 200_000  # trials, up to which the test takes no time to speak of


@dataclass(frozen=True, slots=True)
class RegimeImportance:
    """One regime of a parameter."""

    domain: Domain | None  # None: the parameter is absent
    target_share: float  # alpha_i: share of the target set in this regime
    region_share: float  # beta_i: share of the region set
    divergence: float  # D_i: Pearson divergence of target from region values
    contribution: float  # to the parameter's variance
    target_trials: int
    region_trials: int

    @property
    def label(self) -> str:
        """A short text for people."""
        return "absent" if self.domain is None else self.domain.label


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a number may lie with other trials of the same kind."""

    low: float
    high: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class ParameterIntervals:
    """Intervals of the numbers of one parameter."""

    importance: Interval
    variance: Interval
    eta_squared: Interval


@dataclass(frozen=True, slots=True)
class ParameterImportance:
    """One parameter's importance and what it is made of.

    Methods that explain a forest have a score of their own for ``variance``, NaN for what is
    about target sets, and no regimes.
    """

    name: str
    importance: float  # normalised over the parameters; 0 if the result is undetermined
    variance: float  # v, by the measure that was asked for
    # v / (kappa (1 - kappa)): share of the variance of "reaches the target set" that it explains.
    # Not above 1 in truth; the smoothing can carry an estimate from few trials beyond.
    eta_squared: float
    within: float  # variance inside the regimes
    inter: float  # variance between the regimes, which the gate owns
    regimes: tuple[RegimeImportance, ...]
    intervals: ParameterIntervals | None = None  # if they were asked for


@dataclass(frozen=True)
class ImportanceResult:
    """Importances of all parameters, the most important first.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("nested").sample(1000, seed=0)
    >>> result = condped.importance(table)
    >>> result["x"].importance > result["z"].importance
    True
    """

    parameters: tuple[ParameterImportance, ...]
    target_quantile: float | None  # gamma'; None for an outcome or the whole objective
    target_size: int  # trials in the target set; 0 if the whole objective is explained
    settings: Settings | BaselineSettings
    account: Account
    status: Status
    reason: str | None  # why the status is not "ok"
    level: float | None = None  # of the intervals, if there are some
    find_evidence: Callable[[], Evidence] | None = field(default=None, repr=False, compare=False)
    find_robustness: Callable[[], Robustness] | None = field(
        default=None, repr=False, compare=False
    )

    find_densities: Callable[[Evidence], Densities] | None = field(
        default=None, repr=False, compare=False
    )

    @cached_property
    def evidence(self) -> Evidence:
        """What can be told from noise; found when it is first asked for."""
        if self.find_evidence is None:
            raise untested(self.settings)
        return self.find_evidence()

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickle keeps: what was told of the trials, not the way back to them."""
        state = dict(self.__dict__)
        if self.find_evidence is not None:
            state["evidence"] = self.evidence
            if self.find_densities is not None:
                state["densities"] = self.densities
        return state | dict.fromkeys(("find_evidence", "find_densities", "find_robustness"))

    @cached_property
    def densities(self) -> Densities:
        """Where target trials lie, per parameter and present regime, and which values are good.

        Examples
        --------
        >>> import condped
        >>> result = condped.importance(condped.problems.get("nested").sample(1000, seed=0))
        >>> [good.label for regime in result.densities["x"] for good in regime.good]
        ['-7 … -6.3']
        """
        if self.find_densities is None:
            raise SettingsError("This result does not know its trials, which densities need.")
        return self.find_densities(self.evidence)

    def robustness(self) -> Robustness:
        """Tell how the ranking moves with other target sets, halves of the study, and methods.

        Examples
        --------
        >>> import condped
        >>> result = condped.importance(condped.problems.get("three-way").sample(600, seed=0))
        >>> [variant.choice for variant in result.robustness().variants][-1]
        'calibrated method'
        """
        if self.find_robustness is None:
            raise SettingsError(
                "Robustness is about importances for good objectives, from trials that are at "
                "hand; this result explains an outcome, is another method's, or does not know its "
                "trials."
            )
        return self.find_robustness()

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names, the most important first."""
        return tuple(parameter.name for parameter in self.parameters)

    def __getitem__(self, name: str) -> ParameterImportance:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise not_found("parameter", name, self.names)

    def __iter__(self) -> Iterator[ParameterImportance]:
        return iter(self.parameters)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __len__(self) -> int:
        return len(self.parameters)

    def to_dict(self, *, normalize: bool = True) -> dict[str, float]:
        """Return name → importance, or name → variance, in the result's order."""
        if normalize:
            return {parameter.name: parameter.importance for parameter in self.parameters}
        return {parameter.name: parameter.variance for parameter in self.parameters}

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`."""
        return _COLUMNS

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per parameter."""
        return [
            {
                "parameter": parameter.name,
                "importance": parameter.importance,
                "variance": parameter.variance,
                "eta_squared": _known(parameter.eta_squared),
                "within": _known(parameter.within),
                "inter": _known(parameter.inter),
                **_ends(parameter),
                **self._tested(parameter.name),
                "regimes": len(parameter.regimes),
            }
            for parameter in self.parameters
        ]

    def _tested(self, name: str) -> dict[str, Any]:
        """Return what the test says, if it can be asked without long waiting."""
        if not self.quickly_tested:
            return {"p_value": None, "verdict": None}
        evidence = self.evidence[name]
        return {"p_value": evidence.p_value, "verdict": evidence.verdict}

    @property
    def quickly_tested(self) -> bool:
        """Whether the evidence is known, or few enough trials will give it."""
        few = self.find_evidence is not None and self.account.trials.used <= _FEW
        return few or "evidence" in self.__dict__

    def regime_rows(self) -> list[dict[str, Any]]:
        """Return one flat record per parameter and regime."""
        return [
            {
                "parameter": parameter.name,
                "regime": regime.label,
                "domain": None if regime.domain is None else plain_domain(regime.domain),
                "target_share": regime.target_share,
                "region_share": regime.region_share,
                "divergence": regime.divergence,
                "contribution": regime.contribution,
                "target_trials": regime.target_trials,
                "region_trials": regime.region_trials,
            }
            for parameter in self.parameters
            for regime in parameter.regimes
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return :meth:`rows` as a pandas frame."""
        return frame(self.rows(), _COLUMNS)

    def to_data(self) -> dict[str, Any]:
        """Return everything but densities as plain data for JSON, under a schema with a version."""
        return result_data(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into a file, from which :func:`condped.load` returns it.

        Evidence and densities are found first, if they are not known yet.
        """
        write_result(result_data(self, counts=True), path)

    def __str__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return result_html(self)


def untested(settings: Settings | BaselineSettings) -> SettingsError:
    """Build the error for a result that cannot be told from noise."""
    if isinstance(settings, BaselineSettings):
        return SettingsError(f"{settings.label} comes without a test. condped.importance has one.")
    return SettingsError("This result does not know its trials, which the test needs.")


def _known(number: float) -> float | None:
    """Return None for what a method does not have; JSON knows no NaN."""
    return None if math.isnan(number) else number


def _ends(parameter: ParameterImportance) -> dict[str, float | None]:
    interval = None if parameter.intervals is None else parameter.intervals.importance
    return {
        "importance_low": None if interval is None else interval.low,
        "importance_high": None if interval is None else interval.high,
    }


def frame(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return records as a pandas frame, if pandas is there."""
    module = load_optional(
        "condped.analyse.pandas", feature="to_frame()", library="pandas", extra="pandas"
    )
    return module.frame_of(rows, columns)
