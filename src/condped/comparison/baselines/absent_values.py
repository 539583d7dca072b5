"""Trials as methods without conditions need them: without absences, and as a matrix of numbers.

Both start from a table whose parameters have one domain each, by
:func:`condped.trials.regimes.expand_domains`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray
from condped.space.domain import Categorical, Domain
from condped.space.grid import steps_of
from condped.trials.table import Parameter, TrialTable


def presence(parameter: Parameter) -> BoolArray:
    """Return (trials,): where the parameter has a value."""
    return np.asarray(parameter.domain_ids >= 0)


def impute_absent(table: TrialTable) -> TrialTable:
    """Give every absent parameter the middle of its domain."""
    return replace(table, parameters=tuple(_imputed(entry) for entry in table.parameters))


def filter_absent(table: TrialTable, name: str) -> TrialTable:
    """Keep the trials in which a parameter is present, and the parameters present in all of them.

    The others are kept as in the paper's algorithm ("the d-th value of BaselineHPI"), and as
    Optuna's evaluators do by default.
    """
    (parameter,) = (entry for entry in table.parameters if entry.name == name)
    kept = table.only(presence(parameter))
    return replace(
        kept, parameters=tuple(entry for entry in kept.parameters if presence(entry).all())
    )


def middle(domain: Domain) -> float:
    """Return the value to impute where a parameter is absent; for choices, a position.

    The midpoint, on a log scale the geometric one, rounded down to an allowed value; the first
    choice.

    Examples
    --------
    >>> from condped import Categorical, Float, Int
    >>> middle(Float(2, 5)), middle(Float(1e-4, 1, log=True)), middle(Int(1, 8))
    (3.5, 0.01, 4)
    """
    if isinstance(domain, Categorical):
        return 0
    if domain.log:
        if isinstance(domain.low, int) and isinstance(domain.high, int):
            return math.isqrt(domain.low * domain.high)
        return math.sqrt(domain.low) * math.sqrt(domain.high)
    if domain.step is None:
        return domain.low / 2 + domain.high / 2  # a span may be too wide for a float
    steps = steps_of(domain)
    return domain.low + steps // 2 * domain.step


def _imputed(parameter: Parameter) -> Parameter:
    present = presence(parameter)
    if present.all() or not parameter.domains:
        return parameter
    (domain,) = parameter.domains
    values = np.where(present, parameter.values, middle(domain))
    return replace(
        parameter,
        values=values.astype(parameter.values.dtype),
        domain_ids=np.zeros_like(parameter.domain_ids),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """C columns for P parameters.

    A number is one column, as it is: log scales and steps mean nothing to a tree. A categorical
    parameter has a column of 0 and 1 for each of its choices.
    """

    names: tuple[str, ...]  # (P,), in alphabetical order
    values: FloatArray  # (trials, C)
    bounds: FloatArray  # (C, 2): low and high
    owner: IntArray  # (C,): the parameter of each column


def encode(table: TrialTable) -> Matrix:
    """Return the matrix of a table whose parameters have one domain each and are never absent."""
    # The reference's order: a seeded forest breaks ties between equally good splits by it.
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
