"""PED-ANOVA at many target quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from condped.analyse.importance.sweep import SweepResult, ascending_quantiles, scored_sweep
from condped.comparison.baselines.basis import account_of, basis_of
from condped.comparison.baselines.choices import Absent, ped_anova_settings
from condped.comparison.baselines.ped_anova import ped_anova
from condped.read import read
from condped.read.options import Reading, check_reading
from condped.trials.topsets import Handling, LeftOut, Treatment


def sweep(
    source: Any,
    *,
    target_quantiles: Sequence[float] | None = None,
    absent: Absent = "imputation",
    region_quantile: float = 1.0,
    failed: LeftOut = "drop",
    pruned: Treatment = "drop",
    nonfinite: LeftOut = "drop",
    infeasible: Treatment = "keep",
    **reading: Unpack[Reading],
) -> SweepResult:
    """Estimate how PED-ANOVA's importances change with the target quantile.

    The trials are counted once for all target quantiles; with filtering once for each parameter,
    which has trials, and target sets, of its own.

    Parameters
    ----------
    source, region_quantile, failed, pruned, nonfinite, infeasible
        As for :func:`condped.baselines.importance`.
    target_quantiles
        Ascending; by default 0.01, 0.02, … up to 0.01 below ``region_quantile``.
    absent
        ``filtering`` or ``imputation``.
    **reading
        Options of :func:`condped.read`.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(500, seed=0)
    >>> condped.baselines.sweep(table, absent="filtering").importance.shape
    (99, 3)
    """
    handling = Handling(failed, pruned, nonfinite, infeasible)
    settings = ped_anova_settings(absent, None, region_quantile)
    check_reading("sweep", reading)
    quantiles = ascending_quantiles(target_quantiles, region_quantile)
    basis = basis_of(read(source, **reading), settings, handling, quantiles)
    found = ped_anova(basis.table, quantiles, settings, handling)
    account = account_of(basis, settings, found.region_size, found.untold)
    return scored_sweep(found.numbers, quantiles, settings, account)
