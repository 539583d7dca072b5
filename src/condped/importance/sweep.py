"""Importances at many target quantiles, from one pass over the trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.errors import SettingsError, not_found
from condped.importance.account import Account
from condped.importance.analysis import analyse
from condped.importance.result import Status, frame
from condped.importance.settings import Measure, Method, Reference, Settings, check_target
from condped.importance.summary import sweep_summary
from condped.read import Reading, check_reading, read
from condped.topsets import Handling, LeftOut, Treatment

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "condped.sweep/1"


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
    settings: Settings
    account: Account

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
        return [
            {
                "target_quantile": float(quantile),
                "parameter": name,
                **{field: float(getattr(self, field)[t, p]) for field in _NUMBERS},
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
        return {
            "schema": SCHEMA,
            "status": self.status,
            "reason": self.reason,
            "settings": asdict(self.settings),
            "target_quantiles": self.target_quantiles.tolist(),
            "target_sizes": self.target_sizes.tolist(),
            "determined": self.determined.tolist(),
            "parameters": {
                name: {field: getattr(self, field)[:, p].tolist() for field in _NUMBERS}
                for p, name in enumerate(self.names)
            },
            "account": asdict(self.account),
        }

    def __str__(self) -> str:
        return sweep_summary(self)


_NUMBERS = ("importance", "variance", "eta_squared", "within", "inter")
_COLUMNS = ("target_quantile", "parameter", *_NUMBERS, "determined")


def sweep(
    source: Any,
    *,
    target_quantiles: Sequence[float] | None = None,
    region_quantile: float = 1.0,
    method: Method = "paper",
    measure: Measure = "within",
    reference: Reference = "region",
    failed: LeftOut = "drop",
    pruned: Treatment = "drop",
    nonfinite: LeftOut = "drop",
    infeasible: Treatment = "keep",
    **reading: Unpack[Reading],
) -> SweepResult:
    """Tell how the importances change with the target quantile.

    Parameters
    ----------
    source, region_quantile, method, measure, reference, failed, pruned, nonfinite, infeasible
        As for :func:`condped.importance`.
    target_quantiles
        Ascending; by default 0.01, 0.02, … up to 0.01 below ``region_quantile``.
    **reading
        Options of :func:`condped.read`.

    Examples
    --------
    >>> import condped
    >>> curve = condped.sweep(condped.problems.get("nested").sample(500, seed=0))
    >>> len(curve), curve.names
    (99, ('c0', 'c1', 'x', 'y', 'z'))
    """
    settings = Settings(region_quantile, method, measure, reference)
    handling = Handling(failed, pruned, nonfinite, infeasible)
    check_reading("sweep", reading)
    quantiles = _quantiles(target_quantiles, region_quantile)
    found = analyse(read(source, **reading), quantiles, settings, handling)
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
    )


def _quantiles(given: Sequence[float] | None, region_quantile: float) -> tuple[float, ...]:
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
