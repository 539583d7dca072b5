"""Pictures with matplotlib: each draws on what it is given and returns it."""

from condped.show.matplotlib.bars import bars, breakdown, comparison
from condped.show.matplotlib.curves import curves
from condped.show.matplotlib.heat_maps import heat, joint
from condped.show.matplotlib.panels import panels
from condped.show.matplotlib.paper import AXES, FIGURE, figure

__all__ = [
    "AXES",
    "FIGURE",
    "bars",
    "breakdown",
    "comparison",
    "curves",
    "figure",
    "heat",
    "joint",
    "panels",
]
