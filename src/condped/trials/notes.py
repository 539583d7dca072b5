"""Notes that say in how many rows something was noticed, and that add up over parts of a source."""

from __future__ import annotations

from typing import Any, Literal

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
