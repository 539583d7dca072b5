"""``condped.studies``: the studies of a source and how far each has come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from typing import Any, ClassVar, Unpack

from condped.analyse.result import Result
from condped.options import check_options, takes
from condped.read.each_study import StudyState
from condped.read.options import Reading, ReadOptions
from condped.read.several.listing import list_studies
from condped.writing.csv_rows import csv_of


@dataclass(frozen=True)
class Studies(Result):
    """The studies of a source.

    Attributes
    ----------
    studies
        In the order of the source.

    Examples
    --------
    >>> import condped
    >>> found = condped.studies({"x": [0.1, 0.7], "loss": [3.0, 1.0]}, objective="loss")
    >>> len(found), found.studies[0].trials
    (1, 2)
    """

    schema: ClassVar[str] = "condped.studies/1"
    _columns: ClassVar[tuple[str, ...]] = tuple(entry.name for entry in fields(StudyState))

    studies: tuple[StudyState, ...]

    def __len__(self) -> int:
        return len(self.studies)

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per study."""
        return [
            {
                **asdict(one),
                "objectives": list(one.objectives),
                "directions": list(one.directions),
            }
            for one in self.studies
        ]

    def to_html(
        self,
        links: Mapping[str, str] | None = None,
        live: str | None = None,
        title: str = "Studies",
    ) -> str:
        """Return a page that lists the studies.

        Parameters
        ----------
        links
            The address of each study's page, by name.
        live
            Address of an event stream, on the server that the page comes from, that keeps it up to
            date; without it the page is self-contained.
        title
            The headline.
        """
        module = import_module("condped.show.report.studies_page")
        made: str = module.studies_page(self, links or {}, live, title)
        return made

    def to_csv(self) -> str:
        """Return :meth:`rows` as comma-separated values; a list is one value."""
        return csv_of(
            [
                row | {name: ", ".join(row[name]) for name in ("objectives", "directions")}
                for row in self.rows()
            ],
            self.columns,
        )

    def _readable(self) -> dict[str, Any]:
        return {"studies": self.rows()}


@takes(Reading, ReadOptions)
def studies(source: Any, **options: Unpack[Reading]) -> Studies:
    """List the studies of a source, and how far each has come.

    For Optuna's databases only counts are queried, unless an option needs the trials. A source with
    one study has one row.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes and that fits into memory, or a directory or
        pattern with a study in each file.
    **options
        How trials are read, as :func:`condped.read` describes; ``study`` also takes patterns of
        names, or several.

    Examples
    --------
    >>> import condped
    >>> trials = {"x": [0.1, 0.7, 0.4, 0.5], "loss": [3.0, 1.0, 2.0, 1.5]}
    >>> (row,) = condped.studies(trials, objective="loss").rows()
    >>> row["trials"], row["objectives"], row["best"]
    (4, ['loss'], 1.0)
    """
    check_options(studies, options)
    return Studies(tuple(list_studies(source, options)))
