"""Whether a statistic is larger than in replays of the sampler, or than at other times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.independence_test import STRATUM
from condped.estimate.replay.history import History
from condped.estimate.replay.replays import Cells, DrawnParameter, TpeSettings, replay
from condped.estimate.replay.statistic import MOST_CELLS, Scores, rank_cells_of, scores

# Replays are drawn until a p-value is plainly large, or precise enough for a verdict.
STAGES = (39, 159, 399)
_PLAINLY_LARGE, _PLAIN = 0.3, 0.15
_TAIL = 0.2  # share of the replays that the tail is fitted to
_SAME = 1e-9  # relative difference of statistics that are the same
_FEW = 10  # exceedances, below which the fitted tail gives the p-value
_SHIFTS = 199  # series with values at other times


@dataclass(slots=True, eq=False)
class ReplayedSeries:
    """One parameter's replays, as many as have been needed so far."""

    parameter: DrawnParameter
    values: FloatArray  # (N,): as observed
    history: History
    tpe: TpeSettings
    seed: Sequence[int]
    _drawn: list[Cells] = field(default_factory=list)

    def stage(self, number: int) -> Cells:
        """Return (N, replays): those of one stage, the same on every call."""
        while len(self._drawn) <= number:
            draw_together([self])
        return self._drawn[number]

    @property
    def stages(self) -> int:
        """How many stages have been drawn."""
        return len(self._drawn)

    def _chances(self) -> FloatArray:
        """Return (N, replays): what decides the draws of the next stage."""
        size = STAGES[self.stages] - (STAGES[self.stages - 1] if self.stages else 0)
        rng = np.random.default_rng([*self.seed, self.stages])
        return rng.random((len(self.values), size))


def draw_together(alike: Sequence[ReplayedSeries]) -> None:
    """Draw the next stage of parameters with equal ``draws``, side by side."""
    chances = [own._chances() for own in alike]
    first = alike[0]
    drawn = replay(first.parameter, first.history, first.tpe, np.concatenate(chances, axis=1))
    for own, part in zip(alike, np.split(drawn, len(alike), axis=1), strict=True):
        own._drawn.append(part)


@dataclass(frozen=True, slots=True, eq=False)
class ReplayTest:
    """The comparison of one parameter with its replays, for T target sets.

    Attributes
    ----------
    p_values
        (T,): NaN where the statistic cannot vary.
    regimes
        The same for each regime by itself.
    bias
        (regimes, T): the mean excess of the replays, which is due to the sampler alone.
    scatter
        (regimes, T): the variance of that excess between replays.
    """

    p_values: FloatArray
    regimes: tuple[FloatArray, ...]
    bias: FloatArray
    scatter: FloatArray

    def put(self, sets: IntArray, found: ReplayTest) -> None:
        """Fill in the results for some target sets."""
        self.p_values[sets] = found.p_values
        for own, other in zip(self.regimes, found.regimes, strict=True):
            own[sets] = other
        self.bias[:, sets], self.scatter[:, sets] = found.bias, found.scatter


def replay_test(
    series: ReplayedSeries,
    regimes: Sequence[BoolArray],
    hits: BoolArray,
    other_p_values: FloatArray | None = None,
) -> ReplayTest:
    """Compare the observed values with replays, as many as each target set needs on its own.

    Thus a target set's p-value does not depend on which others are requested.

    Parameters
    ----------
    regimes
        (N,) each: which trials of the region set are in the regime.
    hits
        (T, N): the target sets.
    other_p_values
        (T,): of another test, if the larger p-value counts: where it is plainly large, no replays
        are needed, and the p-values here are NaN.
    """
    drawn = ~series.parameter.fixed
    rows = [np.flatnonzero(regime & drawn) for regime in regimes]
    found = _no_test(len(rows), len(hits))
    sets = np.arange(len(hits))
    if other_p_values is not None:
        sets = sets[~plainly_large(other_p_values)]
    observed = [_observed_scores(series, own, hits[sets]) for own in rows] if len(sets) else []
    replayed: list[Scores] = []
    for number in range(len(STAGES)):
        if not len(sets):
            break
        cells = series.stage(number)
        more = [_replayed_scores(series, cells, own, hits[sets], number) for own in rows]
        replayed = [a.joined(b) for a, b in zip(replayed, more, strict=True)] if number else more
        p_values = _p_values(_total(observed), _total(replayed))
        if number < len(STAGES) - 1:
            unknown = p_values <= (_PLAIN if number else _PLAINLY_LARGE)
        else:
            unknown = np.zeros(len(sets), dtype=bool)
        done, left = np.flatnonzero(~unknown), np.flatnonzero(unknown)
        known = [own.of_sets(done) for own in observed], [own.of_sets(done) for own in replayed]
        found.put(sets[done], _test_from(*known, p_values[done]))
        sets = sets[left]
        observed = [own.of_sets(left) for own in observed]
        replayed = [own.of_sets(left) for own in replayed]
    return found


def _no_test(regimes: int, sets: int) -> ReplayTest:
    nothing = np.full((regimes + 1, sets), np.nan)
    return ReplayTest(
        nothing[0], tuple(nothing[1:]), np.zeros((regimes, sets)), np.zeros((regimes, sets))
    )


