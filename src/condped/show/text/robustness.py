"""How the ranking moves, as text: a column per parameter, a row per other choice."""

from __future__ import annotations

from condped.analyse.robustness import Robustness
from condped.safe_text import shortened
from condped.show.text.layout import table_lines

_SHOWN = 8  # parameters


def robustness_text(found: Robustness) -> str:
    """Return the importances under each choice, and whether they tell the same story."""
    names = list(found.importances)[:_SHOWN]
    header = ("", *(shortened(name, 14) for name in names), "τ")
    rows = [("as asked", *(f"{found.importances[name]:.2f}" for name in names), "")]
    rows += [
        (
            v.choice,
            *(f"{v.importances[name]:.2f}" for name in names),
            "?" if v.agreement is None else f"{v.agreement:.2f}",
        )
        for v in found.variants
    ]
    verdict = (
        "Stable: the same parameter is first everywhere, and the rankings agree."
        if found.stable
        else "Fragile: other choices give another answer, or none."
    )
    return "\n".join([*table_lines(header, rows, right=set(range(1, len(header)))), "", verdict])
