"""Importances at many target quantiles, from one pass over the trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np

from condped.analyse.evidence.evidence import plain_p
from condped.analyse.importance.account import Account
from condped.analyse.importance.analysis import Analysis, analyse
from condped.analyse.importance.estimates import ImportanceEstimates
from condped.analyse.importance.intervals import Uncertainty
from condped.analyse.importance.result import Status, untested
from condped.analyse.importance.ties import FlatRange, flat_ranges, plain_tie, row_note
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options, open_trials
from condped.analyse.result import Result
from condped.analyse.saving.analysis import (
    restored_analysis,
    restored_basis,
    restored_scores,
    saved_analysis,
    saved_scores,
)
from condped.analyse.saving.plain import rebuilt
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.errors import SettingsError, not_found
from condped.estimate.settings import BaselineSettings, Settings
from condped.options import takes
from condped.safe_text import brief

_NUMBERS = ("importance", "variance", "eta_squared", "within", "inter")  # of a parameter


@dataclass(frozen=True, eq=False)
class SweepResult(Result):
    """Importances of P parameters at T target quantiles.

    Iterating gives the parameters' names, ``len`` is their number, and ``curve[name]`` is a
    parameter's importance at each of ``curve.target_quantiles``.

    Attributes
    ----------
    names
        The parameters' names.
    target_quantiles
        (T,): γ'.
    importance
        (T, P): share of what all parameters explain; 0 where undetermined.
    unattributed
        (T,): share that the evidence does not attribute to any parameter.
    variance, eta_squared, within, inter
        (T, P) each, as in :class:`~condped.analyse.importance.parameter.ParameterImportance`.
    target_sizes
        (T,): trials in each target set.
    reasons
        (T,): why the importances are undetermined; None if they are not.
    settings, account
        As in :class:`condped.ImportanceResult`.
    level
        Confidence level of the intervals; None without intervals.
    intervals
        Around importance, variance and eta_squared.

    Examples
    --------
    >>> import condped
    >>> curve = condped.sweep(condped.problems.get("activation-disjoint").sample(2000, seed=0))
    >>> curve.importance.shape
    (99, 3)
    >>> float(curve["c"].max()) > 0.9
    True
    >>> list(curve), len(curve)
    (['c', 'x', 'y'], 3)
    """

    schema: ClassVar[str] = "condped.sweep/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "target_quantile",
        "parameter",
        *_NUMBERS,
        "importance_low",
        "importance_high",
        "joint_low",
        "joint_high",
        "determined",
        "unattributed",
        "target_size",
        "note",
    )

    names: tuple[str, ...]
    target_quantiles: FloatArray
    importance: FloatArray
    unattributed: FloatArray
    variance: FloatArray
    eta_squared: FloatArray
    within: FloatArray
    inter: FloatArray
    target_sizes: IntArray
    reasons: tuple[str | None, ...]
    settings: Settings | BaselineSettings
    account: Account
    level: float | None = None
    intervals: Uncertainty | None = None
    # For follow-up questions; None for other methods than condped's own.
    _analysis: Analysis | None = field(default=None, repr=False)

    @property
    def p_values(self) -> FloatArray:
        """(T, P): how often chance alone gives as much; computed on first access."""
        if self._analysis is None:
            raise untested(self.settings)
        return self._analysis.counts.p_values

    @cached_property
    def flat(self) -> tuple[FlatRange, ...]:
        """Ranges of target quantiles in which ties keep the target set from changing."""
        return flat_ranges(
            self.target_quantiles.tolist(), self.target_sizes.tolist(), self.account.ties
        )

    @cached_property
    def determined(self) -> BoolArray:
        """(T,): where the importances are determined."""
        return np.array([reason is None for reason in self.reasons], dtype=bool)

    @property
    def status(self) -> Status:
        """``undetermined`` if the importances are at all target quantiles."""
        return "ok" if self.determined.any() else "undetermined"

    @property
    def reason(self) -> str | None:
        """Why the status is not ok."""
        return None if self.status == "ok" else self.reasons[0]

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickle keeps: what was computed from the trials, not the trials."""
        own = self._analysis
        kept = None if own is None else own.detached(tests=own.counts.testable, evidence=False)
        return self.__dict__ | {"_analysis": kept}

    def __getitem__(self, name: str) -> FloatArray:
        """Return one parameter's importance at each target quantile."""
        if name not in self.names:
            raise not_found("parameter", name, self.names)
        return self.importance[:, self.names.index(name)]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per target quantile and parameter."""
        bands = None if self.intervals is None else self.intervals.importance
        ends = {"importance_low": "low", "importance_high": "high"}
        ends |= {name: name for name in ("joint_low", "joint_high")}
        ties = {tie.target_quantile: tie for tie in self.account.ties}
        return [
            {
                "target_quantile": float(quantile),
                "parameter": name,
                **{number: float(getattr(self, number)[t, p]) for number in _NUMBERS},
                **{
                    column: None if bands is None else float(getattr(bands, end)[t, p])
                    for column, end in ends.items()
                },
                "determined": bool(self.determined[t]),
                "unattributed": float(self.unattributed[t]),
                "target_size": int(self.target_sizes[t]),
                "note": row_note(ties.get(float(quantile)), self.eta_squared[t, p]),
            }
            for t, quantile in enumerate(self.target_quantiles)
            for p, name in enumerate(self.names)
        ]

    def _readable(self) -> dict[str, Any]:
        # P-values only if they are known.
        tested = self._analysis is not None and self._analysis.counts.knows("p_values")
        readable = {
            "status": self.status,
            "reason": self.reason,
            "target_sizes": self.target_sizes,
            "unattributed": self.unattributed,
            "ties": [
                {"first": one.first, "last": one.last, **(plain_tie(one.tie) or {})}
                for one in self.flat
            ],
            "determined": self.determined,
            "reasons": self.reasons,
            "parameters": {
                name: {
                    **{number: getattr(self, number)[:, p] for number in _NUMBERS},
                    **({"p_value": list(map(plain_p, self.p_values[:, p]))} if tested else {}),
                }
                for p, name in enumerate(self.names)
            },
        }
        return readable | self._made_of(tests=tested)

    def _saved(self) -> dict[str, Any]:
        tests = self._analysis is not None and self._analysis.counts.testable
        return self._made_of(tests=tests)

    def _made_of(self, *, tests: bool) -> dict[str, Any]:
        """Return settings, counts and what needed the trials: all else comes from these."""
        quantiles = {"target_quantiles": self.target_quantiles}
        if self._analysis is not None:
            return quantiles | saved_analysis(self._analysis, tests=tests)
        assert isinstance(self.settings, BaselineSettings)
        scores = ImportanceEstimates(
            **{one.name: getattr(self, one.name) for one in fields(ImportanceEstimates)}
        )
        return quantiles | saved_scores(scores, self.settings, self.account)

    @classmethod
    def _loaded(cls, data: Mapping[str, Any]) -> SweepResult:
        quantiles = rebuilt(tuple[float, ...], data["target_quantiles"], "target_quantiles")
        settings, account = restored_basis(data)
        if isinstance(settings, BaselineSettings):
            scores = restored_scores(data, len(quantiles))
            return scored_sweep(scores, quantiles, settings, account)
        return sweep_result(restored_analysis(data, quantiles, settings, account))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same numbers, settings and account."""
        if not isinstance(other, SweepResult):
            return NotImplemented
        return (self.settings, self.account, self.reasons, self.level, self.rows()) == (
            other.settings, other.account, other.reasons, other.level, other.rows()
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]  # it has arrays


