"""Reading: from whatever people have to a TrialTable."""

from condped.read.door import read
from condped.read.options import Reading

__all__ = ["Reading", "read"]
