"""Charts of results in optuna-dashboard."""

from __future__ import annotations

import re

from optuna.study import Study

from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.sweep import SweepResult
from condped.errors import SettingsError
from condped.optional import load_optional

_CHART_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def save_to_dashboard(
    study: Study, result: ImportanceResult | SweepResult, *, name: str = "condped"
) -> tuple[str, ...]:
    """Put the charts of a result into optuna-dashboard, on the study's page.

    Saving again under the same name replaces them. The study's trials are not touched.

    Parameters
    ----------
    study
        A study in a storage that the dashboard shows.
    result
        What :func:`condped.importance` or :func:`condped.sweep` returned.
    name
        The beginning of the charts' ids: a letter, then letters, digits, ``-`` and ``_``.

    Returns
    -------
    The charts' ids.

    Examples
    --------
    >>> import condped, optuna
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=50)
    >>> save_to_dashboard(study, condped.importance(study))  # doctest: +SKIP
    ('condped-importance', 'condped-regimes', 'condped-densities')
    """
    if not isinstance(name, str) or not _CHART_NAME.fullmatch(name):
        raise SettingsError(
            f"name must be a letter, then letters, digits, '-' and '_' (got {name!r})."
        )
    dashboard = load_optional(
        "condped.show.optuna_dashboard",
        feature="save_to_dashboard",
        library="optuna_dashboard",
        extra="dashboard",
    )
    if not isinstance(result, ImportanceResult | SweepResult):
        raise SettingsError(
            f"result must come from condped.importance or condped.sweep (got "
            f"{type(result).__name__})."
        )
    charts: tuple[str, ...] = dashboard.save_charts(study, result, name)
    return charts
