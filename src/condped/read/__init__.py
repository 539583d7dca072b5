"""Reading: from whatever people have to a TrialTable."""

from condped.read.options import Reading, check_reading
from condped.read.read import read
from condped.read.registry import Reader

__all__ = ["Reader", "Reading", "check_reading", "read"]
