"""The parts of a document, independent of its output format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a header.

    Attributes
    ----------
    right
        The columns of numbers, aligned to the right.
    names
        The columns of names, which are shown verbatim.
    heads
        The columns that have a name in the header.
    title
        What the table is about, for formats that do not show the sentence in front of it.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()
    names: frozenset[int] = frozenset({0})
    heads: frozenset[int] = frozenset()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted lines."""

    text: str
    language: str = ""


# A paragraph is a text, a list its entries.
Part: TypeAlias = str | Sequence[str] | Table | Code


@dataclass(frozen=True, slots=True)
class Document:
    """A result in words and tables.

    Attributes
    ----------
    headline
        The question that it answers.
    answer
        The answer in a sentence, if there is one.
    first
        What to read before any number: ties, or why the result is undetermined.
    """

    headline: str
    parts: Sequence[Part]
    first: Sequence[str] = ()
    answer: str = ""


def undetermined(status: str, reason: str | None) -> list[str]:
    """Return the reason why there is no answer; empty if there is one."""
    return [] if status == "ok" else [f"Undetermined: {reason}"]


def table_of(rows: Sequence[Sequence[str]], right: Sequence[int] | range) -> Table:
    """Return a table of rows, the first being the header, with names in the first column."""
    return Table(rows[0], rows[1:], frozenset(right))
