"""Report: all that a page shows about a study."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, ClassVar

from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.ties import OVER, OVER_WORDS
from condped.analyse.report.numbers import VERDICTS
from condped.analyse.report.verdicts import merged
from condped.analyse.result import Result
from condped.analyse.saving.plain import rebuilt
from condped.errors import DataError
from condped.writing.endings import PAGES, ending_of
from condped.writing.inputs import check_output
from condped.writing.whole_files import write_text

# The columns of intervals, and their names among the numbers of a page.
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

    Examples
    --------
    >>> import condped
    >>> page = condped.report(condped.problems.get("nested").sample(200, seed=0), verdicts=False)
    >>> page.html[:15].lower(), page.data["schema"]
    ('<!doctype html>', 'condped.report/1')
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
        return self.to_html()

    def to_html(
        self, live: str | None = None, index: str | None = None, *, framed: bool = False
    ) -> str:
        """Return the page.

        Parameters
        ----------
        live
            Address of an event stream, on the server that the page comes from, that keeps it up to
            date; without it the page is self-contained.
        index
            Address of a page that lists this study among others, which the page then links to.
        framed
            For a frame in another page: it sends that page its height and the reader's choices,
            and receives colours and new data from it, by messages.
        """
        module = import_module("condped.show.report.page")
        made: str = module.page(self, live, index, framed=framed)
        return made

    @property
    def page_data(self) -> dict[str, Any]:
        """What the page is drawn from: ``data`` with the sentences that go with it."""
        made: dict[str, Any] = import_module("condped.show.report.page").page_data(self)
        return made

    def with_verdicts_of(self, earlier: Report) -> Report:
        """Return these numbers with the verdicts of an earlier report of the same study.

        Verdicts, p-values, good values, the calibrated method and all else that depends on tests
        are those of ``earlier``; ``data["tested"]`` says how many trials had ended then. Parameters
        that it does not have are not tested yet.

        Examples
        --------
        >>> import condped
        >>> trials = condped.problems.get("nested").sample(500, seed=0)
        >>> earlier = condped.report(trials.only(range(400)))
        >>> now = condped.report(trials, verdicts=False).with_verdicts_of(earlier)
        >>> now.data["used"], now.data["tested"]
        (500, {'trials': 400})
        """
        return replace(self, data=merged(self.data, earlier.data))

    def with_forecast(self, forecast: Result) -> Report:
        """Return the same report with a :class:`condped.Forecast` next to the verdicts."""
        return replace(self, data=self.data | {"forecast": forecast.to_data()})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to an ``.html`` file; other formats are those of all results."""
        if ending_of(path, page=True) in PAGES:
            check_output(path, page=True)
            write_text(self.html, path)
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
                "reason": _reason_at(one["reason"], step) or None,
                "determined": self.data["reasons"][method][step] is None,
                "unattributed": self.data["unattributed"][method][step],
                "note": self._note(step, one["eta"][method][step]),
            }
            for method in self.data["methods"]
            for step, quantile in enumerate(quantiles)
            for one in self.data["parameters"]
        ]

    def _note(self, step: int, eta_squared: float) -> str | None:
        """Return what the reader of one row must know about its numbers; None if nothing."""
        tie = self.data["ties"][step]
        notes = [tie["message"]] if tie is not None and tie["notable"] else []
        notes += [OVER_WORDS] if eta_squared >= OVER else []
        return " ".join(notes) or None

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
        made.rows()  # raises if anything is missing
        return made


def _reason_at(reasons: list[str], step: int) -> str:
    """Return the reason at a step of the slider."""
    return reasons[0 if len(reasons) == 1 else step]
