"""How the ranking changes with equally reasonable settings, or with other trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.estimates import ImportanceEstimates
from condped.analyse.importance.ties import Tie
from condped.analyse.options import Question
from condped.analyse.result import Presentable
from condped.estimate.settings import Method, Settings
from condped.safe_text import percent
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling

_AGREES = 0.6  # Kendall's τ from which two rankings count as similar


@dataclass(frozen=True, slots=True)
class Variant:
    """The importances under one alternative choice.

    Attributes
    ----------
    choice
        What was changed.
    importances
        By parameter.
    agreement
        Kendall's τ with the ranking of the result itself, from -1 to 1, among parameters with at
        least 1 % in one of the two. None if one of the two is undetermined.
    same_set
        Whether, because of ties, its target set is that of the result itself: uninformative.
    """

    choice: str
    importances: Mapping[str, float]
    agreement: float | None
    same_set: bool = False


@dataclass(frozen=True, slots=True)
class Robustness(Presentable):
    """How stable the ranking is. Print it for a table.

    Attributes
    ----------
    importances
        Those of the result itself, the most important first.
    variants
        The same for other target sets, halves of the study and the other method.
    tie
        The tie at the end of the target set of the result itself.
    """

    importances: Mapping[str, float]
    variants: tuple[Variant, ...]
    tie: Tie | None = None

    @property
    def stable(self) -> bool:
        """Whether every other choice has the same parameter first and a similar ranking."""
        first = next(iter(self.importances), None)
        return any(self.importances.values()) and all(
            variant.agreement is not None
            and variant.agreement >= _AGREES
            and max(variant.importances, key=lambda n: variant.importances[n], default=None)
            == first
            for variant in self.variants
            if not variant.same_set
        )


def robustness_of(
    table: TrialTable, target_quantile: float, settings: Settings, handling: Handling
) -> Robustness:
    """Return the importances for other target sets, both halves in time and the other method."""
    steps = {f * target_quantile: f for f in (0.5, 1.0, 2.0, 4.0)}
    quantiles = tuple(quantile for quantile in steps if quantile < settings.region_quantile)
    question = Question(quantiles, settings, handling)
    whole = analyse(table, question)
    by_quantile = dict(zip(quantiles, _by_name(whole.numbers), strict=True))
    sizes = dict(zip(quantiles, whole.numbers.target_sizes.tolist(), strict=True))
    own = by_quantile.pop(target_quantile)
    tie = whole.account.tie(target_quantile)
    variants = [
        Variant(
            f"best {percent(quantile)}",
            found,
            kendall(own, found),
            same_set=tie is not None and sizes[quantile] == sizes[target_quantile],
        )
        for quantile, found in by_quantile.items()
    ]
    single = replace(question, target_quantiles=(target_quantile,))
    variants += [
        Variant(choice, found, kendall(own, found)) for choice, found in _variants(table, single)
    ]
    ranked = dict(sorted(own.items(), key=lambda entry: -entry[1]))
    return Robustness(ranked, tuple(variants), tie)


def _variants(table: TrialTable, question: Question) -> Iterator[tuple[str, dict[str, float]]]:
    rows = np.arange(len(table))
    for name, half in (
        ("first half in time", rows < len(table) // 2),
        ("second half in time", rows >= len(table) // 2),
    ):
        if half.sum() >= 2:
            yield name, _importances(table.only(half), question)
    settings = question.settings
    other: Method = "calibrated" if settings.method == "paper" else "paper"
    if settings.measure in ("within", "standard") and settings.reference == "region":
        yield f"{other} method", _importances(table, question.by(other))


def _importances(table: TrialTable, question: Question) -> dict[str, float]:
    """Return the importances by name at the only target quantile."""
    (found,) = _by_name(analyse(table, question).numbers)
    return found


def _by_name(numbers: ImportanceEstimates) -> list[dict[str, float]]:
    return [dict(zip(numbers.names, row, strict=True)) for row in numbers.importance.tolist()]


def kendall(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Return Kendall's τ-b between two rankings of what matters in one of them.

    1 if both rank only the same single parameter; None if one of them ranks nothing.
    """
    if not any(one.values()) or not any(other.values()):
        return None
    names = [name for name in one if max(one[name], other[name]) >= 0.01]
    a = np.array([one[name] for name in names])
    b = np.array([other[name] for name in names])
    i, j = np.triu_indices(len(names), 1)
    first, second = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
    weight = np.sqrt(np.abs(first).sum() * np.abs(second).sum())
    return float((first * second).sum() / weight) if weight else 1.0
