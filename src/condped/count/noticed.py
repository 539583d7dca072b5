"""What several chunks noticed, put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from condped.read.files.texts import words_told
from condped.trials.notes import RowsNote

_KINDS = ("missing", "words", "failed", "outside")


@dataclass(slots=True)
class Noticed:
    """Notes that add up, one of each kind for each column."""

    notes: dict[tuple[str, str], RowsNote] = field(default_factory=dict)

    def add(self, notes: Iterable[RowsNote]) -> None:
        """Take the notes of other rows in."""
        for note in notes:
            key = (note.kind, note.subject)
            known = self.notes.get(key)
            self.notes[key] = note if known is None else known.with_those_of(note)

    def merge(self, other: Noticed) -> None:
        """Take in what was noticed elsewhere."""
        self.add(other.notes.values())

    def told(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the sentences in a settled order: by kind, then as the columns are named."""
        places = {name: place for place, name in enumerate(names)}
        found: list[str] = []
        for kind in _KINDS:
            notes = [note for note in self.notes.values() if note.kind == kind]
            notes.sort(key=lambda note: (places.get(note.subject, len(places)), note.subject))
            if kind == "words" and notes:
                found.append(words_told({note.subject: note.rows for note in notes}))
            else:
                found += [str(note) for note in notes]
        return tuple(found)
