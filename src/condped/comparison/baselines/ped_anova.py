"""PED-ANOVA: our own estimator, given trials without conditions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.importance.analysis import Analysis, analyse
from condped.arrays import FloatArray, IntArray
from condped.comparison.baselines.absent import filter_absent, impute_absent
from condped.estimate.settings import BaselineSettings, Settings
from condped.trials.table import TrialTable
from condped.trials.topsets import Handling


@dataclass(frozen=True, slots=True, eq=False)
class PedAnova:
    """Variances of T target sets and P parameters, in the order of the table."""

    variance: FloatArray  # (T, P)
    eta_squared: FloatArray  # (T, P): 0 where undetermined
    reasons: tuple[str | None, ...]  # (T,): why nothing can be told
    untold: tuple[str, ...]  # parameters of which nothing can be told at any target set
    target_sizes: IntArray  # (T,): with filtering those of the parameter with most trials
    region_size: int  # the same


def ped_anova(
    table: TrialTable,
    target_quantiles: tuple[float, ...],
    settings: BaselineSettings,
    handling: Handling,
) -> PedAnova:
    """Estimate from a table with one domain per parameter.

    With filtering every parameter has its own trials, and therefore its own best ones.
    """
    plain = Settings(settings.region_quantile or 1.0, pooling="never")

    def analysed(part: TrialTable) -> Analysis:
        return analyse(part, target_quantiles, plain, handling)

    if settings.absent == "imputation" or not table.parameters:
        whole = analysed(impute_absent(table))
        return PedAnova(
            variance=whole.estimate.variance,
            eta_squared=whole.eta_squared,
            reasons=whole.reasons,
            untold=(),
            target_sizes=whole.counts.target_sizes,
            region_size=whole.counts.region_size,
        )
    alone = [table.with_parameters([name]) for name in table.names]
    return _joined([analysed(filter_absent(part, *part.names)) for part in alone])


def _joined(parts: list[Analysis]) -> PedAnova:
    """Return analyses of one parameter each side by side."""
    widest = max(parts, key=lambda part: part.counts.region_size)
    by_target = zip(*(part.reasons for part in parts), strict=True)
    return PedAnova(
        variance=np.concatenate([part.estimate.variance for part in parts], axis=1),
        eta_squared=np.concatenate([part.eta_squared for part in parts], axis=1),
        reasons=tuple(
            None if None in reasons else reason
            for reasons, reason in zip(by_target, widest.reasons, strict=True)
        ),
        untold=tuple(part.counts.parameters[0].name for part in parts if not part.determined.any()),
        target_sizes=widest.counts.target_sizes,
        region_size=widest.counts.region_size,
    )
