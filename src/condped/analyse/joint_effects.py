"""Pairs of parameters that together reach the target set, beyond what each does alone.

This is a joint effect on reaching the target set, not an interaction of the objective: of an
objective that is a plain sum, too, the best trials need both terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Unpack

import numpy as np

from condped.analyse.importance.account import Account
from condped.analyse.importance.analysis import account_of, count_sets
from condped.analyse.importance.ties import plain_tie, ties_of
from condped.analyse.options import TRIALS, Options, Question, TrialOptions, open_table
from condped.analyse.result import Result
from condped.arrays import BoolArray, IntArray
from condped.errors import SettingsError
from condped.estimate.leave_one_out import excess
from condped.estimate.settings import Settings
from condped.options import takes
from condped.space.domain import Categorical
from condped.trials.batch import Batch
from condped.trials.table import Parameter

FEWEST = 200  # trials, below which pairs are mostly chance
_CELLS = 6
_SMALLEST = 20  # trials of a joint regime that is looked at


@dataclass(frozen=True, slots=True)
class JointEffect:
    """Two parameters and what they do together.

    Attributes
    ----------
    parameters
        Their names.
    eta_squared
        Share of the variance of "reaches the target set" that the pair explains beyond what its
        parameters explain alone; may be a little below 0 by chance.
    trials
        In which both are active.
    """

    parameters: tuple[str, str]
    eta_squared: float
    trials: int


@dataclass(frozen=True)
class JointEffects(Result):
    """Pairs of parameters that are ever active together, the strongest joint effect first.

    Attributes
    ----------
    effects
        Iterating over the result gives them, and an index picks one.
    target_quantile, target_size
        γ', and the trials in the target set.

    Examples
    --------
    >>> import condped
    >>> found = condped.joint_effects(condped.problems.get("nested").sample(500, seed=0))
    >>> found.rows()[0]["first"], found.rows()[0]["second"]
    ('c0', 'x')
    """

    schema: ClassVar[str] = "condped.joint/1"
    _columns: ClassVar[tuple[str, ...]] = ("first", "second", "eta_squared", "trials")

    effects: tuple[JointEffect, ...]
    target_quantile: float
    target_size: int
    account: Account = field(repr=False)

    def __iter__(self) -> Iterator[JointEffect]:
        return iter(self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    def __getitem__(self, place: int) -> JointEffect:
        return self.effects[place]

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per pair."""
        return [
            dict(zip(self._columns, (*one.parameters, one.eta_squared, one.trials), strict=True))
            for one in self.effects
        ]

    def _readable(self) -> dict[str, Any]:
        return {
            "target_quantile": self.target_quantile,
            "target_size": self.target_size,
            "tie": plain_tie(self.account.tie(self.target_quantile)),
            "pairs": self.rows(),
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
        Anything that :func:`condped.read` takes, of at least 200 trials.
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
    >>> joint_effects(trials, objective="loss", target_quantile=0.25)[0].parameters
    ('a', 'b')
    """
    asked = Options.of(joint_effects, options)
    question = Question((target_quantile,), Settings(pooling="never"), asked.handling)
    table = open_table("Finding joint effects", source, **asked.reading)
    sets = count_sets(table, question).trials
    assert sets is not None
    top = sets.top
    if top.region_size < FEWEST:
        raise SettingsError(
            f"Joint effects need at least {FEWEST} trials (got {top.region_size}); with fewer, "
            "pairs are mostly chance. Gather more trials."
        )
    _, inside, hit = top.members(Batch(table))
    kappa = float(top.target_sizes[0]) / top.region_size
    spread = top.region_size * max(kappa * (1.0 - kappa), 1e-12)
    cells = {parameter.name: _regime_cells(parameter, inside) for parameter in table.parameters}
    found = []
    for one, other in combinations(table.names, 2):
        parts = _together(cells[one], cells[other], inside)
        if parts:
            beyond = sum(_beyond(first, second, hit[rows]) for rows, first, second in parts)
            trials = sum(len(rows) for rows, _, _ in parts)
            found.append(JointEffect((one, other), beyond / spread, trials))
    found.sort(key=lambda effect: -effect.eta_squared)
    account = account_of(sets, ties=ties_of(sets.asked, top, (target_quantile,)))
    return JointEffects(tuple(found), target_quantile, int(top.target_sizes[0]), account)


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


def _together(
    one: _Cells, other: _Cells, inside: BoolArray
) -> list[tuple[IntArray, IntArray, IntArray]]:
    """Return rows and both cells for each pair of regimes that holds enough trials."""
    both = np.flatnonzero((one[0] >= 0) & (other[0] >= 0) & inside)
    pairs = one[0][both] * (int(other[0].max(initial=0)) + 1) + other[0][both]
    groups = [both[pairs == pair] for pair in np.unique(pairs)]
    return [(rows, one[1][rows], other[1][rows]) for rows in groups if len(rows) >= _SMALLEST]


def _beyond(first: IntArray, second: IntArray, hit: BoolArray) -> float:
    """Return the excess of both together minus that of each, in one joint regime."""
    width = int(second.max()) + 1
    return _excess(first * width + second, hit) - _excess(first, hit) - _excess(second, hit)


def _excess(cells: IntArray, hit: BoolArray) -> float:
    # Only cells that hold a trial: two long lists of choices make many that do not.
    full, places = np.unique(cells, return_inverse=True)
    region = np.bincount(places)
    target = np.bincount(places[hit], minlength=len(full))[None]
    return float(excess(region, target, None)[0])
