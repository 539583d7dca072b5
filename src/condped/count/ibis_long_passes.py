"""Counting long tables where they are: present values by row, absence as what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis.expr.types as ir
import numpy as np

from condped.arrays import BoolArray, IntArray
from condped.count.ibis_chosen import Shared, joined
from condped.count.ibis_counter import Counter
from condped.count.ibis_long import LongRows
from condped.count.ibis_marks import Kind, Mark, Owner
from condped.count.ibis_parameters import ParameterColumn
from condped.count.ibis_passes import IbisPasses
from condped.count.ibis_series import fetched_levels, histogram_counts
from condped.count.ibis_trees import all_of, any_of, choose, code
from condped.count.ibis_wide import WideRows
from condped.count.keys import KeyBins
from condped.count.passes import Counted, Levels, Outline, Series, Tally, Wanted, Within
from condped.errors import DataError
from condped.space.condition import Condition
from condped.trials.table import State
from condped.trials.topsets import Handling

# Where it is remembered that finished trials lack what they should have; no parameter's name.
_LACKING = ""
_LEFT_OUT = "\0"  # where it is remembered which rows were left out


@dataclass(frozen=True)
class LongPasses(Shared):
    """Passes over a table of one row per trial and active parameter."""

    long: LongRows
    outline: Outline
    conditions: tuple[Condition, ...] = ()

    def where(self, condition: Condition) -> LongPasses:
        chosen = joined(self.conditions, condition, self.long.domains)
        return replace(self, conditions=chosen)

    def close(self) -> None:
        self.long.session.close()

    def tally(self, handling: Handling) -> Tally:
        self._check_keys()
        found = self._trials().tally(handling)
        return replace(found, notes=(*self.seen.notes[_LEFT_OUT], *found.notes))

    def histogram(
        self,
        wanted: Mapping[Series, Sequence[KeyBins]],
        within: Within,
        groups: int = 1,
        seed: int = 0,
    ) -> dict[Series, list[IntArray]]:
        of_trials = {one: bins for one, bins in wanted.items() if one.kind != "value"}
        of_rows = {one: bins for one, bins in wanted.items() if one.kind == "value"}
        found: dict[Series, list[IntArray]] = {}
        if of_trials:
            found |= self._trials().histogram(of_trials, within, groups, seed)
        if of_rows:
            table, series, group = self._values(of_rows, within, groups, seed)
            found |= histogram_counts(
                self.long.session, table, of_rows, series, group=group, groups=groups, apart=True
            )
        return {one: found[one] for one in wanted}

    def levels(
        self,
        wanted: Mapping[Series, Sequence[tuple[KeyBins, BoolArray]]],
        within: Within,
        groups: int = 1,
        seed: int = 0,
    ) -> dict[Series, Levels]:
        of_trials = {one: bins for one, bins in wanted.items() if one.kind != "value"}
        of_rows = {one: bins for one, bins in wanted.items() if one.kind == "value"}
        found: dict[Series, Levels] = {}
        if of_trials:
            found |= self._trials().levels(of_trials, within, groups, seed)
        if of_rows:
            table, series, group = self._values(of_rows, within, groups, seed)
            found |= fetched_levels(
                self.long.session, table, of_rows, series, group=group, apart=True,
                most=self.most_levels * groups,
            )  # fmt: skip
        return {one: found[one] for one in wanted}

    def count(self, wanted: Wanted) -> Counted:
        self._check_keys()
        names = self.outline.names
        places = range(len(names)) if wanted.parameters is None else wanted.parameters
        trials = self._trials(wanted.conditions)
        slots = trials.slots(wanted)
        table, parameters = self._rows(lambda some: some.slots(wanted).columns)
        counter = Counter(
            self.long.session, table, parameters, self.outline, self.seen, self.most_counts,
            table["parameter"],
        )  # fmt: skip
        found = counter.counts(wanted, slots.of(table))
        sizes = trials.by_slot(slots)
        cells = [_with_absent(found[names[place]], sizes) for place in places]
        held, best = trials.met(wanted, slots)
        self._note_missing()
        notes = self.seen.told((*self.long.domains, _LACKING))
        return Counted(tuple(cells), sizes.sum(axis=1), held, best, notes)

    def _trials(self, more: Sequence[Condition] = (), others: Sequence[str] = ()) -> IbisPasses:
        """Return passes over the trials, with those parameters that conditions look at."""
        names = [name for c in (*self.conditions, *more) for name in c.names]
        if self.long.asked.outside == "drop":
            names = list(self.long.domains)
        return self._over(self.long.with_parameters([*names, *others]))

    def _over(self, rows: WideRows) -> IbisPasses:
        asked = self.long.asked
        return IbisPasses(
            self.long.session, rows, self.outline, asked.outside, asked.failure_values,
            self.conditions,
        )  # fmt: skip

    def _rows(
        self, make: Callable[[IbisPasses], Mapping[str, ir.Value]]
    ) -> tuple[ir.Table, dict[str, ParameterColumn]]:
        """Return the rows with columns that are made of their trials, and the parameters there."""
        long, given, rows = self.long, self.long.given, self.long.given.rows
        own = {"parameter": rows[given.parameter], "value": rows[given.value]}
        if long.space is None:
            own["domain"] = rows[given.domain]
        gates = long.gates()
        if given.trials is None and not (gates or self.conditions or long.asked.outside == "drop"):
            # Each row knows all that matters of its trial: nothing has to be put together.
            table = rows.select(**own, **make(self._over(long.without_parameters())))
            return table, long.columns_of(table, {})
        trials = self._trials(others=gates)
        held, switches = long.switches(trials.rows)
        beside = trials.rows.table.select(
            its_trial=trials.rows.table[given.trial], **make(trials), **switches
        )
        mine = rows.select(my_trial=rows[given.trial], **own)
        table = mine.join(beside, mine.my_trial == beside.its_trial)
        return table, long.columns_of(table, held)

    def _values(
        self, wanted: Mapping[Series, Any], within: Within, groups: int, seed: int
    ) -> tuple[ir.Table, dict[Series, tuple[ir.Value, ir.BooleanValue | None]], ir.Value | None]:
        """Return rows, the numbers of each series among them, and the groups of their trials."""

        def made(trials: IbisPasses) -> dict[str, ir.Value]:
            region = trials.region(within)
            columns = {"inside": code(1) if region is None else choose(region, code(1), code(0))}
            dealt = trials.group(groups, seed)
            return columns if dealt is None else {**columns, "dealt": dealt}

        table, parameters = self._rows(made)
        series: dict[Series, tuple[ir.Value, ir.BooleanValue | None]] = {}
        for one in wanted:
            name = self.outline.names[one.parameter]
            parameter = parameters[name]
            assert parameter.numbers is not None
            here = [table.inside == code(1), table.parameter == name, parameter.active(one.domain)]
            series[one] = (parameter.numbers.value, all_of(here))
        return table, series, table.dealt if groups > 1 else None

    def _note_missing(self) -> None:
        """Say where finished trials lack a parameter although its conditions hold."""
        long, gates = self.long, self.long.gates()
        if not gates or _LACKING in self.seen.notes:
            return
        trials = self._trials(others=gates)
        held, switches = long.switches(trials.rows)
        over = self._finished(trials)
        due = trials.rows.table.select(
            **{f"p{k}": _one(all_of([over, any_of(switches[h] for h in columns)]))
               for k, columns in enumerate(held.values())}
        )  # fmt: skip
        table, _ = self._rows(lambda some: {"over": _one(self._finished(some))})
        there = table.select(
            **{f"p{k}": _one(all_of([table.over == code(1), table.parameter == name,
                                     any_of(table[h] for h in columns)]))
               for k, (name, columns) in enumerate(held.items())}
        )  # fmt: skip
        sums = [
            self.long.session.rows(
                one.agg(**{c: one[c].sum() for c in one.columns}), "looking for missing values"
            )[0]
            for one in (due, there)
        ]
        lacking = {n: int(sums[0][f"p{k}"] or 0) - int(sums[1][f"p{k}"] or 0)
                   for k, n in enumerate(held)}  # fmt: skip
        self.seen.notes[_LACKING] = tuple(
            Owner(name, long.domains[name], (), long.asked.outside).note(
                Mark(Kind.MISSING), count, None
            )
            for name, count in lacking.items()
            if count > 0
        )

    def _finished(self, trials: IbisPasses) -> ir.BooleanValue | None:
        state = trials.rows.ended.state
        return None if state is None else state == code(State.COMPLETE)

    def _check_keys(self) -> None:
        """Refuse a parameter that a trial has twice: which value counts, nobody knows."""
        if self.seen.keys:
            return
        given, rows = self.long.given, self.long.given.rows
        pairs = rows.group_by(trial=rows[given.trial], parameter=rows[given.parameter])
        twice = pairs.agg(n=rows.count())
        found = self.long.session.rows(twice.filter(twice.n > 1).limit(1), "looking at the keys")
        if found:
            raise DataError(
                f"Trial {found[0]['trial']!r} has {found[0]['n']} rows for the parameter "
                f"{found[0]['parameter']!r}. Keep one row for each trial and parameter."
            )
        self.long.check_trials()
        self.seen.notes[_LEFT_OUT] = self.long.left_out()
        self.seen.keys = True


def _one(condition: ir.BooleanValue | None) -> ir.Value:
    """Return 1 where a condition holds (None: everywhere), and 0 elsewhere."""
    return code(1) if condition is None else choose(condition, code(1), code(0))


def _with_absent(counts: IntArray, sizes: IntArray) -> IntArray:
    """Return (groups, blocks, places, buckets): what no cell holds is absent."""
    cells = np.moveaxis(counts.reshape(-1, *sizes.shape), 0, 2).copy()
    cells[:, :, -1] = 0
    cells[:, :, -1] = sizes - cells.sum(axis=2)
    return cells
