"""Search spaces: domains and conditions."""

from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Alternative, Space, when

__all__ = [
    "Alternative",
    "Categorical",
    "Condition",
    "Domain",
    "Float",
    "Int",
    "Space",
    "when",
]
