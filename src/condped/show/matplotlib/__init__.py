"""Pictures with matplotlib: each draws on what it is given and returns it."""

from condped.show.matplotlib.across import across
from condped.show.matplotlib.bars import bars, breakdown, comparison
from condped.show.matplotlib.curves import curves
from condped.show.matplotlib.figures import AXES, FIGURE, figure
from condped.show.matplotlib.heat_maps import heat, joint
from condped.show.matplotlib.history import history
from condped.show.matplotlib.pairs import pairs
from condped.show.matplotlib.panels import panels
from condped.show.matplotlib.parallel import parallel
from condped.show.matplotlib.slices import slices

__all__ = [
    "AXES",
    "FIGURE",
    "across",
    "bars",
    "breakdown",
    "comparison",
    "curves",
    "figure",
    "heat",
    "history",
    "joint",
    "pairs",
    "panels",
    "parallel",
    "slices",
]
