"""What was seen of one fault."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Row:
    """How often a fault was made, how condped ended, and everything that was wrong.

    Attributes
    ----------
    ends
        ``answer``, ``error`` (one of condped's own), ``killed`` (by the fault), ``untyped``,
        ``death``, ``hang``, by how often.
    wrong
        Whatever was lost, left behind, or not a state that existed.
    """

    fault: str
    done_to: str
    times: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    skipped: str = ""

    def add(self, kind: str, said: str = "") -> None:
        """Count an end; those that must not be are kept with what was said."""
        self.times += 1
        self.ends[kind] = self.ends.get(kind, 0) + 1
        if kind in ("untyped", "death", "hang"):
            self.wrong.append(f"{kind}: {said}"[:900])

    def expect(self, holds: bool, otherwise: str) -> None:
        """Record what does not hold."""
        if not holds:
            self.wrong.append(otherwise[:900])
