"""Trials of the sets in each cell, counted in the requested ways, each once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from condped.analyse.evidence.looks import (
    LookTest,
    LookTests,
    known_look,
    look_test,
    nothing_testable,
    prefix_of,
    scheduled,
    tests_of_looks,
)
from condped.analyse.evidence.sampling import FEWEST_INDEPENDENT, SamplingDecision
from condped.analyse.evidence.significance import (
    Significance,
    aligned,
    all_replayed,
    decision_of,
    significance,
)
from condped.arrays import FloatArray
from condped.count.counts import StudyCounts
from condped.count.ranking import ByOutcome, ranked
from condped.count.target_sets import NestedSets
from condped.count.trials import Trials
from condped.errors import CondpedError, SettingsError
from condped.estimate.independence_test import adjusted
from condped.estimate.settings import Method, Settings
from condped.trials.batch import Batch
from condped.trials.regimes import PooledDomains
from condped.trials.repeats import merged, repeats_by_design
from condped.trials.used_trials import Handling

_FEW = 200_000  # trials up to which the test is quick


@dataclass(frozen=True, slots=True, eq=False)
class SetTrials:
    """Trials with the sets that are compared.

    Attributes
    ----------
    given
        The trials as they were given.
    raw, unit
        The same, with domains expanded or pooled according to the settings: pooled ones once with
        raw values and once with unit values.
    pooled
        Which domains were pooled.
    """

    given: Trials
    raw: Trials
    unit: Trials
    pooled: tuple[PooledDomains, ...]
    top: NestedSets
    handling: Handling
    settings: Settings
    quantiles: tuple[float, ...] | None  # of the target sets; None: an outcome

    @classmethod
    def of(
        cls,
        trials: Trials,
        top: NestedSets,
        settings: Settings,
        handling: Handling,
        quantiles: tuple[float, ...] | None,
    ) -> SetTrials:
        """Expand or pool domains according to the settings."""
        raw, found = trials, None
        if settings.measure == "unconditional":
            raw = trials.expanded()
        elif settings.pooling != "never":
            found = trials.pooled(all_varying=settings.pooling == "always")
        unit = raw if found is None else found.unit
        raw = raw if found is None else found.raw
        pooled = () if found is None else found.domains
        return cls(trials, raw, unit, pooled, top, handling, settings, quantiles)

    def without_repeats(self) -> SetTrials:
        """Return the same with one trial per configuration, if there are repeats by design."""
        table = self.given.in_memory
        if table is None or self.quantiles is None or not repeats_by_design(table):
            return self
        once = replace(Trials.of(merged(table)), only_counted=self.given.only_counted)
        top = once.top_sets(self.quantiles, self.settings.region_quantile, self.handling)
        return SetTrials.of(once, top, self.settings, self.handling, self.quantiles)

    def at_look(self, finished: int) -> SetTrials:
        """Return the trials that finished first, with the sets that they had by then."""
        table = self.given.table("looks='repeated'")
        early = Trials.of(prefix_of(table, finished))
        settings, ranking = replace(self.settings, looks="once"), self.top.ranking
        if self.quantiles is not None:
            top = early.top_sets(self.quantiles, settings.region_quantile, self.handling)
        elif isinstance(ranking, ByOutcome):
            top = early.outcome_sets(ranking.outcome)
        else:
            hits = np.asarray(ranked(Batch(table), ranking).levels <= self.top.cutoffs[0])
            rows = table.study.finished_first(finished)
            first = rows if table.rows is None else np.isin(table.rows, rows)
            top = early.outcome_sets(hits[first])
        return SetTrials.of(early, top, settings, self.handling, self.quantiles)

    def independent(self) -> SetTrials:
        """Return the trials that were drawn without regard to results, with sets of their own.

        Few of the best trials are among them, so their own best ones are the target sets: the same
        shares of them, but at least ten trials.
        """
        table = self.given.in_memory
        assert table is not None
        assert table.drawing is not None
        rows = table.drawing.independent
        assert rows is not None
        drawn = Trials.of(table.only(rows))
        region, quantiles = self.settings.region_quantile, self.quantiles
        if quantiles is None:
            ranking = self.top.ranking
            levels = ranked(Batch(table), ranking).levels
            hits = np.asarray(levels <= self.top.cutoffs[0])[rows]
            top = drawn.outcome_sets(ranking.outcome if isinstance(ranking, ByOutcome) else hits)
        else:
            least = min(FEWEST_INDEPENDENT / max(int(np.count_nonzero(rows)), 1), 0.5 * region)
            quantiles = tuple(max(quantile, least) for quantile in quantiles)
            top = drawn.top_sets(quantiles, region, self.handling)
        return SetTrials.of(drawn, top, self.settings, self.handling, quantiles)


class SetCounts:
    """Counts and p-values of T target sets and P parameters.

    All that has been counted is kept. Without trials, as in a result that was loaded, nothing else
    is known.
    """

    def __init__(self, trials: SetTrials | None, known: Mapping[str, Any] | None = None) -> None:
        self.trials = trials
        # Branches that are tested together with this one, itself included.
        self.together: tuple[SetCounts, ...] = ()
        vars(self).update(known or {})

    def knows(self, name: str) -> bool:
        """Return whether this was counted already."""
        return name in vars(self)

    @property
    def testable(self) -> bool:
        """Whether p-values are known, or can be computed."""
        return self.trials is not None or self.knows("p_values")

    @property
    def quickly_testable(self) -> bool:
        """Whether that is quick."""
        few = self.trials is None or self.trials.top.counts.used <= _FEW
        return self.testable and few

    def by(self, method: Method, *, unit: bool = False) -> StudyCounts:
        """Return the counts that a method estimates from, with raw or unit values."""
        if method == "calibrated":
            return self.unit_ranked if unit else self.ranked
        return self.unit_grid if unit else self.grid

    @cached_property
    def grid(self) -> StudyCounts:
        """By value, on the cells of the grids."""
        return self._trials.raw.count(self._trials.top)

    @cached_property
    def unit_grid(self) -> StudyCounts:
        """The same in unit values."""
        trials = self._trials
        return self.grid if trials.unit is trials.raw else trials.unit.count(trials.top)

    @cached_property
    def ranked(self) -> StudyCounts:
        """By rank."""
        trials = self._trials
        if trials.unit is trials.raw:
            return self.unit_ranked
        return trials.raw.count_by_rank(trials.top)

    @cached_property
    def unit_ranked(self) -> StudyCounts:
        """The same in unit values."""
        trials = self._trials
        return trials.unit.count_by_rank(trials.top)

    @cached_property
    def significance(self) -> Significance:
        """The test of all parameters."""
        if self._trials.settings.looks == "repeated":
            return self.look_tests.significance
        once = self._trials.without_repeats()
        found = significance(once)
        if once is self._trials:
            return found
        tested = once.unit.count_by_rank(once.top)
        return aligned(found, tested, self.unit_ranked)

    @cached_property
    def look_tests(self) -> LookTests:
        """The tests at all scheduled looks, for p-values that hold however often one looks."""
        own = self._trials
        looks = scheduled(own)
        tests = [self._test_look(finished) for finished in looks]
        return tests_of_looks(own, looks, tests, self.unit_ranked)

    def _test_look(self, finished: int) -> LookTest:
        try:
            counts = SetCounts(self._trials.at_look(finished))
        except CondpedError:  # no trial of a selection was there, or could be used
            return nothing_testable()
        assert counts.trials is not None
        return known_look(counts.trials, lambda: look_test(counts.significance, counts.unit_ranked))

    @cached_property
    def looks(self) -> tuple[int, ...]:
        """At how many finished trials it was tested; empty if the study is looked at once."""
        return self.look_tests.looks if self._trials.settings.looks == "repeated" else ()

    @cached_property
    def decision(self) -> SamplingDecision:
        """How parameters are tested, which is known before they are."""
        return decision_of(self._trials.without_repeats())

    @cached_property
    def p_values(self) -> FloatArray:
        """(T, P): how often the sampler or chance alone gives as much; NaN if not testable."""
        return self.significance.p_values

    @cached_property
    def bias(self) -> FloatArray | None:
        """(R, T): what the sampler alone gives each regime; None for nothing."""
        found = self.significance
        if found.decision.test != "independent":
            return found.bias
        # The test uses some of the trials, the estimate all of them.
        again = all_replayed(self._trials, found.decision)
        return None if again is None else again.bias

    @cached_property
    def adjusted_p_values(self) -> FloatArray:
        """(T, P): adjusted for the number of parameters, including those of other branches.

        Other branches whose test would take long are not included.
        """
        others = [
            other.p_values
            for other in self.together
            if other is not self and other.quickly_testable
        ]
        every = adjusted(np.concatenate([self.p_values, *others], axis=1))
        return every[:, : self.p_values.shape[1]]

    @cached_property
    def regime_p_values(self) -> list[list[FloatArray]]:
        """(T,) for each regime of each parameter."""
        return self.significance.regimes

    @cached_property
    def sampling(self) -> str:
        """What the trials were compared with, and why, in a sentence."""
        return self.significance.decision.reason

    @cached_property
    def remark(self) -> str:
        """What else a reader of p-values should know."""
        return self._trials.given.remark_on_repeats()

    @property
    def _trials(self) -> SetTrials:
        if self.trials is None:
            raise SettingsError(
                "This result no longer has its trials, which densities and the test need."
            )
        return self.trials

    def at(self, place: int) -> SetCounts:
        """Return the counts of one target set."""
        one = slice(place, place + 1)
        trials = self.trials
        if trials is not None:
            top = trials.top
            narrow = replace(top, cutoffs=top.cutoffs[one], target_sizes=top.target_sizes[one])
            quantiles = None if trials.quantiles is None else trials.quantiles[one]
            trials = replace(trials, top=narrow, quantiles=quantiles)
        known = {
            name: cut(vars(self)[name], one) for name, cut in _CUTS.items() if self.knows(name)
        }
        return SetCounts(trials, known)

    def detached(self, needed: tuple[str, ...]) -> SetCounts:
        """Return the needed counts without the trials; they are counted first if necessary."""
        known = {name: getattr(self, name) for name in needed}
        return SetCounts(None, known)


def _counts_of_set(counts: StudyCounts, one: slice) -> StudyCounts:
    """Return the counts of one target set."""
    parameters = tuple(
        replace(
            parameter,
            regimes=tuple(replace(r, target=r.target[one]) for r in parameter.regimes),
            dropped_target=parameter.dropped_target[one],
        )
        for parameter in counts.parameters
    )
    return replace(counts, parameters=parameters, target_sizes=counts.target_sizes[one])


# How to extract one target set from what is known.
_CUTS: Mapping[str, Callable[[Any, slice], Any]] = {
    **dict.fromkeys(("grid", "unit_grid", "ranked", "unit_ranked"), _counts_of_set),
    **dict.fromkeys(("p_values", "adjusted_p_values"), lambda found, one: found[one]),
    "bias": lambda found, one: None if found is None else found[:, one],
    "regime_p_values": lambda found, one: [[p[one] for p in regimes] for regimes in found],
    **dict.fromkeys(("sampling", "remark", "looks"), lambda found, one: found),
}
