"""The one analysis behind results: sets, counts and numbers, kept for follow-up questions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from condped.analyse.importance.account import Account, DroppedRegimes
from condped.analyse.importance.estimates import ImportanceEstimates, estimated, numbers_of
from condped.analyse.importance.intervals import Uncertainty, uncertainty
from condped.analyse.importance.set_counts import SetCounts, SetTrials
from condped.analyse.importance.ties import Tie, ties_of
from condped.analyse.options import Question
from condped.count.absences import only_unused
from condped.count.trials import Trials
from condped.estimate.estimator import Estimate
from condped.estimate.settings import Settings
from condped.trials.outcome import label_of
from condped.trials.table import TrialTable

_SORTED = "The rows are sorted by the objective, so their order may not be that of time."


@dataclass(frozen=True, eq=False)
class Analysis:
    """Counts of T target sets and P parameters, and what is estimated from them.

    Attributes
    ----------
    target_quantiles
        γ' of the target sets; None for an outcome.
    all_equal
        Whether all used trials have the same objective.
    bands, level
        The intervals and their confidence level; None without intervals.
    """

    target_quantiles: tuple[float, ...] | None
    settings: Settings
    account: Account
    counts: SetCounts = field(repr=False)
    all_equal: bool
    bands: Uncertainty | None = field(default=None, repr=False)
    level: float | None = None

    @property
    def pooled(self) -> tuple[str, ...]:
        """The parameters whose domains were pooled."""
        return tuple(entry.parameter for entry in self.account.pooled)

    @cached_property
    def estimate(self) -> Estimate:
        """The variances and what they are made of."""
        return estimated(self.counts, self.settings, self.pooled)

    @cached_property
    def numbers(self) -> ImportanceEstimates:
        """The importances."""
        counts = self.counts.by(self.settings.method)
        return numbers_of(
            self.estimate, counts, self.settings, self.account, all_equal=self.all_equal
        )

    def at(self, place: int) -> Analysis:
        """Return the analysis of one target set."""
        if len(self.numbers.target_sizes) == 1:
            return self
        one = slice(place, place + 1)
        quantiles = None if self.target_quantiles is None else self.target_quantiles[one]
        ties = tuple(tie for tie in self.account.ties if tie.target_quantile in (quantiles or ()))
        return replace(
            self,
            target_quantiles=quantiles,
            account=replace(self.account, ties=ties),
            counts=self.counts.at(place),
            bands=None if self.bands is None else self.bands.at(place),
        )

    def detached(self, *, tests: bool, evidence: bool) -> Analysis:
        """Return the analysis without the trials, after computing what needs them."""
        needed = self.needed(tests=tests, evidence=evidence)
        return self.with_estimate_in(replace(self, counts=self.counts.detached(needed)))

    def with_estimate_in(self, other: Analysis) -> Analysis:
        """Return another analysis of the same counts, sharing this one's estimates."""
        vars(other).update({n: vars(self)[n] for n in ("estimate", "numbers") if n in vars(self)})
        return other

    def needed(self, *, tests: bool, evidence: bool) -> tuple[str, ...]:
        """Return the names of the counts that the numbers come from.

        With ``tests`` also p-values, with ``evidence`` also verdicts and densities.
        """
        calibrated = self.settings.method == "calibrated"
        names = ["ranked" if calibrated else "grid"]
        if self.pooled:
            names.append("unit_ranked" if calibrated else "unit_grid")
        if tests or evidence or calibrated or self.pooled:
            names += ["p_values", "bias"] if calibrated else ["p_values"]
        if evidence:
            names += ["grid"] if calibrated else []
            names += ["adjusted_p_values", "regime_p_values", "sampling", "remark", "looks"]
        return tuple(names)


def analyse(trials: TrialTable | Trials, question: Question) -> Analysis:
    """Find the sets, count them, estimate. Only the counting depends on the number of trials."""
    return answered(count_sets(trials, question), question)


def count_sets(trials: TrialTable | Trials, question: Question) -> SetCounts:
    """Find the sets that a question is about; they are counted on first access."""
    counted, settings = Trials.of(trials), question.settings
    if question.target is None:
        top = counted.top_sets(
            question.target_quantiles, settings.region_quantile, question.handling
        )
    else:
        top = counted.outcome_sets(question.target)
    own = SetTrials.of(counted, top, settings, question.handling, question.quantiles)
    return SetCounts(own)


def answered(
    counts: SetCounts, question: Question, ties: tuple[Tie, ...] | None = None
) -> Analysis:
    """Answer a question from counts; several methods can share them and the ``ties``."""
    assert counts.trials is not None
    settings = question.settings
    if settings.method == "calibrated" or counts.trials.pooled:
        _ = counts.p_values  # first: counting by rank may leave a note for the account
    outcome = None if question.target is None else label_of(question.target)
    found = Analysis(
        target_quantiles=question.quantiles,
        settings=settings,
        account=_account(counts, settings, outcome, question_ties(counts, question, ties)),
        counts=counts,
        all_equal=counts.trials.top.all_equal,
    )
    if question.intervals is None:
        return found
    bands = uncertainty(found.numbers, counts, question, found.pooled)
    if bands is None:
        notes = (*found.account.notes, "Too few trials for intervals.")
        return replace(found, account=replace(found.account, notes=notes))
    return found.with_estimate_in(replace(found, bands=bands, level=question.level))


def question_ties(
    counts: SetCounts, question: Question, known: tuple[Tie, ...] | None = None
) -> tuple[Tie, ...]:
    """Return the ties at the ends of the target sets that a question is about."""
    assert counts.trials is not None
    if known is not None:
        return known
    return ties_of(counts.trials.given, counts.trials.top, question.quantiles)


def _account(
    counts: SetCounts, settings: Settings, outcome: str | None, ties: tuple[Tie, ...]
) -> Account:
    assert counts.trials is not None
    dropped = tuple(
        DroppedRegimes(
            parameter.name, parameter.dropped_region.size, int(parameter.dropped_region.sum())
        )
        for parameter in counts.by(settings.method).parameters
        if parameter.dropped_region.size
    )
    own = counts.trials
    return account_of(own, outcome=outcome, dropped=dropped, ties=ties)


def account_of(
    own: SetTrials,
    *,
    outcome: str | None = None,
    dropped: tuple[DroppedRegimes, ...] = (),
    ties: tuple[Tie, ...] = (),
) -> Account:
    """Return the account of numbers about these sets."""
    trials = own.raw
    unused = () if trials.quiet else only_unused(trials.counter, own.top.ranking)
    absent = [f"Active only in trials that were left out: {', '.join(unused)}."] if unused else []
    order = [_SORTED] if own.top.sorted_by_objective else []
    return Account(
        pooled=own.pooled,
        outcome=outcome,
        objectives=trials.goals,
        trials=own.top.counts,
        handling=own.handling,
        region_size=own.top.region_size,
        dropped_regimes=dropped,
        space_inferred=trials.space_inferred,
        ignored_columns=trials.ignored_columns,
        notes=(*order, *trials.notes, *absent),
        selections=trials.selections,
        ties=ties,
    )