def _test_from(observed: list[Scores], others: list[Scores], p_values: FloatArray) -> ReplayTest:
    return ReplayTest(
        p_values,
        tuple(_p_values(one, many) for one, many in zip(observed, others, strict=True)),
        np.array([many.excess.mean(axis=0) for many in others]),
        np.array([many.excess.var(axis=0) for many in others]),
    )


def shift_test(series: ReplayedSeries, regimes: Sequence[BoolArray], hits: BoolArray) -> ReplayTest:
    """Compare the observed values with the same values at other times, within strata of time.

    For trials that resemble the ones before them whatever the results: they still do when all of
    them are shifted in time, forward or backward, and thus paired with results of other trials.
    """
    drawn = ~series.parameter.fixed
    rows = [np.flatnonzero(regime & drawn) for regime in regimes]
    observed = [_observed_scores(series, own, hits).within for own in rows]
    shifted = [
        _score_parameter(
            series.parameter, _values(series, own)[_other_times(len(own))], own, hits
        ).within
        for own in rows
    ]
    # Regimes with fewer trials have fewer shifts, which are paired with those of the largest.
    number = max(scored.excess.shape[0] for scored in shifted)
    paired = [scored.only(np.arange(number) % scored.excess.shape[0]) for scored in shifted]
    return _test_from(observed, shifted, _p_values(_total(observed), _total(paired)))


def _other_times(trials: int) -> IntArray:
    """Return (shifts, trials): orders of the trials that begin elsewhere, in either direction."""
    times = np.arange(trials)
    if trials < 3:
        return times[None, ::-1]
    far = max(1, min(STRATUM, trials // 3))
    ahead = [(times + start) % trials for start in range(far, trials - far + 1)]
    back = [(start - times) % trials for start in times]
    every = np.array([*ahead, *back], dtype=np.int64)
    some = np.linspace(0, len(every) - 1, min(len(every), _SHIFTS))
    return every[some.astype(np.int64)]


def plainly_large(p_values: FloatArray) -> BoolArray:
    """Return where p-values are too large for any verdict, however precise they are."""
    return np.asarray(p_values > _PLAINLY_LARGE)


def _observed_scores(series: ReplayedSeries, rows: IntArray, hits: BoolArray) -> Scores:
    return _score_parameter(series.parameter, _values(series, rows)[None], rows, hits)


def _values(series: ReplayedSeries, rows: IntArray) -> FloatArray:
    if _has_levels(series.parameter, rows):
        return series.parameter.cells[rows].astype(np.float64)
    return series.values[rows]


def _replayed_scores(
    series: ReplayedSeries, drawn: Cells, rows: IntArray, hits: BoolArray, stage: int
) -> Scores:
    values = drawn[rows].T.astype(np.float64)
    if not _has_levels(series.parameter, rows):
        # Numbers are somewhere in their cell: no two are the same.
        values += np.random.default_rng([*series.seed, stage, 1]).random(values.shape)
    return _score_parameter(series.parameter, values, rows, hits)


def _score_parameter(
    parameter: DrawnParameter, values: FloatArray, rows: IntArray, hits: BoolArray
) -> Scores:
    if _categorical(parameter, rows):
        cells = values.astype(np.int64)
        return scores(cells, hits[:, rows], parameter.layout.total, ordered=False)
    return scores(
        rank_cells_of(values), hits[:, rows], min(MOST_CELLS, max(len(rows), 1)), ordered=True
    )


def _domain(parameter: DrawnParameter, rows: IntArray) -> int:
    return int(parameter.domain_ids[rows[0]]) if len(rows) else 0


def _categorical(parameter: DrawnParameter, rows: IntArray) -> bool:
    return parameter.layout.domains[_domain(parameter, rows)].categorical


def _has_levels(parameter: DrawnParameter, rows: IntArray) -> bool:
    return parameter.layout.levels[_domain(parameter, rows)]


def _total(parts: Sequence[Scores]) -> Scores:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _p_values(observed: Scores, replays: Scores) -> FloatArray:
    """Return (T,): the share of replays at least as extreme; if few are, by a fitted tail."""
    seen, drawn = observed.z[0], replays.z  # (T,), (B, T)
    # Few trials have few statistics: those equal to the observed one must not differ by rounding.
    same = np.where(np.isfinite(seen), _SAME * (1.0 + np.abs(seen)), 0.0)
    beyond = (drawn >= seen - same).sum(axis=0)
    counted = (1.0 + beyond) / (len(drawn) + 1.0)
    found = np.where(beyond < _FEW, np.minimum(counted, _tail_p_values(seen, drawn)), counted)
    return np.where(np.isneginf(seen), np.nan, found)


def _tail_p_values(seen: FloatArray, drawn: FloatArray) -> FloatArray:
    """Return (T,): p-values by an exponential tail fitted to the extreme replays; 1 without one.

    The statistic's own tail is about normal, and falls faster: the fit is conservative.
    """
    number = round(_TAIL * len(drawn))
    found = np.ones(len(seen))
    for place in range(len(seen)) if len(drawn) >= STAGES[1] else ():
        upper = np.sort(drawn[:, place])[-number - 1 :]
        # A statistic of few values has steps in place of a tail.
        if np.isfinite(upper[0]) and len(np.unique(upper)) > number / 2 and seen[place] > upper[0]:
            away = (seen[place] - upper[0]) / np.mean(upper[1:] - upper[0])
            found[place] = _TAIL * np.exp(-away)
    return found
