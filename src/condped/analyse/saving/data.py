"""Results as plain data for JSON, under schemas with versions."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from condped.analyse.saving.plain import plain, survives
from condped.space.domain import Categorical

if TYPE_CHECKING:
    from condped.analyse.importance.densities import Densities, RegimeDensity
    from condped.analyse.importance.result import ImportanceResult, ParameterImportance
    from condped.analyse.importance.sweep import SweepResult

SCHEMA = "condped.importance/1"
SWEEP_SCHEMA = "condped.sweep/1"
NUMBERS = ("importance", "variance", "eta_squared", "within", "inter")  # of a parameter
BANDS = ("importance", "variance", "eta_squared")  # those with intervals


def result_data(result: ImportanceResult, *, counts: bool = False) -> dict[str, Any]:
    """Return a result as plain data; ``counts`` adds what its densities are made of."""
    tested = result.quickly_tested or (counts and result.find_evidence is not None)
    densities = result.densities if tested and result.find_densities is not None else None
    evidence = result.evidence if tested else None
    by_parameter: dict[str, list[dict[str, Any]]] = {name: [] for name in result.names}
    for row in result.regime_rows():
        by_parameter[row.pop("parameter")].append(row)
    if densities is not None:
        for parameter in result.parameters:
            _add_densities(by_parameter[parameter.name], parameter, densities, counts)
    if evidence is not None:
        for one in evidence:
            for row, p_value in zip(by_parameter[one.name], one.regimes, strict=True):
                row["p_value"] = p_value
    data = {
        "schema": SCHEMA,
        "status": result.status,
        "reason": result.reason,
        "target_quantile": result.target_quantile,
        "target_size": result.target_size,
        "settings": asdict(result.settings),
        "level": result.level,
        "evidence": None if evidence is None else evidence.message,
        # Of the space; parameters below come with the most important first.
        "order": None if evidence is None else [one.name for one in evidence],
        "parameters": [
            {
                **row,
                "adjusted_p_value": None if evidence is None else evidence[p.name].adjusted_p_value,
                "intervals": None if p.intervals is None else asdict(p.intervals),
                "regimes": by_parameter[p.name],
            }
            for row, p in zip(result.rows(), result.parameters, strict=True)
        ],
        "account": asdict(result.account) | {"notes": [*result.account.notes, *_changed(result)]},
    }
    return dict(plain(data))


def _add_densities(
    rows: list[dict[str, Any]], parameter: ParameterImportance, densities: Densities, counts: bool
) -> None:
    present = iter(densities[parameter.name])
    for row, regime in zip(rows, parameter.regimes, strict=True):
        if regime.domain is not None:
            row.update(_density(next(present), counts))


def _density(density: RegimeDensity, counts: bool) -> dict[str, Any]:
    good = [asdict(entry) | {"lift": entry.lift} for entry in density.good]
    if not counts:
        return {"good": good}
    return {"good": good, "target_cells": density.target, "region_cells": density.region}


def _changed(result: ImportanceResult) -> list[str]:
    """Say which choices JSON cannot hold as they are."""
    names = [
        parameter.name
        for parameter in result.parameters
        for regime in parameter.regimes
        if isinstance(regime.domain, Categorical) and not all(map(survives, regime.domain.choices))
    ]
    return [
        f"{name!r} has choices that JSON does not know; they were saved as texts."
        for name in dict.fromkeys(names)
    ]


def sweep_data(curve: SweepResult) -> dict[str, Any]:
    """Return a sweep as plain data, its p-values included if they were found."""
    p_values = curve.__dict__.get("p_values")
    data = {
        "schema": SWEEP_SCHEMA,
        "status": curve.status,
        "reason": curve.reason,
        "settings": asdict(curve.settings),
        "level": curve.level,
        "target_quantiles": curve.target_quantiles.tolist(),
        "target_sizes": curve.target_sizes.tolist(),
        "determined": curve.determined.tolist(),
        "reasons": curve.reasons,
        "parameters": {
            name: {
                **{number: getattr(curve, number)[:, p].tolist() for number in NUMBERS},
                **_bands_of(curve, p),
                **({} if p_values is None else {"p_value": p_values[:, p].tolist()}),
            }
            for p, name in enumerate(curve.names)
        },
        "account": asdict(curve.account),
    }
    return dict(plain(data))


def _bands_of(curve: SweepResult, place: int) -> dict[str, Any]:
    """Return one parameter's intervals as plain data."""
    if curve.intervals is None:
        return {}
    return {
        "intervals": {
            number: {
                end: getattr(getattr(curve.intervals, number), end)[:, place].tolist()
                for end in ("low", "high", "error")
            }
            for number in BANDS
        }
    }
