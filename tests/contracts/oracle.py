"""What every source must lead to, from the trials in memory and one plain loop over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

import condped
from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.count.cells.cell_counts import grid_places
from condped.count.counter import Query
from condped.count.order_statistics.bins import Levels
from condped.count.order_statistics.keys import KeyBins, group_of, keys_of
from condped.count.order_statistics.series import Groups, Series
from condped.space.domain import Categorical
from condped.space.grid import grid_of
from condped.trials.regimes import expand_parameter
from condped.trials.table import Parameter, State, TrialTable
from condped.trials.used_trials import Handling, TrialCounts
from condped.trials.where import columns_of
from tests.contracts.case import Case

Made = TypeVar("Made")


def read(case: Case) -> TrialTable:
    """Read a case's table into memory, in its order of time."""
    return _read(case.table, case, case.objective)


def _read(table: pa.Table, case: Case, objective: str) -> TrialTable:
    if case.order is not None:
        table = table.take(pa.compute.sort_indices(table[case.order]))
    return condped.read(table, **{**case.options, "objective": objective, "order": None})


@dataclass(frozen=True, eq=False)
class Ended:
    """How trials ended: which are used, and what they are ranked by (+inf: as worst)."""

    used: BoolArray
    levels: FloatArray
    counts: TrialCounts


