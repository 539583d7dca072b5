"""Analyses as plain data: settings, counts, and what needed the trials.

Loading estimates again from the counts, with the same code.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields, replace
from typing import Any

import numpy as np

from condped.analyse.importance.account import Account
from condped.analyse.importance.analysis import Analysis
from condped.analyse.importance.estimates import ImportanceEstimates
from condped.analyse.importance.intervals import Bands, Uncertainty
from condped.analyse.importance.set_counts import SetCounts
from condped.analyse.saving.plain import rebuilt, survives
from condped.arrays import FloatArray, IntArray
from condped.count.counts import SMALLEST_REGIME, ParameterCounts, RegimeCounts, StudyCounts
from condped.errors import DataError
from condped.estimate.settings import BaselineSettings, Settings, check_level, check_target
from condped.read.expansion import check_cells
from condped.safe_text import brief
from condped.space.domain import Categorical, Domain
from condped.space.grid import MOST_CELLS

_SCORES = ("importance", "variance", "eta_squared")
_TESTS = ("p_values", "adjusted_p_values")
_MOST_COUNTS = 100_000_000
_COUNTS = ("grid", "unit_grid", "ranked", "unit_ranked")


def packed(counts: IntArray) -> str:
    """Return counts as a text; a negative number stands for that many zeros.

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


def unpacked(text: str, most: int = _MOST_COUNTS) -> IntArray:
    """Return the counts that :func:`packed` was given; raise if there are more than ``most``."""
    numbers = np.array(rebuilt(str, text, "counts").split(), dtype=np.int64)
    widths = np.where(numbers < 0, -numbers, 1)
    if widths.astype(np.float64).sum() > most or (widths < 1).any():
        raise DataError(f"counts stand for more than {most:,} cells")
    counts = np.zeros(int(widths.sum()), dtype=np.int64)
    counts[(np.cumsum(widths) - widths)[numbers > 0]] = numbers[numbers > 0]
    return counts


class Unpacking:
    """Unpacks the counts of one file, limiting their number in proportion to its length."""

    def __init__(self) -> None:
        self.cells = self.letters = 0

    def region(self, text: str, most: int) -> IntArray:
        """Return counts of the region set."""
        counts = unpacked(text, most)
        self._add(counts.size, text)
        return counts

    def target(self, text: str, shape: tuple[int, int]) -> IntArray:
        """Return counts of (target sets, cells)."""
        expected = shape[0] * shape[1]
        self._add(expected, text)
        counts = unpacked(text, expected)
        if counts.size != expected:
            raise DataError(f"expected {expected} counts, found {counts.size}")
        return np.cumsum(counts.reshape(shape), axis=0)

    def _add(self, cells: int, text: str) -> None:
        self.cells, self.letters = self.cells + cells, self.letters + len(text)
        check_cells(self.cells, self.letters, "its list of counts", "letters")


def saved_counts(counts: StudyCounts) -> list[dict[str, Any]]:
    """Return the counts of each parameter; as sets are nested, what each adds to the last."""
    return [
        {
            "name": parameter.name,
            "regimes": [
                {
                    "domain": regime.domain,
                    "region": packed(regime.region),
                    "target": packed(_added_by_set(regime.target)),
                }
                for regime in parameter.regimes
            ],
            "dropped": {
                "region": packed(parameter.dropped_region),
                "target": packed(_added_by_set(parameter.dropped_target)),
            },
        }
        for parameter in counts.parameters
    ]


def restored_counts(
    data: Sequence[dict[str, Any]],
    region_size: int,
    target_sizes: IntArray,
    unpacking: Unpacking,
) -> StudyCounts:
    """Return what :func:`saved_counts` was given."""
    sets = len(target_sizes)
    parameters = []
    for entry in data:
        dropped = rebuilt(str, entry["dropped"]["region"], "counts")
        region = unpacking.region(dropped, len(dropped))  # no zeros: each has a trial
        parameters.append(
            ParameterCounts(
                name=rebuilt(str, entry["name"], "name"),
                regimes=tuple(_regime(regime, sets, unpacking) for regime in entry["regimes"]),
                dropped_region=region,
                dropped_target=unpacking.target(entry["dropped"]["target"], (sets, len(region))),
            )
        )
    if len({parameter.name for parameter in parameters}) < len(parameters):
        raise DataError("a parameter appears twice")
    for parameter in parameters:
        _check_sums(parameter, region_size, target_sizes)
    return StudyCounts(tuple(parameters), region_size, target_sizes)


