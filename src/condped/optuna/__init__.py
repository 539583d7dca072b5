"""For Optuna: an importance evaluator, its dashboard, a callback, samplers that use advice."""

from __future__ import annotations

from condped.errors import MissingLibraryError

try:
    from condped.optuna.advised_sampler import AdvisedSampler
    from condped.optuna.dashboard import save_note, save_report, save_to_dashboard
    from condped.optuna.evaluator import CondPedAnovaImportanceEvaluator
    from condped.optuna.informed_sampler import InformedSampler
    from condped.optuna.watch import Watch
except ModuleNotFoundError as error:
    if error.name != "optuna":
        raise  # Optuna is installed but broken: its own error says more
    raise MissingLibraryError(feature="condped.optuna", library="optuna", extra="optuna") from error

__all__ = [
    "AdvisedSampler",
    "CondPedAnovaImportanceEvaluator",
    "InformedSampler",
    "Watch",
    "save_note",
    "save_report",
    "save_to_dashboard",
]
