"""Importances on one line, for logs and other places with little room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condped.safe_text import printable, shortened
from condped.show.words import importance_label

if TYPE_CHECKING:
    from condped.analyse.evidence.evidence import Evidence
    from condped.analyse.importance.result import ImportanceResult

_MOST_NAME = 24


def importance_line(result: ImportanceResult, evidence: Evidence | None, most: int) -> str:
    """Return the most important parameters, with verdicts where there is evidence.

    The evidence may be from fewer trials, and have fewer parameters. Notable ties come first, since
    they change what the numbers are about.
    """
    if result.status != "ok":
        return f"undetermined: {printable(result.reason or 'nothing can be said').rstrip('.')}"
    verdicts = {} if evidence is None else {one.name: one.verdict for one in evidence}
    shown = [
        " ".join(
            filter(
                None,
                (
                    shortened(own.name, _MOST_NAME),
                    importance_label(own.importance, verdicts.get(own.name)),
                    verdicts.get(own.name),
                ),
            )
        )
        for own in result.parameters[:most]
    ]
    more = len(result) - len(shown)
    tie = result.tie
    tied = f"{tie.clause}: " if tie is not None and tie.notable else ""
    return tied + ", ".join(shown) + (f" and {more} more" if more > 0 else "")
