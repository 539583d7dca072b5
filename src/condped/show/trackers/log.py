"""Results in a run of MLflow, Weights & Biases or Trackio."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from condped.analyse.result import Result
from condped.errors import SettingsError
from condped.show.trackers.entry import entry_of

# The module that logs, by the package that a run's type comes from.
_TRACKERS = {"mlflow": "mlflow_run", "wandb": "wandb_run", "trackio": "trackio_run"}


def log(result: Result, run: Any) -> None:
    """Put a result into a run of an experiment tracker.

    Importances become metrics, verdicts tags (MLflow) or entries of the summary, the rows a table,
    and all of it Markdown; the page of a :class:`Report` becomes an HTML file. Everything is under
    ``condped/``. Logging again replaces what is there, where the tool allows it; metrics get
    another entry. The run is not ended.

    Parameters
    ----------
    result
        Any result, such as those of :func:`condped.importance` and :func:`condped.report`.
    run
        What ``mlflow.start_run()`` or ``MlflowClient.create_run()`` returns (written through
        MLflow's current tracking URI), ``wandb.init()`` or ``trackio.init()``.

    Examples
    --------
    >>> import condped
    >>> result = condped.importance(condped.problems.get("nested").sample(300, seed=0))
    >>> with mlflow.start_run() as run:  # doctest: +SKIP
    ...     condped.log(result, run)
    """
    if not isinstance(result, Result):
        raise SettingsError(
            "result must be a result of condped, such as condped.importance(study) (got "
            f"{type(result).__name__})."
        )
    packages = [base.__module__.partition(".")[0] for base in type(run).__mro__]
    tracker = next((package for package in packages if package in _TRACKERS), None)
    if tracker is None or not _is_run(run, tracker):
        raise SettingsError(
            "run must be a run of MLflow (mlflow.start_run()), Weights & Biases (wandb.init()) or "
            f"Trackio (trackio.init()) (got {type(run).__module__}.{type(run).__qualname__})."
        )
    # Who has a run has its library, too.
    tool = import_module(f"condped.show.trackers.{_TRACKERS[tracker]}")
    tool.log_entry(entry_of(result), run)


def _is_run(run: Any, tracker: str) -> bool:
    if tracker == "mlflow":
        return hasattr(getattr(run, "info", None), "run_id")
    return callable(getattr(run, "log", None))
