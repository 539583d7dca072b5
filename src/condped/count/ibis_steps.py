"""Numbers between the steps of their domain, found as the reader in memory finds them."""

from __future__ import annotations

import ibis.expr.types as ir

from condped.count.ibis_trees import EXACT, real, whole
from condped.space.domain import Int, Numeric

_SLACK = 1e-6  # of a step


def between_steps(value: ir.Value, domain: Numeric) -> ir.BooleanValue | None:
    """Return where a number is between two steps; None for a domain that takes all numbers."""
    if domain.step is None or (isinstance(domain, Int) and domain.step == 1):
        return None
    if value.type().is_integer() and isinstance(domain, Int):
        apart = (value.cast("int64") - whole(domain.low)).cast("float64")
    else:
        apart = value.cast("float64") - real(domain.low)
    steps = apart / real(domain.step)
    # Beyond, every float is whole; and rounding would overflow there.
    inside = (steps > real(-EXACT)) & (steps < real(EXACT))
    under = (steps - steps.floor().cast("float64")) > real(_SLACK)
    over = (steps.ceil().cast("float64") - steps) > real(_SLACK)
    return inside.ifelse(under & over, False)
