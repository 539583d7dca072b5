"""A running study on one line, without a terminal or colours."""

from __future__ import annotations

from condped.live.terminal.snapshot import Snapshot
from condped.live.terminal.words import clock_words, number, unreachable_words
from condped.safe_text import printable, shortened


def plain_line(snapshot: Snapshot, now: float) -> str:
    """Return the state of a study on one line, with the time and no control characters."""
    return f"{clock_words(now)}  {printable(_status_text(snapshot, now))}"


def _status_text(snapshot: Snapshot, now: float) -> str:
    if snapshot.unreachable is not None:
        return unreachable_words(snapshot, now)
    parts = [f"{snapshot.finished:,} finished, {snapshot.running:,} running"]
    if snapshot.summary is not None:
        parts += [
            f"best {shortened(best.objective)} {number(best.value)} (trial {best.number})"
            for best in snapshot.summary.best
        ]
    if snapshot.result is None:
        return "; ".join([*parts, *([snapshot.reason] if snapshot.reason else [])])
    known = snapshot.verdicts
    tested = known is not None and known.result.has_evidence
    evidence = known.result.evidence if known is not None and tested else None
    parts.append(snapshot.result.to_line(evidence=evidence))
    if known is not None:
        parts.append(f"verdicts as of trial {known.trials:,}")
    elif snapshot.result.has_evidence:
        parts.append("not tested yet")
    if snapshot.forecast is not None:
        parts.append(snapshot.forecast.message)
    return "; ".join(parts)
