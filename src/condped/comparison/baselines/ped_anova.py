"""PED-ANOVA: our own estimator, given trials without conditions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from condped.analyse.importance.analysis import Analysis, analyse
from condped.analyse.importance.estimates import ImportanceEstimates, shared_out
from condped.analyse.options import Question
from condped.comparison.baselines.absent_values import filter_absent, impute_absent
from condped.estimate.settings import BaselineSettings, Settings
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling


@dataclass(frozen=True, slots=True, eq=False)
class PedAnova:
    """Numbers of T target sets and P parameters, in the order of the table.

    Attributes
    ----------
    undetermined
        Parameters without an estimate for any target set.
    region_size
        With filtering that of the parameter with most trials.
    """

    numbers: ImportanceEstimates
    undetermined: tuple[str, ...]
    region_size: int


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
    question = Question(target_quantiles, plain, handling)
    if settings.absent == "imputation" or not table.parameters:
        whole = analyse(impute_absent(table), question)
        return PedAnova(_without_gates(whole.numbers), (), whole.account.region_size)
    alone = [table.with_parameters([name]) for name in table.names]
    return _join_parts([analyse(filter_absent(part, *part.names), question) for part in alone])


def _join_parts(parts: list[Analysis]) -> PedAnova:
    """Join analyses of one parameter each, side by side."""
    widest = max(parts, key=lambda part: part.account.region_size)
    each = [part.numbers for part in parts]
    by_target = zip(*(one.reasons for one in each), strict=True)
    variance = np.concatenate([one.variance for one in each], axis=1)
    reasons = tuple(
        None if None in reasons else reason
        for reasons, reason in zip(by_target, widest.numbers.reasons, strict=True)
    )
    numbers = ImportanceEstimates(
        names=tuple(name for one in each for name in one.names),
        **shared_out(variance, reasons),
        variance=variance,
        eta_squared=np.concatenate([one.eta_squared for one in each], axis=1),
        within=variance,
        inter=np.zeros_like(variance),
        target_sizes=widest.numbers.target_sizes,
        reasons=reasons,
    )
    undetermined = tuple(name for one in each if not one.determined.any() for name in one.names)
    return PedAnova(numbers, undetermined, widest.account.region_size)


def _without_gates(numbers: ImportanceEstimates) -> ImportanceEstimates:
    """Return numbers of a method that knows one regime: all variance is within."""
    return replace(numbers, within=numbers.variance, inter=np.zeros_like(numbers.variance))
