"""Report: all that a page shows of a study."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.ties import OVER, OVER_WORDS
from condped.analyse.report.numbers import VERDICTS
from condped.analyse.result import Result
from condped.analyse.saving.files import write_whole
from condped.analyse.saving.plain import rebuilt
from condped.errors import DataError
from condped.writing import PAGES, ending_of

# Of intervals: the columns, and what they are called among the numbers of a page.
_ENDS = {"importance_low": "low", "importance_high": "high"}
_ENDS |= {end: end for end in ("joint_low", "joint_high")}


@dataclass(frozen=True)
class Report(Result):
    """A study as one page.

    Attributes
    ----------
    data
        All numbers of the page, as plain data for JSON.
    importance
        The importances that the page opens with; as plain text for readers that run no scripts.
    """

    schema: ClassVar[str] = "condped.report/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "parameter",
        "method",
        "target_quantile",
        "target_trials",
        "importance",
        "importance_low",
        "importance_high",
        "joint_low",
        "joint_high",
        "eta_squared",
        "p_value",
        "adjusted_p_value",
        "verdict",
        "reason",
        "determined",
        "unattributed",
        "note",
    )

    data: dict[str, Any]
    importance: ImportanceResult = field(repr=False)

    @property
    def html(self) -> str:
        """The page: one file that needs no other."""
        made: str = import_module("condped.show.report.page").page(self)
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page into a file named ``.html``; other forms are those of all results."""
        if ending_of(path, page=True) in PAGES:
            write_whole(self.html, path)
        else:
            super().save(path)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per method, step of the slider and parameter."""
        quantiles = self.data["steps"] or [None]
        return [
            {
                "parameter": one["name"],
                "method": method,
                "target_quantile": quantile,
                "target_trials": self.data["sizes"][step],
                "importance": one["importance"][method][step],
                **{
                    column: one[end][method][step] if end in one else None
                    for column, end in _ENDS.items()
                },
                "eta_squared": one["eta"][method][step],
                "p_value": one["p"][step],
                "adjusted_p_value": one["adjusted"][step],
                "verdict": VERDICTS[one["verdict"][step]],
                "reason": _at(one.get("reason"), step) or None,
                "determined": self.data["reasons"][method][step] is None,
                "unattributed": self.data["unattributed"][method][step],
                "note": self._note(step, one["eta"][method][step]),
            }
            for method in self.data["methods"]
            for step, quantile in enumerate(quantiles)
            for one in self.data["parameters"]
        ]

    def _note(self, step: int, eta_squared: float) -> str | None:
        """Return what the reader of one row must know of its numbers."""
        ties = self.data.get("ties")  # files of earlier versions have none
        tie = ties[step] if ties else None
        told = [tie["message"]] if tie is not None and tie["notable"] else []
        told += [OVER_WORDS] if eta_squared >= OVER else []
        return " ".join(told) or None

    def to_data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, under a schema with a version."""
        return self.data

    def _saved(self) -> dict[str, Any]:
        return self.data | {"told": self.importance}

    @classmethod
    def _loaded(cls, data: Mapping[str, Any]) -> Report:
        if "told" not in data:
            raise DataError(
                "these are the numbers of a page, for other programs. A report is saved for "
                "condped.load under a name that ends in .json"
            )
        own = {name: value for name, value in data.items() if name != "told"}
        made = cls(own, rebuilt(ImportanceResult, data["told"], "told"))
        made.rows()  # what is missing is missed now
        return made


def _at(reasons: list[str] | None, step: int) -> str:
    """Return the reason at a step of the slider; files of earlier versions have none."""
    return (reasons or [""])[0 if not reasons or len(reasons) == 1 else step]
