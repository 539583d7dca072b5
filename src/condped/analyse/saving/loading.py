"""Saved results, as they were: numbers, settings, account, evidence, intervals, densities."""

from __future__ import annotations

import math
import os
from typing import Any, get_type_hints

import numpy as np

from condped.analyse.importance.account import Account
from condped.analyse.importance.densities import Densities, may_be_good, regime_density
from condped.analyse.importance.evidence import Evidence, ParameterEvidence
from condped.analyse.importance.intervals import Bands, Uncertainty
from condped.analyse.importance.result import (
    ImportanceResult,
    ParameterImportance,
    ParameterIntervals,
    RegimeImportance,
    Status,
)
from condped.analyse.importance.sweep import SweepResult
from condped.analyse.saving.data import BANDS, NUMBERS, SCHEMA, SWEEP_SCHEMA
from condped.analyse.saving.files import read_result
from condped.analyse.saving.plain import rebuilt
from condped.arrays import FloatArray, IntArray
from condped.errors import CondpedError, DataError
from condped.estimate.settings import BaselineSettings, Settings


def load(path: str | os.PathLike[str]) -> ImportanceResult | SweepResult:
    """Return a result that was saved with its method ``save``.

    It equals the one that was saved, but does not know its trials: what needs them, such as
    ``robustness()``, says so.

    Parameters
    ----------
    path
        The file. What ``condped importance --json`` prints can be loaded, too, without densities.

    Examples
    --------
    >>> import condped, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "result.json"
    >>> result = condped.importance(condped.problems.get("nested").sample(200, seed=0))
    >>> result.save(file)
    >>> condped.load(file) == result
    True
    """
    data = read_result(path, (SCHEMA, SWEEP_SCHEMA))
    try:
        return _importance(data) if data["schema"] == SCHEMA else _sweep(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, CondpedError) as error:
        lacks = f"it lacks {error}" if type(error) is KeyError else str(error)
        raise DataError(
            f"{os.fspath(path)!r} is damaged: {lacks.rstrip('.')}. Save the result again."
        ) from None


def _importance(data: dict[str, Any]) -> ImportanceResult:
    parameters = tuple(_parameter(entry) for entry in data["parameters"])
    if len({parameter.name for parameter in parameters}) < len(parameters):
        raise DataError("a parameter stands in it twice")
    evidence = _evidence(data)
    densities = None if evidence is None else _densities(data, evidence)
    result = ImportanceResult(
        parameters=parameters,
        target_quantile=rebuilt(float | None, data["target_quantile"], "target_quantile"),
        target_size=rebuilt(int, data["target_size"], "target_size"),
        settings=_settings(data["settings"]),
        account=rebuilt(Account, data["account"], "account"),
        status=rebuilt(Status, data["status"], "status"),
        reason=rebuilt(str | None, data["reason"], "reason"),
        level=rebuilt(float | None, data["level"], "level"),
        find_evidence=None if evidence is None else lambda: evidence,
        find_densities=None if densities is None else lambda _: densities,
    )
    if evidence is not None:
        _ = result.evidence  # known from now on, whatever the number of trials
    return result


def _settings(entry: dict[str, Any]) -> Settings | BaselineSettings:
    kind = BaselineSettings if "absent" in entry else Settings
    found: Settings | BaselineSettings = rebuilt(kind, entry, "settings")
    return found


def _parameter(entry: dict[str, Any]) -> ParameterImportance:
    # Other methods lack some of the numbers.
    numbers = {
        name: math.nan if entry[name] is None else rebuilt(float, entry[name], name)
        for name in ("importance", "variance", "eta_squared", "within", "inter")
    }
    return ParameterImportance(
        name=rebuilt(str, entry["parameter"], "parameter"),
        **numbers,
        regimes=tuple(_regime(regime) for regime in entry["regimes"]),
        intervals=rebuilt(ParameterIntervals | None, entry["intervals"], "intervals"),
    )


def _regime(entry: dict[str, Any]) -> RegimeImportance:
    kinds = get_type_hints(RegimeImportance)
    return RegimeImportance(
        **{name: rebuilt(kind, entry[name], name) for name, kind in kinds.items()}
    )


