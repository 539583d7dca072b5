"""A callback that tells which hyperparameters matter while a study runs."""

try:
    from condped.optuna import Watch
except ModuleNotFoundError as error:
    if error.name != "condped":
        raise
    raise ImportError(
        "The OptunaHub package callbacks/watch_importances needs condped, which is not installed. "
        "Install it with: pip install 'condped[optuna]'."
    ) from error


__all__ = ["Watch"]
