"""Counts as plain data and back: integers in a text, runs of zeros as one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from condped.analyse.saving.plain import rebuilt
from condped.arrays import IntArray
from condped.count.counts import SMALLEST_REGIME, ParameterCounts, RegimeCounts, StudyCounts
from condped.errors import DataError
from condped.space.domain import Domain


def packed(counts: IntArray) -> str:
    """Return counts as a text; a number below 0 stands for so many zeros.

    Examples
    --------
    >>> packed(np.array([0, 0, 0, 12, 0, 3]))
    '-3 12 -1 3'
    """
    found: list[str] = []
    before = 0
    places = np.flatnonzero(counts)
    for place, count in zip(places.tolist(), counts[places].tolist(), strict=True):
        if place > before:
            found.append(str(before - place))
        found.append(str(count))
        before = place + 1
    if len(counts) > before:
        found.append(str(before - len(counts)))
    return " ".join(found)


def unpacked(text: str) -> IntArray:
    """Return the counts that :func:`packed` was given."""
    numbers = np.array(rebuilt(str, text, "counts").split(), dtype=np.int64)
    widths = np.where(numbers < 0, -numbers, 1)
    counts = np.zeros(int(widths.sum()), dtype=np.int64)
    counts[(np.cumsum(widths) - widths)[numbers > 0]] = numbers[numbers > 0]
    return counts


def saved_counts(counts: StudyCounts) -> list[dict[str, Any]]:
    """Return the counts of each parameter. The sets are nested: each adds little to the last."""
    return [
        {
            "name": parameter.name,
            "regimes": [
                {
                    "domain": regime.domain,
                    "region": packed(regime.region),
                    "target": packed(_added(regime.target)),
                }
                for regime in parameter.regimes
            ],
            "dropped": {
                "region": packed(parameter.dropped_region),
                "target": packed(_added(parameter.dropped_target)),
            },
        }
        for parameter in counts.parameters
    ]


def restored_counts(
    data: Sequence[dict[str, Any]], region_size: int, target_sizes: IntArray
) -> StudyCounts:
    """Return what :func:`saved_counts` was given."""
    sets = len(target_sizes)
    parameters = []
    for entry in data:
        region = unpacked(entry["dropped"]["region"])
        parameters.append(
            ParameterCounts(
                name=rebuilt(str, entry["name"], "name"),
                regimes=tuple(_regime(regime, sets) for regime in entry["regimes"]),
                dropped_region=region,
                dropped_target=_nested(entry["dropped"]["target"], (sets, len(region))),
            )
        )
    if len({parameter.name for parameter in parameters}) < len(parameters):
        raise DataError("a parameter stands in it twice")
    return StudyCounts(tuple(parameters), region_size, target_sizes)


def _regime(entry: dict[str, Any], sets: int) -> RegimeCounts:
    region = unpacked(entry["region"])
    if region.sum() < SMALLEST_REGIME:
        raise DataError("a regime has too few trials")
    domain = rebuilt(Domain | None, entry["domain"], "domain")
    return RegimeCounts(domain, region, _nested(entry["target"], (sets, len(region))))


def _added(target: IntArray) -> IntArray:
    return np.diff(target, axis=0, prepend=0).ravel()


def _nested(text: str, shape: tuple[int, int]) -> IntArray:
    counts = unpacked(text)
    if counts.size != shape[0] * shape[1]:
        raise DataError(f"{counts.size} counts stand where {shape[0] * shape[1]} must be")
    return np.cumsum(counts.reshape(shape), axis=0)
