"""Columns of Arrow arrays: most without a copy, the cells of CSV files parsed in bulk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from condped.arrays import BoolArray
from condped.read.files import text_columns
from condped.read.files.text_columns import MISSING, column_of_texts, has_choices
from condped.read.frames import frame
from condped.space.space import Space
from condped.trials.columns import Column, LevelColumn, NumberColumn, UnusableColumn, number_column

# Characters of numbers that all parsers read alike.
_NUMBER_BYTES = np.zeros(256, dtype=bool)
_NUMBER_BYTES[list(b"0123456789+-.eE")] = True


def columns_of(batch: Any) -> Callable[[str], Column]:
    """Return the function from a name to the column of a record batch."""
    return lambda name: column_of(batch.column(name))


def column_of(array: Any) -> Column:
    """Return an array as the reader of frames does, faster for the common types."""
    kind = array.type
    if array.null_count == len(array):
        return LevelColumn(np.full(len(array), -1, dtype=np.int64), ())
    if pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return _numbers(array)
    if is_text(kind):
        array = array.dictionary_encode()
    if pa.types.is_dictionary(array.type) and is_text(array.type.value_type):
        levels = array.dictionary.to_pylist()
        # The dictionary may contain a level twice, or null.
        if None not in levels and len(set(levels)) == len(levels):
            codes = array.indices.cast(pa.int64()).fill_null(-1).to_numpy()
            return LevelColumn(codes, tuple(levels))
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return frame.column_of(nw.from_native(pa.chunked_array([array]), series_only=True))


def is_text(kind: Any) -> bool:
    """Return whether a type is one of texts."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _dtype(kind: Any) -> np.dtype[Any]:
    # Arrow's to_pandas_dtype imports pandas.
    name = "f" if pa.types.is_floating(kind) else "i" if pa.types.is_signed_integer(kind) else "u"
    return np.dtype(f"{name}{kind.bit_width // 8}")


def _numbers(array: Any) -> Column:
    if not array.null_count:
        return number_column(array.to_numpy())
    valid, data = array.buffers()
    start, stop = array.offset, array.offset + len(array)
    # The validity bits say where there is a value; the data elsewhere is undefined.
    present = np.unpackbits(
        np.frombuffer(valid, np.uint8, (stop + 7) // 8), count=stop, bitorder="little"
    )
    present = present[start:]
    values = np.frombuffer(data, _dtype(array.type), stop)[start:]
    if values.dtype.kind != "f":
        # Selecting row by row takes ten times as long as multiplying.
        return number_column(values * present.astype(values.dtype), present == 0)
    values = values.astype(np.float64)
    bits, gone = values.view(np.int64), present.astype(np.int64)
    gone -= 1
    bits |= gone  # all bits set: NaN
    return NumberColumn(values, np.isnan(values))


def text_column(texts: Any, space: Space | None, name: str) -> tuple[Column, int]:
    """Return the texts of CSV cells as the CSV reader does, faster.

    ``texts`` is an Arrow array of texts, none of them null. Also returns how many of them are
    words such as NA for a missing value.
    """
    if not has_choices(space, name):
        found = _parsed_numbers(texts)
        if found is not None:
            return found
    encoded = texts.dictionary_encode()
    cells, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    column = column_of_texts(cells, space, name)
    if isinstance(column, UnusableColumn):
        return column, 0
    absent = zip(cells, column.absent().tolist(), strict=True)
    words = np.array([gone and bool(cell.strip()) for cell, gone in absent], dtype=bool)
    count = int(np.count_nonzero(words[codes])) if words.any() else 0
    if isinstance(column, LevelColumn):
        return LevelColumn(column.codes[codes], column.levels), count
    missing = None if column.missing is None else column.missing[codes]
    return NumberColumn(column.values[codes], missing), count


def names_column(texts: Any) -> Column:
    """Return texts as they are, such as the names of studies; empty cells are missing."""
    encoded = texts.dictionary_encode()
    column = text_columns.names_column(encoded.dictionary.to_pylist())
    assert isinstance(column, LevelColumn)
    return LevelColumn(column.codes[encoded.indices.to_numpy()], column.levels)


def _parsed_numbers(texts: Any) -> tuple[Column, int] | None:
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