@dataclass(frozen=True, eq=False)
class Oracle:
    """A case in memory, with the place of each of its trials in time.

    What has been worked out is remembered, since it is asked for again for the next engine.
    """

    case: Case
    table: TrialTable
    order: IntArray
    remembered: dict[Hashable, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, case: Case) -> Oracle:
        """Read a case; which trials were left out of it is found by reading their places, too."""
        if case.order is None:
            numbers = np.arange(case.table.num_rows)
        else:
            numbers = np.sort(case.table[case.order].to_numpy())
        places = numbers.astype(np.float64)
        assert (np.diff(places) > 0).all(), "floats must tell the numbers apart"
        table = read(case)
        if len(table) < len(numbers):
            # The objective is replaced by the place in time, which goes where the trial goes.
            kept = _places_as_objective(case).objectives[0].values
            numbers = numbers[np.searchsorted(places, kept)]
        return cls(case, table, numbers)

    @cached_property
    def by_rows(self) -> Oracle:
        """The same trials, numbered as they stand."""
        return Oracle(self.case, self.table, np.arange(len(self.table)))

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what was made before under a key."""
        if key not in self.remembered:
            self.remembered[key] = make()
        found: Made = self.remembered[key]
        return found

    def parameter(self, name: str) -> Parameter:
        """Return a parameter."""
        return self.table.parameters[self.table.names.index(name)]

    def ended(self, handling: Handling) -> Ended:
        """Sort the trials out, one after the other."""
        return self.once(("ended", handling), lambda: _ended(self.table, handling))

    def cutoffs(self, handling: Handling) -> FloatArray:
        """Return the distinct losses at the quantiles, by plain sorting."""
        ended = self.ended(handling)
        ordered = sorted(ended.levels[ended.used])
        sizes = [math.ceil(q * len(ordered)) for q in (*self.case.quantiles, self.case.region)]
        return np.array(sorted({ordered[size - 1] for size in sizes if ordered}))

    def inside(self, handling: Handling, cutoff: float | None) -> BoolArray:
        """Return the trials that count."""
        ended = self.ended(handling)
        return ended.used if cutoff is None else ended.used & (ended.levels <= cutoff)

    def numbers(
        self, series: Series, handling: Handling, cutoff: float | None
    ) -> tuple[ValueArray, IntArray]:
        """Return the numbers of a series, and the rows that have them."""
        inside = self.inside(handling, cutoff)
        if series.kind == "loss":
            losses = self.ended(handling).levels
            rows = np.flatnonzero(inside & np.isfinite(losses))
            return losses[rows], rows
        if series.kind == "order":
            rows = np.flatnonzero(inside)
            return self.order[rows], rows
        parameter = self.parameter(series.parameter)
        ids = parameter.domain_ids
        here = ids >= 0 if series.domain < 0 else ids == series.domain
        rows = np.flatnonzero(inside & here)
        return parameter.values[rows], rows

    def group(self, rows: IntArray, groups: Groups) -> IntArray:
        """Return the group of each of these trials."""
        return group_of(self.order[rows], groups.size, groups.seed)

    def histogram(
        self,
        series: Series,
        bins: KeyBins,
        handling: Handling,
        cutoff: float | None,
        groups: Groups,
    ) -> IntArray:
        """Return (groups, bins), one number at a time."""
        found = np.zeros((groups.size, bins.bins), dtype=np.int64)
        values, rows = self.numbers(series, handling, cutoff)
        owners = self.group(rows, groups).tolist()
        for key, group in zip(keys_of(values).tolist(), owners, strict=True):
            place = (key - bins.start) >> bins.shift
            if 0 <= place < bins.bins:
                found[group, place] += 1
        return found

    def levels(
        self,
        series: Series,
        marked: list[tuple[KeyBins, BoolArray]],
        handling: Handling,
        cutoff: float | None,
        groups: Groups,
    ) -> Levels:
        """Return distinct numbers in marked bins with how often each group has them."""
        values, rows = self.numbers(series, handling, cutoff)
        keys = keys_of(values)
        wanted = np.zeros(len(values), dtype=bool)
        for bins, marks in marked:
            for place, key in enumerate(keys.tolist()):
                bin_of = (key - bins.start) >> bins.shift
                wanted[place] |= 0 <= bin_of < bins.bins and bool(marks[bin_of])
        group = self.group(rows, groups)
        times: dict[tuple[Any, int], int] = {}
        for value, owner in zip(values[wanted].tolist(), group[wanted].tolist(), strict=True):
            times[value, owner] = times.get((value, owner), 0) + 1
        ordered = sorted(times)
        return Levels(
            np.array([value for value, _ in ordered], dtype=values.dtype),
            np.array([owner for _, owner in ordered], dtype=np.int64),
            np.array([times[entry] for entry in ordered], dtype=np.int64),
        )

    def count(self, query: Query, handling: Handling, name: str) -> IntArray:
        """Return (groups, blocks, places, buckets) of one parameter."""
        parameter = self.parameter(name)
        if query.spanned:
            parameter = expand_parameter(parameter)
        starts = [] if query.block_starts is None else query.block_starts.tolist()
        cells, n_cells = self._cells(query, parameter)
        ended = self.ended(handling)
        found = np.zeros(
            (query.groups.size, len(starts) + 1, n_cells, len(query.cutoffs) + 1), dtype=np.int64
        )
        group = self.group(np.arange(len(self.table)), query.groups)
        for row in np.flatnonzero(ended.used):
            block = sum(start <= self.order[row] for start in starts)
            bucket = sum(cutoff < ended.levels[row] for cutoff in query.cutoffs.tolist())
            found[group[row], block, cells[row], bucket] += 1
        return found

    def _cells(self, query: Query, parameter: Parameter) -> tuple[IntArray, int]:
        if query.edges is None:
            sizes = [grid_of(domain).cells for domain in parameter.domains]
            return grid_places(parameter), sum(sizes) + 1
        edges = {
            place: query.edges.get((parameter.name, place), np.zeros(0))
            for place in range(len(parameter.domains))
        }
        sizes = [
            grid_of(domain).cells if isinstance(domain, Categorical) else len(edges[place]) + 1
            for place, domain in enumerate(parameter.domains)
        ]
        cells = np.full(len(self.table), sum(sizes))
        for place, domain in enumerate(parameter.domains):
            rows = parameter.domain_ids == place
            values = parameter.values[rows]
            if not isinstance(domain, Categorical):
                values = np.searchsorted(edges[place], values)
            cells[rows] = sum(sizes[:place]) + values
        return cells, sum(sizes) + 1

    def sizes(self, query: Query, handling: Handling) -> IntArray:
        """Return (groups, buckets) of all used trials."""
        ended = self.ended(handling)
        rows = np.flatnonzero(ended.used)
        found = np.zeros((query.groups.size, len(query.cutoffs) + 1), dtype=np.int64)
        buckets = np.searchsorted(query.cutoffs, ended.levels[rows])
        np.add.at(found, (self.group(rows, query.groups), buckets), 1)
        return found

    def conditions(self, query: Query, handling: Handling) -> tuple[IntArray, FloatArray]:
        """Return (conditions, buckets) and the lowest loss of each."""
        ended = self.ended(handling)
        columns = columns_of(self.table)
        found, best = [], []
        for condition in query.conditions:
            met = ended.levels[ended.used & condition.holds(columns)]
            buckets = np.searchsorted(query.cutoffs, met)
            found.append(np.bincount(buckets, minlength=len(query.cutoffs) + 1))
            best.append(min(met[np.isfinite(met)], default=np.nan))
        shape = (len(query.conditions), len(query.cutoffs) + 1)
        return np.array(found, dtype=np.int64).reshape(shape), np.array(best, dtype=np.float64)


def _ended(table: TrialTable, handling: Handling) -> Ended:
    (objective,) = table.objectives
    counts = dict.fromkeys(("running", "failed", "pruned", "nonfinite", "infeasible"), 0)
    infeasible = [False] * len(table) if table.infeasible is None else table.infeasible.tolist()
    used, levels, worst = [], [], 0
    for state, value, out in zip(table.states, objective.values, infeasible, strict=True):
        finite = math.isfinite(value)
        kept_pruned = handling.pruned == "keep" and not finite  # counted as such, and only there
        reasons = [
            ("running", state == State.RUNNING, "drop"),
            ("failed", state == State.FAILED, handling.failed),
            ("pruned", state == State.PRUNED and not kept_pruned, handling.pruned),
            ("nonfinite", not finite, handling.nonfinite),
            ("infeasible", out, handling.infeasible),
        ]
        treatment = "keep"
        for name, applies, treated in reasons:
            if applies:
                counts[name] += 1
                treatment = treated
                if treated != "keep":
                    break
        used.append(treatment != "drop")
        worst += treatment == "worst"
        loss = -value if objective.direction == "maximize" else value
        levels.append(math.inf if treatment == "worst" else loss)
    counted = TrialCounts(total=len(table), used=sum(used), counted_as_worst=worst, **counts)
    return Ended(np.array(used, dtype=bool), np.array(levels, dtype=np.float64), counted)


def _places_as_objective(case: Case) -> TrialTable:
    """Read the case with the place in time in the objective's stead."""
    objective = "the place in time"
    if case.order is None:
        places: Any = pa.array(np.arange(case.table.num_rows, dtype=np.float64))
    else:
        places = case.table[case.order].cast(pa.float64())
    table = case.table.append_column(objective, places).drop_columns([case.objective])
    plain = {"direction": "minimize", "failure_values": ()}
    return _read(table, Case(**{**_fields(case), **plain}), objective)


def _fields(case: Case) -> dict[str, Any]:
    return {name: getattr(case, name) for name in Case.__dataclass_fields__}