def _check_sums(counts: ParameterCounts, region_size: int, target_sizes: IntArray) -> None:
    """Raise unless each trial of each set is in one regime, and target sets in the region set."""
    regions = [*(regime.region for regime in counts.regimes), counts.dropped_region]
    targets = [*(regime.target for regime in counts.regimes), counts.dropped_target]
    inside = all((t <= r).all() for t, r in zip(targets, regions, strict=True))
    trials = sum(int(region.sum()) for region in regions)
    if trials != region_size or (sum(t.sum(axis=1) for t in targets) != target_sizes).any():
        raise DataError(
            f"the counts of {brief(counts.name)} do not add up to the sizes of the sets"
        )
    if not inside:
        raise DataError(f"{brief(counts.name)} has more trials in a target set than in the region")


def _regime(entry: dict[str, Any], sets: int, unpacking: Unpacking) -> RegimeCounts:
    domain = rebuilt(Domain | None, entry["domain"], "domain")
    choices = len(domain.choices) if isinstance(domain, Categorical) else 0
    region = unpacking.region(entry["region"], max(MOST_CELLS, choices))
    if region.sum() < SMALLEST_REGIME:
        raise DataError("a regime has too few trials")
    return RegimeCounts(domain, region, unpacking.target(entry["target"], (sets, len(region))))


def _added_by_set(target: IntArray) -> IntArray:
    return np.diff(target, axis=0, prepend=0).ravel()


def saved_analysis(
    analysis: Analysis, *, tests: bool = False, evidence: bool = False
) -> dict[str, Any]:
    """Return all that an analysis can be rebuilt from, including what needs the trials."""
    counts, needed = analysis.counts, analysis.needed(tests=tests, evidence=evidence)
    own = counts.by(analysis.settings.method)
    notes = (*analysis.account.notes, *_notes_on_choices(own))
    return {
        "settings": analysis.settings,
        "account": replace(analysis.account, notes=notes),
        "level": analysis.level,
        "counts": {
            "target_sizes": own.target_sizes,
            "all_equal": analysis.all_equal,
            **{name: saved_counts(getattr(counts, name)) for name in _COUNTS if name in needed},
        },
        "tests": {
            name: _without_nan(getattr(counts, name)) for name in needed if name not in _COUNTS
        },
        "bands": analysis.bands,
    }  # fmt: skip


def saved_scores(
    numbers: ImportanceEstimates, settings: BaselineSettings, account: Account
) -> dict[str, Any]:
    """Return the numbers of another method."""
    return {
        "settings": settings,
        "account": account,
        "level": None,
        "scores": {
            name: {number: getattr(numbers, number)[:, p] for number in _SCORES}
            for p, name in enumerate(numbers.names)
        },
        "target_sizes": numbers.target_sizes,
        "reasons": numbers.reasons,
    }


def restored_basis(data: Mapping[str, Any]) -> tuple[Settings | BaselineSettings, Account]:
    """Return the settings and the account."""
    kind = BaselineSettings if "absent" in data["settings"] else Settings
    settings = rebuilt(kind, data["settings"], "settings")
    account = rebuilt(Account, data["account"], "account")
    trials = account.trials
    if min(astuple(trials)) < 0 or not 0 <= account.region_size <= trials.used <= trials.total:
        raise DataError("its numbers of trials contradict each other")
    return settings, account


