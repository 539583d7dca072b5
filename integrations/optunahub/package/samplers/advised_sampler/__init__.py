"""A sampler that narrows the search space where the trials give evidence for it."""

try:
    from condped.optuna import AdvisedSampler
except ModuleNotFoundError as error:
    if error.name != "condped":
        raise
    raise ImportError(
        "The OptunaHub package samplers/advised_sampler needs condped, which is not installed. "
        "Install it with: pip install 'condped[optuna]'."
    ) from error


__all__ = ["AdvisedSampler"]
