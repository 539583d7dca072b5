"""Reading: from whatever people have to a TrialTable."""

from condped.read.door import read

__all__ = ["read"]
