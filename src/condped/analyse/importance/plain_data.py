"""Importances as plain data for JSON, with what the evidence and the densities say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from condped.analyse.evidence.evidence import Evidence, plain_p
from condped.analyse.importance.estimates import ImportanceEstimates
from condped.analyse.importance.parameter import ParameterImportance
from condped.analyse.importance.ties import plain_tie, row_note

if TYPE_CHECKING:
    from condped.analyse.importance.result import ImportanceResult

# Of a result's rows.
COLUMNS = (
    "parameter",
    "importance",
    "variance",
    "eta_squared",
    "within",
    "inter",
    "importance_low",
    "importance_high",
    "joint_low",
    "joint_high",
    "p_value",
    "verdict",
    "reason",
    "regimes",
    "unattributed",
    "choosing",
    "note",
)


def readable(result: ImportanceResult, evidence: Evidence | None) -> dict[str, Any]:
    """Return a result's numbers for other programs; ``evidence`` may be None."""
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


def parameter_rows(result: ImportanceResult) -> Iterator[dict[str, Any]]:
    """Iterate over one flat record per parameter, with the evidence if it is ready."""
    evidence = result.ready_evidence
    for parameter in result.parameters:
        tested = None if evidence is None else evidence[parameter.name]
        gate = result.gate(parameter.name)
        yield parameter.row() | {
            "p_value": None if tested is None else plain_p(tested.p_value),
            "verdict": None if tested is None else tested.verdict,
            "reason": None if tested is None else tested.reason or None,
            "unattributed": result.unattributed,
            "choosing": None if gate is None else gate.choosing,
            "note": row_note(result.tie, parameter.eta_squared),
        }


def scores_of(result: ImportanceResult) -> ImportanceEstimates:
    """Return the numbers of a result that another method computed."""
    columns = ("importance", "variance", "eta_squared", "within", "inter")
    return ImportanceEstimates(
        names=result.names,
        **{name: np.array([[getattr(p, name) for p in result]]) for name in columns},
        unattributed=np.array([result.unattributed]),
        target_sizes=np.array([result.target_size]),
        reasons=(result.reason,),
    )


def _details(
    result: ImportanceResult, own: ParameterImportance, evidence: Evidence | None
) -> dict[str, Any]:
    """Return what is known about a parameter beyond its row."""
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
