"""``condped.advise``: what to do next, where more than noise speaks for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from condped.advice.narrow import narrowed
from condped.advice.propose import Proposal, RegimeTrials, inside, propose
from condped.advice.result import Advice, Kind, Step
from condped.arrays import BoolArray, IntArray
from condped.branches.splits import splits_of
from condped.branches.structure import Structure, structure_of
from condped.branches.tree import require_conditions, sets_of
from condped.importance.analysis import time_blocks
from condped.importance.options import AnalysisOptions, split_options
from condped.importance.point import importance
from condped.importance.result import ImportanceResult
from condped.importance.settings import Settings
from condped.read import read
from condped.space.condition import Both, Comparison
from condped.space.domain import Categorical, Domain
from condped.topsets import TopSets
from condped.trials import Parameter, TrialTable

# How often chance alone may make one parameter of a study, or one of its regimes, seem to matter.
_MATTERS = 0.05
_FEW = 200_000  # trials, among which repeats are looked for
_MANY_REPEATS = 0.1
_RISK = "What is good only together with something that was hardly tried would be missed."


def advise(
    source: Any, *, target_quantile: float = 0.1, **options: Unpack[AnalysisOptions]
) -> Advice:
    """Tell what to fix, what to narrow and what to leave before trying on.

    Only parameters that surely matter are touched: chance alone would make one of all parameters
    seem to matter so much at most one time in twenty, and would let what is left out reach the
    target set so rarely at most one time in a hundred.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes.
    target_quantile
        γ': the best trials of this share are the target set.
    **options
        Options of :func:`condped.importance` and of :func:`condped.read`.

    Examples
    --------
    >>> import condped
    >>> advice = condped.advise(condped.problems.get("nested").sample(1000, seed=0))
    >>> advice.dropped
    ('y', 'z')
    """
    analysis, reading = split_options("advise", options)
    require_conditions("advise", analysis)
    table = read(source, **reading)
    result = importance(table, target_quantile=target_quantile, **analysis)
    assert isinstance(result.settings, Settings)  # what condped.importance itself puts there
    top = sets_of(table, target_quantile, analysis)
    structure = structure_of(table)
    parameters = {parameter.name: parameter for parameter in table.parameters}
    blocks = _blocks(top, time_blocks(top, result.settings))
    adviser = _Adviser(parameters, result, top, structure, blocks)
    found = adviser.proposals()
    domains = {key: proposal.domain for key, proposal in found.items()}
    space, possible = narrowed(structure.space, domains)
    region, target = top.buckets <= 1, top.buckets == 0
    stays = adviser.staying(domains)
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
            *(
                f"{name}: not always active with the same domain, and no parameter tells when; the "
                "new space has it always active."
                for name in structure.unexplained
            ),
            *_repeats(table),
        ),
    )


def _blocks(top: TopSets, blocks: int) -> IntArray:
    """Return the stretch of time of each trial, as the test of importances has them."""
    passed = np.cumsum(top.buckets <= 1) - 1
    return np.asarray(np.clip(passed * blocks // max(top.region_size, 1), 0, blocks - 1))


def _repeats(table: TrialTable) -> tuple[str, ...]:
    """Say how many trials repeat a configuration: the tests take each for a new one."""
    if not 0 < len(table) <= _FEW:
        return ()
    seen = np.column_stack(
        [np.where(p.domain_ids < 0, -1.0, p.values) for p in table.parameters]
        + [p.domain_ids for p in table.parameters]
    )
    again = len(table) - len(np.unique(seen, axis=0))
    if again <= _MANY_REPEATS * len(table):
        return ()
    return (
        f"{again} of {len(table)} trials repeat the configuration of another one, which makes "
        "everything look surer than it is. Choose one budget, or one trial of each.",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Adviser:
    """All that advice rests on."""

    parameters: dict[str, Parameter]
    result: ImportanceResult
    top: TopSets
    structure: Structure
    blocks: IntArray

    def proposals(self) -> dict[tuple[str, Domain], Proposal]:
        """Return smaller domains, by parameter and domain."""
        asked = [(name, d) for name in self.structure.space for d in self._sure_domains(name)]
        tests = sum(len(d.choices) if isinstance(d, Categorical) else 1 for _, d in asked)
        found = {}
        for name, domain in asked:
            cuts = self._cuts(name)
            proposal = propose(domain, self._trials(name, domain), tests, cuts)
            if proposal is not None:
                found[name, domain] = proposal
        return found

    def _sure(self, name: str) -> bool:
        """Return whether a parameter surely matters."""
        evidence = self.result.evidence
        tested = sum(parameter.verdict != "untested" for parameter in evidence)
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
        rows = np.asarray(rows & (self.top.buckets <= 1))
        return RegimeTrials(
            parameter.values[rows], np.asarray(self.top.buckets == 0)[rows], self.blocks[rows]
        )

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
        changes, others = [], []
        for name in self.result.names:
            entries = self.structure.space.get(name, ())
            domains = tuple(dict.fromkeys(entry.domain for entry in entries))
            for domain in domains:
                if (name, domain) not in possible:
                    continue
                regime = domain.label if len(domains) > 1 else None
                proposal = found.get((name, domain))
                if proposal is None:
                    others.append(self._leave(name, domain, regime))
                else:
                    changes.append(self._change(name, domain, regime, proposal))
        return (*changes, *others)

    def _change(self, name: str, domain: Domain, regime: str | None, proposal: Proposal) -> Step:
        lost = proposal.of - proposal.kept
        after = proposal.domain
        kind: Kind = "narrow"
        if isinstance(after, Categorical):
            kind = "fix" if after.single else "choices"
        reason = f"Of {proposal.outside} trials outside, {lost or 'none'} reached the target set."
        return Step(
            kind=kind,
            parameter=name,
            regime=regime,
            domain=domain,
            proposal=after,
            kept=proposal.kept,
            of=proposal.of,
            covered=proposal.covered,
            reason=reason,
            risk=f"{lost or 'None'} of {proposal.of} target trials given up. {_RISK}",
        )

    def _leave(self, name: str, domain: Domain, regime: str | None) -> Step:
        of = int(np.count_nonzero(self._hits(name, domain)))
        return Step(
            kind="leave",
            parameter=name,
            regime=regime,
            domain=domain,
            proposal=None,
            kept=of,
            of=of,
            covered=1.0,
            reason=self._why_left(name, domain),
            risk="None.",
        )

    def _hits(self, name: str, domain: Domain) -> BoolArray:
        parameter = self.parameters[name]
        if domain not in parameter.domains:  # it stands for several
            return np.asarray((parameter.domain_ids >= 0) & (self.top.buckets == 0))
        rows = parameter.domain_ids == parameter.domains.index(domain)
        return np.asarray(rows & (self.top.buckets == 0))

    def _why_left(self, name: str, domain: Domain) -> str:
        """Say why a parameter is not touched."""
        if self.result.status != "ok":
            return f"nothing can be told: {self.result.reason}"
        told = {
            "untested": "could not be tested: no target trial, or nothing that varies.",
            "noise": "indistinguishable from noise: any value does.",
        }
        verdict = self.result.evidence[name].verdict
        if domain.single:
            return "one value only."
        if verdict not in told and self._untouchable(name):
            return "the domain varies in a way that a new space cannot say."
        if domain in self._sure_domains(name):
            return (
                "a clear effect, but good values are not in a clearly smaller part of the domain."
            )
        return told.get(verdict, "perhaps an effect, but too little is known to narrow anything.")
