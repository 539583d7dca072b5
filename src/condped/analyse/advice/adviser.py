"""From evidence to steps: which domains become smaller, which bounds are too tight, what stays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from condped.analyse.advice.narrow import Restrictions, meet
from condped.analyse.advice.propose import Proposal, RegimeTrials, covered, inside, propose
from condped.analyse.advice.steps import Kind, Step
from condped.analyse.advice.widen import PressedBound, wider
from condped.analyse.branches.splits import splits_of
from condped.analyse.branches.structure import Structure
from condped.analyse.importance.result import ImportanceResult
from condped.arrays import BoolArray, IntArray
from condped.space.domain import Categorical, Domain
from condped.space.nodes import Comparison, Conjunction
from condped.trials.table import Parameter

Proposals = dict[tuple[str, Domain], Proposal]  # by parameter and domain before
_CLEAR = "a clear effect"
# How often chance alone may make one parameter of a study, or one of its regimes, seem to matter.
_MATTERS = 0.05
# Trials of a sampler that learns from results that it takes to narrow anything: it has hardly tried
# what it leaves out.
FEWEST_ADAPTIVE = 100
# Such a sampler gains nothing from a smaller domain if it draws from it anyway: more than this
# share of the later half of the trials.
_FOUND = 0.5


@dataclass(frozen=True, eq=False)
class Adviser:
    """Everything that advice is based on."""

    parameters: dict[str, Parameter]
    result: ImportanceResult
    region: BoolArray  # which trials are in the region set
    target: BoolArray  # which are in the target set
    structure: Structure
    blocks: IntArray
    restrictions: Restrictions  # domains under the condition on the trials
    pressed: dict[tuple[str, Domain], PressedBound]
    adaptive: bool  # whether a sampler that learns from results drew the trials
    used: int  # trials

    def proposals(self) -> tuple[Proposals, Proposals]:
        """Return the smaller domains to advise, and those that the sampler has found itself."""
        if self._too_few:
            return {}, {}
        sure = [(name, d) for name in self.structure.space for d in self._sure_domains[name]]
        tests = sum(len(d.choices) if isinstance(d, Categorical) else 1 for _, d in sure)
        found: Proposals = {}
        known: Proposals = {}
        for name, domain in sure:
            proposal = self._proposal(name, domain, tests)
            likely = proposal or self._proposal(name, domain, tests=0)
            if likely is not None and self._found_by_sampler(name, domain, likely):
                known[name, domain] = self._restricted(name, domain, likely)
            elif proposal is not None:
                found[name, domain] = self._restricted(name, domain, proposal)
        return found, known

    def _proposal(self, name: str, domain: Domain, tests: int) -> Proposal | None:
        pressed = self.pressed.get((name, domain))
        keep = None if pressed is None else pressed.side
        return propose(domain, self._trials(name, domain), tests, self._cuts(name), keep)

    @property
    def _too_few(self) -> bool:
        return self.adaptive and self.used < FEWEST_ADAPTIVE

    def _found_by_sampler(self, name: str, domain: Domain, proposal: Proposal) -> bool:
        """Return whether a sampler that learns from results has found the smaller domain itself."""
        if not self.adaptive:
            return False
        stays = inside(proposal.domain, domain, self._trials(name, domain).values)
        return bool(stays[len(stays) // 2 :].mean() > _FOUND)

    def _restricted(self, name: str, domain: Domain, proposal: Proposal) -> Proposal:
        """Return a proposal without values that the condition on the trials rules out."""
        restriction = self.restrictions.get((name, domain))
        if restriction is None:
            return proposal
        common = meet(proposal.domain, restriction)
        return replace(proposal, domain=common, covered=covered(common, domain))

    @cached_property
    def _sure_domains(self) -> dict[str, list[Domain]]:
        """The domains in which a parameter's value surely matters, by parameter."""
        found: dict[str, list[Domain]] = {name: [] for name in self.structure.space}
        if self.result.status != "ok":
            return found
        evidence = self.result.evidence
        tested = sum(parameter.verdict != "not testable" for parameter in evidence)
        for name in found:
            own = evidence[name]
            sure = own.verdict == "matters" and own.p_value * tested <= _MATTERS
            if not sure or name in self._pooled_parameters or name in self._unexplained_parameters:
                continue
            regimes = self.result[name].regimes
            known = {entry.domain for entry in self.structure.space[name]}
            found[name] = [
                regime.domain
                for regime, p_value in zip(regimes, own.regimes, strict=True)
                if regime.domain in known and regime.domain is not None
                if p_value * len(regimes) <= _MATTERS
            ]
        return found

    @cached_property
    def _pooled_parameters(self) -> frozenset[str]:
        """The parameters whose domain varies in a way that a space cannot express."""
        return frozenset(entry.parameter for entry in self.result.account.pooled)

    @cached_property
    def _unexplained_parameters(self) -> frozenset[str]:
        return frozenset(self.structure.unexplained)

    def _trials(self, name: str, domain: Domain) -> RegimeTrials:
        parameter = self.parameters[name]
        rows = parameter.domain_ids == parameter.domains.index(domain)
        rows = np.asarray(rows & self.region)
        return RegimeTrials(parameter.values[rows], self.target[rows], self.blocks[rows])

    def _cuts(self, gate: str) -> Sequence[float]:
        """Return the values of a gate at which another branch begins."""
        children = self.structure.gates.get(gate, ())
        if not children:
            return ()
        tests = [split.test for split in splits_of(self.structure.space, gate, children)]
        leaves = [leaf for t in tests for leaf in (t.parts if isinstance(t, Conjunction) else (t,))]
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
        self, found: Proposals, known: Proposals, possible: Collection[tuple[str, Domain]]
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
                wide = self._widening_step(name, domain, regime)
                step = self._step(name, domain, regime, found.get((name, domain)), known)
                if wide is not None:
                    changes.append(wide)
                if step.kind != "leave":
                    changes.append(step)
                elif wide is None:
                    others.append(step)
        return (*changes, *others)

    def _step(
        self,
        name: str,
        domain: Domain,
        regime: str | None,
        proposal: Proposal | None,
        known: Proposals,
    ) -> Step:
        """Return the step for one domain: the proposal, the condition on the trials, or leave."""
        after = self.restrictions.get((name, domain))
        kept = of = int(np.count_nonzero(self._hits(name, domain)))
        share = 1.0 if after is None else covered(after, domain)
        risk = "None."
        if proposal is not None:
            after, kept, share = proposal.domain, proposal.kept, proposal.covered
            of, lost = proposal.of, proposal.of - proposal.kept
            reason = (
                f"Of {proposal.outside} trials outside, {lost or 'none'} reached the target set."
            )
            risk = f"{lost or 'None'} of {of} target trials given up."
        elif after is not None:
            reason = "The condition by which the trials were selected."
            risk = "None: no other trials were used."
        else:
            reason = self._why_left(name, domain, known.get((name, domain)))
        return Step(
            kind="leave" if after is None else kind_of(after),
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

    def _widening_step(self, name: str, domain: Domain, regime: str | None) -> Step | None:
        """Return the step for a bound that the best trials press against; None without one."""
        pressed = self.pressed.get((name, domain))
        if pressed is None or isinstance(domain, Categorical):
            return None
        proposal = wider(domain, pressed.side)
        if proposal == domain:
            return None
        bound = domain.low if pressed.side == "low" else domain.high
        beyond = "below" if pressed.side == "low" else "above"
        return Step(
            kind="widen",
            parameter=name,
            regime=regime,
            domain=domain,
            proposal=proposal,
            kept=pressed.of,
            of=pressed.of,
            covered=covered(proposal, domain),
            reason=(
                f"{pressed.outer} of {pressed.of} target trials lie in the quarter of the domain "
                f"next to {bound:.4g}, and the objective still improves there (p = "
                f"{pressed.p_value:.1g} for all bounds together)."
            ),
            risk=(
                f"Only you know whether values {beyond} {bound:.4g} make sense: the new space "
                "keeps the bound, and widened_space has the wider one."
            ),
        )

    def present(self, name: str) -> BoolArray:
        """Return which trials have a parameter."""
        return np.asarray(self.parameters[name].domain_ids >= 0)

    def _hits(self, name: str, domain: Domain) -> BoolArray:
        parameter = self.parameters[name]
        if domain not in parameter.domains:  # it was merged from several
            return np.asarray((parameter.domain_ids >= 0) & self.target)
        rows = parameter.domain_ids == parameter.domains.index(domain)
        return np.asarray(rows & self.target)

    def _why_left(self, name: str, domain: Domain, known: Proposal | None) -> str:
        """Say why a parameter is left as it is."""
        if self.result.status != "ok":
            return f"the importances are undetermined: {self.result.reason}"
        tested = self.result.evidence[name]
        reasons = {
            "not testable": f"not testable: {tested.reason}.",
            "no evidence": "no evidence of an effect in these trials.",
        }
        if domain.single:
            return "one value only."
        if tested.verdict in reasons:
            return reasons[tested.verdict]
        if self._too_few:
            return (
                f"fewer than {FEWEST_ADAPTIVE} trials of a sampler that learns from results are "
                "not enough to narrow anything."
            )
        if known is not None:
            return f"{_CLEAR}, and the sampler already draws most values from {known.domain.label}."
        return self._why_not_narrowed(name, domain)

    def _why_not_narrowed(self, name: str, domain: Domain) -> str:
        """Say why a parameter that seems to matter is left as it is."""
        if name in self._unexplained_parameters:
            return "when it is active, or in which domain, could not be inferred."
        if name in self._pooled_parameters:
            return "the domain varies in a way that a space cannot express."
        if domain in self._sure_domains[name]:
            if self._proposal(name, domain, tests=0) is None:
                return f"{_CLEAR}, but good values are not in a clearly smaller part of the domain."
            return f"{_CLEAR}, but the evidence is not strong enough to leave out values."
        if self.result.evidence[name].verdict == "matters":
            return "it matters, but the evidence is not strong enough to leave out values."
        return "perhaps an effect, but the evidence is too weak to narrow anything."


def kind_of(after: Domain) -> Kind:
    """Return the kind of a change to a smaller domain."""
    if isinstance(after, Categorical):
        return "fix" if after.single else "choices"
    return "fix" if after.single else "narrow"
