"""The studies of a source as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condped.safe_text import shortened
from condped.show.text.layout import table_lines, text_width, width_of

if TYPE_CHECKING:
    from condped.analyse.studies import Studies
    from condped.read.each_study import StudyState

HEAD = (
    "study", "trials", "complete", "pruned", "failed", "running", "best", "last finished",
    "objective",
)  # fmt: skip
_MOST_NAME = 32
_LEAST_LAST = 14  # least width of the last column


def studies_text(studies: Studies) -> str:
    """Return a line per study; objectives that do not fit take further lines."""
    rows = [HEAD[:-1], *map(study_cells, studies.studies)]
    taken = sum(2 + max(map(width_of, column)) for column in zip(*rows, strict=True))
    room = max(_LEAST_LAST, text_width() - taken)
    goals = [[HEAD[-1]], *(goal_lines(study, room) for study in studies.studies)]
    nothing = ("",) * len(HEAD[:-1])
    shown = [
        (*(nothing if place else cells), line)
        for cells, lines in zip(rows, goals, strict=True)
        for place, line in enumerate(lines)
    ]
    return "\n".join(table_lines(shown, right=range(1, 7)))


def goal_lines(study: StudyState, room: int) -> list[str]:
    """Return the objectives and their directions, written once if they are all the same."""
    names = [shortened(name, room - 6) for name in study.objectives]
    if len(set(study.directions)) == 1:
        names[-1] += f" ({study.directions[0][:3]})"
    else:
        pairs = zip(names, study.directions, strict=True)
        names = [f"{name} ({direction[:3]})" for name, direction in pairs]
    lines = [""]
    for place, name in enumerate(names):
        word = f"{name}," if place < len(names) - 1 else name
        if lines[-1] and width_of(f"{lines[-1]} {word}") > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines


def study_cells(study: StudyState) -> tuple[str, ...]:
    """Return all cells of a study except the last."""
    counts = (study.trials, study.complete, study.pruned, study.failed, study.running)
    return (
        shortened(study.study, _MOST_NAME),
        *(f"{count:,}" for count in counts),
        "" if study.best is None else f"{study.best:.6g}",
        (study.last_finished or "").replace("T", " ")[:16],  # to the minute
    )
