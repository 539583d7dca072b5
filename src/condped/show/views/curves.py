"""Importances over the target quantile as curves, with bands and the exact truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from condped.analyse.importance.sweep import SweepResult
from condped.analyse.importance.ties import sweep_messages
from condped.arrays import FloatArray
from condped.errors import DataError
from condped.safe_text import brief, percent
from condped.show.text.account import headline, highest_first
from condped.show.views.labels import labels_of
from condped.show.views.view import View
from condped.show.words import is_shared

MOST_CURVES = 8
LOWEST_TIED = -0.06  # lower end of the axis of importances, with room for a strip that marks ties


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One parameter's importance at each target quantile; NaN where undetermined."""

    label: str
    name: str
    values: FloatArray
    low: FloatArray | None  # of the band
    high: FloatArray | None
    truth: FloatArray | None  # the exact importance


@dataclass(frozen=True, slots=True, eq=False)
class CurvesView(View):
    """Importances over target quantiles, the highest peak first."""

    target_quantiles: FloatArray
    curves: tuple[Curve, ...]
    level: float | None  # of the bands, which hold for all curves at all quantiles together
    unattributed: FloatArray | None = None  # a line of its own, unless negligible
    flat: tuple[tuple[float, float], ...] = ()  # ranges of γ' with the same target set, due to ties

    @property
    def bands(self) -> str | None:
        """The label of the bands."""
        return None if self.level is None else f"{percent(self.level)} bands, joint"

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not any(np.isfinite(curve.values).any() for curve in self.curves)


class HasTruth(Protocol):
    """A problem that knows its exact importances, such as those of ``condped.problems``."""

    def truth(self, target_quantile: float, region_quantile: float) -> Any: ...


def exact_importances(curve: SweepResult, problem: HasTruth) -> dict[str, list[float]]:
    """Return the exact importances at each target quantile of the curve."""
    found = [
        problem.truth(
            target_quantile=float(quantile), region_quantile=curve.settings.region_quantile or 1.0
        ).to_dict()
        for quantile in curve.target_quantiles
    ]
    names = [name for name in curve.names if found and name in found[0]]
    return {name: [values[name] for values in found] for name in names}


def curves_view(
    curve: SweepResult, truth: Mapping[str, Sequence[float]] | None = None
) -> CurvesView:
    """Return a sweep's curves, the highest peak first, at most as many as can be distinguished.

    ``truth`` gives the exact importance of parameters at each target quantile.
    """
    shown = highest_first(curve.importance)[:MOST_CURVES]
    notes = []
    if curve.reason is not None:
        notes.append(f"Undetermined: {curve.reason}")
    elif not curve.determined.all():
        notes.append("gaps: undetermined")
    if len(curve.names) > len(shown):
        notes.append(f"{len(curve.names) - len(shown)} more with lower peaks not shown")
    exact = _check_truth(curve, truth or {})
    labels = labels_of([curve.names[place] for place in shown])
    bands = None if curve.intervals is None else curve.intervals.importance
    return CurvesView(
        title=headline(curve.account, curve.settings, None),
        target_quantiles=curve.target_quantiles,
        curves=tuple(
            Curve(
                label=label,
                name=curve.names[place],
                values=_known(curve, curve.importance, place),
                low=None if bands is None else _known(curve, bands.joint_low, place),
                high=None if bands is None else _known(curve, bands.joint_high, place),
                truth=exact.get(curve.names[place]),
            )
            for label, place in zip(labels, shown, strict=True)
        ),
        note="; ".join(notes) or None,
        level=curve.level,
        unattributed=_unattributed(curve),
        first=" ".join(sweep_messages(curve.flat, curve.account.ties, most=1)) or None,
        flat=tuple((one.first, one.last) for one in curve.flat),
    )


def _unattributed(curve: SweepResult) -> FloatArray | None:
    if not is_shared(curve.unattributed.max(initial=0.0)):
        return None
    return np.where(curve.determined, curve.unattributed, np.nan)


def _known(curve: SweepResult, numbers: FloatArray, place: int) -> FloatArray:
    return np.where(curve.determined, numbers[:, place], np.nan)


def _check_truth(curve: SweepResult, truth: Mapping[str, Sequence[float]]) -> dict[str, FloatArray]:
    found = {name: np.asarray(values, dtype=np.float64) for name, values in truth.items()}
    for name, values in found.items():
        if values.shape != curve.target_quantiles.shape:
            raise DataError(
                f"truth must hold a number for each of the {len(curve.target_quantiles)} target "
                f"quantiles (got an array of shape {values.shape} for {brief(name)})."
            )
    return found
