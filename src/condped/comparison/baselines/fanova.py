"""f-ANOVA: the share of a forest's variance over the space that each parameter alone explains.

A tree is constant on the boxes of its leaves, and so the mean over all other parameters, as a
function of one, is a step function. Its steps are found by adding up what each leaf contributes
between its two ends: memory grows with the leaves of one tree, not with their square, as does time
for numbers. For choices, time grows with the square of the patterns of choices in the leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.progress import report

_BLOCK = 1024  # rows of a table of pairs that are in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A regression tree of M nodes; a value goes left if it is not above the threshold."""

    feature: IntArray  # (M,): the column that a node splits, -1 for a leaf
    threshold: FloatArray  # (M,)
    left: IntArray  # (M,): a node, -1 for a leaf
    right: IntArray  # (M,)
    value: FloatArray  # (M,)


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The L boxes of a tree in C dimensions, in units of the whole range."""

    low: FloatArray  # (L, C)
    high: FloatArray  # (L, C)
    value: FloatArray  # (L,): less its mean over the space


def fanova(
    trees: Sequence[Tree], bounds: FloatArray, owner: IntArray, parameters: int
) -> FloatArray:
    """Return (parameters,): the mean over trees of the share of variance; 0 if there is none.

    Parameters
    ----------
    bounds
        (C, 2): low and high of each column, which must differ.
    owner
        (C,): the parameter of each column. One with several columns has 0 and 1 in them.
    """
    shares = []
    for done, tree in enumerate(trees):
        report("Explaining trees", done, len(trees))
        leaves = boxes(tree, bounds)
        total = float(np.prod(leaves.high - leaves.low, axis=1) @ leaves.value**2)
        if total > 0:
            shares.append(
                [marginal_variance(leaves, owner == p) / total for p in range(parameters)]
            )
    return np.mean(shares, axis=0) if shares else np.zeros(parameters)


def boxes(tree: Tree, bounds: FloatArray) -> Leaves:
    """Return the box of each leaf, level by level from the root."""
    span = bounds[:, 1] - bounds[:, 0]
    low, high = np.zeros((len(tree.feature), len(span))), np.ones((len(tree.feature), len(span)))
    nodes = np.zeros(1, dtype=np.intp)
    while len(nodes := nodes[tree.feature[nodes] >= 0]):
        column, left, right = tree.feature[nodes], tree.left[nodes], tree.right[nodes]
        # Forests compute in single precision: a threshold may lie a rounding error outside.
        place = np.clip((tree.threshold[nodes] - bounds[column, 0]) / span[column], 0.0, 1.0)
        for child in (left, right):
            low[child], high[child] = low[nodes], high[nodes]
        high[left, column] = low[right, column] = place
        nodes = np.concatenate([left, right])
    leaf = tree.feature < 0
    low, high, value = low[leaf], high[leaf], tree.value[leaf]
    return Leaves(low, high, value - np.prod(high - low, axis=1) @ value)


def marginal_variance(leaves: Leaves, columns: np.typing.NDArray[np.bool_]) -> float:
    """Return the variance over some columns of the mean over all others."""
    rest = np.prod(np.where(columns, 1.0, leaves.high - leaves.low), axis=1)
    low, high = leaves.low[:, columns], leaves.high[:, columns]
    if low.shape[1] == 1:
        return _of_steps(low[:, 0], high[:, 0], rest * leaves.value)
    return _of_choices(low, high, rest * leaves.value)


def _of_steps(low: FloatArray, high: FloatArray, heights: FloatArray) -> float:
    """Return the variance of a sum of steps, each of a height between two ends in [0, 1]."""
    ends, places = np.unique(np.concatenate([low, high]), return_inverse=True)
    changes = np.bincount(places, np.concatenate([heights, -heights]))
    height, width = np.cumsum(changes)[:-1], np.diff(ends)
    return float(width @ (height - width @ height) ** 2)


def _of_choices(low: FloatArray, high: FloatArray, heights: FloatArray) -> float:
    """Return the same for columns of 0 and 1, all combinations weighted equally.

    There are 2^columns combinations, but at most two terms for a leaf: a leaf adds its height
    where some columns are 0 and perhaps one is 1, which is the whole less the part where it is 0.
    """
    zero, one = high < 1, low > 0
    split = one.any(axis=1)
    zeros = np.concatenate([zero, zero[split] | one[split]])
    heights = np.concatenate([heights, -heights[split]])
    patterns, places = np.unique(zeros, axis=0, return_inverse=True)
    weights = np.bincount(places.ravel(), heights)
    patterns = patterns.astype(np.float64)
    size = patterns.sum(axis=1)
    mean, square = float(weights @ 0.5**size), 0.0
    for start in range(0, len(patterns), _BLOCK):
        block = slice(start, start + _BLOCK)
        # Both hold where the columns of either are 0: a share of 2^-(size of the union).
        union = size[block, None] + size - patterns[block] @ patterns.T
        square += float(weights[block] @ 0.5**union @ weights)
    return max(square - mean**2, 0.0)
