"""What an experiment is: seeds to compute rows from, and a way to draw all rows together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from condped.errors import not_found

Row: TypeAlias = dict[str, Any]
SEEDS = tuple(range(42, 52))  # as in the paper's own code
QUICK_SEEDS = 3


@dataclass(frozen=True)
class Experiment:
    """One figure or table of the paper.

    Attributes
    ----------
    name
        Its name on the command line, such as ``figure-1``.
    place
        Where the paper has it, such as ``Figure 1``.
    description
        What it shows, in one sentence.
    seeds
        Each gives a file of its own; files are independent of each other.
    compute
        ``compute(seed, quick)``: flat rows of plain data. It runs in a process of its own, so it
        must be a function of a module, or a partial of one.
    draw
        ``draw(rows, folder)``: writes figures and tables of all seeds' rows, returns their paths.
    settings
        What the rows depend on, as plain data; it is written beside them, and rows made with other
        settings are recomputed.
    quick_seeds
        The seeds of a quick run; by default the first three.
    serial
        True where seeds must not run at the same time, as when time is measured.
    notice
        What else a reader must know, such as seeds that the data lack; a run prints it.
    unavailable
        Why it cannot be run here, such as missing data, and what to do; a run prints it and goes
        on. None if it can be run.
    """

    name: str
    place: str
    description: str
    seeds: tuple[int, ...]
    compute: Callable[[int, bool], list[Row]]
    draw: Callable[[Sequence[Row], Path], list[Path]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    quick_seeds: tuple[int, ...] | None = None
    serial: bool = False
    notice: str = ""
    unavailable: str | None = None

    def seeds_for(self, quick: bool) -> tuple[int, ...]:
        """Return the seeds of a full or of a quick run."""
        if not quick:
            return self.seeds
        return self.seeds[:QUICK_SEEDS] if self.quick_seeds is None else self.quick_seeds


def find(names: Iterable[str], experiments: Sequence[Experiment]) -> list[Experiment]:
    """Return experiments by name, in the requested order; raise for an unknown name."""
    known = {experiment.name: experiment for experiment in experiments}
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise not_found("experiment", name, known)
    return [known[name] for name in wanted]
