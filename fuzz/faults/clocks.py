"""Clocks that were set back while trials ran."""

from __future__ import annotations

from collections.abc import Sequence

import condped
from fuzz.faults.processes import ended, marked
from fuzz.faults.rows import Row
from fuzz.faults.storages import KINDS, places
from fuzz.faults.studies import filled

COMMANDS = ("importance", "summary", "forecast", "effects", "advise", "report", "sweep", "studies")


def clocks(kinds: Sequence[str] = KINDS, commands: Sequence[str] = COMMANDS) -> list[Row]:
    """Trials that end before they begin, and begin before the one before: the same importances."""
    rows = []
    with places(kinds) as made, places(kinds) as right, marked() as own:
        for place, other in zip(made, right, strict=True):
            row = Row("clock set back", place.kind)
            for one, backwards in ((place, True), (other, False)):
                one.create()
                filled(one.source, 120, backwards=backwards)
            found, expected = (
                condped.importance(one.source, parameters=["x", "y"]).to_dict(normalize=False)
                for one in (place, other)
            )
            row.add("answer")
            row.expect(found == expected, f"importances are {found}, not {expected}")
            for command in commands:
                page = ["--output", str(own.temporary / "page.html")]
                extra = page if command == "report" else []
                end = ended(own.start("condped", command, place.source, *extra))
                row.add(end.kind, end.said)
                row.expect(end.kind == "answer", f"{command}: {end.said}")
            rows.append(row)
    return rows
