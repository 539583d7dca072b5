"""For Optuna: an importance evaluator, its dashboard, samplers that use advice or the past."""

from __future__ import annotations

from condped.errors import MissingLibraryError

try:
    from condped.optuna.advised_sampler import AdvisedSampler
    from condped.optuna.dashboard import save_to_dashboard
    from condped.optuna.evaluator import CondPedAnovaImportanceEvaluator
    from condped.optuna.informed_sampler import InformedSampler
except ModuleNotFoundError as error:
    if error.name != "optuna":
        raise  # Optuna is there but broken: its own error says more
    raise MissingLibraryError(feature="condped.optuna", library="optuna", extra="optuna") from error

__all__ = [
    "AdvisedSampler",
    "CondPedAnovaImportanceEvaluator",
    "InformedSampler",
    "save_to_dashboard",
]