def _evidence(data: dict[str, Any]) -> Evidence | None:
    """Return the evidence in the order of the space, if the result had any."""
    message = rebuilt(str | None, data["evidence"], "evidence")
    if message is None:
        return None
    by_name = {entry["parameter"]: entry for entry in data["parameters"]}
    verdict = get_type_hints(ParameterEvidence)["verdict"]
    parameters = tuple(
        ParameterEvidence(
            name=name,
            p_value=rebuilt(float, by_name[name]["p_value"], "p_value"),
            adjusted_p_value=rebuilt(float, by_name[name]["adjusted_p_value"], "p_value"),
            verdict=rebuilt(verdict, by_name[name]["verdict"], "verdict"),
            regimes=tuple(
                rebuilt(float, regime["p_value"], "p_value") for regime in by_name[name]["regimes"]
            ),
        )
        for name in rebuilt(tuple[str, ...], data["order"], "order")
    )
    if len(parameters) != len(by_name):
        raise DataError("order does not name its parameters")
    enough = any(parameter.verdict == "matters" for parameter in parameters)
    return Evidence(parameters, enough, message)


def _densities(data: dict[str, Any], evidence: Evidence) -> Densities | None:
    """Return the densities from the counts they were made of, if these were saved."""
    by_name = {entry["parameter"]: entry["regimes"] for entry in data["parameters"]}
    present = [r for regimes in by_name.values() for r in regimes if r["domain"] is not None]
    if any("target_cells" not in regime for regime in present):
        return None
    domain = get_type_hints(RegimeImportance)["domain"]
    return {
        tested.name: tuple(
            regime_density(
                rebuilt(domain, regime["domain"], "domain"),
                _counts(regime["target_cells"]),
                _counts(regime["region_cells"]),
                real=may_be_good(tested, p_value),
            )
            for regime, p_value in zip(by_name[tested.name], tested.regimes, strict=True)
            if regime["domain"] is not None
        )
        for tested in evidence
    }


def _counts(cells: Any) -> IntArray:
    return np.array(rebuilt(tuple[int, ...], cells, "cells"), dtype=np.int64)


def _sweep(data: dict[str, Any]) -> SweepResult:
    quantiles = _numbers(data["target_quantiles"], None)
    parameters, count = data["parameters"], len(quantiles)

    def table(*path: str) -> FloatArray:
        """Return (T, P) numbers that stand in the same place of each parameter's data."""
        columns = []
        for entry in parameters.values():
            found = entry
            for key in path:
                found = found[key]
            columns.append(_numbers(found, count))
        return np.array(columns).reshape(len(columns), count).T.copy()

    level = rebuilt(float | None, data["level"], "level")
    intervals = None
    if level is not None:
        bands = {
            number: Bands(*(table("intervals", number, end) for end in ("error", "low", "high")))
            for number in BANDS
        }
        intervals = Uncertainty(**bands)
    p_values = (
        table("p_value") if all("p_value" in entry for entry in parameters.values()) else None
    )
    reasons = rebuilt(tuple[str | None, ...], data["reasons"], "reasons")
    if len(reasons) != count:
        raise DataError("reasons must be as many as target_quantiles")
    sizes = rebuilt(tuple[int, ...], data["target_sizes"], "target_sizes")
    return SweepResult(
        names=tuple(parameters),
        target_quantiles=quantiles,
        **{number: table(number) for number in NUMBERS},
        target_sizes=np.array(sizes, dtype=np.int64),
        reasons=reasons,
        settings=_settings(data["settings"]),
        account=rebuilt(Account, data["account"], "account"),
        level=level,
        intervals=intervals,
        find_p_values=None if p_values is None else lambda: p_values,
    )


def _numbers(values: Any, count: int | None) -> FloatArray:
    found = np.array(rebuilt(tuple[float, ...], values, "numbers"), dtype=np.float64)
    if count is not None and len(found) != count:
        raise DataError(f"a list has {len(found)} numbers where there are {count} target quantiles")
    return found
