"""ImportanceResult: the waist between the estimators and everything that shows results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from condped.errors import SettingsError, not_found
from condped.importance.account import Account
from condped.importance.evidence import Evidence
from condped.importance.settings import BaselineSettings, Settings
from condped.importance.summary import summary
from condped.optional import load_optional
from condped.space.domain import Domain, plain_domain

if TYPE_CHECKING:
    import pandas as pd

    from condped.importance.robustness import Robustness

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
SCHEMA = "condped.importance/1"
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

    @cached_property
    def evidence(self) -> Evidence:
        """What can be told from noise; found when it is first asked for."""
        if self.find_evidence is None:
            raise untested(self.settings)
        return self.find_evidence()

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
        """Return everything as plain data for JSON, under a schema with a version."""
        by_parameter: dict[str, list[dict[str, Any]]] = {name: [] for name in self.names}
        for row in self.regime_rows():
            by_parameter[row.pop("parameter")].append(row)
        return {
            "schema": SCHEMA,
            "status": self.status,
            "reason": self.reason,
            "target_quantile": self.target_quantile,
            "target_size": self.target_size,
            "settings": asdict(self.settings),
            "level": self.level,
            "evidence": self.evidence.message if self.quickly_tested else None,
            "parameters": [
                {
                    **row,
                    "intervals": None if p.intervals is None else asdict(p.intervals),
                    "regimes": by_parameter[row["parameter"]],
                }
                for row, p in zip(self.rows(), self.parameters, strict=True)
            ],
            "account": asdict(self.account),
        }

    def __str__(self) -> str:
        return summary(self)


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
        "condped.importance.pandas", feature="to_frame()", library="pandas", extra="pandas"
    )
    return module.frame_of(rows, columns)
