"""The parameters on the screen: bars, verdicts, and how many trials are still needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

import condped
from condped.live.terminal.snapshot import Snapshot
from condped.live.terminal.words import share
from condped.safe_text import shortened

_STYLES: Mapping[str, str] = {
    "matters": "bold green",
    "unclear": "yellow",
    "no evidence": "dim",
    "not testable": "dim",
    "not tested yet": "dim",
}
_BARS = " ▏▎▍▌▋▊▉█"
_MOST_NAME, _LONGEST_BAR = 32, 40
_WIDE = 64
_FEWEST_FOR_BAR = 6  # columns, below which a bar is useless


def parameter_lines(snapshot: Snapshot, width: int) -> list[Text]:
    """Return a header and a line for each parameter; empty if there is none."""
    result = snapshot.result
    if result is None or result.status != "ok" or not len(result):
        return []
    columns = _columns(snapshot, result)
    columns["share"][0] = "importance" if width >= _WIDE else "share"
    # What does not fit is dropped: first the outlook, then intervals; names are shortened.
    taken = {name: max(map(cell_len, cells)) for name, cells in columns.items()}
    most = max(8, min(_MOST_NAME, width // 3))
    taken["parameter"] = min(taken["parameter"], most)
    for name in ("more trials", "interval"):
        if name in taken and sum(taken.values()) + 2 * (len(taken) - 1) > width:
            del taken[name]
    left = width - sum(taken.values()) - 2 * len(taken)
    bar = min(left, _LONGEST_BAR) if left >= _FEWEST_FOR_BAR else 0
    lines = [_line([Text(_cell(columns[n][0], w, n), style="dim") for n, w in taken.items()], bar)]
    for place, own in enumerate(result.parameters):
        cells = []
        for name, wide in taken.items():
            text = columns[name][place + 1]
            shown = shortened(text, wide) if name == "parameter" else text
            style = _STYLES.get(text, "") if name == "verdict" else ""
            cells.append(Text(_cell(shown, wide, name), style=style or _tone(name)))
        lines.append(_line(cells, bar, own.importance))
    return lines


def _columns(snapshot: Snapshot, result: condped.ImportanceResult) -> dict[str, list[str]]:
    """Return the columns, each with its name first."""
    names = [own.name for own in result.parameters]
    columns = {
        "parameter": ["parameter", *(shortened(name, _MOST_NAME) for name in names)],
        "share": ["", *(share(own.importance) for own in result.parameters)],
    }
    if result.level is not None:
        ends = [None if p.intervals is None else p.intervals.importance for p in result.parameters]
        texts = ["" if one is None else f"{one.low:.2f}–{one.high:.2f}" for one in ends]
        columns["interval"] = ["", *texts]
    if snapshot.verdicts is not None:
        verdicts = snapshot.verdicts.by_name
        columns["verdict"] = ["verdict", *(verdicts.get(n, "not tested yet") for n in names)]
        forecast = snapshot.forecast
        if forecast is not None:
            more = {own.name: own.more_text for own in forecast}
            columns["more trials"] = ["more trials", *(more.get(name, "") for name in names)]
    return columns


def _line(cells: Sequence[Text], bar: int, share: float | None = None) -> Text:
    """Return cells two spaces apart, with a bar after the second one."""
    shown = list(cells)
    if bar:
        blocks = "" if share is None else _bar(share, bar)
        shown.insert(2, Text(f"{blocks:<{bar}}", style="blue"))
    return Text("  ").join(shown)


def _bar(share: float, columns: int) -> str:
    """Return a bar in steps of an eighth of a column.

    Examples
    --------
    >>> _bar(0.3, 5)
    '█▌'
    """
    eighths = round(min(max(share, 0.0), 1.0) * columns * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_BARS[rest] if rest else "")


def _cell(text: str, width: int, column: str) -> str:
    if column in ("share", "interval"):
        return text.rjust(width)
    return set_cell_size(text, width)


def _tone(column: str) -> str:
    return "dim" if column in ("interval", "more trials") else ""
