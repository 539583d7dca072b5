"""Columns of CSV cells as numbers and choices: as the CSV reader parses each cell, in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from condped.arrays import BoolArray
from condped.read.files.text_columns import MISSING, column_of_texts, has_choices
from condped.space.space import Space
from condped.trials.columns import Column, LevelColumn, NumberColumn, UnusableColumn, number_column

# Characters of numbers that all parsers read alike.
_NUMBER_BYTES = np.zeros(256, dtype=bool)
_NUMBER_BYTES[list(b"0123456789+-.eE")] = True


def text_column(texts: Any, space: Space | None, name: str) -> tuple[Column, int]:
    """Return a column, and how many of its cells are missing by a word such as NA.

    ``texts`` is an Arrow array of texts, none of them null.
    """
    if not has_choices(space, name):
        found = _numbers(texts)
        if found is not None:
            return found
    encoded = texts.dictionary_encode()
    column, words = cells_column(encoded.dictionary.to_pylist(), space, name)
    codes = encoded.indices.to_numpy()
    if not words.any():
        return _expand(column, codes), 0
    return _expand(column, codes), int(np.count_nonzero(words[codes]))


def cells_column(
    cells: Sequence[str | None], space: Space | None, name: str
) -> tuple[Column, BoolArray]:
    """Return a column of cells, and which of them are missing by a word such as NA."""
    column = column_of_texts(cells, space, name)
    words = np.zeros(len(cells), dtype=bool)
    if not isinstance(column, UnusableColumn):
        for place in np.flatnonzero(column.absent()).tolist():
            words[place] = bool((cells[place] or "").strip())
    return column, words


def _expand(column: Column, codes: Any) -> Column:
    """Return the column of all rows from the column of the distinct cells."""
    if isinstance(column, LevelColumn):
        return LevelColumn(column.codes[codes], column.levels)
    if isinstance(column, NumberColumn):
        missing = None if column.missing is None else column.missing[codes]
        return NumberColumn(column.values[codes], missing)
    return column


def _numbers(texts: Any) -> tuple[Column, int] | None:
    """Return the texts as numbers; None if they need the slower parser."""
    words = 0
    raw, missing = _bytes(texts)
    if not _NUMBER_BYTES[raw].all():
        plain = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
        missing_words = pc.is_in(plain, pa.array(sorted(MISSING)))
        if not pc.any(missing_words).as_py():
            return None
        words = pc.sum(pc.and_(missing_words, pc.not_equal(plain, ""))).as_py()
        texts = pc.if_else(missing_words, "", texts)
        raw, missing = _bytes(texts)
        if not _NUMBER_BYTES[raw].all():
            return None
    if missing.all():
        return None
    if missing.any():
        texts = pc.if_else(pa.array(missing), pa.scalar(None, pa.string()), texts)
    values = _cast(texts, raw)
    if values is None:
        return None
    filler = np.nan if pa.types.is_floating(values.type) else 0
    numbers = values.fill_null(filler).to_numpy()
    return number_column(numbers, missing if missing.any() else None), words


def _cast(texts: Any, raw: Any) -> Any:
    whole = not any((raw == sign).any() for sign in b".eE")
    try:
        return texts.cast(pa.int64() if whole else pa.float64())
    except pa.ArrowInvalid:
        return None  # such as an integer beyond int64


def _bytes(texts: Any) -> tuple[Any, BoolArray]:
    """Return all bytes of the texts, and which texts are empty."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32, texts.offset + len(texts) + 1)[texts.offset :]
    raw = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8, int(ends[-1]))
    return raw[int(ends[0]) :], ends[1:] == ends[:-1]
