"""Results in a run of MLflow, Weights & Biases or Trackio."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from condped.analyse.result import Result, check_result
from condped.errors import SettingsError
from condped.show.trackers.entry import entry_of

# The module that logs, by the package that a run's type comes from.
_TRACKERS = {"mlflow": "mlflow_run", "wandb": "wandb_run", "trackio": "trackio_run"}


def log(result: Result, run: Any) -> None:
    """Log a result to a run of an experiment tracker.

    Importances become metrics, verdicts tags (MLflow), summary entries (W&B) or logged values
    (Trackio), the rows a table, and the whole result Markdown; the page of a :class:`Report`
    becomes an HTML file. Everything is under ``condped/``. Logging again replaces earlier entries
    where the tool allows it; metrics get another entry. The run stays open.

    Parameters
    ----------
    result
        Any result, such as those of :func:`condped.importance` and :func:`condped.report`.
    run
        The run that ``mlflow.start_run()``, ``MlflowClient.create_run()``, ``wandb.init()`` or
        ``trackio.init()`` returned; MLflow's is written through the current tracking URI.

    Examples
    --------
    >>> import condped
    >>> result = condped.importance(condped.problems.get("nested").sample(300, seed=0))
    >>> with mlflow.start_run() as run:  # doctest: +SKIP
    ...     condped.log(result, run)
    """
    check_result(result)
    packages = [base.__module__.partition(".")[0] for base in type(run).__mro__]
    tracker = next((package for package in packages if package in _TRACKERS), None)
    if tracker is None or not _is_run(run, tracker):
        raise SettingsError(
            "run must be a run of MLflow (mlflow.start_run()), Weights & Biases (wandb.init()) or "
            f"Trackio (trackio.init()) (got {type(run).__module__}.{type(run).__qualname__})."
        )
    # A run implies that its library is installed.
    tool = import_module(f"condped.show.trackers.{_TRACKERS[tracker]}")
    tool.log_entry(entry_of(result), run)


def _is_run(run: Any, tracker: str) -> bool:
    if tracker == "mlflow":
        return hasattr(getattr(run, "info", None), "run_id")
    return callable(getattr(run, "log", None))
