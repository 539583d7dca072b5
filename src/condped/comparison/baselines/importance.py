"""What other methods say, as a result of the same type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from condped.analyse.importance.estimates import Numbers, shared_out
from condped.analyse.importance.result import ImportanceResult, scored_result
from condped.analyse.question import TRIALS, Options, TrialOptions, open_table
from condped.comparison.baselines.choices import (
    Absent,
    Forest,
    ForestOptions,
    forest_settings,
    ped_anova_settings,
)
from condped.comparison.baselines.forests import forest_scores
from condped.comparison.baselines.ped_anova import ped_anova
from condped.comparison.baselines.usable_trials import Basis, account_of, basis_of
from condped.estimate.settings import BaselineMethod, BaselineSettings
from condped.options import declared, takes
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling


class BaselineOptions(TrialOptions, ForestOptions, total=False):
    """Options that :func:`importance` shares with others."""


@takes(BaselineOptions, *TRIALS, Forest)
def importance(
    source: Any,
    *,
    method: BaselineMethod = "f-anova",
    absent: Absent = "imputation",
    target_quantile: float = 0.1,
    region_quantile: float = 1.0,
    **options: Unpack[BaselineOptions],
) -> ImportanceResult:
    """Estimate importances of the same trials by a method that knows no conditions.

    The definitions and defaults are those of Optuna 5.0.0's evaluators, with the same numbers for
    the same seed. Domains that switch are first joined into one that spans them.

    Parameters
    ----------
    source
        As for :func:`condped.importance`.
    method
        ``ped-anova``; or, about the whole objective and not the best trials, by a random forest:
        ``f-anova``, ``mdi`` (mean decrease of impurity) or ``shap`` (mean absolute Shapley value).
    absent
        What to do where a parameter is absent. ``filtering``: for each parameter, ask the method
        about the trials in which it is present, with all parameters that have a value in every one
        of those, and take that parameter's score. ``imputation``: the midpoint of the domain, the
        geometric one on a log scale, the first choice of a categorical parameter.
    target_quantile, region_quantile
        γ' and γ of PED-ANOVA. With filtering they are shares of each parameter's own trials.
    **options
        Which trials to use, as for :func:`condped.importance` (a forest cannot count trials as
        worst), and the size and seed of the forest.

    Returns
    -------
    ImportanceResult
        Scores as ``variance``: with a forest, each method's own quantity, and neither evidence
        nor regimes.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(500, seed=0)
    >>> plain = condped.baselines.importance(table, method="ped-anova", absent="filtering")
    >>> plain["y"].importance > 0.2  # though it cannot lead to the best 10 %
    True
    """
    asked, best = Options.of(importance, options), method == "ped-anova"
    settings = (
        ped_anova_settings(absent, target_quantile, region_quantile)
        if best
        else forest_settings(method, absent, declared(Forest, options))
    )
    table = open_table("Asking another method", source, **asked.reading)
    if best:
        return _of_best_trials(table, target_quantile, settings, asked.handling)
    return _of_whole_objective(table, settings, asked.handling)


def _of_best_trials(
    table: TrialTable, target_quantile: float, settings: BaselineSettings, handling: Handling
) -> ImportanceResult:
    """Ask PED-ANOVA."""
    basis = basis_of(table, settings, handling, (target_quantile,))
    found = ped_anova(basis.table, (target_quantile,), settings, handling)
    account = account_of(basis, settings, found.region_size, found.untold)
    return scored_result(found.numbers, target_quantile, settings, account)


def _of_whole_objective(
    table: TrialTable, settings: BaselineSettings, handling: Handling
) -> ImportanceResult:
    """Ask a method that explains a forest; it knows no target sets, hence no η²."""
    basis = basis_of(table, settings, handling)
    counted = basis.table if basis.used.all() else basis.table.only(basis.used)
    found = forest_scores(counted, settings)
    reason = _reason(basis, found)
    scores = np.array([[found[name] or 0.0 for name in table.names]])
    unknown = np.full_like(scores, np.nan)
    numbers = Numbers(
        names=table.names,
        importance=shared_out(scores, (reason,)),
        variance=scores,
        eta_squared=unknown,
        within=unknown,
        inter=unknown,
        target_sizes=np.zeros(1, dtype=np.int64),
        reasons=(reason,),
    )
    untold = [name for name in table.names if found[name] is None] if reason is None else []
    account = account_of(basis, settings, basis.top.counts.used, untold)
    return scored_result(numbers, None, settings, account)


def _reason(basis: Basis, found: Mapping[str, float | None]) -> str | None:
    """Say why nothing can be told, or None if something can."""
    trials = basis.top.counts
    left_out = f"{trials.left_out} of {trials.total} left out"
    # In order: an earlier reason explains the later ones.
    for applies, reason in (
        (trials.used == 0, f"there is no trial to learn from ({left_out})."),
        (trials.used == 1, f"there is only one trial to learn from ({left_out})."),
        (not found, "there are no parameters."),
        (basis.top.all_equal, f"all {trials.used} trials have the same objective."),
        (not any(found.values()), "no parameter has values that the objective varies with."),
    ):
        if applies:
            return reason
    return None
