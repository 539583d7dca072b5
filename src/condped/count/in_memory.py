"""A table in memory as something that can be counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from condped.arrays import IntArray
from condped.count.countable import (
    FEWEST,
    GROUPS,
    HALVES,
    ConditionSizes,
    Countable,
    Explained,
    Intervals,
    PooledTrials,
    Sets,
    Subsets,
)
from condped.count.counts import StudyCounts
from condped.count.memory import count_in_memory
from condped.count.ranks import RankedStudy, count_ranked
from condped.count.subsets import count_subsets, fixed_buckets, grid_map, rank_map, ranked_buckets
from condped.errors import SettingsError
from condped.space.condition import Condition
from condped.space.space import Space
from condped.trials.pooling import pool_domains
from condped.trials.regimes import expand_domains
from condped.trials.repeats import remark_on_repeats
from condped.trials.table import Parameter, Selection, TrialTable
from condped.trials.topsets import Handling, TopSets, top_sets
from condped.trials.where import columns_of

_FEWEST_SORTED = 20  # trials; fewer may be in order by chance


@dataclass(frozen=True, slots=True, eq=False)
class InMemory:
    """Counts a TrialTable with numpy."""

    table: TrialTable

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    @property
    def objectives(self) -> tuple[Explained, ...]:
        return tuple(Explained(o.name, o.direction) for o in self.table.objectives)

    @property
    def space(self) -> Space | None:
        return self.table.space

    @property
    def space_inferred(self) -> bool:
        return self.table.space_inferred

    @property
    def ignored_columns(self) -> tuple[str, ...]:
        return self.table.ignored_columns

    @property
    def notes(self) -> tuple[str, ...]:
        return self.table.notes

    @property
    def selections(self) -> tuple[Selection, ...]:
        return self.table.selections

    def top_sets(
        self, target_quantiles: Sequence[float], region_quantile: float, handling: Handling
    ) -> TopSets:
        return top_sets(self.table, target_quantiles, region_quantile, handling)

    def expanded(self) -> InMemory:
        return InMemory(expand_domains(self.table))

    def pooled(self, *, all_varying: bool) -> PooledTrials | None:
        found = pool_domains(self.table, all_varying=all_varying)
        if found is None:
            return None
        return PooledTrials(InMemory(found.raw), InMemory(found.unit), found.domains)

    def count(self, top: Sets) -> StudyCounts:
        return count_in_memory(self.table, _own(top))

    def count_ranked(self, top: Sets, blocks: int) -> RankedStudy:
        return count_ranked(self.table, _own(top), blocks)

    def count_where(self, top: Sets, conditions: Sequence[Condition]) -> ConditionSizes:
        own, columns = _own(top), columns_of(self.table)
        sets = len(own.target_sizes) + 1
        # Trials that count as worst have an infinite level.
        losses = None if len(self.table.objectives) > 1 else own.levels
        sizes, best = [], []
        for condition in conditions:
            rows = condition.holds(columns)
            counted = np.bincount(own.buckets[rows].astype(np.intp), minlength=sets + 1)
            sizes.append(counted[:sets].cumsum())
            used = rows if own.used is None else rows & own.used
            finite = np.zeros(0) if losses is None else losses[used]
            finite = finite[np.isfinite(finite)]
            best.append(finite.min() if finite.size else np.nan)
        return ConditionSizes(np.array(sizes).reshape(-1, sets), np.array(best))

    def sorted_by_objective(self, top: Sets) -> bool:
        own = _own(top)
        if own.levels is None or self.table.order_given:  # the caller is taken at his word
            return False
        levels = own.levels if own.used is None else own.levels[own.used]
        if len(levels) < _FEWEST_SORTED or levels.min() == levels.max():
            return False  # equal ones have no order
        before, after = levels[:-1], levels[1:]
        return bool((after >= before).all() or (after <= before).all())

    def subsets(
        self,
        top: Sets,
        target_quantiles: Sequence[float] | None,
        region_quantile: float,
        *,
        intervals: Intervals,
        seed: int,
        by_rank: bool,
    ) -> Subsets | None:
        own, table = _own(top), self.table
        if target_quantiles is not None and len(table.objectives) > 1:
            raise SettingsError(
                "Intervals need one objective: the order of trials by several changes with every "
                f"subset of them (got {len(table.objectives)}). Name one as the objective."
            )
        # Those outside the region set as well: in a part of the trials they may be inside.
        used = np.arange(len(table)) if own.used is None else np.flatnonzero(own.used)
        if len(used) < FEWEST or not table.parameters:
            return None
        buckets = (
            fixed_buckets(own, used)
            if target_quantiles is None or own.levels is None
            else ranked_buckets(own, used, target_quantiles, region_quantile)
        )
        cells = rank_map(table, own, used) if by_rank else grid_map(table, used)
        parts = _parts(len(used), intervals, np.random.default_rng(seed))
        counts = count_subsets(cells, parts, buckets, len(own.target_sizes))
        return Subsets(cells.ranges, counts)

    def remark_on_repeats(self) -> str:
        return remark_on_repeats(self.table)

    def inside(self, condition: Condition) -> InMemory:
        rows = condition.holds(columns_of(self.table))
        return InMemory(replace(self.table.only(rows), notes=(), ignored_columns=()))

    def varying(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.table.parameters if _varies(p))

    def with_parameters(self, names: Sequence[str]) -> InMemory:
        return InMemory(self.table.with_parameters(names))


def countable(trials: TrialTable | Countable) -> Countable:
    """Return trials as something that can be counted."""
    return InMemory(trials) if isinstance(trials, TrialTable) else trials


def _varies(parameter: Parameter) -> bool:
    present = parameter.domain_ids >= 0
    values, ids = parameter.values[present], parameter.domain_ids[present]
    return bool(values.size and ((values != values[0]).any() or (ids != ids[0]).any()))


def _own(top: Sets) -> TopSets:
    assert isinstance(top, TopSets)
    return top


def _parts(trials: int, intervals: Intervals, rng: np.random.Generator) -> list[IntArray]:
    if intervals == "half-sampling":
        return [np.sort(rng.permutation(trials)[: trials // 2]) for _ in range(HALVES)]
    order = rng.permutation(trials)
    groups = np.array_split(order, min(GROUPS, trials))
    return [np.sort(np.setdiff1d(order, group)) for group in groups]
