"""Columns of Arrow record batches, most without a copy."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from condped.read.frames import frame
from condped.trials.columns import Column, LevelColumn, NumberColumn, number_column


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
    bits = values.view(np.int64)
    bits |= present.astype(np.int64) - 1  # all bits set: NaN
    return NumberColumn(values, np.isnan(values))