def sweep_result(analysis: Analysis) -> SweepResult:
    """Return the importances at all target quantiles of an analysis."""
    quantiles = analysis.target_quantiles or ()
    return scored_sweep(analysis.numbers, quantiles, analysis.settings, analysis.account, analysis)


def scored_sweep(
    numbers: ImportanceEstimates,
    quantiles: Sequence[float],
    settings: Settings | BaselineSettings,
    account: Account,
    analysis: Analysis | None = None,
) -> SweepResult:
    """Return numbers as a result; those of other methods have no analysis."""
    return SweepResult(
        **{one.name: getattr(numbers, one.name) for one in fields(numbers)},
        target_quantiles=np.asarray(quantiles),
        settings=settings,
        account=account,
        level=None if analysis is None else analysis.level,
        intervals=None if analysis is None else analysis.bands,
        _analysis=analysis,
    )


@takes(AnalysisOptions, *ANALYSIS)
def sweep(
    source: Any,
    *,
    target_quantiles: Sequence[float] | None = None,
    **options: Unpack[AnalysisOptions],
) -> SweepResult:
    """Estimate how the importances change with the target quantile.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes.
    target_quantiles
        Ascending; by default 0.01, 0.02, … up to 0.01 below ``region_quantile``.
    **options
        As for :func:`condped.importance`; intervals are bands around the curves, for each number
        by itself and, as in figures, jointly for all parameters and target quantiles.

    Examples
    --------
    >>> import condped
    >>> curve = condped.sweep(condped.problems.get("nested").sample(500, seed=0))
    >>> len(curve.target_quantiles), curve.names
    (99, ('c0', 'c1', 'x', 'y', 'z'))
    """
    parsed = Options.of(sweep, options)
    quantiles = ascending_quantiles(target_quantiles, parsed.settings.region_quantile)
    return sweep_result(analyse(open_trials(source, **parsed.reading), parsed.question(quantiles)))


def ascending_quantiles(given: Sequence[float] | None, region_quantile: float) -> tuple[float, ...]:
    """Return the given target quantiles, or steps of 0.01; raise if they are not ascending."""
    if given is None:
        steps = [percent / 100 for percent in range(1, 100)]
        # 0.01 below the region quantile, with room for its own rounding.
        quantiles = tuple(step for step in steps if step < region_quantile - 0.01 + 1e-9)
        if not quantiles:
            raise SettingsError(
                f"region_quantile leaves no room for target quantiles in steps of 0.01 "
                f"(got {region_quantile}). Give target_quantiles."
            )
        return quantiles
    try:
        quantiles = tuple(float(quantile) for quantile in given)
    except (TypeError, ValueError):
        raise SettingsError(
            f"target_quantiles must be a list of numbers (got {brief(given)})."
        ) from None
    if not quantiles or list(quantiles) != sorted(set(quantiles)):
        raise SettingsError(
            f"target_quantiles must be ascending, without repeats (got {list(given)}). Sort them."
        )
    return quantiles
