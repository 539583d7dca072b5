"""Names for the array types that the stages hand to each other."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
# Small signed integers of whatever width fits: domain ids, buckets.
IdArray: TypeAlias = npt.NDArray[np.signedinteger[Any]]
# Some of the rows of an array; positions also give their order.
Rows: TypeAlias = BoolArray | IntArray | slice
# Parameter values: float64, int64, or small integers for the position of a choice.
ValueArray: TypeAlias = npt.NDArray[Any]
