"""One result of every kind that is written as a document."""

from __future__ import annotations

from functools import cache
from typing import Any

import condped
from tests.show.cases import EQUAL, result


@cache
def results() -> dict[str, Any]:
    """Return results by what they are."""
    nested = condped.problems.get("nested")
    table, other = nested.sample(200, seed=0), nested.sample(200, seed=1)
    importance = condped.importance(table)
    past = condped.across([nested.sample(200, seed=seed) for seed in range(10)])
    return {
        "importance": importance,
        "hostile": result("hostile"),
        "sweep": condped.sweep(table, target_quantiles=[0.05, 0.1, 0.2]),
        "effects": importance.effects,
        "advice": condped.advise(table),
        "branches": condped.branches(table),
        "summary": condped.summary(table),
        "pairs": condped.joint_effects(table),
        "forecast": condped.forecast(table),
        "comparison": condped.compare(table, methods=["paper", "calibrated", "ped-anova"]),
        "across": condped.across({"a|b": table, "c_d": other}),
        "difference": condped.difference(table, other),
        "robustness": importance.robustness(),
        "sources": condped.sources(),
        "start": past.space(risk=0.1),
        "nothing narrowed": past.space(risk=0.01),
        "starts": past.starts(4),
        "prior": past.prior(),
        "undetermined": result("equal"),
        "no advice": condped.advise(EQUAL, objective="loss"),
        "too early": condped.forecast(nested.sample(10, seed=0)),
        "nothing": result("nothing"),
    }
