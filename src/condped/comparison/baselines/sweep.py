"""PED-ANOVA at many target quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from condped.analyse.importance.sweep import SweepResult, ascending_quantiles, scored_sweep
from condped.analyse.question import TRIALS, Options, TrialOptions, open_table
from condped.comparison.baselines.choices import Absent, ped_anova_settings
from condped.comparison.baselines.ped_anova import ped_anova
from condped.comparison.baselines.usable_trials import account_of, basis_of
from condped.options import takes


@takes(TrialOptions, *TRIALS)
def sweep(
    source: Any,
    *,
    target_quantiles: Sequence[float] | None = None,
    absent: Absent = "imputation",
    region_quantile: float = 1.0,
    **options: Unpack[TrialOptions],
) -> SweepResult:
    """Estimate how PED-ANOVA's importances change with the target quantile.

    The trials are counted once for all target quantiles; with filtering once for each parameter,
    which has trials, and target sets, of its own.

    Parameters
    ----------
    source, region_quantile
        As for :func:`condped.baselines.importance`.
    target_quantiles
        Ascending; by default 0.01, 0.02, … up to 0.01 below ``region_quantile``.
    absent
        ``filtering`` or ``imputation``.
    **options
        Which trials to use, as for :func:`condped.importance`.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(500, seed=0)
    >>> condped.baselines.sweep(table, absent="filtering").importance.shape
    (99, 3)
    """
    asked = Options.of(sweep, options)
    settings = ped_anova_settings(absent, None, region_quantile)
    quantiles = ascending_quantiles(target_quantiles, region_quantile)
    table = open_table("Asking another method", source, **asked.reading)
    basis = basis_of(table, settings, asked.handling, quantiles)
    found = ped_anova(basis.table, quantiles, settings, asked.handling)
    account = account_of(basis, settings, found.region_size, found.untold)
    return scored_sweep(found.numbers, quantiles, settings, account)
