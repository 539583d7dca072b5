"""Importances of many parameters over the target quantile, as rows of a heat map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.importance.sweep import SweepResult
from condped.arrays import FloatArray
from condped.show.text.account import headline
from condped.show.views.labels import labels_of

MOST_ROWS = 40


@dataclass(frozen=True, slots=True, eq=False)
class HeatView:
    """Rows from the highest peak to the lowest.

    Attributes
    ----------
    values
        (rows, target quantiles): importances; NaN where undetermined.
    """

    title: str
    labels: tuple[str, ...]
    names: tuple[str, ...]
    target_quantiles: FloatArray
    values: FloatArray
    note: str | None


def heat_view(curve: SweepResult, most: int = MOST_ROWS) -> HeatView:
    """Return a sweep's rows; what those beyond the highest peaks have together is noted."""
    peaks = curve.importance.max(axis=0, initial=0.0)
    order = sorted(range(len(curve.names)), key=lambda place: -peaks[place])
    shown, rest = order[:most], order[most:]
    notes = []
    if curve.reason is not None:
        notes.append(f"Undetermined: {curve.reason}")
    elif not curve.determined.all():
        notes.append("empty columns: undetermined")
    if rest:
        together = float(curve.importance[:, rest].sum(axis=1).max(initial=0.0))
        notes.append(f"{len(rest)} more with lower peaks not shown, together up to {together:.2f}")
    names = tuple(curve.names[place] for place in shown)
    return HeatView(
        title=headline(curve.account, curve.settings, None),
        labels=labels_of(names),
        names=names,
        target_quantiles=curve.target_quantiles,
        values=np.where(curve.determined, curve.importance[:, shown].T, np.nan),
        note="; ".join(notes) or None,
    )
