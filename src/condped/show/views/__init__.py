"""What a picture shows, decided once for every library that draws it: one file per picture."""

from condped.show.views.bars import MOST_BARS, Bar, BarsView, bars_view
from condped.show.views.breakdown import Breakdown, BreakdownView, Part, breakdown_view
from condped.show.views.comparison import (
    MOST_RESULTS,
    ComparisonView,
    Series,
    comparison_view,
)
from condped.show.views.curves import MOST_CURVES, Curve, CurvesView, curves_view
from condped.show.views.heat import HeatView, heat_view
from condped.show.views.joint import JointView, joint_view
from condped.show.views.panels import MOST_PANELS, Panel, PanelsView, Span, panels_view

__all__ = [
    "MOST_BARS",
    "MOST_CURVES",
    "MOST_PANELS",
    "MOST_RESULTS",
    "Bar",
    "BarsView",
    "Breakdown",
    "BreakdownView",
    "ComparisonView",
    "Curve",
    "CurvesView",
    "HeatView",
    "JointView",
    "Panel",
    "PanelsView",
    "Part",
    "Series",
    "Span",
    "bars_view",
    "breakdown_view",
    "comparison_view",
    "curves_view",
    "heat_view",
    "joint_view",
    "panels_view",
]
