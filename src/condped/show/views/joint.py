"""Joint effects of pairs of parameters, as the cells of a square."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.joint_effects import JointEffects
from condped.arrays import FloatArray
from condped.show.text.account import goals
from condped.show.text.layout import percent
from condped.show.views.labels import labels_of

MOST_PARAMETERS = 20


@dataclass(frozen=True, slots=True, eq=False)
class JointView:
    """Parameters from the strongest joint effect to the weakest.

    Attributes
    ----------
    values
        (parameters, parameters), symmetric: η² of each pair; NaN where two are never active
        together, and on the diagonal.
    """

    title: str
    labels: tuple[str, ...]
    names: tuple[str, ...]
    values: FloatArray
    note: str | None


def joint_view(found: JointEffects, most: int = MOST_PARAMETERS) -> JointView:
    """Return the pairs of the parameters with the strongest joint effects."""
    # The effects come with the strongest first.
    every = list(dict.fromkeys(name for effect in found for name in effect.parameters))
    names = tuple(every[:most])
    places = {name: place for place, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    for effect in found:
        if all(name in places for name in effect.parameters):
            row, column = (places[name] for name in effect.parameters)
            values[row, column] = values[column, row] = effect.eta_squared
    note = None
    if not names:
        note = "No two parameters vary together in enough trials."
    elif len(every) > most:
        note = f"{len(every) - most} more parameters with weaker joint effects not shown"
    return JointView(
        title=f"Pairs that together reach the best {percent(found.target_quantile)} of "
        f"{found.account.trials.used} trials ({goals(found.account)})",
        labels=labels_of(names),
        names=names,
        values=values,
        note=note,
    )
