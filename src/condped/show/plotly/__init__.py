"""Pictures with plotly: each adds to the figure it is given and returns it."""

from condped.show.plotly.across import across
from condped.show.plotly.bars import bars, breakdown, comparison
from condped.show.plotly.curves import curves
from condped.show.plotly.figures import FIGURE, figure
from condped.show.plotly.heat_maps import heat, joint
from condped.show.plotly.history import history
from condped.show.plotly.pairs import pairs
from condped.show.plotly.panels import panels
from condped.show.plotly.parallel import parallel
from condped.show.plotly.slices import slices

__all__ = [
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
