"""Bounds that the best trials press against, and wider domains."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from condped.analyse.branches.splits import short_between
from condped.arrays import BoolArray, FloatArray, IntArray
from condped.estimate.bound_slope import bound_slope_p_value, most_others, strongest
from condped.space.domain import Categorical, Domain, Int, Numeric
from condped.space.grid import steps_of
from condped.trials.table import Parameter

Side = Literal["low", "high"]
# How often chance alone may make any bound of a study seem too tight.
_SURE = 0.01
_ALSO_NEAR = 0.3  # the same among the trials next to the bound
# The best trials press against a bound if at least half of them lie in this part of the domain.
_OUTER = 0.25
_FEWEST_BEST = 5
# Share of the trials that are compared: bad ones say little about how good ones would change.
_COMPARED = 0.75
# Fewer levels are like choices, which do not show what lies beyond the last one.
_FEWEST_LEVELS = 5
# Share of the domain's length, on its own scale, by which it is widened.
_WIDER = 0.5
_ORDERS = 16  # of columns, kept in a cache


@dataclass(frozen=True, slots=True)
class PressedBound:
    """A bound that the best trials press against."""

    side: Side
    p_value: float  # adjusted for all bounds of the study
    outer: int  # target trials in the outer quarter of the domain
    of: int  # target trials


def pressed_bounds(
    parameters: Sequence[Parameter], losses: FloatArray, used: BoolArray, target: BoolArray
) -> dict[tuple[str, Domain], PressedBound]:
    """Return the pressed bounds by parameter and domain.

    At least half of the target trials lie in the outer quarter of the domain, and the objective
    still improves at the bound, other parameters being equal (a test whose p-value is multiplied
    by the number of bounds), also among the trials next to it. Only the order of ``losses``
    (trials,) matters.
    """
    tested = [
        (parameter, place, domain)
        for parameter in parameters
        for place, domain in enumerate(parameter.domains)
        if not isinstance(domain, Categorical) and _many_levels(domain)
    ]
    columns = _Columns(parameters, used, losses)
    found: dict[tuple[str, Domain], PressedBound] = {}
    for parameter, number, domain in tested:
        rows = used & (parameter.domain_ids == number)
        best = rows & target
        size = int(np.count_nonzero(best))
        if size < _FEWEST_BEST:
            continue
        places = np.full(len(used), np.nan)
        places[rows] = places_in(domain, parameter.values[rows])
        for side in ("low", "high"):
            inwards = 1.0 - places if side == "low" else places
            outer = int(np.count_nonzero(inwards[best] >= 1.0 - _OUTER))
            if 2 * outer <= size:
                continue
            others = partial(columns.beside, parameter)
            p_value = _p_value(inwards, losses, others, _compared_trials(rows, losses, places))
            p_value = min(1.0, p_value * 2 * len(tested))
            # One curve for the whole domain may be wrong near the bound: test there, too.
            near = rows & (np.nan_to_num(inwards) >= _edge_near_bound(domain, inwards[best]))
            if p_value <= _SURE and _p_value(inwards, losses, others, near) <= _ALSO_NEAR:
                found[parameter.name, domain] = PressedBound(side, p_value, outer, size)
    return found


def _edge_near_bound(domain: Numeric, best: FloatArray) -> float:
    """Return where values near the bound begin: twice as far from it as the best trials.

    That is at most half of the domain, and at least three levels.
    """
    reach = 2.0 * (1.0 - float(np.quantile(best, 0.1)))
    if isinstance(domain, Int) or domain.step is not None:
        reach = max(reach, 2.5 * (domain.step or 1) / (domain.high - domain.low))
    return 1.0 - min(0.5, reach)


def _p_value(
    places: FloatArray,
    losses: FloatArray,
    others: Callable[[BoolArray], FloatArray],
    rows: BoolArray,
) -> float:
    """Return the p-value of the objective improving at the bound, among some trials."""
    return bound_slope_p_value(places[rows], losses[rows], others(rows))


class _Columns:
    """Columns of time and parameter values to adjust for, computed once for all bounds."""

    def __init__(
        self, parameters: Sequence[Parameter], used: BoolArray, losses: FloatArray
    ) -> None:
        self._parameters, self._used, self._losses = parameters, used, losses
        self._orders: dict[bytes, IntArray] = {}

    def beside(self, parameter: Parameter, rows: BoolArray) -> FloatArray:
        """Return (trials, columns): time and other parameters in some trials.

        If there are many columns, those most strongly related to the losses.
        """
        every, owners = self._columns_of_all
        order = self._order(rows)
        others = order[owners[order] != self._places[id(parameter)]]
        kept = np.sort(others[: most_others(int(np.count_nonzero(rows)))])
        return np.asarray(every[np.ix_(np.flatnonzero(rows[self._used]), kept)])

    def _order(self, rows: BoolArray) -> IntArray:
        """Return all columns, the most strongly related to the losses of some trials first.

        Cached, since parameters that are always active are compared in the same trials.
        """
        key = np.packbits(rows).tobytes()
        if key not in self._orders:
            if len(self._orders) == _ORDERS:
                self._orders.clear()
            self._orders[key] = strongest(
                self._columns_of_all[0][rows[self._used]], self._losses[rows]
            )
        return self._orders[key]

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(one): place for place, one in enumerate(self._parameters)}

    @cached_property
    def _columns_of_all(self) -> tuple[FloatArray, IntArray]:
        """All columns, and the position of each one's parameter; -1: time."""
        # Samplers that learn draw better values of all parameters over time.
        time = np.log1p(np.flatnonzero(self._used))[:, None]
        parts = [time, *(_columns(one, self._used) for one in self._parameters)]
        owners = np.repeat(np.arange(-1, len(parts) - 1), [part.shape[1] for part in parts])
        return np.hstack(parts), owners


