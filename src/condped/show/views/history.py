"""History: what each trial reached, and the best so far, over trials or over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from condped.analyse.summary.result import HistoryEntry, Summary
from condped.errors import SettingsError
from condped.objective_choice import objective_place
from condped.safe_text import brief, shortened
from condped.show.text.summary import states_sentence
from condped.show.views.value_axis import DotKind, Dots, ValueAxis, dot_kind, dots_of
from condped.show.views.view import View

Over = Literal["trials", "time"]
_UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


@dataclass(frozen=True, slots=True)
class HistoryView(View):
    """One objective over trials or time.

    Attributes
    ----------
    dots
        The trials, by how they ended.
    x, best
        Where the best so far changes, and its value from there on; the last pair is the end.
    plateau
        The range at the end without improvement; None if it is short.
    words
        The same in words.
    """

    objective: str
    over: str
    axis: ValueAxis
    dots: tuple[Dots, ...]
    x: tuple[float, ...]
    best: tuple[float, ...]
    plateau: tuple[float, float] | None
    words: str | None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.dots

    @property
    def kinds(self) -> tuple[DotKind, ...]:
        """The kinds of dots that occur, in the order of the legend."""
        return tuple(dots.kind for dots in self.dots)


def history_view(
    summary: Summary, objective: str | int | None = None, over: Over = "trials"
) -> HistoryView:
    """Return the history of one objective."""
    if over not in ("trials", "time"):
        raise SettingsError(f"over must be 'trials' or 'time' (got {brief(over)}).")
    names = [goal.name for goal in summary.objectives]
    place = objective_place(names, 0 if objective is None else objective)
    # By position: two objectives may have the same name.
    entries = summary.history[place :: len(names)]
    unit, label = 1.0, "trial"
    if over == "time":
        ends = [entry.elapsed for entry in entries if entry.elapsed is not None]
        if not ends:
            raise SettingsError(
                "The source does not record when these trials ended. Draw over='trials'."
            )
        unit, label = next((u for u in _UNITS if max(ends) >= 2 * u[0]), _UNITS[-1])
        entries = tuple(entry for entry in entries if entry.elapsed is not None)
        entries = tuple(sorted(entries, key=lambda entry: entry.elapsed or 0.0))
    known = [entry.value for entry in entries if entry.value is not None]
    missing = any(entry.value is None and entry.state != "running" for entry in entries)
    axis = ValueAxis.of(known, summary.objectives[place].direction, missing=missing)
    x, best = _course(entries, unit, over, summary.objectives[place].direction)
    progress = summary.progress[place] if summary.progress else None
    plateau = None
    if progress is not None and len(x) > 1 and progress.since >= max(10, progress.trials // 10):
        plateau = (x[-2], x[-1])
    notes = [axis.note]
    untimed = len(summary.history) // max(len(names), 1) - len(entries)
    notes.append(f"{untimed} without a recorded time not shown" if untimed else None)
    left = summary.history_left_out
    notes.append(f"{left:,} other trials not shown" if left else None)
    notes.append(None if known else "There is nothing to show")
    return HistoryView(
        title=f"Best {shortened(names[place])} so far; {states_sentence(summary.states)}",
        note="; ".join(note for note in notes if note) or None,
        objective=names[place],
        over=label if over == "trials" else f"time since the first trial started ({label})",
        axis=axis,
        dots=_dots(entries, unit, over, axis),
        x=x,
        best=tuple(axis.place(value) or 0.0 for value in best),
        plateau=plateau,
        words=summary.plateau[place] if place < len(summary.plateau) else None,
    )


def _at(entry: HistoryEntry, unit: float, over: Over) -> float:
    return float(entry.number) if over == "trials" else (entry.elapsed or 0.0) / unit


def _course(
    entries: tuple[HistoryEntry, ...], unit: float, over: Over, direction: str
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return where the best so far changes, and to what, in the order of the axis."""
    sign = -1.0 if direction == "maximize" else 1.0
    x: list[float] = []
    best: list[float] = []
    for entry in entries:
        if entry.state != "complete" or entry.value is None:
            continue
        if not best or sign * entry.value < sign * best[-1]:
            x.append(_at(entry, unit, over))
            best.append(entry.value)
    if best:
        x.append(_at(entries[-1], unit, over))
        best.append(best[-1])
    return tuple(x), tuple(best)


def _dots(
    entries: tuple[HistoryEntry, ...], unit: float, over: Over, axis: ValueAxis
) -> tuple[Dots, ...]:
    ended = (entry for entry in entries if entry.state != "running")
    return dots_of(
        (dot_kind(entry.state, target=False), _at(entry, unit, over), y, entry.number)
        for entry in ended
        if (y := axis.place(entry.value)) is not None
    )
