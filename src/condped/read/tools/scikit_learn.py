"""Searches of scikit-learn (GridSearchCV and the like) by what they found, ``cv_results_``."""

from __future__ import annotations

from typing import Any

from condped.errors import DataError
from condped.read.frames import mappings
from condped.read.options import ReadOptions
from condped.trials.table import TrialTable


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return the configurations that a search has tried."""
    results = getattr(source, "cv_results_", None)
    if results is None:
        raise DataError(
            f"The {type(source).__name__} has no results yet. Call its fit(X, y) first."
        )
    return mappings.read(results, options)
