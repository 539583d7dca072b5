"""Effects in units of the objective, and some of the trials, in a page's format."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from condped.analyse.effects.bins import Bin, bins_of
from condped.analyse.effects.find import StudyTrials
from condped.analyse.effects.reached import LEVEL
from condped.analyse.effects.result import ValueGroup
from condped.analyse.effects.trials import (
    STATES,
    chosen_rows,
    trial_numbers,
    trial_states,
)
from condped.analyse.importance.analysis import Analysis
from condped.analyse.values import Good, is_good
from condped.arrays import BoolArray, IntArray, ValueArray
from condped.count.counts import ParameterCounts
from condped.count.ranking import ranked
from condped.space.domain import Categorical, Domain
from condped.trials.batch import Batch
from condped.trials.table import Parameter

_MOST_TRIALS = 500  # that a page draws individually
_MOST_DRAWN = 24  # parameters with the values of these trials
Goods = Mapping[int, Sequence[Good]]  # good values by step


class PageEffects:
    """What trials reached by the values of each parameter; made from trials in memory."""

    def __init__(self, analysis: Analysis, start: int) -> None:
        self._study = StudyTrials.of(analysis.at(start).counts, LEVEL)
        self._parameters = {one.name: one for one in self._study.table.parameters}

    def regime(self, name: str, domain: Domain | None, good: Goods) -> dict[str, Any]:
        """Return the bins of a regime, and at each step its good values against the others."""
        rows, values = self._regime(self._parameters[name], domain)
        if domain is None:
            return {"bins": [_group(self._study.group(Bin("", np.zeros(0, dtype=bool)), rows))]}
        bins = [(one, self._study.group(one, rows[one.rows])) for one in bins_of(domain, values)]
        contrasts: dict[str, Any] = {}
        known: dict[bytes, list[Any] | None] = {}
        for step, found in good.items():
            inside = is_good(domain, found, values)
            key = inside.tobytes()
            if key not in known:
                known[key] = self._contrast(rows, inside)
            contrasts[str(step)] = known[key]
        edges = None
        if not isinstance(domain, Categorical):
            edges = _numbers(np.array([bins[0][0].left, *(one.right for one, _ in bins)]))
        return {
            "edges": edges,
            "bins": [_group(group) for _, group in bins],
            "contrast": contrasts,
        }

    def _contrast(self, rows: IntArray, inside: BoolArray) -> list[Any] | None:
        """Return what trials inside and outside reached, and how those of the same time differ."""
        within, others = rows[inside], rows[~inside]
        if not len(within) or not len(others):
            return None
        same_time = self._study.same_time(within, others)
        return [
            *(_group(self._study.group(Bin("", inside), some)) for some in (within, others)),
            [
                [one.pairs, *map(short_number, (one.better, one.tied, one.difference))]
                for one in same_time
            ],
        ]

    def _regime(self, parameter: Parameter, domain: Domain | None) -> tuple[IntArray, ValueArray]:
        """Return the trials of a regime that have an objective, and their values."""
        place = -1 if domain is None else parameter.domains.index(domain)
        ids = np.broadcast_to(parameter.domain_ids, len(self._study.table))[self._study.rows]
        rows = self._study.rows[ids == place]
        return rows, parameter.values[rows]

    def sample(self, analysis: Analysis, parameters: Sequence[ParameterCounts]) -> dict[str, Any]:
        """Return some of the trials: what each tried and reached, and how good it is.

        ``steps`` is the first step of the slider at which a trial is in the target set.
        """
        table = self._study.table
        states = trial_states(table)
        ended = states != STATES.index("running")
        rows = chosen_rows(ended, self._study.target, _MOST_TRIALS)
        # What a failed trial recorded, if anything, is not a result.
        failed = states[rows] == STATES.index("failed")
        reached = [np.where(failed, np.nan, one.values[rows]) for one in table.objectives]
        highest = analysis.numbers.importance.max(axis=0, initial=0.0)
        drawn = sorted(range(len(parameters)), key=lambda place: -highest[place])[:_MOST_DRAWN]
        own = {parameters[place].name: str(place) for place in drawn}
        values, regimes = {}, {}
        for one in parameters:
            if one.name in own:
                regimes[own[one.name]], values[own[one.name]] = self._regimes_and_values(one, rows)
        return {
            "of": int(np.count_nonzero(ended)),
            "numbers": trial_numbers(table)[rows],
            "states": "".join(STATES[state][0] for state in states[rows].tolist()),
            "steps": _first_steps(analysis, rows),
            "objectives": [_numbers(values, 6) for values in reached],
            "values": values,
            "regimes": regimes,
        }

    def _regimes_and_values(
        self, counted: ParameterCounts, rows: IntArray
    ) -> tuple[list[int], list[float | None]]:
        """Return each trial's regime, by its place on the page (-1: none), and its value."""
        parameter = self._parameters[counted.name]
        known = [regime.domain for regime in counted.regimes]
        places = np.array([known.index(d) if d in known else -1 for d in parameter.domains] + [-1])
        ids = np.broadcast_to(parameter.domain_ids, len(self._study.table))[rows]
        values = np.where(ids < 0, np.nan, parameter.values[rows])
        return places[ids].tolist(), _numbers(values)


def _first_steps(analysis: Analysis, rows: IntArray) -> list[int | None]:
    """Return the first target set that each trial is in; None if it is in none."""
    sets = analysis.counts.trials
    assert sets is not None
    batch = Batch(sets.raw.table("A page"))
    levels = ranked(batch, sets.top.ranking).levels[rows]
    _, region, _ = sets.top.members(batch)
    first = np.searchsorted(sets.top.cutoffs, levels)
    inside = region[rows] & (first < len(sets.top.cutoffs))
    return [step if found else None for step, found in zip(first.tolist(), inside, strict=True)]


def _group(group: ValueGroup) -> list[Any]:
    """Return how many trials there are, then median, its interval and the best per objective."""
    return [
        group.trials,
        *(
            [
                short_number(one.median),
                short_number(one.median_low),
                short_number(one.median_high),
                short_number(one.best),
            ]
            for one in group.reached
        ),
    ]


def short_number(value: float | None) -> float | None:
    """Round a number to as many digits as a page shows."""
    return None if value is None else float(f"{value:.5g}")


def _numbers(values: ValueArray, digits: int = 4) -> list[float | None]:
    """Round numbers to a few digits, keeping whole ones; None for those that are not finite."""
    found: list[float | None] = []
    for value in values.tolist():
        whole = math.isfinite(value) and value == int(value)
        known = None if not math.isfinite(value) else float(f"{value:.{digits}g}")
        found.append(int(value) if whole else known)
    return found
