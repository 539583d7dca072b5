"""Reading: from whatever people have to a TrialTable."""

from condped.read.door import read
from condped.read.options import Reading, check_reading

__all__ = ["Reading", "check_reading", "read"]
