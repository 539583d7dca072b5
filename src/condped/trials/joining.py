"""Several tables of trials as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from condped.arrays import FloatArray
from condped.trials.table import Parameter, TrialTable


def joined(tables: Sequence[TrialTable]) -> TrialTable:
    """Return the trials of several tables with the same parameters and domains as one table.

    Records of how the trials came about are dropped, and so are their studies.
    """
    first, *others = tables
    if not others:
        return first
    columns = zip(*(table.parameters for table in tables), strict=True)
    goals = zip(*(table.objectives for table in tables), strict=True)
    return replace(
        first,
        parameters=tuple(_parameter(parts) for parts in columns),
        objectives=tuple(
            replace(parts[0], values=np.concatenate([part.values for part in parts]))
            for parts in goals
        ),
        states=np.concatenate([table.states for table in tables]),
        violations=_violations(tables),
        drawing=None,
        times=None,
        reports=None,
        studies=None,
    )


def _parameter(parts: Sequence[Parameter]) -> Parameter:
    values = np.concatenate([part.values for part in parts])
    if all(part.everywhere for part in parts):
        ids = np.broadcast_to(parts[0].domain_ids[:1], values.shape)
    else:
        ids = np.concatenate([part.domain_ids for part in parts])
    return replace(parts[0], values=values, domain_ids=ids)


def _violations(tables: Sequence[TrialTable]) -> FloatArray | None:
    parts = [table.violations for table in tables if table.violations is not None]
    return np.concatenate(parts) if parts else None
