"""Pairs of parameters that together reach the target set, beyond what each does alone.

This is a joint effect on reaching the target set, not an interaction in the objective: even if
the objective is a plain sum, the best trials need both terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from condped.analyse.evidence.evidence import Verdict, verdict_of
from condped.analyse.evidence.sampling import decided
from condped.analyse.importance.account import Account
from condped.analyse.importance.analysis import account_of, count_sets
from condped.analyse.importance.ties import plain_tie, ties_of
from condped.analyse.options import TRIALS, Options, Question, TrialOptions, open_table
from condped.analyse.pair_cells import PairCells, pair_cells
from condped.analyse.result import Result
from condped.arrays import BoolArray, IntArray
from condped.count.target_sets import NestedSets
from condped.errors import SettingsError
from condped.estimate.independence_test import adjusted
from condped.estimate.pair_test import PairDeviation, pair_deviation
from condped.estimate.settings import Settings
from condped.options import takes
from condped.space.domain import Categorical
from condped.trials.batch import Batch
from condped.trials.table import Parameter, TrialTable

FEWEST = 50  # trials; with fewer, no pair is ever found
_CELLS = 6
_SMALLEST = 20  # trials of a joint regime; smaller ones are ignored
# Consecutive trials that are compared with each other if a sampler learnt from results. Of 22,000
# pairs with a parameter that nothing uses, in stored studies of eight samplers, .013 have p < .05,
# and at most .03 for any sampler, size and γ'; with ten trials it would be up to .08, without
# strata up to .19.
STRATUM = 5
_STRONGEST, _MOST_REGIMES = 8, 3  # pairs, and their joint regimes, whose cells are kept
_NEIGHBOURS = (
    "Compared among trials drawn one after the other, since the sampler may have learnt from "
    "earlier results."
)
_WALKS = (
    "Not testable: each trial depends on the one before it, as in a local search, which alone "
    "makes pairs of values dependent."
)


@dataclass(frozen=True, slots=True)
class JointEffect:
    """Two parameters and what they do together.

    Attributes
    ----------
    parameters
        Their names.
    eta_squared
        Share of the variance of "reaches the target set" that the pair explains beyond what its
        parameters explain alone; may be a little below 0 by chance. If the sampler learnt from
        results, it is what the pair explains among neighbours in time.
    trials
        How many trials both are active in.
    p_value
        How often chance alone gives as much if both parameters' effects on the chance of reaching
        the target set only add up; None if not testable.
    adjusted_p_value
        The same, adjusted for the number of pairs by Benjamini and Hochberg.
    verdict
        As for parameters: ``matters``, ``unclear``, ``no evidence`` or ``not testable``.
    cells
        How the trials are distributed over both parameters' values, by joint regime, the largest
        first; kept for the pairs that matter and the strongest others.
    """

    parameters: tuple[str, str]
    eta_squared: float
    trials: int
    p_value: float | None = None
    adjusted_p_value: float | None = None
    verdict: Verdict = "not testable"
    cells: tuple[PairCells, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class JointEffects(Result):
    """Pairs of parameters that are ever active together, the strongest joint effect first.

    Attributes
    ----------
    effects
        One per pair; the result can be iterated over and indexed.
    target_quantile, target_size
        γ', and the number of trials in the target set.
    sampling
        What trials were compared with, in a sentence.

    Examples
    --------
    >>> import condped
    >>> found = condped.joint_effects(condped.problems.get("nested").sample(500, seed=0))
    >>> found.rows()[0]["first"], found.rows()[0]["second"]
    ('c0', 'x')
    """

    schema: ClassVar[str] = "condped.joint/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "first",
        "second",
        "eta_squared",
        "trials",
        "p_value",
        "adjusted_p_value",
        "verdict",
    )

    effects: tuple[JointEffect, ...]
    target_quantile: float
    target_size: int
    account: Account = field(repr=False)
    sampling: str = ""

    def __iter__(self) -> Iterator[JointEffect]:
        return iter(self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    def __getitem__(self, place: int) -> JointEffect:
        return self.effects[place]

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per pair."""
        return [
            {"first": one.parameters[0], "second": one.parameters[1]}
            | {name: getattr(one, name) for name in self._columns[2:]}
            for one in self.effects
        ]

    def _readable(self) -> dict[str, Any]:
        return {
            "target_quantile": self.target_quantile,
            "target_size": self.target_size,
            "tie": plain_tie(self.account.tie(self.target_quantile)),
            "sampling": self.sampling,
            "pairs": [
                row | ({"cells": effect.cells} if effect.cells else {})
                for row, effect in zip(self.rows(), self.effects, strict=True)
            ],
            "account": self.account,
        }


