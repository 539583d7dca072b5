"""What trackers log of a result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from condped.analyse.forecast.result import Forecast
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.report.result import Report
from condped.analyse.result import Result

# Not accepted in names by every tracker.
_UNUSUAL = re.compile(r"[^\w. -]+")
_MOST_NAME = 120
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Entry:
    """A result as numbers, words, a table and pages.

    Attributes
    ----------
    kind
        What the result is, such as ``importance``.
    numbers, words
        By name, such as ``importance/learning_rate``; names of kinds other than importance begin
        with the kind, so that results in the same run do not replace each other.
    step
        The number of trials that it is based on, if known.
    page
        The page of a report; None for other results.
    """

    kind: str
    numbers: Mapping[str, float]
    words: Mapping[str, str]
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    markdown: str
    step: int | None
    page: str | None


def entry_of(result: Result) -> Entry:
    """Return what trackers log of a result."""
    logged: Result = result.importance if isinstance(result, Report) else result
    numbers: dict[str, float] = {}
    words: dict[str, str] = {}
    step = None
    if isinstance(logged, ImportanceResult):
        names = safe_names(logged.names)
        numbers = {f"importance/{names[one.name]}": one.importance for one in logged}
        numbers |= {"unattributed": logged.unattributed} if logged.unattributed else {}
        words = {
            "status": logged.status if logged.reason is None else f"undetermined: {logged.reason}"
        }
        evidence = logged.evidence if logged.has_evidence else ()
        words |= {f"verdict/{names[one.name]}": one.verdict for one in evidence}
        step = logged.account.trials.used
    elif isinstance(logged, Forecast):
        names = safe_names([one.name for one in logged])
        numbers = {"forecast/settled": float(logged.settled)}
        words = {f"forecast/verdict/{names[one.name]}": one.verdict for one in logged}
        step = logged.finished
    return Entry(
        kind=_kind(logged),
        numbers=numbers,
        words=words,
        columns=logged.columns,
        rows=[[_plain(row[name]) for name in logged.columns] for row in logged.rows()],
        markdown=logged.to_markdown(),
        step=step,
        page=result.html if isinstance(result, Report) else None,
    )


def _kind(result: Result) -> str:
    name = type(result).__name__.removesuffix("Result")
    return _WORD.sub("_", name).lower()


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Return names that every tracker accepts and that stay distinct.

    They do not depend on the order, which changes from one result to the next.

    Examples
    --------
    >>> safe_names(["learning_rate", "a/b", "a b", "a?b", ".."])
    {'..': '_', 'a b': 'a b', 'a/b': 'a_b', 'a?b': 'a_b_2', 'learning_rate': 'learning_rate'}
    """
    safe: dict[str, str] = {}
    for name in sorted(names):
        plain = _UNUSUAL.sub("_", name)[:_MOST_NAME].strip(" ")
        plain = plain if plain.strip(".") else "_"
        number, free = 1, plain
        while free in safe.values():
            number += 1
            free = f"{plain}_{number}"
        safe[name] = free
    return safe
