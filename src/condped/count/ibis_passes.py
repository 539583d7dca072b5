"""Counting where the rows are: passes as queries, of which only counts come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.count.ibis_chosen import Shared, joined
from condped.count.ibis_conditions import compiled
from condped.count.ibis_counter import Counter
from condped.count.ibis_series import fetched_levels, histogram_counts
from condped.count.ibis_session import Session
from condped.count.ibis_slots import Slots, shape_of
from condped.count.ibis_trees import all_of, any_of, choose, code, real
from condped.count.ibis_trials import NOWHERE, Summary, block_expression, group_expression
from condped.count.ibis_wide import WideRows
from condped.count.keys import KeyBins
from condped.count.passes import Counted, Levels, Outline, Series, Tally, Wanted, Within
from condped.errors import DataError, SettingsError
from condped.space.condition import Condition
from condped.trials.table import Selection
from condped.trials.topsets import Handling


@dataclass(frozen=True)
class IbisPasses(Shared):
    """Passes over a table of one row per trial.

    Attributes
    ----------
    conditions
        What trials were chosen by, the first one first.
    failures
        Objectives that stand for failures.
    notes
        What is to be said of the table whatever is counted.
    """

    session: Session
    rows: WideRows
    outline: Outline
    outside: str
    failures: tuple[float, ...] = ()
    conditions: tuple[Condition, ...] = ()
    notes: tuple[str, ...] = ()

    def where(self, condition: Condition) -> IbisPasses:
        chosen = joined(self.conditions, condition, self.rows.parameters)
        return replace(self, conditions=chosen)

    def close(self) -> None:
        self.session.close()

    def tally(self, handling: Handling) -> Tally:
        rows = self._summary()
        if not rows:
            raise DataError("The source has no rows. Give at least one trial.")
        kept = [row for row in rows if not row.get("dropped")]
        if not kept:
            raise DataError("All trials have a value outside its domain. Correct the space.")
        if self.rows.order is not None and any(row["unordered"] for row in rows):
            count = sum(int(row["unordered"]) for row in rows)
            raise DataError(
                f"The order column is empty in {count} rows. Number all trials in time."
            )
        selections = self._selections(kept)
        stage = len(self.conditions)
        chosen = [row for row in kept if row.get("stage", stage) == stage]
        counts, lowest, highest = Summary(chosen).counts(handling)
        earliest, latest = _span(kept)
        notes = self._told(rows, selections)
        return Tally(counts, lowest, highest, earliest, latest, selections, notes)

    def _summary(self) -> list[dict[str, Any]]:
        """Return the trials counted by all that decides what becomes of them, in one query."""
        ended, table = self.rows.ended, self.rows.table
        keys = ended.keys()
        if self.outside == "drop":
            keys["dropped"] = choose(self._gone(), code(1), code(0))
        if self.conditions:
            # Of the first condition that a trial does not meet; their number if it meets all.
            stage: Any = code(len(self.conditions))
            for place in reversed(range(len(self.conditions))):
                stage = choose(self._held(self.conditions[place]), stage, code(place))
            keys["stage"] = stage
        loss = ended.finite.ifelse(ended.loss, ibis.null("float64"))
        values = {"loss": loss}
        if self.rows.order is not None:
            values["time"] = self.rows.order
            values["unordered"] = choose(self.rows.order.isnull(), code(1), code(0))
        base = table.select(**keys, **values)
        found = {"n": base.count(), "lowest": base.loss.min(), "highest": base.loss.max()}
        if self.rows.order is not None:
            found["unordered"] = base.unordered.sum()
            found |= {"earliest": base.time.min(), "latest": base.time.max()}
        return self.session.rows(base.group_by(list(keys)).agg(**found), "reading the objectives")

    def _selections(self, kept: Sequence[Mapping[str, Any]]) -> tuple[Selection, ...]:
        found = []
        left = sum(int(row["n"]) for row in kept)
        for place, condition in enumerate(self.conditions):
            out = sum(int(row["n"]) for row in kept if row["stage"] == place)
            found.append(Selection(condition.text, left, out))
            left -= out
        return tuple(found)

    def _told(
        self, rows: Sequence[Mapping[str, Any]], selections: Sequence[Selection]
    ) -> tuple[str, ...]:
        notes = list(self.notes)
        failed = sum(int(row["n"]) for row in rows if row.get("by_value"))
        if failed:
            shown = " or ".join(f"{value:g}" for value in self.failures)
            notes.append(f"{failed} trials with the objective {shown} count as failed.")
        notes += [
            f"Only trials with {s.condition}: {s.left_out} of {s.total} left out."
            if s.left_out
            else f"All trials meet {s.condition}."
            for s in selections
        ]
        return tuple(notes)

    def histogram(
        self,
        wanted: Mapping[Series, Sequence[KeyBins]],
        within: Within,
        groups: int = 1,
        seed: int = 0,
    ) -> dict[Series, list[IntArray]]:
        series = {one: self._series(one, within) for one in wanted}
        group = self.group(groups, seed)
        return histogram_counts(
            self.session, self.rows.table, wanted, series, group=group, groups=groups
        )

    def levels(
        self,
        wanted: Mapping[Series, Sequence[tuple[KeyBins, BoolArray]]],
        within: Within,
        groups: int = 1,
        seed: int = 0,
    ) -> dict[Series, Levels]:
        series = {one: self._series(one, within) for one in wanted}
        group = self.group(groups, seed)
        return fetched_levels(
            self.session, self.rows.table, wanted, series, group=group,
            most=self.most_levels * groups,
        )  # fmt: skip

    def count(self, wanted: Wanted) -> Counted:
        names, shape = self.outline.names, shape_of(wanted)
        places = range(len(names)) if wanted.parameters is None else wanted.parameters
        counter = Counter(
            self.session, self.rows.table, self.rows.parameters, self.outline, self.seen,
            self.most_counts,
        )  # fmt: skip
        slots = self.slots(wanted)
        found = counter.counts(wanted, slots)
        cells = [np.moveaxis(found[names[p]].reshape(-1, *shape), 0, 2) for p in places]
        sizes = cells[0].sum(axis=(1, 2)) if cells else self.by_slot(slots).sum(axis=1)
        held, best = self.met(wanted, slots)
        return Counted(tuple(cells), sizes, held, best, self.seen.told(self.rows.parameters))

    def slots(self, wanted: Wanted) -> Slots:
        """Return where each trial is counted."""
        bucket = self.rows.ended.bucket(wanted.within.handling, wanted.cutoffs)
        if self._filtered:
            bucket = choose(self.chosen(), bucket, code(NOWHERE))
        columns = {"bucket": bucket}
        if wanted.block_starts is not None and len(wanted.block_starts):
            columns["block"] = block_expression(self._time(), wanted.block_starts)
        group = self.group(wanted.groups, wanted.seed)
        if group is not None:
            columns["group"] = group
        return Slots(columns, shape_of(wanted))

    @property
    def _filtered(self) -> bool:
        return bool(self.conditions) or self.outside == "drop"

    def _gone(self) -> ir.BooleanValue | None:
        return any_of(parameter.is_outside() for parameter in self.rows.parameters.values())

    def chosen(self) -> ir.BooleanValue | None:
        """Return which trials are neither dropped nor left out by a condition; None: all."""
        held: list[ir.BooleanValue | None] = [self._held(c) for c in self.conditions]
        gone = self._gone() if self.outside == "drop" else None
        return all_of([None if gone is None else ~gone, *held])

    def _held(self, condition: Condition) -> ir.BooleanValue:
        gates = {name: self.rows.parameters[name].gate() for name in condition.names}
        return compiled(condition, gates)

    def _time(self) -> ir.Value:
        if self.rows.order is None:
            raise SettingsError(
                "The rows of a table have no order of time: nothing says which came first. Name a "
                "column of whole numbers that does with the option order."
            )
        return self.rows.order

    def group(self, groups: int, seed: int) -> ir.Value | None:
        if groups == 1:
            return None
        if self.rows.order is None:
            raise SettingsError(
                "Trials cannot be dealt into groups: the rows of a table have no number. Name a "
                "column of whole numbers, different for each trial, with the option order."
            )
        return group_expression(self.rows.order, groups, seed)

    def _series(self, series: Series, within: Within) -> tuple[ir.Value, ir.BooleanValue | None]:
        """Return the numbers of a series and which rows have one."""
        ended = self.rows.ended
        if series.kind == "loss":
            return ended.loss, all_of([ended.stands(within.handling), self.chosen()])
        rows = self.region(within)
        if series.kind == "order":
            return self._time(), rows
        parameter = self.rows.parameters[self.outline.names[series.parameter]]
        assert parameter.numbers is not None
        return parameter.numbers.value, all_of([rows, parameter.active(series.domain)])

    def region(self, within: Within) -> ir.BooleanValue | None:
        """Return which trials count; None: all."""
        ended, cutoff = self.rows.ended, within.cutoff
        if cutoff is None or cutoff == float("inf"):  # those that count as worst are inside, too
            return all_of([ended.used(within.handling), self.chosen()])
        inside = ended.loss <= real(cutoff)
        return all_of([ended.stands(within.handling), inside, self.chosen()])

    def by_slot(self, slots: Slots) -> IntArray:
        """Return (groups, blocks, buckets): the trials of each."""
        base = self.rows.table.select(**slots.columns)
        found = np.zeros(slots.size + 1, dtype=np.int64)  # the last one: those not counted
        query = base.group_by(list(slots.columns)).agg(n=base.count())
        for row in self.session.rows(query, "counting trials"):
            found[slots.place(row)] += row["n"]
        return found[:-1].reshape(slots.shape)

    def met(self, wanted: Wanted, slots: Slots) -> tuple[IntArray, FloatArray]:
        """Return (conditions, buckets) trials that meet each condition, and the lowest losses."""
        held = np.zeros((len(wanted.conditions), slots.shape[2]), dtype=np.int64)
        best = np.full(len(wanted.conditions), np.inf)
        if not wanted.conditions:
            return held, best
        itself = self.rows.ended.stands(wanted.within.handling)
        loss = self.rows.ended.loss
        if itself is not None:
            loss = itself.ifelse(loss, ibis.null("float64"))
        columns = {
            f"c{place}": choose(self._held(condition), code(1), code(0))
            for place, condition in enumerate(wanted.conditions)
        }
        base = self.rows.table.select(bucket=slots.columns["bucket"], loss=loss, **columns)
        base = base.filter(base.bucket != code(NOWHERE))
        found: dict[str, ir.Value] = {}
        for name in columns:
            met = base[name] == code(1)
            found[f"n{name}"] = base[name].sum()
            found[f"b{name}"] = met.ifelse(base.loss, ibis.null("float64")).min()
        for row in self.session.rows(base.group_by("bucket").agg(**found), "counting conditions"):
            for place, name in enumerate(columns):
                held[place, row["bucket"]] = row[f"n{name}"]
                if row[f"b{name}"] is not None:
                    best[place] = min(best[place], row[f"b{name}"])
        return held, np.where(np.isinf(best), np.nan, best)


def _span(rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the earliest and the latest place in time; 0 without an order."""
    firsts = [int(row["earliest"]) for row in rows if row.get("earliest") is not None]
    lasts = [int(row["latest"]) for row in rows if row.get("latest") is not None]
    return (min(firsts), max(lasts)) if firsts else (0, 0)
