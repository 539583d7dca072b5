"""Notes that say in how many rows something was noticed, and that add up over batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["missing", "words", "failed", "outside"]


class RowsNote(str):
    """A sentence with a count in it, for whoever reads a source in parts.

    Attributes
    ----------
    kind, subject
        What was noticed, and of which column; notes that agree in both add up.
    begin, rows, end
        The sentence, which has the number of rows in it; its end may tell of the first row.
    first_row
        Where it was first noticed.
    """

    kind: Kind
    subject: str
    begin: str
    rows: int
    end: str
    first_row: int

    def __new__(
        cls, kind: Kind, subject: str, begin: str, rows: int, end: str, *, first_row: int = 0
    ) -> RowsNote:
        note = super().__new__(cls, f"{begin}{rows}{end}")
        note.kind, note.subject = kind, subject
        note.begin, note.rows, note.end, note.first_row = begin, rows, end, first_row
        return note

    def __getnewargs_ex__(self) -> Any:  # for copies; a plain text has one argument only
        given = (self.kind, self.subject, self.begin, self.rows, self.end)
        return given, {"first_row": self.first_row}

    def with_those_of(self, other: RowsNote) -> RowsNote:
        """Return what is to be said of the rows of both."""
        first = self if self.first_row <= other.first_row else other
        return RowsNote(
            self.kind,
            self.subject,
            first.begin,
            self.rows + other.rows,
            first.end,
            first_row=first.first_row,
        )


@dataclass(slots=True)
class Notes:
    """Notes of several batches, one of each kind for each column."""

    notes: dict[tuple[str, str], RowsNote] = field(default_factory=dict)

    def add(self, notes: Iterable[RowsNote]) -> None:
        """Take in the notes of other rows."""
        for note in notes:
            key = (note.kind, note.subject)
            known = self.notes.get(key)
            self.notes[key] = note if known is None else known.with_those_of(note)

    def merge(self, other: Notes) -> None:
        """Take in what was noticed elsewhere."""
        self.add(other.notes.values())

    def sentences(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the notes in a fixed order: by kind, then as the columns are named."""
        if not self.notes:
            return ()
        places = {name: place for place, name in enumerate(names)}
        found: list[str] = []
        for kind in get_args(Kind):
            notes = [note for note in self.notes.values() if note.kind == kind]
            notes.sort(key=lambda note: (places.get(note.subject, len(places)), note.subject))
            if kind == "words" and notes:
                found.append(words_note({note.subject: note.rows for note in notes}))
            else:
                found += [str(note) for note in notes]
        return tuple(found)


def words_note(counts: Mapping[str, int]) -> str:
    """Say in how many cells of which columns words stood for nothing."""
    shown = ", ".join(f"{' '.join(name.split())} ({count})" for name, count in counts.items())
    return f"Cells such as NA, nan or None were taken as missing in {shown}."
