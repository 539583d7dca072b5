"""The screen of ``condped watch``: from a snapshot of a study to lines that fit a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap

from rich.cells import cell_len, set_cell_size
from rich.console import Group
from rich.text import Text

import condped
from condped.live.terminal.rows import parameter_lines
from condped.live.terminal.snapshot import Snapshot
from condped.live.terminal.words import (
    best_words,
    clock_words,
    course,
    endings,
    heading_words,
    next_words,
    parameters_words,
    unreachable_words,
)
from condped.safe_text import printable

_NARROWEST = 20
_LEAST_ROWS = 4  # rows of the table that take precedence over other parts
_TABLE = 0.4  # of a short terminal's lines, reserved for the table
_STATES = {"live": "green", "idle": "dim", "waiting": "dim", "unreachable": "bold red"}
_MOST_BEST = 3  # objectives whose best trials are shown


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines that are shown together or not at all; parts of lower rank are dropped first."""

    rank: int
    lines: Sequence[Text]
    space: bool = False  # an empty line before them, if there is room


@dataclass(slots=True)
class _Page:
    """Parts from top to bottom; the table, which can be cut, is between the two halves."""

    width: int
    above: list[_Part] = field(default_factory=list)
    below: list[_Part] = field(default_factory=list)

    def sentence(self, text: str, style: str = "", most: int = 4) -> list[Text]:
        """Return a text in lines as wide as the page."""
        lines = wrap(printable(text), self.width) or [""]
        if len(lines) > most:
            lines = [*lines[: most - 1], f"{lines[most - 1]} …"]
        return [Text(line, style=style) for line in lines]

    def two_ends(self, left: Text, right: Text) -> list[Text]:
        """Return a text on the left and one on the right, on two lines if they do not fit."""
        room = self.width - left.cell_len - right.cell_len
        if room < 2:
            return [left, right]
        return [Text.assemble(left, " " * room, right)]


def screen(
    snapshot: Snapshot, width: int, height: int, now: float = 0.0, *, ended: bool = False
) -> Group:
    """Return the screen for a terminal of this size at a time of the clock.

    ``ended``: it is the last one, and has the time instead of the state.
    """
    page = _Page(max(width, _NARROWEST))
    _add_head(page, snapshot, now, ended)
    if snapshot.summary is not None:
        _add_best(page, snapshot.summary)
    if snapshot.result is None:
        if snapshot.reason is not None:
            page.above.append(_Part(85, page.sentence(snapshot.reason), space=True))
        else:
            page.above.append(_Part(85, page.sentence(next_words(snapshot)), space=True))
        rows: list[Text] = []
    else:
        _add_result(page, snapshot, snapshot.result)
        rows = parameter_lines(snapshot, page.width)
    _add_outlook(page, snapshot, ended)
    return Group(*_fitted(page, rows, max(height, 1)))


def _add_head(page: _Page, snapshot: Snapshot, now: float, ended: bool) -> None:
    word = snapshot.state(now)
    state = Text(f"{'●' if word == 'live' else '○'} {word}", style=_STATES[word])
    if ended and word != "unreachable":
        state = Text(clock_words(now), style="dim")
    room = page.width - state.cell_len - 2
    name = snapshot.name if cell_len(snapshot.name) <= room else f"…{snapshot.name[-(room - 1) :]}"
    page.above.append(_Part(100, page.two_ends(Text(name, style="bold"), state)))
    page.above.append(_Part(90, page.sentence(endings(snapshot))))
    if word == "unreachable":
        page.above.append(_Part(95, page.sentence(unreachable_words(snapshot, now), "red", most=3)))


def _add_best(page: _Page, summary: condped.Summary) -> None:
    first = True
    for best in summary.best[:_MOST_BEST]:
        page.above.append(_Part(80, page.sentence(best_words(summary, best)), space=first))
        first = False
    if len(summary.best) == 1:
        (best,) = summary.best
        values = page.sentence(parameters_words(best), "dim", most=2)
        page.above.append(_Part(30, values))
        line = course(summary, page.width)
        if line:
            page.above.append(_Part(20, [Text(line, style="blue")]))
    for sentence in summary.plateau:
        page.above.append(_Part(40, page.sentence(sentence)))


def _add_result(page: _Page, snapshot: Snapshot, result: condped.ImportanceResult) -> None:
    tie = result.tie
    if tie is not None and tie.notable:
        page.above.append(_Part(45, page.sentence(tie.message, "yellow")))
    tested = (
        "" if snapshot.verdicts is None else f"verdicts as of trial {snapshot.verdicts.trials:,}"
    )
    heads = page.two_ends(
        Text(heading_words(result, page.width), style="bold"), Text(tested, style="dim")
    )
    page.above.append(_Part(60, [line for line in heads if line.plain.strip()], space=True))
    if result.status != "ok":
        page.above.append(_Part(70, page.sentence(f"Undetermined: {result.reason}")))


def _add_outlook(page: _Page, snapshot: Snapshot, ended: bool) -> None:
    space = True
    if snapshot.verdicts is not None:
        forecast = snapshot.forecast
        message = snapshot.verdicts.problem if forecast is None else forecast.message
        if message:
            page.below.append(_Part(50, page.sentence(message), space=space))
            space = False
    if snapshot.result is not None:
        page.below.append(
            _Part(35, page.sentence(next_words(snapshot, ended=ended), "dim"), space=space)
        )


def _fitted(page: _Page, rows: Sequence[Text], height: int) -> list[Text]:
    """Return the lines that fit."""
    parts = [*page.above, *page.below]
    spaces = sum(part.space for part in parts)
    least = min(len(rows), _LEAST_ROWS + 1, max(3, round(_TABLE * height)))

    def taken() -> int:
        return sum(len(part.lines) for part in parts)

    # Empty lines are the first to go, before any row of the table.
    airy = taken() + len(rows) + spaces <= height
    while len(parts) > 1 and taken() + least > height:
        parts.remove(min(parts, key=lambda part: part.rank))
    room = height - taken() - (spaces if airy else 0)
    shown = _cut(rows, max(room, 0))
    lines: list[Text] = []
    for half in (page.above, page.below):
        for part in half:
            if part in parts:
                lines += [Text()] if airy and part.space and lines else []
                lines += part.lines
        lines += shown if half is page.above else []
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
        if line.cell_len > page.width:
            line.plain = set_cell_size(line.plain, page.width - 1) + "…"
    return lines[:height]


def _cut(rows: Sequence[Text], room: int) -> list[Text]:
    """Return as many rows as fit; the last says how many more there are."""
    if len(rows) <= room:
        return list(rows)
    if room < 2:
        return []
    hidden = len(rows) - (room - 1)
    return [*rows[: room - 1], Text(f"… and {hidden} more", style="dim")]
