"""Trials that an engine counts where they lie."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from condped.arrays import IntArray
from condped.count.countable import (
    FEWEST,
    ConditionSizes,
    Explained,
    Intervals,
    PooledTrials,
    Sets,
    Subsets,
)
from condped.count.counts import StudyCounts
from condped.count.engine_ranks import (
    ALONE,
    RankCells,
    cells_by_rank,
    is_ordered,
    parameter_counts,
    rank_cells,
    ranked_counts,
)
from condped.count.engine_sets import EngineSets
from condped.count.engine_subsets import parts_of, refuse_too_many, subset_counts
from condped.count.order_statistics import Ranks, order_statistics
from condped.count.passes import Counted, Passes, Series, Tally, Wanted, Within
from condped.count.ranks import RankedStudy
from condped.count.subsets import CellRange
from condped.errors import DataError, SettingsError, not_found
from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain
from condped.space.grid import grid_of
from condped.space.space import Space
from condped.trials.pooling import may_be_smooth, vary_smoothly
from condped.trials.regimes import spanning_domain
from condped.trials.table import Selection
from condped.trials.topsets import Handling, set_size

_FEWEST_SORTED = 20  # trials; fewer may be in order by chance
_NO_TIME = (
    "The table has no order of time: the test takes its trials as drawn at random. Name a column "
    "with their numbers as the order to compare trials of the same time."
)


class Lease:
    """Stands for the use of what was opened: when nobody holds it any more, that is closed.

    Results find their evidence later, so what was opened lives as long as they do.
    """

    def __init__(self, passes: Passes) -> None:
        self.closing = weakref.finalize(self, passes.close)


@dataclass(frozen=True, eq=False)
class EngineTrials:
    """Counts trials through an engine's passes.

    Attributes
    ----------
    chosen
        Places of the parameters to look at; None: all.
    spanned
        Whether each parameter has one domain that spans all of its own.
    quiet
        Whether they are a part of other trials, of which all has been said.
    lease
        Of what was opened for them; None: the caller opened it.
    noticed
        Notes, in order.
    """

    passes: Passes
    chosen: tuple[int, ...] | None = None
    spanned: bool = False
    quiet: bool = False
    lease: Lease | None = None
    noticed: dict[str, None] = field(default_factory=dict)
    known: dict[Handling, Tally] = field(default_factory=dict)

    @property
    def places(self) -> tuple[int, ...]:
        """Places of the parameters among the engine's."""
        return tuple(range(len(self.passes.outline.names))) if self.chosen is None else self.chosen

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.passes.outline.names[place] for place in self.places)

    @property
    def objectives(self) -> tuple[Explained, ...]:
        outline = self.passes.outline
        return (Explained(outline.objective, outline.direction),)

    @property
    def space(self) -> Space | None:
        return self.passes.outline.space

    @property
    def space_inferred(self) -> bool:
        return self.passes.outline.space_inferred

    @property
    def ignored_columns(self) -> tuple[str, ...]:
        return () if self.quiet else self.passes.outline.ignored_columns

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self.noticed)

    @property
    def selections(self) -> tuple[Selection, ...]:
        if self.quiet:
            return ()
        return next((tally.selections for tally in self.known.values()), ())

    def tally(self, handling: Handling) -> Tally:
        """Return how the trials ended."""
        if handling not in self.known:
            found = self.passes.tally(handling)
            if found.selections and not found.counts.total and not self.quiet:
                total = found.selections[0].total
                conditions = " and ".join(chosen.condition for chosen in found.selections)
                raise DataError(
                    f"None of the {total} trials meets the condition {conditions!r}. Correct "
                    "where, or leave it out."
                )
            self.known[handling] = found
            self.notice(found.notes)
        return self.known[handling]

    def notice(self, notes: Sequence[str]) -> None:
        """Keep notes, each once."""
        if not self.quiet:
            self.noticed.update(dict.fromkeys(notes))

    def top_sets(
        self, target_quantiles: Sequence[float], region_quantile: float, handling: Handling
    ) -> EngineSets:
        tally = self.tally(handling)
        used, whole = tally.counts.used, region_quantile == 1.0
        ordinary = used - tally.counts.counted_as_worst
        quantiles = [*target_quantiles, *([] if whole else [region_quantile])]
        sizes = np.array([set_size(quantile, used) for quantile in quantiles], dtype=np.int64)
        cutoffs, reached = np.full(len(sizes), np.inf), np.full(len(sizes), used)
        open_ones = sizes <= ordinary
        if used and open_ones.any():
            ranks = sizes[open_ones][None]
            asked = Ranks(tally.lowest, tally.highest, lambda _: ranks, ALONE)
            found = order_statistics(
                self.passes, {Series("loss"): asked}, Within(handling), trials=used
            )
            cutoffs[open_ones] = found[Series("loss")].values[0]
            reached[open_ones] = found[Series("loss")].at_most[0]
        targets = len(target_quantiles)
        return EngineSets(
            handling=handling,
            tally=tally,
            cutoffs=cutoffs[:targets],
            region=None if whole else float(cutoffs[-1]),
            target_sizes=reached[:targets],
            region_size=used if whole else int(reached[-1]),
        )

    def expanded(self) -> EngineTrials:
        for place in self.places:
            spanning_domain(self.passes.outline.names[place], self.passes.outline.domains[place])
        return replace(self, spanned=True)

    def pooled(self, *, all_varying: bool) -> PooledTrials | None:
        outline = self.passes.outline
        if all_varying:
            for place in self.places:
                domains = outline.domains[place]
                if len(domains) > 1 and not any(isinstance(d, Categorical) for d in domains):
                    raise self._no_pooling(place)
        many = tuple(place for place in self.places if may_be_smooth(outline.domains[place]))
        if many:
            # One cell for each domain: how many trials each has.
            wanted = Wanted(Within(Handling()), np.zeros(0), edges={}, parameters=many)
            for place, counts in zip(many, self._counted(wanted).parameters, strict=True):
                if vary_smoothly(counts[0, 0, :-1, 0]):
                    raise self._no_pooling(place)
        return None

    def _no_pooling(self, place: int) -> SettingsError:
        outline = self.passes.outline
        return SettingsError(
            f"Parameter {outline.names[place]!r} has {len(outline.domains[place])} domains to "
            f"pool, which takes the trials themselves; the engine {outline.engine!r} only counts. "
            "Set pooling to 'never' to keep them apart, or use the engine 'memory'."
        )

    def domains(self, place: int) -> tuple[Domain, ...]:
        """Return the domains that a parameter is counted in."""
        outline = self.passes.outline
        if self.spanned:
            return (spanning_domain(outline.names[place], outline.domains[place]),)
        return outline.domains[place]

    def count(self, top: Sets) -> StudyCounts:
        own = _own(top)
        counted = self._counted(self._wanted(own))
        parameters = []
        for place, counts in zip(self.places, counted.parameters, strict=True):
            domains = self.domains(place)
            sizes = [grid_of(domain).cells for domain in domains]
            parts = np.split(own.nested(counts[0, 0]), np.cumsum(sizes))
            name = self.passes.outline.names[place]
            parameters.append(parameter_counts(name, (*domains, None), parts))
        return StudyCounts(tuple(parameters), own.region_size, own.target_sizes)

    def count_ranked(self, top: Sets, blocks: int) -> RankedStudy:
        own = _own(top)
        if blocks > 1 and not self.passes.outline.ordered:
            blocks = 1
            self.notice([_NO_TIME])
        cells = self._rank_cells(own, blocks)
        counted = self._counted(
            replace(self._wanted(own), edges=cells.edges, block_starts=cells.block_starts)
        )
        parameters, ranked = [], []
        for place, counts in zip(self.places, counted.parameters, strict=True):
            regimes = (*self.domains(place), None)
            ends = np.cumsum(self._sizes(place, cells))[:-1]
            parts = np.split(own.nested(counts[0]), ends, axis=1)  # (blocks, cells, sets) each
            name = self.passes.outline.names[place]
            parameters.append(parameter_counts(name, regimes, [part.sum(axis=0) for part in parts]))
            ranked.append(ranked_counts(regimes, parts))
        study = StudyCounts(tuple(parameters), own.region_size, own.target_sizes)
        return RankedStudy(study, tuple(ranked))

    def _rank_cells(self, own: EngineSets, blocks: int) -> RankCells:
        return rank_cells(
            self.passes,
            {place: self.domains(place) for place in self.places},
            Within(own.handling, own.region),
            tally=own.tally,
            blocks=blocks,
            spanned=self.spanned,
        )

    def _sizes(self, place: int, cells: RankCells | None) -> list[int]:
        """Return how many cells each regime has, absence last."""
        domains = self.domains(place)
        if cells is None:
            return [*(grid_of(domain).cells for domain in domains), 1]
        return [
            cells_by_rank(domain, cells.edges.get((place, number)))
            for number, domain in enumerate((*domains, None))
        ]

    def _wanted(self, own: EngineSets) -> Wanted:
        return Wanted(
            Within(own.handling), own.levels, parameters=self.places, spanned=self.spanned
        )

    def _counted(self, wanted: Wanted) -> Counted:
        counted = self.passes.count(wanted)
        self.notice(counted.notes)
        return counted

    def count_where(self, top: Sets, conditions: Sequence[Condition]) -> ConditionSizes:
        own = _own(top)
        wanted = replace(self._wanted(own), parameters=(), conditions=tuple(conditions))
        counted = self._counted(wanted)
        return ConditionSizes(own.nested(counted.conditions), counted.best)

    def sorted_by_objective(self, top: Sets) -> bool:
        own = _own(top)
        return own.tally.sorted_by_loss and own.counts.used >= _FEWEST_SORTED

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
        own = _own(top)
        if own.counts.used < FEWEST or not self.places:
            return None
        assert target_quantiles is not None  # outcomes are explained in memory only
        parts = parts_of(
            self.passes, own.tally, own.handling, target_quantiles, region_quantile,
            intervals=intervals, seed=seed,
        )  # fmt: skip
        cells = self._rank_cells(own, 1) if by_rank else None
        sizes = {place: self._sizes(place, cells) for place in self.places}
        refuse_too_many(self.passes, parts, max(sum(own_sizes) for own_sizes in sizes.values()))
        wanted = replace(
            self._wanted(own),
            cutoffs=parts.levels,
            edges=None if cells is None else cells.edges,
            groups=parts.members.shape[1],
            seed=seed,
        )
        counted = self._counted(wanted)
        ranges: list[CellRange] = []
        start = 0
        for owner, place in enumerate(self.places):
            for domain, size in zip((*self.domains(place), None), sizes[place], strict=True):
                ordered = cells is None or is_ordered(domain)
                ranges.append(CellRange(owner, domain, start, size, ordered))
                start += size
        counts = subset_counts(parts, counted.sizes, [one[:, 0] for one in counted.parameters])
        return Subsets(tuple(ranges), counts)

    def remark_on_repeats(self) -> str:
        return "Whether trials repeat a configuration was not looked at."

    def inside(self, condition: Condition) -> EngineTrials:
        return replace(self, passes=self.passes.where(condition), quiet=True, noticed={}, known={})

    def varying(self) -> tuple[str, ...]:
        # One cell for each numeric domain, which is taken to vary if two trials have it.
        wanted = Wanted(Within(Handling()), np.zeros(0), edges={}, parameters=self.places)
        found = []
        for place, counts in zip(self.places, self._counted(wanted).parameters, strict=True):
            outline = self.passes.outline
            numeric = any(
                trials > 1 and not isinstance(domain, Categorical) and not domain.single
                for domain, (trials,) in _sizes_of(outline.domains[place], counts[0, 0, :-1])
            )
            if numeric or np.count_nonzero(counts[0, 0, :-1]) > 1:
                found.append(outline.names[place])
        return tuple(found)

    def with_parameters(self, names: Sequence[str]) -> EngineTrials:
        known = {self.passes.outline.names[place]: place for place in self.places}
        for name in names:
            if name not in known:
                raise not_found("parameter", name, known)
        return replace(self, chosen=tuple(known[name] for name in names))


def _sizes_of(domains: tuple[Domain, ...], counts: IntArray) -> Iterator[tuple[Domain, IntArray]]:
    """Iterate over domains and how many trials have each, from counts on one cell per number."""
    cells = np.cumsum([cells_by_rank(domain, None) for domain in domains])[:-1]
    for domain, part in zip(domains, np.split(counts, cells), strict=True):
        yield domain, part.sum(axis=0)


def _own(top: Sets) -> EngineSets:
    assert isinstance(top, EngineSets)
    return top
