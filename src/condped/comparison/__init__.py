"""What each method says of the same trials, side by side."""

from condped.comparison.compare import NAMES, compare
from condped.comparison.result import Comparison

__all__ = ["NAMES", "Comparison", "compare"]
