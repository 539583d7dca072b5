"""Importances at one target quantile: the interface between analyses and presenters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Literal

from condped.analyse.branches.gates import Gate
from condped.analyse.branches.regime_conditions import (
    GatesAndConditions,
    RegimeCondition,
    conditional,
)
from condped.analyse.by_name import ByName
from condped.analyse.effects.find import find_effects, find_sentences
from condped.analyse.effects.outcomes import outcome_sentences
from condped.analyse.effects.reached import LEVEL
from condped.analyse.effects.result import Effects
from condped.analyse.evidence.evidence import Evidence, evidence_of
from condped.analyse.forecast.predict import forecast_of
from condped.analyse.forecast.result import Forecast
from condped.analyse.importance.account import Account
from condped.analyse.importance.analysis import Analysis
from condped.analyse.importance.estimates import ImportanceEstimates
from condped.analyse.importance.parameter import ParameterImportance, parameters_of
from condped.analyse.importance.plain_data import COLUMNS, parameter_rows, readable, scores_of
from condped.analyse.importance.set_counts import SetTrials
from condped.analyse.importance.ties import Tie
from condped.analyse.result import Result
from condped.analyse.robustness import Robustness, robustness_of
from condped.analyse.saving.analysis import (
    restored_analysis,
    restored_basis,
    restored_scores,
    saved_analysis,
    saved_scores,
)
from condped.analyse.saving.plain import rebuilt
from condped.analyse.values import Densities
from condped.errors import SettingsError
from condped.estimate.settings import BaselineSettings, Settings
from condped.space.domain import Domain

Status = Literal["ok", "undetermined"]
_MOST_SENTENCES = 3  # parameters whose effects are described below the importances


@dataclass(frozen=True)
class ImportanceResult(ByName[ParameterImportance], Result):
    """Importances of all parameters, the most important first.

    ``result[name]`` is one parameter, and iterating gives all of them.

    Attributes
    ----------
    parameters
        One :class:`~condped.analyse.importance.parameter.ParameterImportance` each.
    target_quantile
        γ'; None for an outcome or the whole objective.
    target_size
        Trials in the target set; 0 if the whole objective is explained.
    settings
        The options of the estimate.
    account
        What the numbers are based on, and what was left out.
    status
        ``ok``, or ``undetermined`` if the trials allow no estimate; importances are 0 then.
    reason
        Why the status is not ``ok``.
    unattributed
        Share of what all parameters explain that the evidence does not attribute to any of them;
        the importances sum to 1 less this. 0 for the paper's method and where undetermined.
    level
        Confidence level of the intervals; None without intervals.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("nested").sample(1000, seed=0)
    >>> result = condped.importance(table)
    >>> result["x"].importance > result["z"].importance
    True
    """

    schema: ClassVar[str] = "condped.importance/1"
    _columns: ClassVar[tuple[str, ...]] = COLUMNS

    parameters: tuple[ParameterImportance, ...]
    target_quantile: float | None
    target_size: int
    settings: Settings | BaselineSettings
    account: Account
    status: Status
    reason: str | None
    unattributed: float = 0.0
    level: float | None = None
    # For follow-up questions; None for other methods than condped's own.
    _analysis: Analysis | None = field(default=None, repr=False, compare=False)
    _known: GatesAndConditions | None = field(default=None, repr=False, compare=False)
    _sentences: tuple[str, ...] | None = field(default=None, repr=False, compare=False)

    @property
    def tie(self) -> Tie | None:
        """Trials at the end of the target set that the objective cannot separate, if any."""
        return self.account.tie(self.target_quantile)

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The parameters that choose a branch, and where the target set lies among the branches.

        Found on first access, from trials in memory; empty for others.

        Examples
        --------
        >>> import condped
        >>> table = condped.problems.get("activation-disjoint").sample(500, seed=0)
        >>> result = condped.importance(table)
        >>> (gate,) = result.gates
        >>> gate.parameter, gate.first.label, gate.first.target_trials, gate.target_size
        ('c', '< 0.5', 50, 50)
        >>> [(one.parameter, one.condition) for one in result.conditions]
        [('x', 'c < 0.5'), ('y', 'c >= 0.5')]
        """
        return tuple(gate for gate in self._conditional.gates if gate.parameter in self)

    @property
    def conditions(self) -> tuple[RegimeCondition, ...]:
        """When each conditional parameter has each of its domains, as far as known."""
        return tuple(one for one in self._conditional.conditions if one.parameter in self)

    def condition(self, name: str, domain: Domain | None) -> str | None:
        """Return when a parameter has a domain; None if that is always, or unknown."""
        return self._conditional.condition(name, domain)

    @property
    def _trials(self) -> SetTrials | None:
        """The trials behind the numbers; None if they are no longer known."""
        return None if self._analysis is None else self._analysis.counts.trials

    @cached_property
    def _conditional(self) -> GatesAndConditions:
        trials = self._trials
        if self._known is not None or trials is None:
            return self._known or GatesAndConditions()
        return conditional(trials.given, trials.top)

    def gate(self, name: str) -> Gate | None:
        """Return what a parameter's choice decides; None if it switches nothing."""
        return self._conditional.gate(name) if name in self else None

    @property
    def has_evidence(self) -> bool:
        """Whether evidence and densities are available."""
        return self._analysis is not None and self._analysis.counts.testable

    @cached_property
    def evidence(self) -> Evidence:
        """Which effects are statistically significant; computed on first access."""
        if self._analysis is None:
            raise untested(self.settings)
        sizes = f"{self.target_size} of {self.account.region_size} trials in the target set"
        return evidence_of(self._analysis.counts, self._analysis.numbers.names, sizes)

    @property
    def ready_evidence(self) -> Evidence | None:
        """The evidence if it is known or quickly computed; None if that would take long."""
        known = "evidence" in self.__dict__
        quick = self._analysis is not None and self._analysis.counts.quickly_testable
        return self.evidence if known or quick else None

    @cached_property
    def densities(self) -> Densities:
        """How target trials are distributed, by parameter and regime, and which values are good.

        Examples
        --------
        >>> import condped
        >>> result = condped.importance(condped.problems.get("nested").sample(1000, seed=0))
        >>> [good.label for regime in result.densities["x"] for good in regime.good]
        ['-7 … -6.3']
        """
        if self._analysis is None:
            raise untested(self.settings)
        return Densities(self._analysis.counts.grid, self.evidence)

    @cached_property
    def effects(self) -> Effects:
        """What trials reached by the values of each parameter, in units of the objective.

        Computed on first access, from trials in memory; a result that was saved and loaded does not
        have them.

        Examples
        --------
        >>> import condped
        >>> result = condped.importance(condped.problems.get("nested").sample(1000, seed=0))
        >>> contrast = result.effects["x"].regimes[0].contrast
        >>> contrast.inside.label, contrast.inside.trials, contrast.outside.trials
        ('-7 … -6.3', 108, 269)
        """
        return self.effects_at(LEVEL)

    def effects_at(self, level: float) -> Effects:
        """Return :attr:`effects` with intervals of another level."""
        if self._analysis is None or self.target_quantile is None:
            raise SettingsError(
                "Effects are about what good trials reached, with condped's own evidence; this "
                "result explains an outcome or is another method's. Call condped.effects."
            )
        return find_effects(
            self._analysis.counts,
            self.evidence,
            self.densities,
            self.account,
            [(parameter.name, parameter.importance) for parameter in self.parameters],
            target_quantile=self.target_quantile,
            level=level,
        )

    @cached_property
    def effect_sentences(self) -> tuple[str, ...]:
        """How the parameters that matter affect the objective, for at most three of them.

        For an outcome, which values the trials with it have. Empty if the trials are not in memory,
        or if the test would take long.
        """
        if self._sentences is not None:
            return self._sentences
        evidence = self.ready_evidence
        trials = self._trials
        if (
            self._analysis is None
            or trials is None
            or trials.given.in_memory is None
            or (self.target_quantile is None and self.account.outcome is None)
            or evidence is None
        ):
            return ()
        names = [name for name in self.names if evidence[name].verdict == "matters"]
        counts, most = self._analysis.counts, names[:_MOST_SENTENCES]
        if self.account.outcome is not None:
            sizes = self.target_size, self.account.region_size
            return tuple(outcome_sentences(self.densities, most, self.account.outcome, sizes))
        return find_sentences(counts, evidence, self.densities, most)

    def robustness(self) -> Robustness:
        """Return how the ranking changes with other target sets, halves of the study or methods."""
        trials = self._trials
        if (
            trials is None
            or self.target_quantile is None
            or not isinstance(self.settings, Settings)
        ):
            raise SettingsError(
                "Robustness is about importances for good objectives, and needs the trials; this "
                "result explains an outcome, is another method's, or no longer has its trials."
            )
        table = trials.given.table("Robustness")
        return robustness_of(table, self.target_quantile, self.settings, trials.handling)

    def forecast(self) -> Forecast:
        """Return the verdicts so far, and how many more trials would settle open ones.

        Verdicts here are those of ``looks="repeated"``, whatever this result's own are.
        """
        if self._analysis is None or self._trials is None:
            raise SettingsError(
                "A forecast needs the trials in order; this result no longer has its trials, or is "
                "another method's. Call condped.forecast."
            )
        return forecast_of(self._trials, self._analysis.numbers.names)

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickle keeps: what was computed from the trials, not the trials."""
        own = self._analysis
        kept = None if own is None else own.detached(tests=False, evidence=self.has_evidence)
        known = {"_known": self._conditional, "_sentences": self.effect_sentences}
        return self.__dict__ | {"_analysis": kept} | known

    def to_dict(self, *, normalize: bool = True) -> dict[str, float]:
        """Return name → importance, or name → variance, in the result's order.

        Importances sum to 1 less what is unattributed.
        """
        if normalize:
            return {parameter.name: parameter.importance for parameter in self.parameters}
        return {parameter.name: parameter.variance for parameter in self.parameters}

    def to_line(self, *, evidence: Evidence | None = None, most: int = 4) -> str:
        """Return the most important parameters on one line, for logs.

        With ``evidence``, such as this result's own or that of an earlier look at the study,
        verdicts are included.

        Examples
        --------
        >>> import condped
        >>> result = condped.importance(condped.problems.get("nested").sample(1000, seed=0))
        >>> result.to_line(evidence=result.evidence, most=2)
        'x 0.828 matters, c1 0.131 matters and 3 more'
        """
        module = import_module("condped.show.text.line")
        line: str = module.importance_line(self, evidence, most)
        return line

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per parameter; each has the result's ``unattributed``."""
        return [{name: row[name] for name in self._columns} for row in parameter_rows(self)]

    def regime_rows(self) -> list[dict[str, Any]]:
        """Return one flat record per parameter and regime."""
        return [
            {
                "parameter": parameter.name,
                **regime.row(self.condition(parameter.name, regime.domain)),
            }
            for parameter in self.parameters
            for regime in parameter.regimes
        ]

    def _readable(self) -> dict[str, Any]:
        evidence = self.ready_evidence
        return readable(self, evidence) | self._made_of(evidence=evidence is not None)

    def _saved(self) -> dict[str, Any]:
        return self._made_of(evidence=self.has_evidence)

    def _made_of(self, *, evidence: bool) -> dict[str, Any]:
        """Return settings, counts and what needed the trials: all else comes from these."""
        quantile: dict[str, Any] = {"target_quantile": self.target_quantile}
        quantile |= {"gates": self.gates, "conditions": self.conditions}
        quantile["effects"] = self.effect_sentences
        if self._analysis is not None:
            return quantile | saved_analysis(self._analysis, evidence=evidence)
        assert isinstance(self.settings, BaselineSettings)
        scores = scores_of(self)
        return quantile | saved_scores(scores, self.settings, self.account)

    @classmethod
    def _loaded(cls, data: Mapping[str, Any]) -> ImportanceResult:
        quantile = rebuilt(float | None, data["target_quantile"], "target_quantile")
        settings, account = restored_basis(data)
        if isinstance(settings, BaselineSettings):
            return scored_result(restored_scores(data, 1), quantile, settings, account)
        quantiles = None if quantile is None else (quantile,)
        found = importance_result(restored_analysis(data, quantiles, settings, account))
        known = {name: data[name] for name in ("gates", "conditions")}
        return replace(
            found,
            _known=rebuilt(GatesAndConditions, known, "gates and conditions"),
            _sentences=rebuilt(tuple[str, ...], data["effects"], "effects"),
        )


def importance_result(analysis: Analysis) -> ImportanceResult:
    """Return the importances at an analysis' only target set."""
    quantile = None if analysis.target_quantiles is None else analysis.target_quantiles[0]
    return scored_result(analysis.numbers, quantile, analysis.settings, analysis.account, analysis)


def scored_result(
    numbers: ImportanceEstimates,
    target_quantile: float | None,
    settings: Settings | BaselineSettings,
    account: Account,
    analysis: Analysis | None = None,
) -> ImportanceResult:
    """Return numbers as a result; those of other methods have no analysis."""
    (reason,) = numbers.reasons
    return ImportanceResult(
        parameters=parameters_of(numbers, analysis),
        target_quantile=target_quantile,
        target_size=int(numbers.target_sizes[0]),
        settings=settings,
        account=account,
        status="ok" if reason is None else "undetermined",
        reason=reason,
        unattributed=float(numbers.unattributed[0]),
        level=None if analysis is None else analysis.level,
        _analysis=analysis,
    )


def untested(settings: Settings | BaselineSettings) -> SettingsError:
    """Build the error for the evidence of a method that has no test."""
    assert isinstance(settings, BaselineSettings)
    return SettingsError(f"{settings.label} comes without a test. condped.importance has one.")
