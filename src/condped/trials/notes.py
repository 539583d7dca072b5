"""Notes that count the rows they apply to, and that add up over batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["missing", "words", "failed", "outside"]


class Caution(str):
    """A sentence that users should read before any number."""

    __slots__ = ()


class RowsNote(str):
    """A sentence with a number of rows in it, which can be summed over batches.

    Attributes
    ----------
    kind, subject
        What the note is about, and of which column; notes equal in both add up.
    begin, rows, end
        The sentence around the number of rows; its end may mention the first row.
    first_row
        The first row it applies to.
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

    def __getnewargs_ex__(self) -> Any:  # for copies: str takes one argument only
        given = (self.kind, self.subject, self.begin, self.rows, self.end)
        return given, {"first_row": self.first_row}

    def merged_with(self, other: RowsNote) -> RowsNote:
        """Return the note for the rows of both."""
        # Of rows without numbers the same one is shown, whichever worker was faster.
        first = min(self, other, key=lambda note: (note.first_row, note.end))
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
        """Add the notes on other rows."""
        for note in notes:
            key = (note.kind, note.subject)
            known = self.notes.get(key)
            self.notes[key] = note if known is None else known.merged_with(note)

    def merge(self, other: Notes) -> None:
        """Add the notes of another worker."""
        self.add(other.notes.values())

    def sentences(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the notes in a fixed order: by kind, then by column in the order of ``names``."""
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
    """Return the note on cells such as NA that were read as missing, by column."""
    return f"Cells such as NA, nan or None were taken as missing in {_listed(counts)}."


def choice_words_note(counts: Mapping[str, int]) -> str:
    """Return the note on cells such as None that were read as a choice, by column."""
    return (
        f"Cells such as NA, nan or None were taken as a choice in {_listed(counts)}; leave cells "
        "empty where a parameter is inactive."
    )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{' '.join(name.split())} ({count})" for name, count in counts.items())
