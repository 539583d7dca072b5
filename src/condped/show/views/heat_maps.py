"""Heat maps: importances of many parameters over the target quantile, joint effects of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.importance.sweep import SweepResult
from condped.analyse.importance.ties import sweep_messages
from condped.analyse.joint_effects import JointEffects
from condped.arrays import FloatArray
from condped.show.text.account import headline, highest_first, pairs_headline
from condped.show.views.labels import first_words, labels_of
from condped.show.views.view import View
from condped.show.words import UNATTRIBUTED, is_shared

_MOST_ROWS = 40
_MOST_PAIRED = 20
# The strongest of pairs without joint effects has an η² of about this divided by the number of
# trials: measured for 28 pairs and 200 to 5,000 trials.
_CHANCE = 25
_LEAST = 0.05  # η² that the colour scale of pairs reaches at least


@dataclass(frozen=True, slots=True, eq=False)
class HeatView(View):
    """Rows of importances over the target quantile, or a square of pairs of parameters.

    Attributes
    ----------
    values
        (rows, columns): NaN where undetermined; for pairs symmetric, NaN on the diagonal and where
        two are never active together.
    highest
        The value with the strongest colour.
    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    values: FloatArray
    highest: float
    target_quantiles: FloatArray | None = None  # of the columns; None if these are the rows again
    verdicts: tuple[tuple[str, ...], ...] | None = None  # (rows, columns): of pairs; "" if none

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not np.isfinite(self.values).any()


def heat_view(curve: SweepResult, most: int = _MOST_ROWS) -> HeatView:
    """Return the rows of a sweep with the highest peaks; a note says what the others add up to."""
    order = highest_first(curve.importance)
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
    rows = curve.importance[:, shown].T
    if is_shared(curve.unattributed.max(initial=0.0)):
        names = (*names, UNATTRIBUTED)
        rows = np.concatenate([rows, curve.unattributed[None]])
    values = np.where(curve.determined, rows, np.nan)
    return HeatView(
        title=headline(curve.account, curve.settings, None),
        labels=labels_of(names),
        names=names,
        values=values,
        highest=_largest(values),
        note="; ".join(notes) or None,
        target_quantiles=curve.target_quantiles,
        first=" ".join(sweep_messages(curve.flat, curve.account.ties, most=1)) or None,
    )


def joint_view(found: JointEffects) -> HeatView:
    """Return the pairs of the parameters with the strongest joint effects.

    The colour scale reaches at least twice as far as chance, so that noise does not look strong.
    """
    # The effects come with the strongest first.
    every = list(dict.fromkeys(name for effect in found for name in effect.parameters))
    names = tuple(every[:_MOST_PAIRED])
    places = {name: place for place, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    verdicts = [[""] * len(names) for _ in names]
    for effect in found:
        if all(name in places for name in effect.parameters):
            row, column = (places[name] for name in effect.parameters)
            values[row, column] = values[column, row] = effect.eta_squared
            verdicts[row][column] = verdicts[column][row] = effect.verdict
    chance = _CHANCE / max(found.account.region_size, 1)
    least, strongest = max(_LEAST, 2 * chance), _largest(values)
    notes = []
    if not names:
        notes.append("No two parameters vary together in enough trials.")
    elif any(effect.verdict == "matters" for effect in found):
        notes.append("dots: statistically significant")
    else:
        notes.append("no pair is statistically significant")
    if names and strongest < least:
        notes.append(f"chance alone reaches about {chance:.2g}; the colours extend to {least:.2g}")
    if len(every) > _MOST_PAIRED:
        hidden = len(every) - _MOST_PAIRED
        notes.append(f"{hidden} more parameters with weaker joint effects not shown")
    return HeatView(
        title=pairs_headline(found.account, found.target_quantile),
        labels=labels_of(names),
        names=names,
        values=values,
        highest=max(least, strongest),
        note="; ".join(notes) or None,
        verdicts=tuple(map(tuple, verdicts)),
        first=first_words(found.account.tie(found.target_quantile)),
    )


def _largest(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return max(float(known.max(initial=0.0)), 1e-9)
