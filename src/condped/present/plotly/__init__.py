"""Pictures with plotly: each adds to the figure it is given, or to a new one, and returns it."""

from condped.present.plotly.bars import bars, breakdown, comparison
from condped.present.plotly.curves import curves, heat
from condped.present.plotly.page import FIGURE
from condped.present.plotly.panels import panels

__all__ = ["FIGURE", "bars", "breakdown", "comparison", "curves", "heat", "panels"]
