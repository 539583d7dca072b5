"""Importances at many target quantiles, from one pass over the trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.errors import SettingsError, not_found
from condped.importance.estimator import estimate
from condped.importance.formula import eta_squared, normalised
from condped.importance.point import account_of, count, varies
from condped.importance.result import Account, frame
from condped.importance.settings import Measure, Method, Reference, Settings, check_target
from condped.importance.summary import account_lines, shortened, table
from condped.read import Reading, read
from condped.topsets import Handling, Infeasible, LeftOut

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
    determined: BoolArray  # (T,)
    settings: Settings
    handling: Handling
    account: Account  # its target_size is that of the tightest quantile

    def __getitem__(self, name: str) -> FloatArray:
        """Return one parameter's importance at each target quantile."""
        if name not in self.names:
            raise not_found("parameter", name, self.names)
        return self.importance[:, self.names.index(name)]

    def __len__(self) -> int:
        return len(self.target_quantiles)

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`."""
        return _COLUMNS

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per target quantile and parameter."""
        fields = ("importance", "variance", "eta_squared", "within", "inter")
        return [
            {
                "target_quantile": float(quantile),
                "parameter": name,
                **{field: float(getattr(self, field)[t, p]) for field in fields},
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
            "settings": {**asdict(self.settings), **asdict(self.handling)},
            "target_quantiles": self.target_quantiles.tolist(),
            "target_sizes": self.target_sizes.tolist(),
            "determined": self.determined.tolist(),
            "parameters": {
                name: {
                    "importance": self.importance[:, p].tolist(),
                    "variance": self.variance[:, p].tolist(),
                    "eta_squared": self.eta_squared[:, p].tolist(),
                }
                for p, name in enumerate(self.names)
            },
            "account": asdict(self.account),
        }

    def __str__(self) -> str:
        # About ten lines show the course; rows() has them all.
        shown = sorted({round(t) for t in np.linspace(0, len(self) - 1, min(len(self), 11))})
        header = ("γ'", *(shortened(name) for name in self.names[:8]))
        rows = [
            (
                f"{self.target_quantiles[t]:.3g}",
                *(f"{value:.3f}" for value in self.importance[t, :8]),
            )
            for t in shown
        ]
        lines = [f"Importance over {len(self)} target quantiles", ""]
        lines += table(header, rows, right=set(range(len(header))))
        if len(self.names) > 8:
            lines.append(f"… and {len(self.names) - 8} more parameters")
        if not self.determined.all():
            lines.append(
                f"Undetermined at {int((~self.determined).sum())} quantiles, shown as 0: "
                "the target set is the whole region set, or nothing differs."
            )
        return "\n".join([*lines, "", *account_lines(self.account)])


_COLUMNS = (
    "target_quantile",
    "parameter",
    "importance",
    "variance",
    "eta_squared",
    "within",
    "inter",
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
    failed: LeftOut = "drop",
    pruned: LeftOut = "drop",
    nonfinite: LeftOut = "drop",
    infeasible: Infeasible = "keep",
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
    """
    settings = Settings(region_quantile, method, measure, reference)
    handling = Handling(failed, pruned, nonfinite, infeasible)
    quantiles = _quantiles(target_quantiles, region_quantile)
    trials = read(source, **reading)
    top, counts = count(trials, quantiles, settings, handling)
    found = estimate(counts, settings)
    determined = (
        (counts.target_sizes < counts.region_size)
        & (found.variance.sum(axis=1) > 0)
        & (top.counts.used > 1 and not top.all_equal and varies(counts))
    )
    known = determined[:, None]
    eta = eta_squared(found.variance, counts.target_sizes, counts.region_size)
    return SweepResult(
        names=trials.names,
        target_quantiles=np.asarray(quantiles),
        importance=np.where(known, normalised(found.variance), 0.0),
        variance=found.variance,
        eta_squared=np.where(known, eta, 0.0),
        within=found.within,
        inter=found.inter,
        target_sizes=counts.target_sizes,
        determined=determined,
        settings=settings,
        handling=handling,
        account=account_of(trials, top, counts),
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
