"""Comparison: results of several methods on the same trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from condped.analyse.importance.result import ImportanceResult
from condped.analyse.result import Result
from condped.errors import not_found
from condped.estimate.settings import BaselineSettings


@dataclass(frozen=True)
class Comparison(Result):
    """Results by the names of the methods, in the order in which they were asked.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(500, seed=0)
    >>> told = condped.compare(table, methods=["paper", "ped-anova"])
    >>> told["paper"]["y"].importance, told["ped-anova/filtering"]["y"].importance > 0.2
    (0.0, True)
    """

    schema: ClassVar[str] = "condped.compare/1"

    results: Mapping[str, ImportanceResult]
    notes: tuple[str, ...] = ()  # which methods were left out, and why

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names, in the order of the first method."""
        first = next(iter(self.results.values()), None)
        return () if first is None else first.names

    def __getitem__(self, method: str) -> ImportanceResult:
        """Return what one method says."""
        if method not in self.results:
            raise not_found("method", method, self.results)
        return self.results[method]

    def __contains__(self, method: object) -> bool:
        return method in self.results

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`."""
        return ("parameter", *self.results)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per parameter: its importance by each method.

        None where a method can tell nothing.
        """
        return [
            {
                "parameter": name,
                **{
                    method: result[name].importance if result.status == "ok" else None
                    for method, result in self.results.items()
                },
            }
            for name in self.names
        ]

    def to_data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, under a schema with a version."""
        return {
            "schema": self.schema,
            "methods": [
                {
                    "name": method,
                    "explains": "objective" if explains_objective(result) else "best trials",
                    "status": result.status,
                    "reason": result.reason,
                }
                for method, result in self.results.items()
            ],
            "parameters": self.rows(),
            "notes": list(self.notes),
            "results": {method: result.to_data() for method, result in self.results.items()},
        }


def explains_objective(result: ImportanceResult) -> bool:
    """Return whether a result is about the whole objective and not about the best trials."""
    return isinstance(result.settings, BaselineSettings) and result.settings.forest