def _many_levels(domain: Numeric) -> bool:
    if domain.single or math.isinf(float(domain.high) - float(domain.low)):
        return False  # the latter cannot be widened: there are hardly any floats beyond
    if isinstance(domain, Int) or domain.step is not None:
        return steps_of(domain) + 1 >= _FEWEST_LEVELS
    return True


def _compared_trials(rows: BoolArray, losses: FloatArray, places: FloatArray) -> BoolArray:
    """Return the trials to compare: all but the worst, if their values differ."""
    own = np.sort(losses[rows])
    best = np.asarray(rows & (losses <= own[math.ceil(_COMPARED * len(own)) - 1]))
    return best if np.ptp(places[best]) > 0.0 else rows


def places_in(domain: Numeric, values: FloatArray) -> FloatArray:
    """Return where values lie in a domain on its own scale, from 0 to 1."""
    low, high = float(domain.low), float(domain.high)
    scaled = values.astype(np.float64)
    if domain.log:
        low, high, scaled = math.log(low), math.log(high), np.log(scaled)
    if math.isinf(high - low):  # a span may be too wide for a float
        low, high, scaled = low / 2, high / 2, scaled / 2
    return np.asarray((scaled - low) / (high - low))


def _columns(parameter: Parameter, rows: BoolArray) -> FloatArray:
    """Return (trials, columns): a parameter's values, their squares, and its domains."""
    ids, values = parameter.domain_ids[rows], parameter.values[rows]
    columns: list[FloatArray] = []
    for number, domain in enumerate(parameter.domains):
        own = ids == number
        if len(parameter.domains) > 1 or not own.all():
            columns.append(own.astype(np.float64))
        if isinstance(domain, Categorical):
            codes = np.where(own, values, -1)
            columns += [(codes == code).astype(float) for code in range(1, len(domain.choices))]
        elif not domain.single:
            centred = np.zeros(len(ids))
            centred[own] = places_in(domain, values[own]) - 0.5
            columns += [centred, centred**2]
    return np.column_stack(columns) if columns else np.empty((len(ids), 0))


def wider(domain: Numeric, side: Side) -> Numeric:
    """Return a domain that reaches further on one side, by half of its length on its own scale.

    A bound above 0 stays at 0 or above.

    Examples
    --------
    >>> from condped.space.domain import Float
    >>> wider(Float(1e-4, 1e-2, log=True), "high").label
    '[0.0001, 0.1] log'
    >>> wider(Int(1, 9), "low").label
    '{0..9}'
    """
    low, high = float(domain.low), float(domain.high)
    if domain.log:
        reach = _WIDER * math.log(high / low)
        inner, edge, outer = (
            low / math.exp(share * reach) if side == "low" else high * math.exp(share * reach)
            for share in (0.8, 1.0, 1.2)
        )
        edge = (
            max(round(edge), 1)
            if isinstance(domain, Int)
            else _short_number_between(inner, outer, log=True)
        )
    elif isinstance(domain, Int) or domain.step is not None:
        step = domain.step or 1
        steps = max(1, round(_WIDER * (high - low) / step))
        if side == "low" and low > 0:
            steps = min(steps, math.floor(low / step + 1e-9))
        edge = float(f"{low - steps * step if side == 'low' else high + steps * step:.12g}")
    else:
        reach = _WIDER * (high - low)
        inner, outer = (
            low - share * reach if side == "low" else high + share * reach for share in (0.8, 1.2)
        )
        edge = _short_number_between(inner, outer)
        if side == "low" and low > 0:
            edge = max(edge, 0.0)
    if isinstance(domain, Int):
        whole = int(edge)
        return replace(domain, low=whole) if side == "low" else replace(domain, high=whole)
    return replace(domain, low=edge) if side == "low" else replace(domain, high=edge)


def _short_number_between(one: float, other: float, *, log: bool = False) -> float:
    return short_between(min(one, other), max(one, other), log=log)
