"""Several methods on the same trials, side by side."""

from condped.comparison.compare import NAMES, Comparison, compare

__all__ = ["NAMES", "Comparison", "compare"]
