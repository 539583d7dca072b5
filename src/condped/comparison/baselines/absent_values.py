"""What a method without conditions does where a parameter is absent: table in, table out.

Both start from a table whose parameters have one domain each, by
:func:`condped.trials.regimes.expand_domains`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from condped.arrays import BoolArray
from condped.space.domain import Categorical, Domain
from condped.trials.table import Parameter, TrialTable


def presence(parameter: Parameter) -> BoolArray:
    """Return (trials,): where the parameter has a value."""
    return np.asarray(parameter.domain_ids >= 0)


def impute_absent(table: TrialTable) -> TrialTable:
    """Give every absent parameter the middle of its domain."""
    return replace(table, parameters=tuple(_imputed(entry) for entry in table.parameters))


def filter_absent(table: TrialTable, name: str) -> TrialTable:
    """Keep the trials in which a parameter is present, and the parameters present in all of them.

    That a method is given the others as well, as far as they have values, is what the paper's
    algorithm says ("the d-th value of BaselineHPI") and what Optuna's evaluators do by default.
    """
    (asked,) = (entry for entry in table.parameters if entry.name == name)
    kept = table.only(presence(asked))
    return replace(
        kept, parameters=tuple(entry for entry in kept.parameters if presence(entry).all())
    )


def middle(domain: Domain) -> float:
    """Return the value that stands in where there is none; the position of a choice.

    The midpoint, on a log scale the geometric one, rounded down to what the domain allows; the
    first choice.

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
    steps = round((domain.high - domain.low) / domain.step)
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
