"""Results about several studies, as documents."""

from __future__ import annotations

from condped.analyse.across.difference_result import Difference
from condped.analyse.across.result import Across
from condped.analyse.studies import Studies
from condped.safe_text import listed, percent, shortened
from condped.show.across_answer import answer_of
from condped.show.across_branches import BRANCH_MEANING
from condped.show.documents.parts import Document, Part, Table, table_of
from condped.show.text.several.across import (
    BY_STUDY,
    MEANING,
    MOST_ROWS,
    NOTHING,
    across_headline,
    across_notes,
    agreement_words,
    branch_standings,
    branches_left_out,
    pooled_left_out,
    pooled_numbers,
    study_numbers,
)
from condped.show.text.several.difference import (
    difference_answer,
    difference_meaning,
    difference_notes,
    difference_rows,
)
from condped.show.text.several.studies import HEAD, goal_lines, study_cells

_MOST_STUDIES = 12  # columns
_MOST_ODD = 4


def across_document(across: Across) -> Document:
    """Return the answer, the pooled parameters, those of each study, branches and notes."""
    shown = across.parameters[:MOST_ROWS]
    header = ("parameter", "importance", percent(across.level), "matters in", "between studies",
              "odd")  # fmt: skip
    rows = [
        (
            shortened(one.name),
            *pooled_numbers(one),
            f"{one.matters_in} of {one.studies}",
            agreement_words(one),
            listed(one.odd, _MOST_ODD) if one.odd else "",
        )
        for one in shown
    ]
    parts: list[Part] = [answer_of(across).sentences]
    parts.append(Table(header, rows, frozenset({1, 3})) if rows else NOTHING)
    parts.append(pooled_left_out(across))
    if len(across.studies) > 1 and shown:
        studies = across.studies[:_MOST_STUDIES]
        names = [shortened(study.name) for study in studies]
        cells = [(shortened(one.name), *study_numbers(across, one, studies)) for one in shown]
        every = frozenset(range(1, len(names) + 1))
        parts.append(Table(("parameter", *names), cells, every, heads=every))
        left = len(across.studies) - len(studies)
        rest = f" {left:,} more are in result.rows() and on the page." if left else ""
        parts.append(f"{BY_STUDY}{rest}")
    if across.branches:
        parts += [table_of(branch_standings(across), range(1, 6)), branches_left_out(across)]
    meaning = [MEANING, *([BRANCH_MEANING] if across.branches else [])]
    return Document(across_headline(across), [*parts, [*meaning, *across_notes(across)]])


def difference_document(found: Difference) -> Document:
    """Return the answer, a row per parameter, and what limits the comparison."""
    header, *rows = difference_rows(found)
    # "explains 12 → 30" is one column here, where the width is not limited.
    joined = [(*row[:3], f"{row[3]} {row[4]}", *row[5:]) for row in rows]
    table = Table((*header[:4], *header[5:-1], "verdict"), joined, frozenset(range(1, 7)))
    notes = [difference_meaning(found), *difference_notes(found)]
    names = " → ".join(shortened(study.name) for study in found.studies)
    return Document(f"What changed: {names}", [table, notes], answer=difference_answer(found))


def studies_document(studies: Studies) -> Document:
    """Return a row per study."""
    rows = [(*study_cells(one), " ".join(goal_lines(one, 10**6))) for one in studies.studies]
    count = len(rows)
    title = "1 study" if count == 1 else f"{count:,} studies"
    return Document(title, [Table(HEAD, rows, frozenset(range(1, 7)))])
