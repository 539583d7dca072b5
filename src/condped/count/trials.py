"""Trials: what analyses start from, wherever the data is."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from condped.arrays import IntArray
from condped.count.cells.cell_counts import grid_sizes, rank_sizes
from condped.count.cells.rank_cells import RankCells, cell_ranges, rank_cells
from condped.count.counter import CountedTrials, Counter, Query
from condped.count.counts import (
    SMALLEST_REGIME,
    ConditionCounts,
    RankedStudy,
    RegimeCells,
    StudyCounts,
    Subsets,
    parameter_counts,
    ranked_counts,
    with_dropped,
)
from condped.count.order_statistics.series import Region
from condped.count.ranking import ByLoss, ByOutcome, Ranking
from condped.count.resampling import FEWEST, Intervals, draw_subsamples, subset_counts
from condped.count.tally import Tally, check_any_left
from condped.count.target_sets import (
    NestedSets,
    find_outcome_sets,
    find_sets,
    rank_by_given_outcome,
    rank_by_pareto_order,
)
from condped.count.varying_parameters import VaryingFold, require_no_pooling, varying_of
from condped.errors import SettingsError, not_found
from condped.space.condition import Condition
from condped.space.domain import Domain
from condped.space.space import Space
from condped.trials.batch import Goal, Source, TableSource
from condped.trials.outcome import Target
from condped.trials.regimes import (
    PooledDomains,
    pool_domains,
    spanning_domain,
)
from condped.trials.repeats import remark_on_repeats
from condped.trials.table import Selection, TrialTable
from condped.trials.used_trials import Handling
from condped.trials.where import columns_of

# With more domains, those with too few trials are found first and get no cells.
_FEW_DOMAINS = 64


class PooledTrials(NamedTuple):
    """Trials with pooled domains, once with raw values and once with unit values."""

    raw: Trials
    unit: Trials
    domains: tuple[PooledDomains, ...]


@dataclass(frozen=True, eq=False)
class Trials:
    """Trials that can be counted.

    Attributes
    ----------
    counter
        Counts them.
    chosen
        The parameters to count; None: all.
    spanned
        Whether each parameter has one domain that spans all of its domains.
    quiet
        Whether they are a subset of other trials, whose notes suffice.
    only_counted
        Whether they are tested as if not in memory, which takes less time: one of many studies.
    noted
        Notes, in order.
    known, found
        Caches of tallies, and of cells by rank and subsamples: several counts need them.
    """

    counter: Counter
    chosen: tuple[str, ...] | None = None
    spanned: bool = False
    quiet: bool = False
    only_counted: bool = False
    noted: dict[str, None] = field(default_factory=dict)
    known: dict[Ranking, Tally] = field(default_factory=dict)
    found: dict[Hashable, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, trials: TrialTable | Source | Trials) -> Trials:
        """Return a table or source as trials that can be counted."""
        if isinstance(trials, Trials):
            return trials
        source = TableSource.of(trials) if isinstance(trials, TrialTable) else trials
        where = source.schema.where
        counter = Counter(source) if where is None else Counter(source).where(where)
        return cls(counter, noted=dict.fromkeys(source.notes))

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names."""
        return self.counter.schema.names if self.chosen is None else self.chosen

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The objectives."""
        return self.counter.schema.goals

    @property
    def space(self) -> Space | None:
        """The space with its conditions, if known."""
        return self.counter.schema.space

    @property
    def space_inferred(self) -> bool:
        """Whether the domains were inferred from the values."""
        return self.counter.schema.space_inferred

    @property
    def ignored_columns(self) -> tuple[str, ...]:
        """Columns of the source that are neither parameters nor objectives."""
        return () if self.quiet else self.counter.schema.ignored_columns

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user so far."""
        return tuple(self.noted)

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The conditions by which the trials were selected."""
        found = () if self.quiet else next((t.selections for t in self.known.values()), ())
        return (*self.counter.schema.selections, *found)

    def table(self, purpose: str) -> TrialTable:
        """Return the trials as a table; raises if they are not in memory."""
        source = self.counter.source
        if not isinstance(source, TableSource):
            where = f"(source: {self.counter.schema.source}). Read a subset that fits."
            raise SettingsError(
                f"{purpose} needs the trials in memory; these are only counted {where}"
            )
        return source.table

    @property
    def in_memory(self) -> TrialTable | None:
        """The trials as a table; None if they are only counted."""
        source = self.counter.source
        return source.table if isinstance(source, TableSource) else None

    def tally(self, ranking: Ranking) -> Tally:
        """Return how many trials are used or left out, and the range of their losses."""
        found = self.known.get(ranking)
        if found is None:
            found = self.counter.tally(ranking)
            if not self.quiet:
                check_any_left(found)
            self.known[ranking] = found
            self.note(found.notes)
        return found

    def note(self, notes: Sequence[str]) -> None:
        """Add notes for the user."""
        if not self.quiet:
            self.noted.update(dict.fromkeys(notes))

    def top_sets(
        self, target_quantiles: Sequence[float], region_quantile: float, handling: Handling
    ) -> NestedSets:
        """Find the region set and, inside it, a target set for each (ascending) quantile."""
        ranking: Ranking = ByLoss(handling)
        all_equal: bool | None = None
        if len(self.goals) > 1:
            table = self.table("The order of trials by several objectives")
            quantiles = (*target_quantiles, region_quantile)
            ranking, all_equal = rank_by_pareto_order(table, quantiles, handling)
        return find_sets(
            self.counter,
            ranking,
            self.tally(ranking),
            target_quantiles,
            region_quantile,
            all_equal=all_equal,
        )

    def outcome_sets(self, target: Target) -> NestedSets:
        """Return trials with an outcome as the target set, all that could have it as the region."""
        ranking: Ranking
        if isinstance(target, str):
            ranking = ByOutcome(target)
        else:
            table = self.table("An outcome that is given for each trial")
            ranking = rank_by_given_outcome(table, target)
        return find_outcome_sets(self.counter, ranking, self.tally(ranking))

    def expanded(self) -> Trials:
        """Return the trials with one domain per parameter, which spans all of its domains."""
        expanded = replace(self, spanned=True)
        _ = expanded.domains  # raises if no single domain spans those of a parameter
        return expanded

    def pooled(self, *, all_varying: bool) -> PooledTrials | None:
        """Return the trials with smoothly varying domains pooled; None if there are none."""
        source = self.counter.source
        if isinstance(source, TableSource):
            found = pool_domains(source.table, all_varying=all_varying)
            if found is None:
                return None
            raw, unit = map(self._with_table, (found.raw, found.unit))
            return PooledTrials(raw, unit, found.domains)
        self.note(require_no_pooling(self.counter, self.names, all_varying=all_varying))
        return None

    def _with_table(self, table: TrialTable) -> Trials:
        """Return the same trials with other parameters or values."""
        source = self.counter.source
        assert isinstance(source, TableSource)
        replaced = TableSource.of(table, source.batch.known)  # ranked as before
        return replace(self, counter=replace(self.counter, source=replaced))

    @cached_property
    def _recorded_domains(self) -> dict[str, tuple[Domain, ...]]:
        schema = self.counter.schema
        return dict(zip(schema.names, schema.domains, strict=True))

    @cached_property
    def domains(self) -> dict[str, tuple[Domain, ...]]:
        """The domains in which each parameter is counted."""
        recorded = {name: self._recorded_domains[name] for name in self.names}
        if not self.spanned:
            return recorded
        return {name: (spanning_domain(name, domains),) for name, domains in recorded.items()}

    def count(self, sets: NestedSets) -> StudyCounts:
        """Count the trials of each set in each cell of the grids."""
        many = tuple(n for n, domains in self.domains.items() if len(domains) > _FEW_DOMAINS)
        regimes = self._regime_sizes(sets, many)
        laid_out = {
            name: tuple(np.flatnonzero(sizes[:-1, -1] >= SMALLEST_REGIME).tolist())
            for name, sizes in regimes.items()
        }
        counted = self._count(replace(self._query(sets), laid_out=laid_out))
        nested = sets.nested(counted.every[0, 0])
        cells, end = [], 0
        for name, every in self.domains.items():
            few = name in regimes
            domains = tuple(every[place] for place in laid_out[name]) if few else every
            cells.append(RegimeCells(name, (*domains, None), grid_sizes(domains)))
            end += sum(cells[-1].sizes)
            if few:
                nested[end - 1] = regimes[name][-1]  # absent, not in a domain without cells
        parameters = tuple(
            with_dropped(found, regimes[found.name]) if found.name in regimes else found
            for found in parameter_counts(cells, nested)
        )
        return StudyCounts(parameters, sets.region_size, sets.target_sizes)

    def _regime_sizes(self, sets: NestedSets, names: tuple[str, ...]) -> dict[str, IntArray]:
        """Return (domains + 1, target sets + 1) for some parameters: set sizes per regime."""
        if not names:
            return {}
        counted = self._count(replace(self._query(sets), parameters=names, by_regime=True))
        return {
            name: sets.nested(counts[0, 0])
            for name, counts in zip(names, counted.parameters, strict=True)
        }

    def count_ranked(self, sets: NestedSets, blocks: int) -> RankedStudy:
        """Count the trials of each set in each cell by rank, in blocks of time."""
        cells = self._rank_cells(sets, blocks)
        starts = cells.block_starts
        counted = self._count(replace(self._query(sets), edges=cells.edges, block_starts=starts))
        regimes = [
            RegimeCells(name, (*domains, None), rank_sizes(name, domains, cells.edges))
            for name, domains in self.domains.items()
        ]
        nested = sets.nested(counted.every[0])  # (blocks, cells, sets)
        parameters = parameter_counts(regimes, nested.sum(axis=0))
        study = StudyCounts(parameters, sets.region_size, sets.target_sizes)
        study = self.found.setdefault(self._ranked_key("counts", sets), study)
        return RankedStudy(study, ranked_counts(regimes, nested))

    def count_by_rank(self, sets: NestedSets) -> StudyCounts:
        """Count the trials of each set in each cell by rank, over the whole time.

        Where blocks of time were counted, these are their sums.
        """
        known: StudyCounts | None = self.found.get(self._ranked_key("counts", sets))
        return self.count_ranked(sets, 1).counts if known is None else known

    def _ranked_key(self, what: str, sets: NestedSets) -> Hashable:
        return what, sets, self.counter, self.names, self.spanned

    def _rank_cells(self, sets: NestedSets, blocks: int) -> RankCells:
        edges = self._ranked_key("edges", sets)
        starts = ("starts", sets, self.counter, blocks)
        if edges not in self.found or (blocks > 1 and starts not in self.found):
            cells = rank_cells(
                self.counter,
                {} if edges in self.found else self.domains,
                Region(sets.ranking, sets.region),
                tally=sets.tally,
                blocks=blocks,
                spanned=self.spanned,
            )
            self.found.setdefault(edges, cells.edges)
            self.found[starts] = cells.block_starts
        return RankCells(self.found[edges], self.found[starts] if blocks > 1 else None)

    def _query(self, sets: NestedSets) -> Query:
        return Query(sets.ranking, sets.levels, self.names, spanned=self.spanned)

    def _count(self, query: Query) -> CountedTrials:
        counted = self.counter.count(query)
        self.note(counted.notes)
        return counted

    def count_where(self, sets: NestedSets, conditions: Sequence[Condition]) -> ConditionCounts:
        """Count the trials of each set that meet conditions on parameters."""
        query = replace(self._query(sets), parameters=(), conditions=tuple(conditions))
        counted = self._count(query)
        best = counted.best
        if len(self.goals) > 1:
            best = np.full(len(best), np.nan)
        left_out = counted.rows - counted.conditions.sum(axis=1)
        return ConditionCounts(sets.nested(counted.conditions), best, left_out)

    def subsets(
        self,
        sets: NestedSets,
        target_quantiles: Sequence[float] | None,
        region_quantile: float,
        *,
        intervals: Intervals,
        seed: int,
        by_rank: bool,
    ) -> Subsets | None:
        """Count subsamples of the trials, each with its cut-offs; None if there are too few trials.

        Without quantiles the target set is an outcome, the same in all of them.
        """
        if target_quantiles is not None and len(self.goals) > 1:
            raise SettingsError(
                "Intervals need one objective: with several, the order of trials changes with "
                f"every subset of them (got {len(self.goals)}). Name one as the objective."
            )
        if sets.counts.used < FEWEST or not self.names:
            return None
        quantiles = None if target_quantiles is None else tuple(target_quantiles)
        drawn = ("subsamples", sets, self.counter, quantiles, region_quantile, intervals, seed)
        if drawn not in self.found:
            self.found[drawn] = draw_subsamples(
                self.counter, sets, quantiles, region_quantile, intervals=intervals, seed=seed
            )
        subsamples = self.found[drawn]
        edges = self._rank_cells(sets, 1).edges if by_rank else None
        ranges = cell_ranges(self.domains, edges)
        total = ranges[-1].start + ranges[-1].cells
        query = replace(self._query(sets), edges=edges)
        return Subsets(ranges, subset_counts(self.counter, sets, subsamples, query, total))

    def remark_on_repeats(self) -> str:
        """Return a remark on trials that repeat a configuration; empty if there are few."""
        unchecked = "Whether trials repeat a configuration was not checked."
        return unchecked if self.in_memory is None else remark_on_repeats(self.in_memory)

    def inside(self, condition: Condition) -> Trials:
        """Return the trials that meet a condition, possibly none, without notes."""
        source = self.counter.source
        if isinstance(source, TableSource):
            table = source.table.selected(condition.holds(columns_of(source.table)))
            counter = Counter(TableSource.of(replace(table, notes=(), ignored_columns=())))
        else:
            counter = self.counter.where(condition)
        return replace(self, counter=counter, quiet=True, noted={}, known={}, found={})

    def varying(self) -> tuple[str, ...]:
        """Return the parameters that take at least two values or domains."""
        fold = VaryingFold(self.names, self.counter.conditions)
        return varying_of(self.counter.source.fold(fold), self.names)

    def with_parameters(self, names: Sequence[str]) -> Trials:
        """Return the trials with these parameters only, in this order."""
        source = self.counter.source
        if isinstance(source, TableSource):
            return self._with_table(source.table.with_parameters(names))
        for name in names:
            if name not in self.names:
                raise not_found("parameter", name, self.names)
        return replace(self, chosen=tuple(names))
