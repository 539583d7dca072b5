"""Importances as plain data for JSON, with what the evidence and the densities say."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from condped.analyse.evidence.evidence import Evidence, plain_p
from condped.analyse.importance.parameter import ParameterImportance
from condped.analyse.importance.ties import plain_tie

if TYPE_CHECKING:
    from condped.analyse.importance.result import ImportanceResult


def readable(result: ImportanceResult, evidence: Evidence | None) -> dict[str, Any]:
    """Return what other programs read of a result; without evidence if that is None."""
    return {
        "status": result.status,
        "reason": result.reason,
        "target_size": result.target_size,
        "tie": plain_tie(result.tie),
        "unattributed": result.unattributed,
        "evidence": None if evidence is None else evidence.message,
        "sampling": None if evidence is None else evidence.sampling or None,
        "parameters": [
            row | _details(result, parameter, evidence)
            for row, parameter in zip(result.rows(), result.parameters, strict=True)
        ],
    }


def _details(
    result: ImportanceResult, own: ParameterImportance, evidence: Evidence | None
) -> dict[str, Any]:
    """Return what is known of a parameter beyond its row."""
    regimes = [one.row(result.condition(own.name, one.domain)) for one in own.regimes]
    if evidence is not None:
        present = iter(result.densities[own.name])
        for row, p_value in zip(regimes, evidence[own.name].regimes, strict=True):
            row["p_value"] = plain_p(p_value)
            if row["domain"] is not None:
                row["good"] = [asdict(one) | {"lift": one.lift} for one in next(present).good]
    tested = None if evidence is None else evidence[own.name]
    return {
        "adjusted_p_value": None if tested is None else plain_p(tested.adjusted_p_value),
        "intervals": None if own.intervals is None else asdict(own.intervals),
        "regimes": regimes,
    }
