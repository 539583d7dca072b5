"""``condped.advise``: a narrower search space, where the evidence suffices."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from condped.analyse.advice.narrow import Restrictions, given, meet, narrowed
from condped.analyse.advice.propose import Proposal, RegimeTrials, covered, inside, propose
from condped.analyse.advice.result import Advice, Kind, Step, UnknownCondition
from condped.analyse.branches.splits import splits_of
from condped.analyse.branches.structure import Structure, structure_of
from condped.analyse.branches.tree import require_conditions
from condped.analyse.importance.analysis import answered, count_sets
from condped.analyse.importance.importance import ImportanceResult, importance_result
from condped.analyse.importance.sampling import strata_of
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options, open_table
from condped.arrays import BoolArray, IntArray
from condped.errors import SettingsError
from condped.options import takes
from condped.space.condition import Both, Comparison
from condped.space.domain import Categorical, Domain
from condped.trials.batch import Batch
from condped.trials.repeats import merged, repeating
from condped.trials.table import Parameter, TrialTable

# How often chance alone may make one parameter of a study, or one of its regimes, seem to matter.
_MATTERS = 0.05
_RISK = "What is good only together with something that was hardly tried would be missed."


@takes(AnalysisOptions, *ANALYSIS)
def advise(
    source: Any, *, target_quantile: float = 0.1, **options: Unpack[AnalysisOptions]
) -> Advice:
    """Suggest a narrower search space: what to fix, what to narrow and what to leave.

    Only parameters with strong evidence of an effect are touched: chance alone would make one of
    all parameters seem to matter so much at most one time in twenty, and would let what is left out
    reach the target set so rarely at most one time in a hundred. Trials that repeat a configuration
    count once, with the mean of their objectives, unless only some ``parameters`` were chosen. With
    ``where`` the new space is held to the condition, which has to be made of comparisons of single
    parameters with values, joined by ``and``. All trials are looked at, whatever
    ``region_quantile`` says.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes.
    target_quantile
        γ': the best trials of this share are the target set.
    **options
        As for :func:`condped.importance`.

    Examples
    --------
    >>> import condped
    >>> advice = condped.advise(condped.problems.get("nested").sample(1000, seed=0))
    >>> advice.dropped
    ('y', 'z')
    """
    if options.get("groups"):
        raise SettingsError("Advice is about single parameters. Leave groups out.")
    asked = Options.of(advise, options)
    question = asked.question((target_quantile,))
    require_conditions("advise", question)
    # What to leave out is judged among all trials: outside the region set is not good, either.
    region_quantile = question.settings.region_quantile
    question = replace(question, settings=replace(question.settings, region_quantile=1.0))
    recorded = open_table("Advice", source, **asked.reading)
    alone = recorded.some_parameters or not recorded.parameters
    table = recorded if alone else merged(recorded)
    counts = count_sets(table, question)
    assert counts.trials is not None
    top = counts.trials.top
    result = importance_result(answered(counts, question))
    _, region, target = top.members(Batch(table))
    structure = structure_of(table)
    base, restrictions = given(structure.space, table.where)
    parameters = {parameter.name: parameter for parameter in table.parameters}
    blocks = _blocks(region, strata_of(int(np.count_nonzero(region))))
    adviser = _Adviser(parameters, result, region, target, structure, blocks, restrictions)
    found = adviser.proposals()
    domains = {**restrictions, **{key: proposal.domain for key, proposal in found.items()}}
    stays = adviser.staying(domains)
    # Where nothing says when a parameter is active, the trials of the new space have a say.
    unexplained = structure.unexplained
    gone = [name for name in unexplained if not (adviser.present(name) & stays).any()]
    space, possible = narrowed(base, domains, without=gone)
    unknown = tuple(adviser.unknown(name) for name in unexplained if name in space)
    return Advice(
        steps=adviser.steps(found, possible),
        space=space,
        dropped=tuple(name for name in structure.space if name not in space),
        kept_target=int(np.count_nonzero(target & stays)),
        target_size=int(np.count_nonzero(target)),
        kept_region=int(np.count_nonzero(region & stays)),
        region_size=top.region_size,
        importance=result,
        notes=(
            *_space_notes(table, unknown, gone),
            *_trial_notes(recorded, table, region_quantile),
        ),
        unknown=unknown,
    )


def _blocks(region: BoolArray, blocks: int) -> IntArray:
    """Return the stretch of time of each trial."""
    passed = np.cumsum(region) - 1
    size = max(int(np.count_nonzero(region)), 1)
    return np.asarray(np.clip(passed * blocks // size, 0, blocks - 1))


def _space_notes(
    table: TrialTable, unknown: Sequence[UnknownCondition], gone: Sequence[str]
) -> Iterator[str]:
    """Iterate over what the user should know of the new space."""
    if table.where is not None:
        yield f"The new space is for {table.where.text} only."
    for name in gone:
        yield f"{name}: its condition is unknown, and no trial in the new space has it; left out."
    for entry in unknown:
        told = f"active in {entry.active} of {entry.trials} trials; its condition is unknown"
        if entry.active == entry.trials:
            told = "its domain varies, and why is unknown"
        yield (
            f"{entry.parameter}: {told}. The code does not suggest it: put in your own if, where a "
            "comment says so. The new space lists it without a condition."
        )


def _trial_notes(recorded: TrialTable, table: TrialTable, region_quantile: float) -> Iterator[str]:
    """Iterate over what the user should know of the trials behind the advice."""
    if region_quantile != 1.0:
        yield (
            "Advice looks at all trials, not only at the best "
            f"{100 * region_quantile:g} %: what lies outside these is not good, either."
        )
    again = len(recorded) - len(table)
    if again:
        yield (
            f"{again} of {len(recorded)} trials repeat the configuration of another one: each "
            "configuration counts once, with the mean of its objectives."
        )
    elif table.some_parameters and table.parameters and repeating(table) > len(table) / 10:
        yield (
            f"{repeating(table)} of {len(table)} trials have the values of another one in the "
            "chosen parameters, and each counts by itself. If they repeat whole configurations, "
            "choose all parameters, so that each configuration counts once."
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Adviser:
    """All that advice rests on."""

    parameters: dict[str, Parameter]
    result: ImportanceResult
    region: BoolArray  # which trials are in the region set
    target: BoolArray  # which are in the target set
    structure: Structure
    blocks: IntArray
    restrictions: Restrictions  # what the condition on the trials leaves of domains

    def proposals(self) -> dict[tuple[str, Domain], Proposal]:
        """Return smaller domains, by parameter and domain."""
        asked = [(name, d) for name in self.structure.space for d in self._sure_domains(name)]
        tests = sum(len(d.choices) if isinstance(d, Categorical) else 1 for _, d in asked)
        found = {}
        for name, domain in asked:
            cuts = self._cuts(name)
            proposal = propose(domain, self._trials(name, domain), tests, cuts)
            if proposal is not None:
                found[name, domain] = self._restricted(name, domain, proposal)
        return found

    def _restricted(self, name: str, domain: Domain, proposal: Proposal) -> Proposal:
        """Return a proposal without what the condition on the trials rules out."""
        restriction = self.restrictions.get((name, domain))
        if restriction is None:
            return proposal
        common = meet(proposal.domain, restriction)
        return replace(proposal, domain=common, covered=covered(common, domain))

    def _sure(self, name: str) -> bool:
        """Return whether a parameter surely matters."""
        evidence = self.result.evidence
        tested = sum(parameter.verdict != "not testable" for parameter in evidence)
        own = evidence[name]
        return own.verdict == "matters" and own.p_value * tested <= _MATTERS

    def _sure_domains(self, name: str) -> list[Domain]:
        """Return the domains inside which the value of a parameter surely matters."""
        if self.result.status != "ok" or not self._sure(name) or self._untouchable(name):
            return []
        regimes = self.result[name].regimes
        p_values = self.result.evidence[name].regimes
        known = {entry.domain for entry in self.structure.space[name]}
        return [
            regime.domain
            for regime, p_value in zip(regimes, p_values, strict=True)
            if regime.domain in known and regime.domain is not None
            if p_value * len(regimes) <= _MATTERS
        ]

    def _untouchable(self, name: str) -> bool:
        pooled = {entry.parameter for entry in self.result.account.pooled}
        return name in pooled or name in self.structure.unexplained

    def _trials(self, name: str, domain: Domain) -> RegimeTrials:
        parameter = self.parameters[name]
        rows = parameter.domain_ids == parameter.domains.index(domain)
        rows = np.asarray(rows & self.region)
        return RegimeTrials(parameter.values[rows], self.target[rows], self.blocks[rows])

    def _cuts(self, gate: str) -> Sequence[float]:
        """Return the values at which a gate begins another branch."""
        children = self.structure.gates.get(gate, ())
        if not children:
            return ()
        tests = [split.test for split in splits_of(self.structure.space, gate, children)]
        leaves = [leaf for t in tests for leaf in (t.parts if isinstance(t, Both) else (t,))]
        return tuple(
            leaf.value for leaf in leaves if isinstance(leaf, Comparison) and leaf.op == ">="
        )

    def staying(self, domains: dict[tuple[str, Domain], Domain]) -> BoolArray:
        """Return which trials lie in the new domains."""
        stays = np.ones(len(self.blocks), dtype=bool)
        for parameter in self.parameters.values():
            for place, before in enumerate(parameter.domains):
                after = domains.get((parameter.name, before))
                if after is not None:
                    rows = np.flatnonzero(parameter.domain_ids == place)
                    stays[rows] &= inside(after, before, parameter.values[rows])
        return stays

    def steps(
        self, found: dict[tuple[str, Domain], Proposal], possible: Collection[tuple[str, Domain]]
    ) -> tuple[Step, ...]:
        """Return what to do with each domain that is still possible, the changes first."""
        changes: list[Step] = []
        others: list[Step] = []
        for name in self.result.names:
            entries = self.structure.space.get(name, ())
            domains = tuple(dict.fromkeys(entry.domain for entry in entries))
            for domain in domains:
                if (name, domain) not in possible:
                    continue
                regime = domain.label if len(domains) > 1 else None
                step = self._step(name, domain, regime, found.get((name, domain)))
                (others if step.kind == "leave" else changes).append(step)
        return (*changes, *others)

    def _step(
        self, name: str, domain: Domain, regime: str | None, proposal: Proposal | None
    ) -> Step:
        """Return what to do with one domain: what is proposed, what was given, or nothing."""
        after = self.restrictions.get((name, domain))
        kept = of = int(np.count_nonzero(self._hits(name, domain)))
        share = 1.0 if after is None else covered(after, domain)
        reason, risk = self._why_left(name, domain), "None."
        if proposal is not None:
            after, kept, share = proposal.domain, proposal.kept, proposal.covered
            of, lost = proposal.of, proposal.of - proposal.kept
            reason = (
                f"Of {proposal.outside} trials outside, {lost or 'none'} reached the target set."
            )
            risk = f"{lost or 'None'} of {of} target trials given up. {_RISK}"
        elif after is not None:
            reason = "The condition that the trials were chosen by."
            risk = "None: other trials were not looked at."
        return Step(
            kind="leave" if after is None else _kind(after),
            parameter=name,
            regime=regime,
            domain=domain,
            proposal=after,
            kept=kept,
            of=of,
            covered=share,
            reason=reason,
            risk=risk,
        )

    def present(self, name: str) -> BoolArray:
        """Return which trials have a parameter."""
        return np.asarray(self.parameters[name].domain_ids >= 0)

    def unknown(self, name: str) -> UnknownCondition:
        """Return how often a parameter is active whose condition is unknown."""
        present = self.present(name)
        return UnknownCondition(name, int(np.count_nonzero(present)), len(present))

    def _hits(self, name: str, domain: Domain) -> BoolArray:
        parameter = self.parameters[name]
        if domain not in parameter.domains:  # it stands for several
            return np.asarray((parameter.domain_ids >= 0) & self.target)
        rows = parameter.domain_ids == parameter.domains.index(domain)
        return np.asarray(rows & self.target)

    def _why_left(self, name: str, domain: Domain) -> str:
        """Say why a parameter is not touched."""
        if self.result.status != "ok":
            return f"the importances are undetermined: {self.result.reason}"
        tested = self.result.evidence[name]
        told = {
            "not testable": f"not testable: {tested.reason}.",
            "no evidence": "no evidence of an effect in these trials.",
        }
        verdict = tested.verdict
        if domain.single:
            return "one value only."
        if verdict not in told and name in self.structure.unexplained:
            return "when it is active, or in which domain, could not be inferred."
        if verdict not in told and self._untouchable(name):
            return "the domain varies in a way that a new space cannot say."
        if domain in self._sure_domains(name):
            return (
                "a clear effect, but good values are not in a clearly smaller part of the domain."
            )
        return told.get(verdict, "perhaps an effect, but too little is known to narrow anything.")


def _kind(after: Domain) -> Kind:
    """Return what a change to a smaller domain is called."""
    if isinstance(after, Categorical):
        return "fix" if after.single else "choices"
    return "fix" if after.single else "narrow"
