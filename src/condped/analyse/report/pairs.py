"""Pairs of parameters that act together, in a page's format."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from condped.analyse.importance.result import ImportanceResult
from condped.analyse.joint_effects import FEWEST, JointEffect, joint_effects
from condped.analyse.report.effects import short_number
from condped.trials.table import TrialTable

_MOST_PARAMETERS = 24  # whose pairs are analysed
_MOST_PAIRS = 6  # that are drawn
_MOST_NAMED = 6  # of those without evidence


def pairs_data(table: TrialTable | None, result: ImportanceResult) -> dict[str, Any] | None:
    """Return the pairs that matter or may, with their trials; None if nothing can be tested.

    If there are many parameters, only the most important ones are paired.
    """
    quantile = result.target_quantile
    if table is None or quantile is None or result.account.region_size < FEWEST:
        return None
    names = [name for name in result.names if name in table.names][:_MOST_PARAMETERS]
    if len(names) < 2:
        return None
    some = table if len(names) == len(table.names) else table.with_parameters(names)
    handling = asdict(result.account.handling)
    found = joint_effects(some, target_quantile=quantile, **handling)
    drawn = [one for one in found if one.verdict in ("matters", "unclear") and one.cells]
    drawn.sort(key=lambda one: one.verdict != "matters")
    return {
        "tested": sum(one.verdict != "not testable" for one in found),
        "of": len(found),
        "parameters": len(names),
        "sampling": found.sampling,
        "nothing": [one.parameters for one in found if one.verdict == "no evidence"][:_MOST_NAMED],
        "pairs": [_pair(one) for one in drawn[:_MOST_PAIRS]],
    }


def _pair(effect: JointEffect) -> dict[str, Any]:
    return {
        "names": effect.parameters,
        "verdict": effect.verdict,
        "p": None if effect.p_value is None else float(f"{effect.p_value:.3g}"),
        "eta": round(effect.eta_squared, 4),
        "trials": effect.trials,
        "regimes": [
            {
                "axes": [_axis(asdict(axis)) for axis in (cells.first, cells.second)],
                "target": cells.target,
                "region": cells.region,
            }
            for cells in effect.cells
        ],
    }


def _axis(axis: dict[str, Any]) -> dict[str, Any]:
    edges = axis["edges"]
    return axis | {"edges": None if edges is None else [short_number(edge) for edge in edges]}