def restored_analysis(
    data: Mapping[str, Any],
    target_quantiles: tuple[float, ...] | None,
    settings: Settings,
    account: Account,
) -> Analysis:
    """Return an analysis without its trials."""
    for quantile in target_quantiles or ():
        check_target(quantile, settings.region_quantile)
    level = rebuilt(float | None, data["level"], "level")
    if level is not None:
        check_level(level)
    counts, tests = data["counts"], data["tests"]
    expected = 1 if target_quantiles is None else len(target_quantiles)
    sizes = _sizes(counts["target_sizes"], expected)
    unpacking = Unpacking()
    known: dict[str, Any] = {
        name: restored_counts(counts[name], account.region_size, sizes, unpacking)
        for name in _COUNTS
        if name in counts
    }
    own = known["ranked" if settings.method == "calibrated" else "grid"]
    shape = (expected, len(own.parameters))
    known |= {name: _p_values(tests[name], shape) for name in _TESTS if name in tests}
    if "bias" in tests:
        bias = tests["bias"]
        known["bias"] = None if bias is None else _matrix(bias, (len(bias), expected))
    if "regime_p_values" in tests:
        known["regime_p_values"] = _regime_p_values(tests["regime_p_values"], own, expected)
        for name in ("sampling", "remark"):
            known[name] = rebuilt(str, tests[name], name)
        known["looks"] = rebuilt(tuple[int, ...], tests["looks"], "looks")
    bands = data["bands"]
    found = Analysis(
        target_quantiles=target_quantiles,
        settings=settings,
        account=account,
        counts=SetCounts(None, known),
        all_equal=rebuilt(bool, counts["all_equal"], "all_equal"),
        bands=None if bands is None else _restored_bands(bands, shape),
        level=level,
    )
    _ = found.numbers  # raises if anything is missing
    return found


def restored_scores(data: Mapping[str, Any], target_sets: int) -> ImportanceEstimates:
    """Return the numbers of another method."""
    reasons = rebuilt(tuple[str | None, ...], data["reasons"], "reasons")
    entries = data["scores"]
    shape = (target_sets, len(entries))
    columns = {
        number: _matrix([entry[number] for entry in entries.values()], shape[::-1]).T.copy()
        for number in _SCORES
    }
    variance, explained = columns["variance"], columns["eta_squared"]
    if len(reasons) != target_sets:
        raise DataError(f"it has {len(reasons)} reasons for {target_sets} target sets")
    return ImportanceEstimates(
        names=tuple(entries),
        **columns,
        unattributed=np.zeros(target_sets),
        # A method without target sets has neither.
        within=np.where(np.isnan(explained), np.nan, variance),
        inter=np.where(np.isnan(explained), np.nan, 0.0),
        target_sizes=_sizes(data["target_sizes"], target_sets),
        reasons=reasons,
    )


def _restored_bands(data: Mapping[str, Any], shape: tuple[int, int]) -> Uncertainty:
    return Uncertainty(
        **{
            number.name: Bands(
                **{end.name: _matrix(data[number.name][end.name], shape) for end in fields(Bands)}
            )
            for number in fields(Uncertainty)
        }
    )


def _regime_p_values(data: Any, counts: StudyCounts, sets: int) -> list[list[FloatArray]]:
    found = [[_p_values([p], (1, sets))[0] for p in regimes] for regimes in data]
    expected = [len(parameter.regimes) for parameter in counts.parameters]
    if [len(regimes) for regimes in found] != expected:
        raise DataError("it has p-values of other regimes than those that were counted")
    return found


def _without_nan(found: Any) -> Any:
    """Return the results of a test, with None where nothing was testable."""
    if isinstance(found, np.ndarray):
        found = found.tolist()
    if isinstance(found, list):
        return [_without_nan(entry) for entry in found]
    return None if isinstance(found, float) and math.isnan(found) else found


def _p_values(values: Any, shape: tuple[int, int]) -> FloatArray:
    """Return p-values, with NaN for None."""
    found = _matrix([[math.nan if p is None else p for p in row] for row in values], shape)
    if (found < 0).any() or (found > 1).any():
        raise DataError("p-values must be from 0 to 1")
    return found


def _matrix(values: Any, shape: tuple[int, int]) -> FloatArray:
    rows = rebuilt(tuple[tuple[float, ...], ...], values, "numbers")
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        raise DataError(f"a list must have {shape[0]} times {shape[1]} numbers")
    return np.array(rows, dtype=np.float64).reshape(shape)


def _sizes(values: Any, expected: int) -> IntArray:
    sizes = np.array(rebuilt(tuple[int, ...], values, "target_sizes"), dtype=np.int64)
    if len(sizes) != expected:
        raise DataError(f"it has {len(sizes)} target_sizes for {expected} target sets")
    return sizes


def _notes_on_choices(counts: StudyCounts) -> list[str]:
    """Say which choices JSON cannot represent."""
    names = [
        parameter.name
        for parameter in counts.parameters
        for regime in parameter.regimes
        if isinstance(regime.domain, Categorical) and not all(map(survives, regime.domain.choices))
    ]
    return [
        f"{name!r} has choices that JSON cannot represent; they were saved as text."
        for name in dict.fromkeys(names)
    ]
