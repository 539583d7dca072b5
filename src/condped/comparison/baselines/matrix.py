"""Matrix: trials as a forest sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.arrays import FloatArray, IntArray
from condped.space.domain import Categorical
from condped.trials.table import Parameter, TrialTable


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """C columns for P parameters.

    A number is one column, as it is: log scales and steps mean nothing to a tree. A categorical
    parameter has a column of 0 and 1 for each of its choices.
    """

    names: tuple[str, ...]  # (P,), in order of the alphabet
    values: FloatArray  # (trials, C)
    bounds: FloatArray  # (C, 2): low and high
    owner: IntArray  # (C,): the parameter of each column


def encode(table: TrialTable) -> Matrix:
    """Return the matrix of a table whose parameters have one domain each and are never absent."""
    # The reference's order: where two columns split equally well, a seeded forest takes one by it.
    parameters = sorted(table.parameters, key=lambda parameter: parameter.name)
    blocks = [_columns(parameter) for parameter in parameters]
    bounds = [_bounds(parameter) for parameter in parameters]
    return Matrix(
        names=tuple(parameter.name for parameter in parameters),
        values=np.concatenate([np.empty((len(table), 0)), *blocks], axis=1),
        bounds=np.concatenate([np.empty((0, 2)), *bounds]),
        owner=np.repeat(np.arange(len(parameters)), [block.shape[1] for block in blocks]),
    )


def _columns(parameter: Parameter) -> FloatArray:
    (domain,) = parameter.domains
    if isinstance(domain, Categorical):
        return np.asarray(parameter.values[:, None] == np.arange(len(domain.choices)), np.float64)
    return np.asarray(parameter.values[:, None], np.float64)


def _bounds(parameter: Parameter) -> FloatArray:
    (domain,) = parameter.domains
    if isinstance(domain, Categorical):
        return np.tile([0.0, 1.0], (len(domain.choices), 1))
    return np.array([[domain.low, domain.high]], np.float64)