@takes(TrialOptions, *TRIALS)
def joint_effects(
    source: Any, *, target_quantile: float = 0.1, **options: Unpack[TrialOptions]
) -> JointEffects:
    """Find pairs of parameters that together reach the target set, beyond what each does alone.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes, with at least 50 trials. If the sampler learnt
        from results, trials are compared with those drawn right before or after them.
    target_quantile
        γ': the best trials of this share are the target set.
    **options
        Which trials to use, as for :func:`condped.importance`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> trials = {name: rng.random(500) for name in ("a", "b", "c")}
    >>> trials["loss"] = ((trials["a"] < 0.5) == (trials["b"] < 0.5)) + rng.random(500)
    >>> found = joint_effects(trials, objective="loss", target_quantile=0.25)[0]
    >>> found.parameters, found.verdict
    (('a', 'b'), 'matters')
    """
    parsed = Options.of(joint_effects, options)
    question = Question((target_quantile,), Settings(pooling="never"), parsed.handling)
    table = open_table("Finding joint effects", source, **parsed.reading)
    sets = count_sets(table, question).trials
    assert sets is not None
    top = sets.top
    if top.region_size < FEWEST:
        raise SettingsError(
            f"Joint effects need at least {FEWEST} trials (got {top.region_size}); with fewer, "
            "no pair is ever found. Gather more trials."
        )
    _, inside, hit = top.members(Batch(table))
    kappa = float(top.target_sizes[0]) / top.region_size
    spread = top.region_size * max(kappa * (1.0 - kappa), 1e-12)
    strata, sampling = _strata(table, top, inside)
    cells = {parameter.name: _regime_cells(parameter, inside) for parameter in table.parameters}
    parts: dict[tuple[str, str], list[_Together]] = {}
    found = []
    for pair in combinations(table.names, 2):
        parts[pair] = _regime_pairs(cells[pair[0]], cells[pair[1]], inside)
        if parts[pair]:
            each = (_deviation(part, hit, strata) for part in parts[pair])
            beyond = sum(each, PairDeviation())
            eta_squared = beyond.statistic / spread
            p_value = beyond.p_value if sampling.testable else None
            trials = sum(len(rows) for rows, _, _ in parts[pair])
            found.append(JointEffect(pair, eta_squared, trials, p_value))
    found.sort(key=lambda effect: -effect.eta_squared)
    by_name = {parameter.name: parameter for parameter in table.parameters}
    effects = []
    # Parameters that never vary together, such as a gate and what it switches, are not drawn.
    strongest = [e.parameters for e in found if e.p_value is not None or not sampling.testable]
    for effect in _with_verdicts(found):
        kept: list[_Together] = []
        if effect.verdict == "matters" or effect.parameters in strongest[:_STRONGEST]:
            kept = sorted(parts[effect.parameters], key=lambda part: -len(part[0]))[:_MOST_REGIMES]
        one, other = (by_name[name] for name in effect.parameters)
        drawn = tuple(pair_cells(one, other, rows, hit) for rows, _, _ in kept)
        effects.append(replace(effect, cells=drawn))
    account = account_of(sets, ties=ties_of(sets.given, top, (target_quantile,)))
    size = int(top.target_sizes[0])
    return JointEffects(tuple(effects), target_quantile, size, account, sampling.reason)


class _Sampling(NamedTuple):
    """Whether pairs can be tested, and how or why not."""

    testable: bool
    reason: str


def _strata(
    table: TrialTable, top: NestedSets, inside: BoolArray
) -> tuple[IntArray | None, _Sampling]:
    """Return each trial's stratum, (trials,), or None without strata; and whether to test."""
    decision = decided(table.study, Settings(), top.sorted_by_objective)
    if decision.at_random:
        return None, _Sampling(True, decision.reason)
    if decision.test == "shifts":
        return None, _Sampling(False, _WALKS)
    return (np.cumsum(inside) - 1) // STRATUM, _Sampling(True, _NEIGHBOURS)


def _deviation(part: _Together, hit: BoolArray, strata: IntArray | None) -> PairDeviation:
    rows, first, second = part
    return pair_deviation(first, second, hit[rows], None if strata is None else strata[rows])


def _with_verdicts(effects: list[JointEffect]) -> Iterator[JointEffect]:
    """Iterate over the effects with verdicts, adjusted for the number of pairs."""
    p_values = [effect.p_value for effect in effects if effect.p_value is not None]
    q_values = iter(adjusted(np.array(p_values)).tolist() if p_values else ())
    for effect in effects:
        if effect.p_value is None:
            yield effect
            continue
        q_value = next(q_values)
        verdict = verdict_of(effect.p_value, q_value)
        yield replace(effect, adjusted_p_value=q_value, verdict=verdict)


# Rows, and the cells of both parameters.
_Together = tuple[IntArray, IntArray, IntArray]
# The regime of each trial (-1: none that can vary) and its cell there.
_Cells = tuple[IntArray, IntArray]


def _regime_cells(parameter: Parameter, inside: BoolArray) -> _Cells:
    """Return each trial's regime, and its cell by rank among at most six."""
    regimes = np.full(len(parameter.values), -1)
    cells = np.zeros(len(parameter.values), dtype=np.intp)
    for place, domain in enumerate(parameter.domains):
        rows = np.flatnonzero((parameter.domain_ids == place) & inside)
        if domain.single or len(rows) < _SMALLEST:
            continue
        regimes[rows] = place
        values = parameter.values[rows]
        if isinstance(domain, Categorical):
            cells[rows] = values
        else:
            # By mid-ranks: equal values share a cell, whatever their order in the table.
            _, level, counts = np.unique(values, return_inverse=True, return_counts=True)
            middle = np.cumsum(counts) - counts / 2
            cells[rows] = (middle * _CELLS / len(rows)).astype(np.intp)[level]
    return regimes, cells


def _regime_pairs(one: _Cells, other: _Cells, inside: BoolArray) -> list[_Together]:
    """Return rows and both cells for each pair of regimes with enough trials."""
    both = np.flatnonzero((one[0] >= 0) & (other[0] >= 0) & inside)
    pairs = one[0][both] * (int(other[0].max(initial=0)) + 1) + other[0][both]
    groups = [both[pairs == pair] for pair in np.unique(pairs)]
    return [(rows, one[1][rows], other[1][rows]) for rows in groups if len(rows) >= _SMALLEST]
