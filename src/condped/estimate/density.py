"""From counts on a grid to probability masses: the reference's kernel density estimators.

All functions work on many rows of counts at once, since a sweep needs hundreds. They take and
return arrays only.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from condped.arrays import FloatArray, IntArray

# Scott's rule with the reference's constants, on cells.
_SCOTT = 1.059
_IQR_PER_SD = 1.34
_NARROWEST = 0.5 / 1.64  # 90 % of a kernel stay inside its own cell
# Rows whose kernels are laid out at the same time; bounds memory, not the answer.
_BLOCK = 1024
_ROUNDING = 0.005  # of bandwidths, where many rows are smoothed and the last digits do not count


def numeric_masses(counts: IntArray) -> FloatArray:
    """Smooth counts on ordered cells by cell-integrated normals truncated to the grid.

    Parameters
    ----------
    counts
        (rows, cells). One prior trial, spread widely over the middle, is added to each row.

    Returns
    -------
    (rows, cells), each row summing to 1.
    """
    if len(counts) > _BLOCK:
        blocks = [counts[start : start + _BLOCK] for start in range(0, len(counts), _BLOCK)]
        return np.concatenate([numeric_masses(block) for block in blocks])
    cells = counts.shape[1]
    total = counts.sum(axis=1)
    # upper[r, j]: the normal tail beyond j + 1/2 cells from its middle. Every mass and every
    # truncation is a difference of these.
    upper = _upper_tails(_bandwidths(counts, total), cells)
    kernel = np.empty_like(upper)
    kernel[:, 0] = 1.0 - 2.0 * upper[:, 0]
    kernel[:, 1:] = upper[:, :-1] - upper[:, 1:]
    inside = 1.0 - upper - upper[:, ::-1]  # of a kernel centred on each cell
    weights = counts / inside
    # Row r's kernel matrix is Toeplitz: a window sliding over its mirrored kernel.
    mirrored = np.concatenate([kernel[:, :0:-1], kernel], axis=1)
    row, one = mirrored.strides
    windows = np.ndarray((len(counts), cells, cells), float, mirrored, strides=(row, one, one))
    smoothed = np.einsum("rkj,rj->rk", windows, weights[:, ::-1])
    return np.asarray((smoothed + _prior(cells)) / (total + 1.0)[:, None])


def rounded_numeric_masses(counts: IntArray) -> FloatArray:
    """Smooth like :func:`numeric_masses`, with bandwidths rounded to 0.5 %, for very many rows.

    Rows of equal bandwidth share a kernel, and are smoothed by one product of matrices.
    """
    cells = counts.shape[1]
    total = counts.sum(axis=1)
    steps = np.rint(np.log(_bandwidths(counts, total)) / _ROUNDING).astype(np.int64)
    order = np.argsort(steps, kind="stable")
    ascending = counts[order].astype(np.float64)
    known, starts = np.unique(steps[order], return_index=True)
    found, smoothed = np.empty(counts.shape), np.empty(counts.shape)
    ends = (*starts[1:].tolist(), len(order))
    for step, start, end in zip(known.tolist(), starts.tolist(), ends, strict=True):
        np.matmul(ascending[start:end], _rounded_kernel(step, cells), out=found[start:end])
    smoothed[order] = found
    return np.asarray((smoothed + _prior(cells)) / (total + 1.0)[:, None])


@lru_cache(maxsize=512)  # 10 MB of 50 cells; bandwidths of one study recur in others
def _rounded_kernel(step: int, cells: int) -> FloatArray:
    """Return (cells, cells): the masses that a trial of each cell gives to all."""
    (tails,) = _upper_tails(np.array([math.exp(step * _ROUNDING)]), cells)
    kernel = np.concatenate([[1.0 - 2.0 * tails[0]], tails[:-1] - tails[1:]])
    apart = np.abs(np.arange(cells)[:, None] - np.arange(cells))
    inside = 1.0 - tails - tails[::-1]  # of a kernel centred on each cell
    return np.asarray(kernel[apart] / inside[:, None])


def categorical_masses(counts: IntArray) -> FloatArray:
    """Smooth counts of unordered choices; (rows, choices) in and out.

    The reference's shrinkage: the pseudo-count of a choice is divided by the number of distinct
    choices seen, whatever the number of trials.
    """
    choices = counts.shape[1]
    total = counts.sum(axis=1)[:, None]
    pseudo = 1.0 / (np.count_nonzero(counts, axis=1)[:, None] + 1.0)
    smoothed = (counts + pseudo * total) / (1.0 + choices * pseudo)
    return np.asarray((smoothed + 1.0 / choices) / (total + 1.0))


def _bandwidths(counts: IntArray, total: IntArray) -> FloatArray:
    cell = np.arange(counts.shape[1])
    some = np.maximum(total, 1)  # rows without trials get the narrowest, and are never used
    mean = (counts @ cell) / some
    squares = ((cell - mean[:, None]) ** 2 * counts).sum(axis=1)
    sd = np.sqrt(squares / np.maximum(1, total - 1))
    # Quartiles by whole positions among the occupied cells.
    reached = np.cumsum(counts, axis=1)
    first = (reached < np.maximum(total // 4, 1)[:, None]).sum(axis=1)
    third = (reached <= (3 * total // 4)[:, None]).sum(axis=1)
    spread = np.minimum((third - first) / _IQR_PER_SD, sd)
    return np.asarray(np.maximum(_SCOTT * spread * some**-0.2, _NARROWEST))


def _upper_tails(sigma: FloatArray, cells: int) -> FloatArray:
    """Return (rows, cells): the tail of a centred normal beyond 1/2, 3/2, 5/2 … cells."""
    distance = (np.arange(cells) + 0.5) / (sigma * math.sqrt(2.0))[:, None]
    tails = np.fromiter(map(math.erfc, distance.ravel().tolist()), np.float64, distance.size)
    return 0.5 * tails.reshape(distance.shape)


@lru_cache(maxsize=256)
def _prior(cells: int) -> FloatArray:
    """Return the prior's masses: a normal at the middle, as wide as the grid, truncated to it."""
    edges = (np.arange(cells + 1) - 0.5 - (cells - 1) / 2) / (cells * math.sqrt(2.0))
    below = np.array([0.5 * math.erfc(-edge) for edge in edges])
    return np.asarray(np.diff(below) / (below[-1] - below[0]))
