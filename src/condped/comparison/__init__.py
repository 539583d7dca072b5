"""What each method says of the same trials, side by side."""

from condped.comparison.result import Comparison
from condped.comparison.run import NAMES, compare

__all__ = ["NAMES", "Comparison", "compare"]
