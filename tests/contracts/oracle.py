"""What every engine must answer, from the trials in memory and one plain loop over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from condped.count.memory import places_of
from condped.count.passes import Levels, Series, Tally, Wanted, Within

import condped
from condped.arrays import BoolArray, FloatArray, IntArray, ValueArray
from condped.count.order_statistics.keys import KeyBins, group_of, keys_of
from condped.space.domain import Categorical
from condped.space.grid import grid_of
from condped.trials.regimes import expand_parameter
from condped.trials.table import Parameter, TrialTable
from condped.trials.topsets import Handling, TopSets, top_sets
from condped.trials.where import columns_of
from tests.contracts.case import Case


def read(case: Case, **changed: Any) -> TrialTable:
    """Read a case's table into memory, in its order of time."""
    table = case.table
    if case.order is not None:
        table = table.take(pa.compute.sort_indices(table[case.order]))
    return condped.read(
        table,
        objective=case.objective,
        direction=case.direction,
        space=case.space,
        state=case.state,
        constraints=case.constraints or None,
        parameters=case.parameters,
        failure_values=case.failure_values or None,
        outside=case.outside,
        where=case.where,
        **changed,
    )


@dataclass(frozen=True, eq=False)
class Oracle:
    """A case in memory, with the place of each of its trials in time."""

    case: Case
    table: TrialTable
    order: IntArray

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

    def top(self, handling: Handling) -> TopSets:
        """Return the sets of the case's quantiles."""
        return top_sets(self.table, self.case.quantiles, self.case.region, handling)

    def used(self, handling: Handling) -> BoolArray:
        """Return which trials take part."""
        used = self.top(handling).used
        return np.ones(len(self.table), dtype=bool) if used is None else used

    def losses(self, handling: Handling) -> FloatArray:
        """Return what trials are ranked by: +inf for those that count as worst."""
        levels = self.top(handling).levels
        return np.full(len(self.table), np.inf) if levels is None else levels

    def cutoffs(self, handling: Handling, *, region: bool = True) -> FloatArray:
        """Return the distinct losses at the quantiles, by plain sorting."""
        ordered = sorted(self.losses(handling)[self.used(handling)])
        quantiles = [*self.case.quantiles, *([self.case.region] if region else [])]
        sizes = [int(np.ceil(quantile * len(ordered))) for quantile in quantiles]
        return np.array(sorted({ordered[size - 1] for size in sizes if ordered}))

    def tally(self, handling: Handling) -> Tally:
        """Return how the trials ended."""
        ordinary = self.losses(handling)[self.used(handling)]
        ordinary = ordinary[np.isfinite(ordinary)]
        return Tally(
            self.top(handling).counts,
            float(ordinary.min()) if ordinary.size else np.nan,
            float(ordinary.max()) if ordinary.size else np.nan,
            selections=self.table.selections,
        )

    def inside(self, within: Within) -> BoolArray:
        """Return the trials that count."""
        used = self.used(within.handling)
        if within.cutoff is None:
            return used
        return used & (self.losses(within.handling) <= within.cutoff)

    def numbers(self, series: Series, within: Within) -> tuple[ValueArray, IntArray]:
        """Return the numbers of a series, and the rows that have them."""
        inside = self.inside(within)
        if series.kind == "loss":
            losses = self.losses(within.handling)
            rows = np.flatnonzero(inside & np.isfinite(losses))
            return losses[rows], rows
        if series.kind == "order":
            rows = np.flatnonzero(inside)
            return self.order[rows], rows
        parameter = self.table.parameters[series.parameter]
        ids = parameter.domain_ids
        here = ids >= 0 if series.domain < 0 else ids == series.domain
        rows = np.flatnonzero(inside & here)
        return parameter.values[rows], rows

    def group(self, rows: IntArray, groups: int, seed: int) -> IntArray:
        """Return the group of each of these trials."""
        return group_of(self.order[rows], groups, seed)

    def histogram(
        self, series: Series, bins: KeyBins, within: Within, groups: int, seed: int
    ) -> IntArray:
        """Return (groups, bins), one number at a time."""
        found = np.zeros((groups, bins.bins), dtype=np.int64)
        values, rows = self.numbers(series, within)
        owners = self.group(rows, groups, seed).tolist()
        for key, group in zip(keys_of(values).tolist(), owners, strict=True):
            place = (key - bins.start) >> bins.shift
            if 0 <= place < bins.bins:
                found[group, place] += 1
        return found

    def levels(
        self,
        series: Series,
        marked: list[tuple[KeyBins, BoolArray]],
        within: Within,
        groups: int,
        seed: int,
    ) -> Levels:
        """Return distinct numbers in marked bins with how often each group has them."""
        values, rows = self.numbers(series, within)
        keys = keys_of(values)
        wanted = np.zeros(len(values), dtype=bool)
        for bins, marks in marked:
            inside = bins.inside(keys)
            wanted[inside] |= marks[bins.places(keys[inside])]
        group = self.group(rows, groups, seed)
        times: dict[tuple[Any, int], int] = {}
        for value, owner in zip(values[wanted].tolist(), group[wanted].tolist(), strict=True):
            times[value, owner] = times.get((value, owner), 0) + 1
        ordered = sorted(times)
        return Levels(
            np.array([value for value, _ in ordered], dtype=values.dtype),
            np.array([owner for _, owner in ordered], dtype=np.int64),
            np.array([times[entry] for entry in ordered], dtype=np.int64),
        )

    def count(self, wanted: Wanted, place: int) -> IntArray:
        """Return (groups, blocks, places, buckets) of one parameter."""
        parameter = self.table.parameters[place]
        if wanted.spanned:
            parameter = expand_parameter(parameter)
        starts = [] if wanted.block_starts is None else wanted.block_starts.tolist()
        cells, n_cells = self._cells(wanted, place, parameter)
        used = np.flatnonzero(self.used(wanted.within.handling))
        losses = self.losses(wanted.within.handling)
        found = np.zeros(
            (wanted.groups, len(starts) + 1, n_cells, len(wanted.cutoffs) + 1), dtype=np.int64
        )
        group = self.group(np.arange(len(self.table)), wanted.groups, wanted.seed)
        for row in used:
            block = sum(start <= self.order[row] for start in starts)
            bucket = sum(cutoff < losses[row] for cutoff in wanted.cutoffs)
            found[group[row], block, cells[row], bucket] += 1
        return found

    def _cells(self, wanted: Wanted, place: int, parameter: Parameter) -> tuple[IntArray, int]:
        if wanted.edges is None:
            cells, sizes = places_of(parameter)
            return cells, sum(sizes)
        sizes = [
            grid_of(domain).cells
            if isinstance(domain, Categorical)
            else len(wanted.edges.get((place, number), ())) + 1
            for number, domain in enumerate(parameter.domains)
        ]
        cells = np.full(len(self.table), sum(sizes))
        for number, domain in enumerate(parameter.domains):
            rows = parameter.domain_ids == number
            values = parameter.values[rows]
            if not isinstance(domain, Categorical):
                values = np.searchsorted(wanted.edges.get((place, number), ()), values)
            cells[rows] = sum(sizes[:number]) + values
        return cells, sum(sizes) + 1

    def sizes(self, wanted: Wanted) -> IntArray:
        """Return (groups, buckets) of all used trials."""
        rows = np.flatnonzero(self.used(wanted.within.handling))
        found = np.zeros((wanted.groups, len(wanted.cutoffs) + 1), dtype=np.int64)
        losses = self.losses(wanted.within.handling)[rows]
        np.add.at(
            found,
            (self.group(rows, wanted.groups, wanted.seed), np.searchsorted(wanted.cutoffs, losses)),
            1,
        )
        return found

    def conditions(self, wanted: Wanted) -> tuple[IntArray, FloatArray]:
        """Return (conditions, buckets) and the lowest loss of each."""
        used, losses = self.used(wanted.within.handling), self.losses(wanted.within.handling)
        columns = columns_of(self.table)
        found, best = [], []
        for condition in wanted.conditions:
            met = losses[used & condition.holds(columns)]
            buckets = np.searchsorted(wanted.cutoffs, met)
            found.append(np.bincount(buckets, minlength=len(wanted.cutoffs) + 1))
            best.append(min(met[np.isfinite(met)], default=np.nan))
        shape = (len(wanted.conditions), len(wanted.cutoffs) + 1)
        return np.array(found, dtype=np.int64).reshape(shape), np.array(best, dtype=np.float64)


def _places_as_objective(case: Case) -> TrialTable:
    """Read the case with the place in time in the objective's stead."""
    objective = "the place in time"
    if case.order is None:
        places: Any = pa.array(np.arange(case.table.num_rows, dtype=np.float64))
    else:
        places = case.table[case.order].cast(pa.float64())
    table = case.table.append_column(objective, places)
    if case.order is not None:
        table = table.take(pa.compute.sort_indices(table[case.order]))
    return condped.read(
        table.drop_columns([case.objective]),
        objective=objective,
        space=case.space,
        state=case.state,
        constraints=case.constraints or None,
        parameters=case.parameters,
        outside=case.outside,
        where=case.where,
    )
