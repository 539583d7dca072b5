"""Conditional problems whose importances are known exactly."""

from condped.problems.catalogue import get, names
from condped.problems.truth import Truth

__all__ = ["Truth", "get", "names"]
