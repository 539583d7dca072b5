"""The study at a glance, as a document."""

from __future__ import annotations

from condped.analyse.summary.result import Summary
from condped.safe_text import shortened
from condped.show.documents.parts import Document, Part, Table
from condped.show.text.summary import best_sentence, states_sentence, summary_remarks, value_text


def summary_document(found: Summary) -> Document:
    """Return the best trials with their values, the plateau and the durations."""
    parts: list[Part] = []
    if not found.best:
        parts.append("No complete and feasible trial, so there is no best one.")
    for best in found.best:
        values = [(shortened(name), value_text(value)) for name, value in best.parameters.items()]
        parts.append(best_sentence(found, best))
        if values:
            names = frozenset({0, 1})
            title = f"Best by {shortened(best.objective)}" if len(found.best) > 1 else ""
            parts.append(Table(("parameter", "value"), values, frozenset({1}), names, title=title))
    every = [states_sentence(found.states), *parts, summary_remarks(found)]
    return Document("The study at a glance", every)
