"""How the ranking moves with what one might as well have chosen, or with other trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from condped.analyse.importance.analysis import analyse
from condped.estimate.settings import Method, Settings
from condped.show.text.importance import shortened, table_lines
from condped.trials.table import TrialTable
from condped.trials.topsets import Handling

_AGREES = 0.6  # Kendall's tau, from which two rankings tell much the same story
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Variant:
    """The importances under one other choice.

    Attributes
    ----------
    choice
        What was changed.
    importances
        By parameter.
    agreement
        Kendall's τ with the ranking of the result itself, from -1 to 1; among parameters that one
        of the two gives at least 1 %. None where one of the two can tell nothing.
    """

    choice: str
    importances: Mapping[str, float]
    agreement: float | None


@dataclass(frozen=True, slots=True)
class Robustness:
    """How the ranking moves. Print it for a table."""

    importances: Mapping[str, float]  # of the result itself, the most important first
    variants: tuple[Variant, ...]

    @property
    def stable(self) -> bool:
        """Whether every other choice has the same parameter first and much the same ranking."""
        first = next(iter(self.importances), None)
        return any(self.importances.values()) and all(
            variant.agreement is not None
            and variant.agreement >= _AGREES
            and max(variant.importances, key=lambda n: variant.importances[n], default=None)
            == first
            for variant in self.variants
        )

    def __str__(self) -> str:
        names = list(self.importances)[:_SHOWN]
        header = ("", *(shortened(name, 14) for name in names), "τ")
        rows = [("as asked", *(f"{self.importances[name]:.2f}" for name in names), "")]
        rows += [
            (
                v.choice,
                *(f"{v.importances[name]:.2f}" for name in names),
                "?" if v.agreement is None else f"{v.agreement:.2f}",
            )
            for v in self.variants
        ]
        verdict = (
            "Stable: the same parameter is first everywhere, and the rankings agree."
            if self.stable
            else "Fragile: other choices give another answer, or none."
        )
        return "\n".join(
            [*table_lines(header, rows, right=set(range(1, len(header)))), "", verdict]
        )


def robustness_of(
    table: TrialTable, target_quantile: float, settings: Settings, handling: Handling
) -> Robustness:
    """Return the importances for other target sets, halves of the study in time, other methods."""
    own = _importances(table, target_quantile, settings, handling)
    ranked = dict(sorted(own.items(), key=lambda entry: -entry[1]))
    variants = tuple(
        Variant(choice, found, kendall(own, found))
        for choice, found in _variants(table, target_quantile, settings, handling)
    )
    return Robustness(ranked, variants)


def _variants(
    table: TrialTable, target_quantile: float, settings: Settings, handling: Handling
) -> Iterator[tuple[str, dict[str, float]]]:
    for factor in (0.5, 2.0, 4.0):
        quantile = target_quantile * factor
        if quantile < settings.region_quantile:
            found = _importances(table, quantile, settings, handling)
            yield f"best {100 * quantile:.3g} %", found
    rows = np.arange(len(table))
    for name, half in (
        ("first half in time", rows < len(table) // 2),
        ("second half in time", rows >= len(table) // 2),
    ):
        if half.sum() >= 2:
            yield name, _importances(table.only(half), target_quantile, settings, handling)
    other: Method = "calibrated" if settings.method == "paper" else "paper"
    if settings.measure in ("within", "standard") and settings.reference == "region":
        changed = replace(settings, method=other)
        yield f"{other} method", _importances(table, target_quantile, changed, handling)


def _importances(
    table: TrialTable, target_quantile: float, settings: Settings, handling: Handling
) -> dict[str, float]:
    found = analyse(table, (target_quantile,), settings, handling)
    return dict(zip(table.names, found.importance[0].tolist(), strict=True))


def kendall(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Return Kendall's τ-b between two rankings of what matters in one of them.

    1 if it is the same single parameter in both; None if one of them ranks nothing.
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
