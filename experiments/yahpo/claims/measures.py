"""Measures shared by several checks: ranks of hyperparameters and of learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from condped.errors import DataError
from experiments.claims.registry import Basis, Finding, Runs, Verdict
from experiments.registry import Row
from experiments.yahpo import summary
from experiments.yahpo.folder import ANOTHER_GENERATION, HOW_TO_GET

SECTION = "Real-world benchmarks"
FIRST, OTHERS = "figure-5", "figure-15"


def judged(parts: Sequence[bool]) -> Verdict:
    """Return the verdict on a claim of several parts."""
    if all(parts):
        return "holds"
    return "holds partly" if any(parts) else "does not hold"


def finding(
    rows: Sequence[Row],
    parts: Sequence[bool] | Verdict,
    measured: str,
    note: str = "",
    numbers: Mapping[str, float] | None = None,
) -> Finding:
    """Return a finding, with a note on where the evaluations come from."""
    label = rows[0].get("label") or ANOTHER_GENERATION
    source = f"Measured on {rows[0]['scenario']}: {label}."
    found: Verdict = parts if isinstance(parts, str) else judged(parts)
    basis: Basis = (
        "another surrogate generation" if label == ANOTHER_GENERATION else "own surrogates"
    )
    return Finding(found, measured, f"{note} {source}".strip(), numbers or {}, basis)


class Shown:
    """Importances and objectives of one instance, means over seeds."""

    def __init__(self, runs: Runs, instance: str) -> None:
        figure, table = (FIRST, "table-1") if instance == "1053" else (OTHERS, "table-3")
        self.rows = runs.rows(figure)
        if instance not in summary.grouped(self.rows, "instance"):
            raise DataError(f"There are no evaluations of instance {instance}. {HOW_TO_GET}")
        self.learner_of = summary.learner_of(self.rows)
        self.importance = summary.importances(self.rows)[instance]
        self.objective = summary.objectives(runs.rows(table))[instance]

    def rank(self, parameter: str, method: str = "paper") -> int:
        """Return a hyperparameter's rank among all, from 1."""
        return list(self.importance[method]).index(parameter) + 1

    def rank_inside(self, parameter: str, method: str = "paper") -> tuple[int, int]:
        """Return its rank among its learner's own, and how many those are."""
        own = [
            name
            for name in self.importance[method]
            if self.learner_of[name] == self.learner_of[parameter]
        ]
        return own.index(parameter) + 1, len(own)

    def first(self, learner: str, method: str = "paper") -> str:
        """Return a learner's most important hyperparameter."""
        return next(name for name in self.importance[method] if self.learner_of[name] == learner)

    def highest(self, learner: str, method: str = "paper") -> float:
        """Return the highest importance among a learner's hyperparameters."""
        return self.importance[method][self.first(learner, method)].value

    def order(self, method: str = "paper") -> list[str]:
        """Return the learners by their highest importance, highest first."""
        return sorted(self.objective, key=lambda learner: -self.highest(learner, method))

    def order_agreement(self, method: str = "paper") -> float:
        """Return Spearman's correlation of the learners' importances and highest objectives."""
        found = summary.spearman(
            [self.highest(learner, method) for learner in self.objective],
            [numbers["high"].value for numbers in self.objective.values()],
        )
        return float("nan") if found is None else found


def other_instances(runs: Runs) -> list[str]:
    """Return the instances of Figure 15 that there are evaluations of."""
    return list(summary.grouped(runs.rows(OTHERS), "instance"))


def all_instances(runs: Runs) -> list[str]:
    """Return the instances of Figures 5 and 15."""
    return [*summary.grouped(runs.rows(FIRST), "instance"), *other_instances(runs)]
