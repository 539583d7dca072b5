"""Whether low budgets rank configurations as high ones do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Unpack

import numpy as np

from condped.analyse.result import Result
from condped.arrays import BoolArray, FloatArray
from condped.errors import DataError, SettingsError
from condped.estimate.settings import check_level, check_target
from condped.estimate.statistics.rank_agreement import rank_agreement
from condped.options import check_options, takes
from condped.read.opening import read_whole, read_with_reports
from condped.read.options import Reading, ReadOptions
from condped.trials.batch import Goal
from condped.trials.course.reports import Reports
from condped.trials.repeats import configurations
from condped.trials.table import Direction, State, TrialTable
from condped.trials.where import ParameterColumn

FEWEST = 8  # configurations measured at both budgets that a comparison needs
_MOST = 10  # budgets that are compared with the highest
AGREES = 0.5  # Kendall's τ from which rankings count as similar


@dataclass(frozen=True, slots=True)
class BudgetAgreement:
    """How a budget ranks configurations, compared with the highest one.

    Attributes
    ----------
    budget
        The lower one.
    configurations, measured
        How many were measured at both budgets, and how many at this one.
    tau, tau_low, tau_high
        Kendall's τ between the two rankings, and an interval around it.
    top
        How many of these configurations count as the best at the highest budget.
    found
        Share of them that are among the best at this budget, too.
    chance
        The same if this budget were uninformative.
    regret
        What choosing the configuration that is best at this budget loses at the highest one.
    """

    budget: float
    configurations: int
    measured: int
    tau: float
    tau_low: float
    tau_high: float
    top: int
    found: float
    chance: float
    regret: float

    @property
    def agrees(self) -> bool:
        """Whether the rankings are similar even at the lower end of the interval."""
        return self.tau_low >= AGREES

    @property
    def selected(self) -> bool:
        """Whether many configurations were never tried at the highest budget."""
        return self.configurations < 0.9 * self.measured


@dataclass(frozen=True)
class Budgets(Result):
    """Lower budgets compared with the highest one, the lowest first.

    Attributes
    ----------
    agreements
        One per lower budget; the result can be iterated over and indexed.
    highest
        The budget that the others are compared with: the highest that enough configurations
        reached.
    target_quantile
        The share of the configurations that counts as the best.
    level
        Confidence level of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = np.repeat(rng.random(30), 2)
    >>> epochs = np.tile([1, 9], 30)
    >>> trials = {"x": x, "epochs": epochs, "loss": x + rng.normal(size=60) / (9 * epochs)}
    >>> found = budgets(trials, objective="loss", budget_column="epochs")
    >>> found[0].budget, found.highest, found[0].tau > 0.5
    (1.0, 9.0, True)
    """

    schema: ClassVar[str] = "condped.budgets/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "budget",
        "highest",
        "configurations",
        "measured",
        "tau",
        "tau_low",
        "tau_high",
        "top",
        "found",
        "chance",
        "regret",
    )

    agreements: tuple[BudgetAgreement, ...]
    highest: float
    reached: int  # configurations that were measured at the highest budget
    objective: Goal
    target_quantile: float
    level: float
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __iter__(self) -> Iterator[BudgetAgreement]:
        return iter(self.agreements)

    def __len__(self) -> int:
        return len(self.agreements)

    def __getitem__(self, place: int) -> BudgetAgreement:
        return self.agreements[place]

    @property
    def lowest_that_agrees(self) -> BudgetAgreement | None:
        """The lowest budget that, like all above it, agrees with the highest; None if none does."""
        found = None
        for entry in reversed(self.agreements):
            if not entry.agrees:
                break
            found = entry
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per lower budget."""
        return [
            {name: self.highest if name == "highest" else getattr(entry, name)
             for name in self._columns}
            for entry in self.agreements
        ]  # fmt: skip

    def _readable(self) -> dict[str, Any]:
        return {
            "objective": self.objective,
            "highest": self.highest,
            "reached": self.reached,
            "target_quantile": self.target_quantile,
            "level": self.level,
            "budgets": self.rows(),
            "notes": self.notes,
        }


@takes(Reading, ReadOptions)
def budgets(
    source: Any,
    *,
    budget_column: str | None = None,
    target_quantile: float = 0.1,
    level: float = 0.9,
    **options: Unpack[Reading],
) -> Budgets:
    """Compare how low and high budgets rank configurations.

    Parameters
    ----------
    source
        A run with budgets of SMAC, hpbandster, Ray Tune, Syne Tune, Keras Tuner's Hyperband or a
        halving search of scikit-learn, an Optuna study whose trials report intermediate values, or
        a table with one row per configuration and budget.
    budget_column
        The column of a table, or the parameter of a study, that holds the budget.
    target_quantile
        The share of the configurations that counts as the best.
    level
        Confidence level of the intervals.
    **options
        How to read the source, as for :func:`condped.read`.

    Examples
    --------
    >>> import condped
    >>> trials = [
    ...     {"x": x / 20, "epochs": epochs, "loss": abs(x / 20 - 0.3) + 0.1 * (x % 3) / epochs}
    ...     for x in range(20)
    ...     for epochs in (1, 9)
    ... ]
    >>> found = condped.budgets(trials, objective="loss", budget_column="epochs")
    >>> found[0].budget, found[0].agrees
    (1.0, True)
    """
    check_options(budgets, options)
    check_target(target_quantile, 1.0)
    check_level(level)
    if budget_column is not None:
        table, reports = _by_column(source, budget_column, options)
    else:
        table = read_with_reports(source, options)
        reports = _recorded_reports(table)
    if len(table.objectives) > 1:
        names = ", ".join(repr(entry.name) for entry in table.objectives)
        raise SettingsError(f"Budgets are compared by one objective: name one of {names}.")
    goal = Goal(table.objectives[0].name, table.objectives[0].direction)
    highest, lower = _compared_budgets(reports)
    last = _losses(reports, highest, goal.direction)
    found = [
        _agreement(budget, _losses(reports, budget, goal.direction), last, target_quantile, level)
        for budget in lower
    ]
    reached = int(np.count_nonzero(np.isfinite(last)))
    return Budgets(tuple(found), highest, reached, goal, target_quantile, level, table.notes)


