"""Columns of record batches as the readers know them, most without a copy."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from condped.read import frame
from condped.read.columns import Column, LevelColumn, number_column


def column_of(array: Any) -> Column:
    """Return an array as the reader of frames does, in few calls for the common types."""
    kind = array.type
    if array.null_count == len(array):
        return LevelColumn(np.full(len(array), -1, dtype=np.int64), ())
    if pa.types.is_integer(kind):
        return number_column(*_values(array, 0))
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return number_column(*_values(array, np.nan))
    if is_text(kind):
        array = array.dictionary_encode()
    if pa.types.is_dictionary(array.type) and is_text(array.type.value_type):
        levels = array.dictionary.to_pylist()
        # Whoever wrote them may have put a level twice, or a level that is none.
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


def _values(array: Any, nothing: float) -> tuple[Any, Any]:
    """Return the numbers, and where there are none."""
    if not array.null_count:
        return array.to_numpy(), None
    missing = array.is_null().to_numpy(zero_copy_only=False)
    return array.fill_null(nothing).to_numpy(), missing
