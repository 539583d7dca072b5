"""What the order of trials tells of how they were drawn: sorted, wandering, or learning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.space.domain import Categorical
from condped.trials.table import Parameter, TrialTable

FEWEST = 20  # trials, below which the order tells nothing
_LEVELS = 8  # cells of a number, for a coarse look
_APART = 7  # trials, between which nothing but a drift relates
_WANDERS = 4.0  # standard errors
_LEARNS = 2.0
_ORDERS = 39  # random ones, to compare with
_CHUNKS = 20  # after each of which the past is looked at again


def followed_parameter(table: TrialTable) -> str | None:
    """Return a parameter whose values are sorted, as in grids and sorted tables; None if none is.

    Each of its values occupies one stretch of the trials, and no value nearly all of them.
    """
    if len(table) < FEWEST:
        return None
    for parameter in table.parameters:
        active = np.asarray(parameter.domain_ids) >= 0
        values = np.asarray(parameter.values)[active]
        if len(values) < FEWEST:
            continue
        changes = np.count_nonzero(np.diff(values))
        sizes = np.unique(values, return_counts=True)[1]
        if changes + 1 == len(sizes) > 1 and sizes.max() <= 0.8 * len(values):
            steps = np.diff(values.astype(np.float64))
            sorted_values = bool((steps >= 0).all() or (steps <= 0).all())
            if sorted_values or (isinstance(parameter.domains[0], Categorical) and changes >= 1):
                return parameter.name
    return None


def wanders(table: TrialTable, losses: FloatArray) -> bool:
    """Return whether trials resemble the one just before, whatever its result was.

    A sampler that learns goes back to good trials; what wanders by itself stays where it is.
    """
    trials = len(losses)
    if trials < FEWEST:
        return False
    known = np.where(np.isfinite(losses), losses, np.inf)
    best_before = np.append(np.inf, np.minimum.accumulate(known)[:-1])
    poor = known > best_before  # not a new best: nothing to stay with
    now = np.arange(_APART, trials)
    now = now[poor[now - 1] & poor[now - _APART]]
    if len(now) < FEWEST // 2:
        return False
    return any(_drift(parameter, now) > _WANDERS for parameter in table.parameters)


def _drift(parameter: Parameter, now: IntArray) -> float:
    """Return in standard errors how much nearer the last trial is than an earlier one."""
    active = np.asarray(parameter.domain_ids) >= 0
    now = now[active[now] & active[now - 1] & active[now - _APART]]
    if len(now) < FEWEST // 2:
        return 0.0
    values = np.asarray(parameter.values, dtype=np.float64)
    if isinstance(parameter.domains[0], Categorical):
        near, far = values[now] != values[now - 1], values[now] != values[now - _APART]
        gain = far.astype(np.float64) - near
    else:
        rank = np.argsort(np.argsort(values)).astype(np.float64)
        gain = np.sign(np.abs(rank[now] - rank[now - _APART]) - np.abs(rank[now] - rank[now - 1]))
    error = float(gain.std()) / np.sqrt(len(gain))
    return 0.0 if error == 0 else float(gain.mean()) / error


def learns(table: TrialTable, losses: FloatArray) -> bool:
    """Return whether later trials are nearer to good earlier ones than another order would have it.

    ``losses``, (trials,), rank the trials; NaN comes last.
    """
    used = np.flatnonzero(~np.isnan(losses))
    if len(used) < FEWEST:
        return True  # nothing shows that they were drawn at random
    cells = [_coarse(parameter)[used] for parameter in table.parameters]
    cells = [own for own in cells if len(np.unique(own)) > 1]
    rng = np.random.default_rng(0)
    order = np.arange(len(used))
    seen = _attraction(cells, losses[used], order)
    others = np.array(
        [_attraction(cells, losses[used], rng.permutation(order)) for _ in range(_ORDERS)]
    )
    spread = float(others.std(ddof=1))
    return bool(seen - others.mean() > _LEARNS * spread) if spread > 0 else False


def _coarse(parameter: Parameter) -> IntArray:
    """Return (trials,): a coarse cell by rank, 0 where the parameter is absent."""
    ids = np.asarray(parameter.domain_ids)
    values = np.asarray(parameter.values, dtype=np.float64)
    found = np.zeros(len(ids), dtype=np.int64)
    active = ids >= 0
    if isinstance(parameter.domains[0], Categorical):
        found[active] = 1 + values[active].astype(np.int64)
    elif active.any():
        levels = np.unique(values[active])
        edges = levels[1:]
        if len(levels) > _LEVELS:
            edges = np.unique(np.quantile(values[active], np.arange(1, _LEVELS) / _LEVELS))
        found[active] = 1 + np.searchsorted(edges, values[active], side="right")
    return found


def _attraction(
    cells: Sequence[IntArray], losses: FloatArray, order: npt.NDArray[np.intp]
) -> float:
    """Return how much more often trials fall where earlier ones were good than where bad."""
    losses = losses[order]
    total = 0.0
    bounds = np.unique(np.linspace(10, len(order), _CHUNKS + 1).astype(np.intp))
    goods: list[BoolArray] = []
    for start in bounds[:-1].tolist():
        good = np.zeros(start, dtype=bool)
        good[np.argsort(losses[:start], kind="stable")[: max(2, start // 5)]] = True
        goods.append(good)
    for own in cells:
        here = own[order]
        size = int(here.max()) + 1
        for start, stop, good in zip(bounds[:-1].tolist(), bounds[1:].tolist(), goods, strict=True):
            past = here[:start]
            near = np.bincount(past[good], minlength=size) + 0.5
            far = np.bincount(past[~good], minlength=size) + 0.5
            gain = np.log(near / near.sum()) - np.log(far / far.sum())
            total += float(gain[here[start:stop]].sum())
    return total
