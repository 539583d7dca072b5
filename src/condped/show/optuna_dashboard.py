"""Charts and notes in optuna-dashboard."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from optuna_dashboard import get_note, save_note, save_plotly_graph_object

from condped.show.plotly.cards import charts_of

if TYPE_CHECKING:
    from optuna.study import Study

    from condped.analyse.importance.result import ImportanceResult
    from condped.analyse.importance.sweep import SweepResult


_HEADING, _RULE = "## condped", "---"
# A system attribute of the study: length and hash of the section that was written last. Only
# exactly this text is replaced, so that nothing that people wrote into or around it is lost.
_WRITTEN = "condped:note"


def save_section(study: Study, text: str) -> None:
    """Put a text into the note of a study, in place of the last one if that has not been edited."""
    section = f"{_HEADING}\n\n{text.strip()}\n\n{_RULE}"
    note = get_note(study).replace("\r\n", "\n")
    start, end = _last_section(study, note)
    if start is None:
        save_note(study, f"{note.rstrip()}\n\n{section}\n".lstrip())
    else:
        save_note(study, f"{note[:start]}{section}{note[end:]}")
    study._storage.set_study_system_attr(
        study._study_id, _WRITTEN, {"length": len(section), "sha256": _hash(section)}
    )


def _last_section(study: Study, note: str) -> tuple[int | None, int]:
    """Return the start and end of the last section that was written; None if it has changed."""
    written = study._storage.get_study_system_attrs(study._study_id).get(_WRITTEN)
    if written is None:
        return None, 0
    for found in re.finditer(re.escape(_HEADING), note):
        end = found.start() + written["length"]
        if _hash(note[found.start() : end]) == written["sha256"]:
            return found.start(), end
    return None, 0


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def save_charts(study: Study, result: ImportanceResult | SweepResult, name: str) -> tuple[str, ...]:
    """Put charts on the study's page, replacing existing ones, and return their ids."""
    charts = {f"{name}-{picture}": chart for picture, chart in charts_of(result).items()}
    for identifier, figure in charts.items():
        save_plotly_graph_object(study, figure, graph_object_id=identifier)
    return tuple(charts)
