"""A sampler that starts where past studies were good."""

try:
    from condped.optuna import InformedSampler
except ModuleNotFoundError as error:
    if error.name != "condped":
        raise
    raise ImportError(
        "The OptunaHub package samplers/informed_sampler needs condped, which is not installed. "
        "Install it with: pip install 'condped[optuna]'."
    ) from error


__all__ = ["InformedSampler"]
