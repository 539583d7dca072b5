"""The study at a glance, as plain text with a sparkline of the best value so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from condped.analyse.summary.result import BestTrial, Durations, Progress, StateCounts, Summary
from condped.analyse.values import number_text
from condped.safe_text import percent, printable, shortened
from condped.show.text.layout import text_width, wrapped, wrapped_each

_BLOCKS = "▁▂▃▄▅▆▇█"
_MOST_PARAMETERS = 12
_DIGITS = 5
_WIDEST = 64  # columns of a sparkline
_ENDINGS = ("complete", "infeasible", "pruned", "failed", "nonfinite", "running")


def summary_text(found: Summary) -> str:
    """Return the best trials with their sparklines, the plateau and the durations."""
    lines = [*wrapped(states_sentence(found.states)), ""]
    if not found.best:
        lines += ["No complete and feasible trial, so there is no best one.", ""]
    for best, progress in zip(found.best, found.progress, strict=True):
        lines += _best(found, best)
        lines += [*course_lines(found, progress), ""]
    return "\n".join([*lines, *wrapped_each(summary_remarks(found))])


def summary_remarks(found: Summary) -> list[str]:
    """Return the plateau, the last improvements, durations and notes, in sentences."""
    remarks = [*found.plateau, *([found.outlook] if found.outlook else []), *gains(found)]
    if found.durations is not None:
        remarks += duration_sentences(found.durations)
    if found.history_left_out:
        remarks.append(
            f"The rows hold all improvements and {len(found.history):,} entries in all; "
            f"{found.history_left_out:,} other trials are left out of them."
        )
    return [*remarks, *map(printable, found.notes)]


def states_sentence(states: StateCounts) -> str:
    """Return how many trials there are, and how they ended."""
    words = {"nonfinite": "without a finite objective", "running": "still running"}
    parts = [
        f"{count:,} {words.get(name, name)}"
        for name in _ENDINGS
        if (count := getattr(states, name))
    ]
    return f"{states.total:,} trials: {', '.join(parts)}."


def _best(found: Summary, best: BestTrial) -> list[str]:
    return [
        *wrapped(best_sentence(found, best)),
        *wrapped(_parameters(best.parameters), "  ", "  "),
    ]


def best_sentence(found: Summary, best: BestTrial) -> str:
    """Return which trial is best by one objective."""
    several = len(found.objectives) > 1
    ends = {"minimize": "lowest", "maximize": "highest"}
    goal = next(goal for goal in found.objectives if goal.name == best.objective)
    values = number_text(best.value, _DIGITS)
    if several:
        others = ", ".join(
            f"{shortened(other.name)} {number_text(value, _DIGITS)}"
            for other, value in zip(found.objectives, best.values, strict=True)
            if other.name != best.objective
        )
        values += f" (with {others})"
    when = "" if best.elapsed is None else f", after {seconds_text(best.elapsed)}"
    reached = f"{ends[goal.direction]} {shortened(goal.name)} {values}"
    return f"Best: {reached}, trial {best.number}{when}."


def _parameters(parameters: dict[str, Any]) -> str:
    shown = [
        f"{shortened(name)} = {value_text(value)}"
        for name, value in list(parameters.items())[:_MOST_PARAMETERS]
    ]
    more = len(parameters) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def value_text(value: Any) -> str:
    """Return a parameter's value as people write it."""
    return number_text(value, 4) if isinstance(value, float) else shortened(str(value))


def course_lines(found: Summary, progress: Progress) -> list[str]:
    """Return a sparkline of the best value so far, from the first trial to the last."""
    entries = [entry for entry in found.history if entry.objective == progress.objective]
    known = [entry.best for entry in entries if entry.best is not None]
    if len(known) < 2:
        return []
    columns = min(_WIDEST, text_width() - 24, len(known))
    at = [known[(len(known) - 1) * place // max(columns - 1, 1)] for place in range(columns)]
    first, last = number_text(known[0]), number_text(known[-1])
    return [f"  {first} {sparkline(at)} {last}"]


def sparkline(values: Sequence[float]) -> str:
    """Return values as blocks, the higher the taller.

    Examples
    --------
    >>> sparkline([3.0, 2.0, 1.0, 1.0])
    '█▄▁▁'
    """
    low, high = min(values), max(values)
    steps = len(_BLOCKS) - 1
    # Halved if the difference would overflow.
    scale = 1.0 if math.isfinite(high - low) else 0.5
    spread = (scale * high - scale * low) or 1.0
    shares = ((scale * value - scale * low) / spread for value in values)
    return "".join(_BLOCKS[int(steps * share) if math.isfinite(share) else -1] for share in shares)


def gains(found: Summary) -> list[str]:
    """Return how large the last improvements were, for each objective."""
    sentences = []
    several = len(found.objectives) > 1
    for progress in found.progress:
        last = [entry for entry in progress.improvements if entry.gain is not None][-3:]
        if last:
            each = ", ".join(f"{entry.gain:.3g} (trial {entry.number})" for entry in last)
            name = f" of {shortened(progress.objective)}" if several else ""
            sentences.append(f"Last improvements{name}: {each}.")
    return sentences


def duration_sentences(durations: Durations) -> list[str]:
    """Return how long trials took, in sentences."""
    span = "" if durations.span is None else f" within {seconds_text(durations.span)}"
    sentences = [
        f"{durations.recorded:,} trials took {seconds_text(durations.total)} in all{span}; median "
        f"{seconds_text(durations.median)}, longest {seconds_text(durations.longest)} (trial "
        f"{durations.longest_number})."
    ]
    lost = [
        f"{name} trials {seconds_text(taken)} ({percent(taken / durations.total)})"
        for name, taken in (("failed", durations.failed), ("pruned", durations.pruned))
        if taken > 0
    ]
    if lost:
        sentences.append(f"Of this time, {' and '.join(lost)}.")
    return sentences


def seconds_text(seconds: float) -> str:
    """Return a duration as people write it.

    Examples
    --------
    >>> [seconds_text(taken) for taken in (0.0123, 0.64, 7.0, 95.0, 4000.0, 200000.0)]
    ['12 ms', '640 ms', '7 s', '1 min 35 s', '1 h 7 min', '2 d 8 h']
    """
    if seconds < 1:
        milliseconds = 1000 * seconds
        return f"{milliseconds:.0f} ms" if milliseconds >= 99.5 else f"{milliseconds:.2g} ms"
    if seconds < 60:
        return f"{seconds:.2g} s"
    if seconds < 3600:
        return _units(round(seconds), "min", "s", 60)
    if seconds < 86400:
        return _units(round(seconds / 60), "h", "min", 60)
    return _units(round(seconds / 3600), "d", "h", 24)


def _units(count: int, large: str, small: str, many: int) -> str:
    whole, rest = divmod(count, many)
    return f"{whole:,} {large}" + (f" {rest} {small}" if rest else "")