def _recorded_reports(table: TrialTable) -> Reports:
    reports = table.reports
    if reports is None or not len(reports.rows):
        raise DataError(
            "The source records no budgets: none of its trials was measured at several. For a "
            "table, set budget_column (--budget-column) to the column with the budget."
        )
    return reports


def _by_column(source: Any, column: str, options: Mapping[str, Any]) -> tuple[TrialTable, Reports]:
    """Return the trials, and the results of each configuration by the budget in a column."""
    table = read_whole(source, options)
    if column in table.names:
        parameter = next(entry for entry in table.parameters if entry.name == column)
        budget = ParameterColumn(parameter).numbers()
        if budget is None:
            raise DataError(f"The budget {column!r} must be a number.", column=column)
        table = table.with_parameters([name for name in table.names if name != column])
    else:
        given = {**options, "objective": column, "direction": "minimize"}
        budget = read_whole(source, given).objectives[0].values
    complete = np.asarray(table.states == State.COMPLETE) & np.isfinite(budget)
    ids, values = configurations(table), table.objectives[0].values
    listed = zip(ids[complete], budget[complete], values[complete], strict=True)
    return table, Reports.of(int(ids.max(initial=-1)) + 1, listed)


def _losses(reports: Reports, budget: float, direction: Direction) -> FloatArray:
    return reports.at(budget) * (-1.0 if direction == "maximize" else 1.0)


def _compared_budgets(reports: Reports) -> tuple[float, list[float]]:
    """Return the highest budget that enough configurations reached, and lower ones.

    Configurations may start at different budgets, as in Hyperband: the highest one must share
    enough of them with a lower one, if any does.
    """
    measured = np.isfinite(reports.values)
    pairs = np.unique(np.column_stack([reports.budgets, reports.rows])[measured], axis=0)
    known, counts = np.unique(pairs[:, 0], return_counts=True)
    enough = known[counts >= FEWEST]
    if len(enough) < 2:
        listed = ", ".join(f"{b:g} ({n})" for b, n in zip(known[:12], counts, strict=False))
        raise DataError(
            f"Two budgets with at least {FEWEST} configurations each are needed to compare them. "
            f"Available (configurations at each): {listed or 'none'}."
        )
    *lower, highest = _comparable_budgets(reports, enough.tolist())
    if len(lower) > _MOST:  # evenly on a log scale
        steps = np.geomspace(max(lower[0], highest / 1000), lower[-1], _MOST)
        places = np.unique(np.abs(np.subtract.outer(steps, lower)).argmin(axis=1))
        lower = [lower[place] for place in places]
    return highest, lower


def _comparable_budgets(reports: Reports, budgets: list[float]) -> list[float]:
    """Return the budgets up to the highest that shares enough configurations with a lower one."""
    measured = {budget: np.isfinite(reports.at(budget)) for budget in budgets}
    for place in range(len(budgets) - 1, 0, -1):
        last = measured[budgets[place]]
        if any(np.count_nonzero(last & measured[b]) >= FEWEST for b in budgets[:place]):
            return budgets[: place + 1]
    return budgets


def _agreement(
    budget: float, losses: FloatArray, last: FloatArray, quantile: float, level: float
) -> BudgetAgreement:
    both = np.isfinite(losses) & np.isfinite(last)
    one, other = losses[both], last[both]
    pairs, measured = len(one), int(np.count_nonzero(np.isfinite(losses)))
    nothing = BudgetAgreement(
        budget, pairs, measured, *(math.nan, -1.0, 1.0), 0, *(math.nan, math.nan, math.nan)
    )
    if pairs < FEWEST:
        return nothing
    ranks = rank_agreement(one, other, level)
    size = math.ceil(quantile * pairs)
    best, seen = _best_rows(other, size), _best_rows(one, size)
    first = one == one.min()
    return BudgetAgreement(
        budget=budget,
        configurations=pairs,
        measured=measured,
        tau=ranks.tau,
        tau_low=ranks.low,
        tau_high=ranks.high,
        top=int(np.count_nonzero(best)),
        found=float(seen[best].mean()),
        chance=float(seen.mean()),
        regret=float(other[first].mean() - other.min()),
    )


def _best_rows(losses: FloatArray, size: int) -> BoolArray:
    """Return which are among the ``size`` best, ties included."""
    return np.asarray(losses <= np.partition(losses, size - 1)[size - 1])
