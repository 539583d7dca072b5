"""The short sentences of the screen and the plain lines."""

from __future__ import annotations

import math
import time
from typing import Any

import condped
from condped.live.terminal.snapshot import Snapshot
from condped.safe_text import printable, shortened

_BLOCKS = "▁▂▃▄▅▆▇█"
_ENDS = {"minimize": "lowest", "maximize": "highest"}
_DIGITS = 6  # as on the page


def endings(snapshot: Snapshot) -> str:
    """Return how many trials have finished, how many run, and how they ended."""
    parts = [f"{snapshot.finished:,} finished", f"{snapshot.running:,} running"]
    if snapshot.summary is not None:
        states = snapshot.summary.states
        words = {"nonfinite": "not finite"}
        for name in ("pruned", "failed", "infeasible", "nonfinite"):
            count = getattr(states, name)
            parts += [f"{count:,} {words.get(name, name)}"] if count else []
    return " · ".join(parts)


def clock_words(seconds: float) -> str:
    """Return the time of day."""
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def unreachable_words(snapshot: Snapshot, now: float) -> str:
    """Return why the source cannot be read, and since when."""
    since = clock_words(snapshot.since)
    seconds = max(0, round(now - snapshot.since))
    reason = printable(snapshot.unreachable or "").rstrip(".")
    return f"Unreachable since {since} ({seconds} s), retrying: {reason}."


def best_words(summary: condped.Summary, best: Any) -> str:
    """Return the best trial by one objective, with its value."""
    goal = next(goal for goal in summary.objectives if goal.name == best.objective)
    return (
        f"Best {shortened(goal.name)} {number(best.value)} ({_ENDS[goal.direction]}), "
        f"trial {best.number}"
    )


def parameters_words(best: Any) -> str:
    """Return the parameters of the best trial."""
    values = {
        name: number(value) if isinstance(value, float) else shortened(str(value))
        for name, value in best.parameters.items()
    }
    return ", ".join(f"{shortened(name)}={value}" for name, value in values.items())


def course(summary: condped.Summary, width: int) -> str:
    """Return a sparkline of the best value so far; empty if it never changed."""
    known = [entry.best for entry in summary.history if entry.best is not None]
    if len(known) < 2 or known[0] == known[-1]:
        return ""
    first, last = number(known[0], 3), number(known[-1], 3)
    columns = min(64, width - len(first) - len(last) - 2, len(known))
    if columns < 8:
        return ""
    at = [known[(len(known) - 1) * place // (columns - 1)] for place in range(columns)]
    low, high, steps = min(at), max(at), len(_BLOCKS) - 1
    scale = 1.0 if math.isfinite(high - low) else 0.5  # halved if the difference would overflow
    spread = (scale * high - scale * low) or 1.0
    shares = ((scale * value - scale * low) / spread for value in at)
    blocks = "".join(_BLOCKS[int(steps * share)] for share in shares)
    return f"{first} {blocks} {last}"


def heading_words(result: condped.ImportanceResult, room: int) -> str:
    """Return the question that the numbers answer, shortened if it does not fit."""
    account = result.account
    if result.target_quantile is None:
        return f"What led to {account.outcome} trials"
    tie = result.tie
    best = result.target_quantile if tie is None or not tie.notable else tie.used_share
    target = f"the best {100 * best:.3g} % of {account.trials.used:,} trials"
    whole = f"What mattered for {target}"
    return whole if len(whole) <= room else f"For {target}"


def next_words(snapshot: Snapshot, *, ended: bool = False) -> str:
    """Return when there will be new verdicts; ``ended``: what was being computed never came."""
    if snapshot.testing is not None and ended:
        return f"Verdicts as of trial {snapshot.testing:,} were not computed in time."
    if snapshot.testing is not None:
        return f"Computing verdicts as of trial {snapshot.testing:,} …"
    first = "Verdicts" if snapshot.verdicts is None else "Next verdicts"
    return f"{first} at trial {condped.next_look(snapshot.finished):,}."


def share(value: float) -> str:
    """Return an importance with three decimals; what is not 0 does not look like 0."""
    return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"


def number(value: float, digits: int = _DIGITS) -> str:
    """Return a number as people write it.

    Examples
    --------
    >>> number(0.000181163), number(123456.7), number(2.5)
    ('0.000181163', '123,457', '2.5')
    """
    if math.isfinite(value) and 10 ** (digits - 1) <= abs(value) < 1e9:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}".replace("e-0", "e-").replace("e+0", "e")
