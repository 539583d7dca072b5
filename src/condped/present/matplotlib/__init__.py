"""Pictures with matplotlib: each draws on what it is given and returns it."""

from condped.present.matplotlib.bars import bars, breakdown, comparison
from condped.present.matplotlib.curves import curves, heat
from condped.present.matplotlib.panels import panels
from condped.present.matplotlib.paper import AXES, FIGURE, figure

__all__ = [
    "AXES",
    "FIGURE",
    "bars",
    "breakdown",
    "comparison",
    "curves",
    "figure",
    "heat",
    "panels",
]
