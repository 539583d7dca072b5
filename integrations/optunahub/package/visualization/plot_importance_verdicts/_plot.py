from __future__ import annotations

from typing import Any
from typing import TYPE_CHECKING

import optuna


try:
    import condped
except ModuleNotFoundError as error:
    if error.name != "condped":
        raise
    raise ImportError(
        "The OptunaHub package visualization/plot_importance_verdicts needs condped, which is not "
        "installed. Install it with: pip install 'condped[optuna,plotly]'."
    ) from error

if TYPE_CHECKING:
    import plotly.graph_objects as go


def plot_importance_verdicts(
    study: optuna.Study,
    params: list[str] | None = None,
    *,
    target_quantile: float = 0.1,
    **options: Any,
) -> go.Figure:
    """Plot hyperparameter importances with a verdict on each.

    Args:
        study:
            The study whose trials are analysed.
        params:
            Names of the parameters to include. All if not given.
        target_quantile:
            The share of the trials that counts as good.
        **options:
            Passed to ``condped.importance``.

    Returns:
        A Plotly figure: one bar per parameter, labelled with its importance and its verdict.
    """
    result = condped.importance(
        study, target_quantile=target_quantile, parameters=params, **options
    )
    return condped.plot.importance(result)
