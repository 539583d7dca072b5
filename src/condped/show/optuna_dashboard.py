"""Charts in optuna-dashboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from optuna_dashboard import save_plotly_graph_object

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from optuna.study import Study


def save_figures(study: Study, figures: Mapping[str, go.Figure]) -> None:
    """Put figures on the study's page, each under its id; one that is there is replaced."""
    for name, figure in figures.items():
        save_plotly_graph_object(study, figure, graph_object_id=name)
