"""Search spaces: domains, conditions, and how to write them down."""

from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.load import load_space
from condped.space.spec import Alternative, Space, when

__all__ = [
    "Alternative",
    "Categorical",
    "Condition",
    "Domain",
    "Float",
    "Int",
    "Space",
    "load_space",
    "when",
]
