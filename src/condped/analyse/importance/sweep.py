"""Importances at many target quantiles, from one pass over the trials."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from condped.analyse.importance.account import Account
from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.intervals import Uncertainty, check_intervals, uncertainty
from condped.analyse.importance.result import Status, frame, untested
from condped.analyse.opening import open_trials
from condped.analyse.saving.data import NUMBERS, sweep_data
from condped.analyse.saving.files import write_result
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.resampling import Intervals
from condped.errors import SettingsError, not_found
from condped.estimate.settings import (
    BaselineSettings,
    Measure,
    Method,
    Pooling,
    Reference,
    Sampling,
    Settings,
    check_target,
)
from condped.read.opening import Opening, check_opening
from condped.show.notebook import sweep_html
from condped.show.text.importance import sweep_summary
from condped.trials.topsets import Handling, LeftOut, Treatment

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class SweepResult:
    """Importances of P parameters at T target quantiles.

    Examples
    --------
    >>> import condped
    >>> curve = condped.sweep(condped.problems.get("activation-disjoint").sample(2000, seed=0))
    >>> curve.importance.shape
    (99, 3)
    >>> float(curve["c"].max()) > 0.9
    True
    """

    names: tuple[str, ...]
    target_quantiles: FloatArray  # (T,): gamma'
    importance: FloatArray  # (T, P): normalised; 0 where undetermined
    variance: FloatArray  # (T, P)
    eta_squared: FloatArray  # (T, P)
    within: FloatArray  # (T, P)
    inter: FloatArray  # (T, P)
    target_sizes: IntArray  # (T,)
    reasons: tuple[str | None, ...]  # (T,): why nothing can be told, None where something can
    settings: Settings | BaselineSettings
    account: Account
    level: float | None = None  # of the intervals, if there are some
    intervals: Uncertainty | None = None  # around importance, variance and eta_squared
    find_p_values: Callable[[], FloatArray] | None = field(default=None, repr=False)

    @cached_property
    def p_values(self) -> FloatArray:
        """(T, P): how often chance alone gives as much; found when first asked for."""
        if self.find_p_values is None:
            raise untested(self.settings)
        return self.find_p_values()

    @property
    def determined(self) -> BoolArray:
        """(T,): where something can be told."""
        return np.array([reason is None for reason in self.reasons], dtype=bool)

    @property
    def status(self) -> Status:
        """Undetermined if nothing can be told at any target quantile."""
        return "ok" if self.determined.any() else "undetermined"

    @property
    def reason(self) -> str | None:
        """Why the status is not ok."""
        return None if self.status == "ok" else self.reasons[0]

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
        return len(self.target_quantiles)

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`."""
        return _COLUMNS

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per target quantile and parameter."""
        bands = self.intervals
        return [
            {
                "target_quantile": float(quantile),
                "parameter": name,
                **{number: float(getattr(self, number)[t, p]) for number in NUMBERS},
                "importance_low": None if bands is None else float(bands.importance.low[t, p]),
                "importance_high": None if bands is None else float(bands.importance.high[t, p]),
                "determined": bool(self.determined[t]),
            }
            for t, quantile in enumerate(self.target_quantiles)
            for p, name in enumerate(self.names)
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return :meth:`rows` as a pandas frame."""
        return frame(self.rows(), _COLUMNS)

    def to_data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, under a schema with a version."""
        return sweep_data(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into a file, from which :func:`condped.load` returns it.

        The p-values are found first, if they are not known yet.
        """
        if self.find_p_values is not None:
            _ = self.p_values
        write_result(sweep_data(self), path)

    def __eq__(self, other: object) -> bool:
        """Tell whether two have the same numbers, settings and account."""
        if not isinstance(other, SweepResult):
            return NotImplemented
        return (self.settings, self.account, self.reasons, self.level, self.rows()) == (
            other.settings, other.account, other.reasons, other.level, other.rows()
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]  # it has arrays

    def __str__(self) -> str:
        return sweep_summary(self)

    def _repr_html_(self) -> str:
        return sweep_html(self)


_COLUMNS = (
    "target_quantile",
    "parameter",
    *NUMBERS,
    "importance_low",
    "importance_high",
    "determined",
)


def sweep(
    source: Any,
    *,
    target_quantiles: Sequence[float] | None = None,
    region_quantile: float = 1.0,
    method: Method = "paper",
    measure: Measure = "within",
    reference: Reference = "region",
    sampling: Sampling = "adaptive",
    pooling: Pooling = "auto",
    intervals: Intervals | None = None,
    level: float = 0.9,
    seed: int = 0,
    failed: LeftOut = "drop",
    pruned: Treatment = "drop",
    nonfinite: LeftOut = "drop",
    infeasible: Treatment = "keep",
    **opening: Unpack[Opening],
) -> SweepResult:
    """Tell how the importances change with the target quantile.

    Parameters
    ----------
    source, region_quantile, method, measure, reference, sampling, pooling
        As for :func:`condped.importance`.
    intervals, level, seed
        As for :func:`condped.importance`; intervals are bands around the curves.
    failed, pruned, nonfinite, infeasible
        As for :func:`condped.importance`.
    target_quantiles
        Ascending; by default 0.01, 0.02, … up to 0.01 below ``region_quantile``.
    **opening
        Options of :func:`condped.read`, ``engine`` and ``backend``.

    Examples
    --------
    >>> import condped
    >>> curve = condped.sweep(condped.problems.get("nested").sample(500, seed=0))
    >>> len(curve), curve.names
    (99, ('c0', 'c1', 'x', 'y', 'z'))
    """
    settings = Settings(region_quantile, method, measure, reference, sampling, pooling)
    check_intervals(intervals, level, seed)
    handling = Handling(failed, pruned, nonfinite, infeasible)
    check_opening("sweep", opening)
    quantiles = ascending_quantiles(target_quantiles, region_quantile)
    found = analyse(open_trials(source, **opening), quantiles, settings, handling)
    bands = None
    if intervals is not None:
        bands = uncertainty(found, quantiles, intervals=intervals, level=level, seed=seed)
    return SweepResult(
        names=tuple(parameter.name for parameter in found.counts.parameters),
        target_quantiles=np.asarray(quantiles),
        importance=found.importance,
        variance=found.estimate.variance,
        eta_squared=found.eta_squared,
        within=found.estimate.within,
        inter=found.estimate.inter,
        target_sizes=found.counts.target_sizes,
        reasons=found.reasons,
        settings=settings,
        account=found.account,
        level=None if bands is None else level,
        intervals=bands,
        find_p_values=found.p_values,
    )


def ascending_quantiles(given: Sequence[float] | None, region_quantile: float) -> tuple[float, ...]:
    """Return the target quantiles that were given, or steps of 0.01; refuse what is no order."""
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
            f"target_quantiles must be a list of numbers (got {given!r})."
        ) from None
    if not quantiles or list(quantiles) != sorted(set(quantiles)):
        raise SettingsError(
            f"target_quantiles must be ascending, without repeats (got {list(given)}). Sort them."
        )
    for quantile in quantiles:
        check_target(quantile, region_quantile)
    return quantiles
