"""Charts in optuna-dashboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optuna_dashboard import save_plotly_graph_object

from condped.show.plotly.cards import charts_of

if TYPE_CHECKING:
    from optuna.study import Study

    from condped.analyse.importance.result import ImportanceResult
    from condped.analyse.importance.sweep import SweepResult


def save_charts(study: Study, result: ImportanceResult | SweepResult, name: str) -> tuple[str, ...]:
    """Put charts on the study's page and return their ids; those that are there are replaced."""
    charts = {f"{name}-{picture}": chart for picture, chart in charts_of(result).items()}
    for identifier, figure in charts.items():
        save_plotly_graph_object(study, figure, graph_object_id=identifier)
    return tuple(charts)
