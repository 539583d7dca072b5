"""Importances by methods without conditions, as results of the same types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, Unpack, get_args

import numpy as np

from condped.analyse.importance.account import Account
from condped.analyse.importance.estimates import ImportanceEstimates, shared_out
from condped.analyse.importance.result import ImportanceResult, scored_result
from condped.analyse.importance.sweep import SweepResult, ascending_quantiles, scored_sweep
from condped.analyse.options import TRIALS, Options, TrialOptions, open_table
from condped.comparison.baselines.forests import forest_scores
from condped.comparison.baselines.ped_anova import ped_anova
from condped.comparison.baselines.usable_trials import UsableTrials, account_of, basis_of
from condped.errors import SettingsError
from condped.estimate.settings import (
    BaselineMethod,
    BaselineSettings,
    Method,
    check_region,
    check_target,
)
from condped.options import declared, is_whole_number, option, takes
from condped.safe_text import brief
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling

Absent: TypeAlias = Literal["filtering", "imputation"]
METHODS: tuple[BaselineMethod, ...] = get_args(BaselineMethod)
ABSENT: tuple[Absent, ...] = get_args(Absent)


def ped_anova_settings(
    absent: Absent, target_quantile: float | None, region_quantile: float
) -> BaselineSettings:
    """Return the settings of PED-ANOVA, or raise; no target quantile means a sweep."""
    _require("absent", absent, ABSENT)
    check_region(region_quantile)
    if target_quantile is not None:
        check_target(target_quantile, region_quantile)
    return BaselineSettings("ped-anova", absent, region_quantile=region_quantile)


class ForestOptions(TypedDict, total=False):
    """The fields of :class:`Forest`, for functions that take them."""

    trees: int
    max_depth: int
    seed: int | None


@dataclass(frozen=True, slots=True)
class Forest:
    """The forest that f-ANOVA, MDI and SHAP explain."""

    trees: int = option(64, "Number of trees in a forest.")
    max_depth: int = option(64, "Maximum depth of its trees.")
    seed: int | None = option(0, "Seed of the forests; None: different ones every time.")

    def __post_init__(self) -> None:
        for name, value in (("trees", self.trees), ("max_depth", self.max_depth)):
            if not is_whole_number(value, 1):
                raise SettingsError(f"{name} must be a whole number above 0 (got {brief(value)}).")
        seed = self.seed
        if seed is not None and not (is_whole_number(seed, 0) and seed < 2**32):
            raise SettingsError(
                f"seed must be a whole number from 0 to 4294967295, or None (got {brief(seed)})."
            )


def forest_settings(method: BaselineMethod, absent: Absent, forest: Forest) -> BaselineSettings:
    """Return the settings of a method that explains a forest, or raise."""
    _require("method", method, METHODS)
    _require("absent", absent, ABSENT)
    seed = None if forest.seed is None else int(forest.seed)
    return BaselineSettings(
        method, absent, trees=int(forest.trees), max_depth=int(forest.max_depth), seed=seed
    )


def _require(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        hint = " condped.importance has it." if value in get_args(Method) else ""
        raise SettingsError(
            f"{name} must be one of {', '.join(allowed)} (got {brief(value)}).{hint}"
        )


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
    """Estimate importances by a method that does not know conditions.

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
        What to do where a parameter is absent. ``filtering``: for each parameter, apply the method
        to the trials in which it is present, with all parameters that have a value in every one of
        those, and take that parameter's score. ``imputation``: the midpoint of the domain, the
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
    parsed, best = Options.of(importance, options), method == "ped-anova"
    settings = (
        ped_anova_settings(absent, target_quantile, region_quantile)
        if best
        else forest_settings(method, absent, declared(Forest, options))
    )
    table = open_table("A method without conditions", source, **parsed.reading)
    if best:
        scores = _of_best_trials(table, (target_quantile,), settings, parsed.handling)
        return scored_result(scores.numbers, target_quantile, settings, scores.account)
    scores = _of_whole_objective(table, settings, parsed.handling)
    return scored_result(scores.numbers, None, settings, scores.account)


class _Scores(NamedTuple):
    """A method's numbers, and what they are based on."""

    numbers: ImportanceEstimates
    account: Account


def _of_best_trials(
    table: TrialTable, quantiles: tuple[float, ...], settings: BaselineSettings, handling: Handling
) -> _Scores:
    """Return the scores by PED-ANOVA."""
    basis = basis_of(table, settings, handling, quantiles)
    found = ped_anova(basis.table, quantiles, settings, handling)
    account = account_of(basis, settings, found.region_size, found.undetermined)
    return _Scores(found.numbers, account)


def _of_whole_objective(
    table: TrialTable, settings: BaselineSettings, handling: Handling
) -> _Scores:
    """Return the scores by a method that explains a forest; it has no target sets, hence no η²."""
    basis = basis_of(table, settings, handling)
    counted = basis.table if basis.used.all() else basis.table.only(basis.used)
    found = forest_scores(counted, settings)
    reason = _reason(basis, found)
    scores = np.array([[found[name] or 0.0 for name in table.names]])
    unknown = np.full_like(scores, np.nan)
    numbers = ImportanceEstimates(
        names=table.names,
        **shared_out(scores, (reason,)),
        variance=scores,
        eta_squared=unknown,
        within=unknown,
        inter=unknown,
        target_sizes=np.zeros(1, dtype=np.int64),
        reasons=(reason,),
    )
    missing = [name for name in table.names if found[name] is None] if reason is None else []
    return _Scores(numbers, account_of(basis, settings, basis.top.counts.used, missing))


def _reason(basis: UsableTrials, found: Mapping[str, float | None]) -> str | None:
    """Return why there are no scores; None if there are some."""
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
    parsed = Options.of(sweep, options)
    settings = ped_anova_settings(absent, None, region_quantile)
    quantiles = ascending_quantiles(target_quantiles, region_quantile)
    table = open_table("A method without conditions", source, **parsed.reading)
    scores = _of_best_trials(table, quantiles, settings, parsed.handling)
    return scored_sweep(scores.numbers, quantiles, settings, scores.account)
