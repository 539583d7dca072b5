"""From the numbers of single studies to what they have in common and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from condped.analyse.across.result import Agreement, PooledParameter, StudyImportance
from condped.analyse.across.study import StudyNumbers
from condped.analyse.evidence.evidence import plain_p
from condped.estimate.calibrated_estimator import FALSE_DISCOVERIES
from condped.estimate.independence_test import adjusted
from condped.estimate.statistics.pooling import Spread, holm, mean_of, odd_p_values, spread_of

ODD = 0.05  # chance of naming any study as odd where none is


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """One parameter in the studies that tell something about it."""

    name: str
    cells: tuple[StudyImportance, ...]
    spread: Spread


def pooled(
    studies: Sequence[StudyNumbers], cells: Sequence[StudyImportance], level: float
) -> tuple[tuple[PooledParameter, ...], tuple[StudyImportance, ...]]:
    """Return the parameters over all studies, and the cells with those marked that are odd."""
    told = {study.name for study in studies if study.result.status == "ok"}
    names = list(dict.fromkeys(cell.parameter for cell in cells))
    every = [
        _compared(name, [c for c in cells if c.parameter == name and c.study in told])
        for name in names
    ]
    marked = _odd_ones(every, cells)
    agreement = _agreements(every)
    found = [
        _pooled(one, agreement[one.name], marked, studies, level) for one in every if one.cells
    ]
    found.sort(key=lambda parameter: -parameter.importance)
    return tuple(found), marked


def _compared(name: str, cells: Sequence[StudyImportance]) -> _Compared:
    values, errors = _comparable(cells)
    return _Compared(name, tuple(cells), spread_of(values, errors))


def _comparable(cells: Sequence[StudyImportance]) -> tuple[np.ndarray, np.ndarray]:
    """Return what a parameter explains in studies that know its error, and those errors."""
    known = [(c.explained, c.error) for c in cells if _known(c)]
    return np.array([k[0] for k in known], dtype=float), np.array(
        [k[1] for k in known], dtype=float
    )


def _known(cell: StudyImportance) -> bool:
    return cell.explained is not None and cell.error is not None and cell.error > 0


def _agreements(every: Sequence[_Compared]) -> dict[str, tuple[float | None, Agreement]]:
    """Return the p-value and the verdict on the spread of each parameter."""
    p_values = np.array([one.spread.p_value for one in every])
    corrected = adjusted(p_values) if len(p_values) else p_values
    found: dict[str, tuple[float | None, Agreement]] = {}
    for one, p_value, fair in zip(every, p_values, corrected, strict=True):
        verdict: Agreement = "no evidence" if np.isfinite(p_value) else "not testable"
        if fair <= FALSE_DISCOVERIES / 2:
            verdict = "differs"
        found[one.name] = plain_p(float(p_value)), verdict
    return found


def _odd_ones(
    every: Sequence[_Compared], cells: Sequence[StudyImportance]
) -> tuple[StudyImportance, ...]:
    """Return the cells with those marked that are unlike the other studies."""
    places: list[tuple[str, str]] = []
    p_values: list[float] = []
    for one in every:
        known = [cell for cell in one.cells if _known(cell)]
        values, errors = _comparable(known)
        places += [(cell.parameter, cell.study) for cell in known]
        p_values += odd_p_values(values, errors).tolist()
    fair = dict(zip(places, holm(np.array(p_values)).tolist(), strict=True))
    return tuple(
        replace(cell, odd=p_value <= ODD, odd_p_value=plain_p(p_value))
        for cell in cells
        for p_value in (fair.get((cell.parameter, cell.study), np.nan),)
    )


def _pooled(
    one: _Compared,
    agreement: tuple[float | None, Agreement],
    marked: Sequence[StudyImportance],
    studies: Sequence[StudyNumbers],
    level: float,
) -> PooledParameter:
    importances = np.array([cell.importance for cell in one.cells])
    by_name = {study.name: study for study in studies}
    errors = np.array([_importance_error(cell, by_name[cell.study]) for cell in one.cells])
    mean = mean_of(importances, errors, level)
    explained = [cell.explained for cell in one.cells if cell.explained is not None]
    domains = (by_name[cell.study].domains.get(one.name, "") for cell in one.cells)
    labels = tuple(dict.fromkeys(domains))
    if len(one.cells) == 1:  # its own interval, as the study has it
        (cell,) = one.cells
        low = mean.value if cell.low is None else cell.low
        high = mean.value if cell.high is None else cell.high
    else:
        low, high = max(0.0, mean.low), min(1.0, mean.high)
    p_value, verdict = agreement
    return PooledParameter(
        name=one.name,
        studies=len(one.cells),
        importance=mean.value,
        low=low,
        high=high,
        explained=float(np.mean(explained)) if explained else 0.0,
        spread=one.spread.deviation,
        spread_p_value=p_value,
        agreement=verdict,
        matters_in=sum(cell.verdict == "matters" for cell in one.cells),
        odd=tuple(cell.study for cell in marked if cell.odd and cell.parameter == one.name),
        domains=labels if len(labels) > 1 else (),
    )


def _importance_error(cell: StudyImportance, own: StudyNumbers) -> float:
    intervals = own.result[cell.parameter].intervals
    return 0.0 if intervals is None else intervals.importance.standard_error
